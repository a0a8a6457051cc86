// SPDX-License-Identifier: Apache-2.0
// Replays a vector file against a block's RTL in any Verilog simulator.
//
// Plain Verilog-2001; what differs from block to block comes in as macros:
//   WR_WRAP    the packed wrapper, dpi/gen/<block>_wrap.sv; it needs rtl/gen/<block>_pkg.sv
//   WR_PARAMS  its parameters, for example .Lanes(8); may be left out
//   WR_IN      bits of its inputs, as the vector file's header says
//   WR_OUT     bits of its outputs
//   WR_COUNT   rows of the file
//   WR_FILE    the file
//   WR_RESETS  a row has a hexadecimal digit more in front, 1 where a reset goes before it; may be left out
//   WR_BINARY  a difference is shown in binary; may be left out
// testbench/replay/replay.sh takes them from the header and runs Icarus Verilog. Registers start
// unknown there, so an output that depends on one before it is written compares as different.
//
// Inputs change after the falling edge, and are unknown from behind the rising edge until then: a register
// that takes them at another edge than the rising one gets nothing that it could work with. Outputs are
// compared just before the rising edge, so combinational ones have settled. The last line is PASS or FAIL with counts, and a failure ends
// with $fatal so that the simulator's exit status tells.
`timescale 1ns / 1ps

module replay_tb;
  reg                        clk;
  reg                        rst_n;
  reg  [`WR_IN-1:0]          in;
  wire [`WR_OUT-1:0]         out;
  reg  [`WR_OUT-1:0]         expected;
`ifdef WR_RESETS
  localparam Digits = (`WR_OUT + `WR_IN + 3) / 4;
  reg  [4*Digits:0]          rows [0:`WR_COUNT-1];
`else
  reg  [`WR_OUT+`WR_IN-1:0]  rows [0:`WR_COUNT-1];
`endif
  integer                    row;
  integer                    mismatches;

`ifndef WR_PARAMS
`define WR_PARAMS
`endif
  `WR_WRAP #(`WR_PARAMS) u_dut (
    .clk_i(clk),
    .rst_ni(rst_n),
    .in_i(in),
    .out_o(out)
  );

  task reset;
    begin
      in = {`WR_IN{1'b0}};
      #1 rst_n = 1'b0;
      #4 clk = 1'b1;
      #5 clk = 1'b0;
      #1 rst_n = 1'b1;
    end
  endtask

  initial begin
    $readmemh(`WR_FILE, rows);
    clk = 1'b0;
    rst_n = 1'b1;
    mismatches = 0;
    reset;
    for (row = 0; row < `WR_COUNT; row = row + 1) begin
`ifdef WR_RESETS
      if (rows[row][4*Digits]) reset;
`endif
      {expected, in} = rows[row];
      #4;
      if (out !== expected) begin
        if (mismatches == 0) begin
          $display("mismatch: cycle %0d", row);
`ifdef WR_BINARY
          $display("  expected %b", expected);
          $display("  got      %b", out);
`else
          $display("  expected %h", expected);
          $display("  got      %h", out);
`endif
        end
        mismatches = mismatches + 1;
      end
      clk = 1'b1;
      #1 in = {`WR_IN{1'bx}};
      #4 clk = 1'b0;
      #1;
    end
    if (mismatches == 0) begin
      $display("PASS %0d cycles %0d checks", row, row);
      $finish;
    end
    $display("FAIL %0d cycles %0d checks %0d mismatches", row, row, mismatches);
    $fatal(1);
  end
endmodule
