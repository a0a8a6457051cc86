// SPDX-License-Identifier: Apache-2.0
// is_sum: whether a + b is sum, without an adder. It is where a + b + ~sum is all ones, and that as two
// words, as a carry-save adder leaves it, is all ones where each is the other's complement: so no carry
// runs behind what chooses the operands.
module is_sum #(
  parameter int unsigned Width = 32
) (
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic [Width-1:0] sum_i,
  output logic             is_o
);

  logic [Width-1:0] sums;
  logic [Width-2:0] carries;
  assign sums    = a_i ^ b_i ^ ~sum_i;
  assign carries = (a_i[Width-2:0] & b_i[Width-2:0]) | ((a_i[Width-2:0] | b_i[Width-2:0]) & ~sum_i[Width-2:0]);
  assign is_o    = sums == ~{carries, 1'b0};

endmodule
