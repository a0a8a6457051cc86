// SPDX-License-Identifier: Apache-2.0
// A testbench of somebody's own: random pushes and pops at queues of his own RTL. It knows no expected
// values; these are the checker's, which the list of files binds to the module.
module tb;

  localparam int unsigned Cycles = 100000;

  logic        clk = 1'b0;
  logic        rst_n = 1'b1;
  logic        clear;
  logic [1:0]  warp_push, warp_pop, warp_space, warp_valid, tb_push, tb_pop, tb_space, tb_valid;
  logic [13:0] warp_push_id, warp_head;
  logic [9:0]  tb_push_id, tb_head;
  logic        fault;

  switch_queues_shift #(
    .WarpDepth(11),
    .TbDepth  (5)
  ) u_dut (
    .clk_i         (clk),
    .rst_ni        (rst_n),
    .clear_i       (clear),
    .warp_push_i   (warp_push),
    .warp_push_id_i(warp_push_id),
    .warp_pop_i    (warp_pop),
    .tb_push_i     (tb_push),
    .tb_push_id_i  (tb_push_id),
    .tb_pop_i      (tb_pop),
    .warp_space_o  (warp_space),
    .warp_valid_o  (warp_valid),
    .warp_head_o   (warp_head),
    .tb_space_o    (tb_space),
    .tb_valid_o    (tb_valid),
    .tb_head_o     (tb_head),
    .fault_o       (fault)
  );

  always #5 clk = ~clk;

  // Inputs change away from the rising edge.
  always @(negedge clk) begin
    clear        = $urandom_range(499) == 0;
    warp_push    = 2'($urandom);
    warp_push_id = 14'($urandom);
    warp_pop     = 2'($urandom) & warp_valid;
    tb_push      = 2'($urandom);
    tb_push_id   = 10'($urandom);
    tb_pop       = 2'($urandom) & tb_valid;
  end

  initial begin
    #1 rst_n = 1'b0;
    #20 rst_n = 1'b1;
    repeat (Cycles) @(posedge clk);
    $finish;
  end

endmodule
