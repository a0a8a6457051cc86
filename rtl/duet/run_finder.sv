// SPDX-License-Identifier: Apache-2.0
// run_finder: one word of the allocation bit map against a run of n free units, combinational.
//
//   carry: the free units right before the word, and those that it begins with, make n.
//   inside: begins has a bit where n mod 2**k units begin, pow one where 2**k do; from k to k + 1, if
//           n has bit k, they begin where 2**k begin and the rest right behind. The lowest bit wins.
//
// A carried run begins lower than any inside, so it goes first.
module run_finder #(
  parameter int unsigned WordBits = 64  // a power of two
) (
  input  logic [WordBits-1:0]         free_i,
  input  logic [11:0]                 run_i,    // free units right before the word; below need_i
  input  logic [11:0]                 need_i,   // at least 1
  output logic                        carry_o,  // the run that began before is long enough
  output logic                        inside_o,
  output logic [$clog2(WordBits)-1:0] pos_o,    // where the run inside begins
  output logic [11:0]                 run_o     // free units right before the next word
);

  localparam int unsigned OffW = $clog2(WordBits);

  // Free units at the low end and at the high end, unless all are free.
  logic [WordBits-1:0] taken, taken_down;
  logic [OffW-1:0]     lead, trail;
  logic                some_taken, unused_found;
  assign taken = ~free_i;
  for (genvar i = 0; i < WordBits; i++) begin : gen_down
    assign taken_down[i] = taken[WordBits-1-i];
  end
  lowest_set #(.Bits(WordBits), .IdW(OffW)) u_lead (
    .set_i(taken), .found_o(some_taken), .id_o(lead));
  lowest_set #(.Bits(WordBits), .IdW(OffW)) u_trail (
    .set_i(taken_down), .found_o(unused_found), .id_o(trail));

  // What the carried run misses does not wait for the word.
  logic [11:0] missing;
  assign missing = need_i - run_i;
  assign carry_o = missing <= (some_taken ? 12'(lead) : 12'(WordBits));
  assign run_o   = some_taken ? 12'(trail) : run_i + 12'(WordBits);

  // Bit WordBits: behind the word no unit begins, but a run of none does.
  logic [WordBits:0]   begins;
  logic [WordBits-1:0] pow;
  logic                fits;
  always_comb begin
    pow    = free_i;
    begins = '1;
    for (int unsigned k = 0; k <= OffW; k++) begin
      if (need_i[k]) begins = {1'b0, pow} & (begins >> (1 << k));
      pow = pow & (pow >> (1 << k));
    end
  end
  assign inside_o = need_i <= 12'(WordBits) && fits;
  lowest_set #(.Bits(WordBits), .IdW(OffW)) u_pos (
    .set_i(begins[WordBits-1:0]), .found_o(fits), .id_o(pos_o));

endmodule
