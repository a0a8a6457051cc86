// SPDX-License-Identifier: Apache-2.0
// first_set: the lowest set bit of a vector at or above a start, going round: the lowest of those at
// or above it, or of all, sought side by side. id_o is 0 where no bit is set; a start outside the
// vector counts as 0.
module first_set #(
  parameter int unsigned Bits = 32,
  parameter int unsigned IdW  = 5   // bits of start and id; 2**IdW >= Bits
) (
  input  logic [Bits-1:0] set_i,
  input  logic [IdW-1:0]  from_i,
  output logic            found_o,
  output logic [IdW-1:0]  id_o
);

  logic [Bits-1:0] above;
  logic            found_above;
  logic [IdW-1:0]  id_above, id_any;
  assign above = set_i & ({Bits{1'b1}} << from_i);

  lowest_set #(.Bits(Bits), .IdW(IdW)) u_above (
    .set_i(above), .found_o(found_above), .id_o(id_above));
  lowest_set #(.Bits(Bits), .IdW(IdW)) u_any (
    .set_i(set_i), .found_o(found_o), .id_o(id_any));
  assign id_o = found_above ? id_above : id_any;

endmodule
