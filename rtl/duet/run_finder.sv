// SPDX-License-Identifier: Apache-2.0
// run_finder: one word of the allocation bit map against a run of n free units, combinational.
//
//   carry: the free units right before the word, and those that it begins with, make n.
//   inside: pow[k] has a bit where 2**k free units begin; n units begin where pow[k] has a bit,
//           2**k <= n < 2**(k+1), and once more n - 2**k higher. The lowest such bit wins.
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

  // Free units at the low end and at the high end.
  logic [OffW:0] lead, trail;
  always_comb begin
    lead  = (OffW+1)'(WordBits);
    trail = (OffW+1)'(WordBits);
    for (int unsigned i = 0; i < WordBits; i++) begin
      if (!free_i[WordBits-1-i]) lead = (OffW+1)'(WordBits - 1 - i);
      if (!free_i[i])            trail = (OffW+1)'(WordBits - 1 - i);
    end
  end
  assign carry_o = 13'(run_i) + 13'(lead) >= 13'(need_i);
  assign run_o   = (&free_i) ? run_i + 12'(WordBits) : 12'(trail);

  logic [WordBits-1:0] pow, base, fit;
  logic [OffW-1:0]     rest;
  always_comb begin
    pow  = free_i;
    base = '0;
    rest = '0;
    for (int unsigned k = 0; k <= OffW; k++) begin
      if (need_i[k]) begin
        base = pow;
        rest = OffW'(need_i & ~(12'hfff << k));
      end
      pow = pow & (pow >> (1 << k));
    end
  end
  assign fit      = base & (base >> rest);
  assign inside_o = need_i <= 12'(WordBits) && fit != '0;
  always_comb begin
    pos_o = '0;
    for (int unsigned i = 0; i < WordBits; i++) begin
      if (fit[WordBits-1-i]) pos_o = OffW'(WordBits - 1 - i);
    end
  end

endmodule
