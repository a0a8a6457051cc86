// SPDX-License-Identifier: Apache-2.0
// Block reg_compressor with its pin for the pattern analysing group tied to one size: what a design saves that
// needs no other. Synthesis finds what the constant makes needless.
module reg_compressor_fixed #(
  parameter int unsigned Lanes = 32,
  parameter int unsigned Group = 32  // 8, 16 or 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [5:0]          tag_i,
  input  logic [Lanes*32-1:0] lane_i,
  input  logic                ready_i,
  output logic                ready_o,
  output logic                valid_o,
  output logic [5:0]          tag_o,
  output logic [1:0]          pattern_o,
  output logic [6:0]          count_o,
  output logic [Lanes*32-1:0] word_o,
  output logic                fault_o
);

  reg_compressor #(
    .Lanes(Lanes)
  ) u_compressor (
    .pag_i(Group == 8 ? 2'd0 : Group == 16 ? 2'd1 : 2'd2),
    .*
  );

endmodule
