// SPDX-License-Identifier: Apache-2.0
// switch_queues: the queues of stalled (index 0) and ready (index 1) warps and TBs.
//
// Four rings side by side. A full one shows no space and takes nothing, whatever is popped in
// the same cycle, so that no path leads from pop to space.
//
// Source: Lin-D 3.6.6, Table 3.4.
module switch_queues #(
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

  if (WarpDepth < 1 || WarpDepth > 64 || TbDepth < 1 || TbDepth > 64) begin : gen_bad_depth
    $fatal(1, "switch_queues: depths are 1 to 64");
  end

  localparam int unsigned WarpCountW = $clog2(WarpDepth + 1);
  localparam int unsigned TbCountW   = $clog2(TbDepth + 1);

  // The counts, each in 7 bits, as the checker compares them.
  logic [13:0] warp_count_q;
  logic [13:0] tb_count_q;

  for (genvar i = 0; i < 2; i++) begin : gen_queue
    logic [WarpCountW-1:0] warp_count;
    logic [TbCountW-1:0]   tb_count;

    switch_fifo #(
      .Depth(WarpDepth),
      .Width(7)
    ) u_warp (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i (warp_push_i[i]),
      .data_i (warp_push_id_i[7*i +: 7]),
      .pop_i  (warp_pop_i[i]),
      .space_o(warp_space_o[i]),
      .valid_o(warp_valid_o[i]),
      .head_o (warp_head_o[7*i +: 7]),
      .count_o(warp_count)
    );

    switch_fifo #(
      .Depth(TbDepth),
      .Width(5)
    ) u_tb (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i (tb_push_i[i]),
      .data_i (tb_push_id_i[5*i +: 5]),
      .pop_i  (tb_pop_i[i]),
      .space_o(tb_space_o[i]),
      .valid_o(tb_valid_o[i]),
      .head_o (tb_head_o[5*i +: 5]),
      .count_o(tb_count)
    );

    assign warp_count_q[7*i +: 7] = 7'(warp_count);
    assign tb_count_q[7*i +: 7]   = 7'(tb_count);
  end

  logic fault_q, fault_d;
  assign fault_d = fault_q || (!clear_i && ((warp_pop_i & ~warp_valid_o) != 2'b00 ||
                                            (tb_pop_i & ~tb_valid_o) != 2'b00));
  assign fault_o = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fault_q <= 1'b0;
    else         fault_q <= fault_d;
  end

endmodule
