// SPDX-License-Identifier: Apache-2.0
// context_saver with the checkers of itself and of its three parts in one design: vectors of four widths
// through the same imports. Its inputs may have any value in any cycle.
module parts;

  localparam int unsigned Cycles = 2000;

  logic clk = 1'b0;
  logic rst_n = 1'b1;
  logic [context_saver_pkg::InBits-1:0] pins;
  logic [context_saver_pkg::OutBits-1:0] unused;

  context_saver_wrap u_wrap (
    .clk_i (clk),
    .rst_ni(rst_n),
    .in_i  (pins),
    .out_o (unused)
  );

  always #5 clk = ~clk;

  always @(negedge clk) begin
    for (int i = 0; i < context_saver_pkg::InBits; i++) pins[i] = 1'($urandom);
  end

  initial begin
    if (!$test$plusargs("no_reset")) begin
      #1 rst_n = 1'b0;
      #20 rst_n = 1'b1;
    end
    repeat (Cycles) @(posedge clk);
    $finish;
  end

endmodule
