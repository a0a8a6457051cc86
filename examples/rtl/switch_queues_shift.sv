// SPDX-License-Identifier: Apache-2.0
// Block switch_queues of shift registers instead of rings: the same pins in every cycle.
//
//   warpref cosim switch_queues --rtl examples/rtl/switch_queues_shift.sv --top switch_queues_shift
module switch_queues_shift #(
  parameter int unsigned WarpDepth = 16,  // 1 to 64
  parameter int unsigned TbDepth   = 8    // 1 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic [1:0]  warp_push_i,
  input  logic [13:0] warp_push_id_i,
  input  logic [1:0]  warp_pop_i,
  input  logic [1:0]  tb_push_i,
  input  logic [9:0]  tb_push_id_i,
  input  logic [1:0]  tb_pop_i,
  output logic [1:0]  warp_space_o,
  output logic [1:0]  warp_valid_o,
  output logic [13:0] warp_head_o,
  output logic [1:0]  tb_space_o,
  output logic [1:0]  tb_valid_o,
  output logic [9:0]  tb_head_o,
  output logic        fault_o
);

  for (genvar i = 0; i < 2; i++) begin : gen_queue
    shift_fifo #(
      .Depth(WarpDepth),
      .Width(7)
    ) u_warp (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .push_i (warp_push_i[i]),
      .data_i (warp_push_id_i[7*i +: 7]),
      .pop_i  (warp_pop_i[i]),
      .space_o(warp_space_o[i]),
      .valid_o(warp_valid_o[i]),
      .head_o (warp_head_o[7*i +: 7])
    );

    shift_fifo #(
      .Depth(TbDepth),
      .Width(5)
    ) u_tb (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .push_i (tb_push_i[i]),
      .data_i (tb_push_id_i[5*i +: 5]),
      .pop_i  (tb_pop_i[i]),
      .space_o(tb_space_o[i]),
      .valid_o(tb_valid_o[i]),
      .head_o (tb_head_o[5*i +: 5])
    );
  end

  // This name is the block's own: the checker compares the register, too.
  logic fault_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_q <= 1'b0;
    end else if (!clear_i && ((warp_pop_i & ~warp_valid_o) != 2'b00 ||
                              (tb_pop_i & ~tb_valid_o) != 2'b00)) begin
      fault_q <= 1'b1;
    end
  end
  assign fault_o = fault_q;

endmodule
