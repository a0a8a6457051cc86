// SPDX-License-Identifier: Apache-2.0
// first_set: the lowest set bit of a vector at or above a start, going round; a masked and a plain
// priority encoder. id_o is 0 where no bit is set; a start outside the vector counts as 0.
module first_set #(
  parameter int unsigned Bits = 32,
  parameter int unsigned IdW  = 5   // bits of start and id; 2**IdW >= Bits
) (
  input  logic [Bits-1:0] set_i,
  input  logic [IdW-1:0]  from_i,
  output logic            found_o,
  output logic [IdW-1:0]  id_o
);

  // A start past the end shifts everything out: nothing lies above, the plain search remains.
  logic [Bits-1:0] above, pick;
  assign above   = set_i & ({Bits{1'b1}} << from_i);
  assign pick    = (above != '0) ? above : set_i;
  assign found_o = set_i != '0;

  always_comb begin
    id_o = '0;
    for (int unsigned i = 0; i < Bits; i++) begin
      if (pick[Bits-1-i]) id_o = IdW'(Bits - 1 - i);
    end
  end

endmodule
