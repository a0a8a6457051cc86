// SPDX-License-Identifier: Apache-2.0
// serial_scaler: floor(times * part / whole), where part is not above whole, one bit of times a cycle,
// highest first.
//
//   cycle      t      t+1 ........ t+TimesW  t+TimesW+1
//   load_i   __/~~\______________________________________
//   next_o     | n-1  | n-2 ..... 0 |                       bits of times
//   busy_o   _____/~~~~~~~~~~~~~~~~~~~~~~\________________
//   more_i          | n-1  ........... 0 |                  next_o of the cycle before, times part
//   quot_o                                | valid till load
//
// The caller has the register of more_i, and holds whole_i while busy_o is 1. The product is never there as
// a whole: where the bits of times taken so far make a number N, N * part = quot * whole + rem. A bit more
// doubles all of it and adds part or not, so rem stays below 3 * whole until it is reduced, and the
// quotient gets 0, 1 or 2 more. It grows in the places that times leaves.
module serial_scaler #(
  parameter int unsigned TimesW = 14,
  parameter int unsigned PartW  = 16,
  parameter int unsigned WholeW = 16  // PartW or more
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              load_i,  // starts anew, also in the middle
  input  logic [TimesW-1:0] times_i,
  input  logic [PartW-1:0]  more_i,
  input  logic [WholeW-1:0] whole_i,
  output logic              next_o,
  output logic              busy_o,
  output logic [TimesW-1:0] quot_o
);

  localparam int unsigned SumW  = WholeW + 3;  // below 3 * whole, and a sign
  localparam int unsigned LeftW = $clog2(TimesW + 1);

  logic [WholeW-1:0] rem_q, rem_d;
  logic [TimesW-1:0] times_q, times_d;
  logic [LeftW-1:0]  left_q, left_d;

  // What there is, and the same less whole and less 2 * whole: three operands to two, then one adder.
  logic [SumW-1:0]   doubled, more, minus_1, minus_2, carry_1, carry_2, less_1, less_2;
  logic [TimesW-1:0] shifted;
  assign doubled = {2'b00, rem_q, 1'b0};
  assign more    = SumW'(more_i);
  assign minus_1 = ~{3'b000, whole_i};
  assign minus_2 = ~{2'b00, whole_i, 1'b0};
  assign carry_1 = (doubled & more) | (doubled & minus_1) | (more & minus_1);
  assign carry_2 = (doubled & more) | (doubled & minus_2) | (more & minus_2);
  assign less_1  = (doubled ^ more ^ minus_1) + (carry_1 << 1) + SumW'(1);
  assign less_2  = (doubled ^ more ^ minus_2) + (carry_2 << 1) + SumW'(1);
  assign shifted = times_q << 1;

  assign next_o = load_i ? times_i[TimesW-1] : times_q[TimesW-2];
  assign busy_o = left_q != '0;
  assign quot_o = times_q;

  always_comb begin
    // Nobody looks at the remainder behind the last bit, so it need not be held.
    rem_d   = WholeW'(doubled + more);
    times_d = times_q;
    left_d  = left_q;
    if (!less_1[SumW-1]) rem_d = less_1[WholeW-1:0];
    if (!less_2[SumW-1]) rem_d = less_2[WholeW-1:0];
    if (load_i) begin
      rem_d   = '0;
      times_d = times_i;
      left_d  = LeftW'(TimesW);
    end else if (busy_o) begin
      times_d = shifted | TimesW'(!less_1[SumW-1]);
      if (!less_2[SumW-1]) times_d = shifted + TimesW'(2);
      left_d = left_q - LeftW'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rem_q   <= '0;
      times_q <= '0;
      left_q  <= '0;
    end else begin
      rem_q   <= rem_d;
      times_q <= times_d;
      left_q  <= left_d;
    end
  end

endmodule
