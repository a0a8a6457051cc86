// SPDX-License-Identifier: Apache-2.0
// Checker of a block, generic over blocks: the generated bind file attaches it and packs the pins.
//
// At every rising clock edge it hands the settled inputs, outputs and named registers to the C model through DPI,
// which computes its own outputs from its own state and those inputs, compares, and steps. Both
// sides have finished the cycle by then, so combinational outputs are compared like registered ones.
// Outputs and registers are those from before the edge: a latch in the block may open with it. Where the block
// is known to have none, WR_CHECKER_EDGE_ONLY saves the copy. Nothing of a block's behaviour stands here.
//
// The imports have two definitions: dpi/rtl_host.cpp, in objects that our programs load, keeps count and
// goes on behind a mismatch; dpi/simulator.c, in libwarpref.so for any simulator, has it end the run.
// A C function has one signature in a whole design (IEEE 1800-2017 35.5.4), so vectors travel in as many
// bits as the largest block may need. WR_CHECKER_HOSTED is said to the former objects: they hold one
// checker, whose vectors have their own width, and the program knows block and parameters.
`ifndef WR_CHECKER_SV
`define WR_CHECKER_SV

module wr_checker #(
  parameter string         Block  = "",  // name
  parameter bit [255:0]    Params = '0,  // 32 bits each, the first lowest
  parameter int unsigned   InW    = 1,
  parameter int unsigned   OutW   = 1,
  parameter int unsigned   StateW = 1,   // registers that the description names; 1 and 0 for none
  parameter bit [31:0]     Shown  = '0   // which of these there are, a bit each, the first lowest
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [InW-1:0]    in_i,
  input logic [OutW-1:0]   out_i,
  input logic [StateW-1:0] state_i
);

`ifdef WR_CHECKER_HOSTED
  localparam int unsigned InRoom = InW;
  localparam int unsigned OutRoom = OutW;
  localparam int unsigned StateRoom = StateW;
`else
  localparam int unsigned InRoom = 32'd3072;  // WR_MAX_WORDS and WR_MAX_STATE_WORDS of dpi/block.h
  localparam int unsigned OutRoom = 32'd3072;
  localparam int unsigned StateRoom = 32'd1024;
`endif

  import "DPI-C" function chandle wr_dpi_open(
    input string block, input bit [255:0] params, input int unsigned in_bits, input int unsigned out_bits,
    input bit [31:0] shown);
  import "DPI-C" function void wr_dpi_reset(input chandle hook);
  import "DPI-C" function int wr_dpi_cycle(
    input chandle hook, input bit [InRoom-1:0] in, input bit [OutRoom-1:0] out,
    input bit [StateRoom-1:0] state, input bit unknown);
  import "DPI-C" function string wr_dpi_text(input chandle hook);
  import "DPI-C" function int wr_dpi_end(input chandle hook);

  chandle hook = wr_dpi_open(Block, Params, InW, OutW, Shown);

  initial begin
    if (wr_dpi_text(hook) != "") $fatal(1, "%s", wr_dpi_text(hook));
  end

  logic [OutW-1:0]   out;
  logic [StateW-1:0] state;

`ifdef WR_CHECKER_EDGE_ONLY
  assign out   = out_i;
  assign state = state_i;
`else
  always_latch begin
    if (!clk_i) begin
      out   = out_i;
      state = state_i;
    end
  end
`endif

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_dpi_reset(hook);
    end else if (wr_dpi_cycle(hook, InRoom'(in_i), OutRoom'(out), StateRoom'(state), $isunknown(out)) != 0) begin
      $fatal(1, "%s", wr_dpi_text(hook));
    end
  end

  final begin
    if (wr_dpi_end(hook) != 0) $fatal(1, "%s", wr_dpi_text(hook));
    else if (wr_dpi_text(hook) != "") $display("%s", wr_dpi_text(hook));
  end

endmodule

`endif
