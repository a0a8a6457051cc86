// SPDX-License-Identifier: Apache-2.0
// serial_divider: floor(num / den), one bit of the quotient a cycle, highest first.
//
//   cycle      t      t+1 ........ t+QuotW   t+QuotW+1
//   load_i   __/~~\______________________________________
//   busy_o   _____/~~~~~~~~~~~~~~~~~~~~~~\________________
//   quot_o                                | valid till load
//
// The divisor starts QuotW - 1 places to the left and comes down one place a cycle. A quotient that
// does not fit QuotW bits comes out as all ones, and so does a division by 0.
module serial_divider #(
  parameter int unsigned NumW  = 16,
  parameter int unsigned DenW  = 8,
  parameter int unsigned QuotW = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             load_i,  // starts a division, also in the middle of another
  input  logic [NumW-1:0]  num_i,
  input  logic [DenW-1:0]  den_i,
  output logic             busy_o,
  output logic [QuotW-1:0] quot_o
);

  localparam int unsigned ShiftW = DenW + QuotW - 1;
  localparam int unsigned CmpW   = (ShiftW > NumW) ? ShiftW : NumW;
  localparam int unsigned LeftW  = $clog2(QuotW + 1);

  logic [NumW-1:0]   rem_q, rem_d;
  logic [ShiftW-1:0] den_q, den_d;
  logic [QuotW-1:0]  quot_q, quot_d;
  logic [LeftW-1:0]  left_q, left_d;

  logic goes;  // the divisor goes into what is left
  assign goes   = CmpW'(rem_q) >= CmpW'(den_q);
  assign busy_o = left_q != '0;
  assign quot_o = quot_q;

  always_comb begin
    rem_d  = rem_q;
    den_d  = den_q;
    quot_d = quot_q;
    left_d = left_q;
    if (load_i) begin
      rem_d  = num_i;
      den_d  = ShiftW'(den_i) << (QuotW - 1);
      quot_d = '0;
      left_d = LeftW'(QuotW);
    end else if (busy_o) begin
      if (goes) rem_d = rem_q - NumW'(den_q);
      den_d  = den_q >> 1;
      quot_d = {quot_q[QuotW-2:0], goes};
      left_d = left_q - LeftW'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rem_q  <= '0;
      den_q  <= '0;
      quot_q <= '0;
      left_q <= '0;
    end else begin
      rem_q  <= rem_d;
      den_q  <= den_d;
      quot_q <= quot_d;
      left_q <= left_d;
    end
  end

endmodule
