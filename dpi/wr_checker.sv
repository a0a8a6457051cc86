// SPDX-License-Identifier: Apache-2.0
// Checker of a block, generic over blocks: the generated bind file attaches it and packs the pins.
//
// At every rising clock edge it hands the settled inputs, outputs and named registers to the C model through DPI,
// which computes its own outputs from its own state and those inputs, compares, and steps. Both
// sides have finished the cycle by then, so combinational outputs are compared like registered ones.
// Nothing of a block's behaviour stands here.
module wr_checker #(
  parameter int unsigned InW    = 1,
  parameter int unsigned OutW   = 1,
  parameter int unsigned StateW = 1  // registers that the description names; 1 and 0 for none
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [InW-1:0]    in_i,
  input logic [OutW-1:0]   out_i,
  input logic [StateW-1:0] state_i
);

  import "DPI-C" function void wr_checker_cycle(
    input longint unsigned hook, input bit [InW-1:0] in, input bit [OutW-1:0] out,
    input bit [StateW-1:0] state);
  import "DPI-C" function void wr_checker_reset(input longint unsigned hook);

  longint unsigned hook;

  initial begin
    if ($value$plusargs("wr_checker=%h", hook) == 0) begin
      $fatal(1, "wr_checker: no model attached, +wr_checker=<hook> is missing");
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wr_checker_reset(hook);
    else wr_checker_cycle(hook, in_i, out_i, state_i);
  end

endmodule
