// SPDX-License-Identifier: Apache-2.0
// lowest_set: the lowest set bit of a vector, as a tree: of two neighbours the lower one wins if it
// has a bit at all. id_o is 0 where no bit is set.
module lowest_set #(
  parameter int unsigned Bits = 32,
  parameter int unsigned IdW  = 5   // bits of id; 2**IdW >= Bits
) (
  input  logic [Bits-1:0] set_i,
  output logic            found_o,
  output logic [IdW-1:0]  id_o
);

  // After level k bit i stands for the bits i * 2**(k+1) onwards, and id has their lowest.
  logic [(1<<IdW)-1:0]       any;
  logic [(IdW<<IdW)-1:0]     id;
  always_comb begin
    any = (1 << IdW)'(set_i);
    id  = '0;
    for (int unsigned k = 0; k < IdW; k++) begin
      for (int unsigned i = 0; i < (1 << IdW) >> (k + 1); i++) begin
        id[IdW*i +: IdW] = (any[2*i] || !any[2*i+1]) ? id[IdW*2*i +: IdW]
                                                    : id[IdW*(2*i+1) +: IdW] | IdW'(1 << k);
        any[i] = any[2*i] || any[2*i+1];
      end
    end
  end
  assign found_o = any[0];
  assign id_o    = id[IdW-1:0];

endmodule
