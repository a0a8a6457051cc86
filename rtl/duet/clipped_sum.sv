// SPDX-License-Identifier: Apache-2.0
// clipped_sum: the sum of N values, each cut off at most_i, by a tree of adders.
//
// The tree lies in a row of 2 N - 1 sums as a heap does: that of place p is of those of places 2 p + 1
// and 2 p + 2, the values stand at its end. So N need be no power of two, no path has more than
// clog2(N) adders, and the place in front is the sum of all.
//
// SumW bits must hold N times the greatest most_i.
module clipped_sum #(
  parameter int unsigned N    = 2,  // values
  parameter int unsigned W    = 1,  // bits of one
  parameter int unsigned SumW = 2
) (
  input  logic [N*W-1:0]  x_i,
  input  logic [W-1:0]    most_i,
  output logic [SumW-1:0] sum_o,
  output logic            over_o  // one is above most_i
);

  logic [N-1:0]            over;
  logic [(2*N-1)*SumW-1:0] sum;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      over[i]                   = x_i[W*i +: W] > most_i;
      sum[SumW*(N-1+i) +: SumW] = over[i] ? SumW'(most_i) : SumW'(x_i[W*i +: W]);
    end
    for (int unsigned p = N - 1; p > 0; p--) begin
      sum[SumW*(p-1) +: SumW] = sum[SumW*(2*p-1) +: SumW] + sum[SumW*(2*p) +: SumW];
    end
  end

  assign sum_o  = sum[SumW-1:0];
  assign over_o = |over;

endmodule
