// SPDX-License-Identifier: Apache-2.0
// product_less: whether x * X is below y * Y, for constants X and Y.
//
// The constants are taken in lowest terms, and x is added and y taken away once for each bit of theirs:
// one sum of few terms, whose sign is the answer, in place of two products and a comparison behind them.
module product_less #(
  parameter int unsigned XW = 8,
  parameter int unsigned X  = 1,  // 1 to 65535, as Y
  parameter int unsigned YW = 8,
  parameter int unsigned Y  = 1
) (
  input  logic [XW-1:0] x_i,
  input  logic [YW-1:0] y_i,
  output logic          less_o
);

  function automatic [31:0] gcd(input [31:0] x, input [31:0] y);
    logic [31:0] a, b, t;
    a = x;
    b = y;
    for (int unsigned i = 0; i < 32; i++) begin  // more steps than Euclid's algorithm needs here
      if (b != 32'd0) begin
        t = a % b;
        a = b;
        b = t;
      end
    end
    gcd = a;
  endfunction

  localparam logic [31:0] XLeast = X / gcd(X, Y);
  localparam logic [31:0] YLeast = Y / gcd(X, Y);
  localparam int unsigned SumW   = ((XW > YW) ? XW : YW) + 17;  // 16 bits of a constant, and a sign

  logic [SumW-1:0] sum;
  always_comb begin
    sum = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      if (XLeast[i]) sum = sum + (SumW'(x_i) << i);
      if (YLeast[i]) sum = sum - (SumW'(y_i) << i);
    end
  end
  assign less_o = 1'(sum >> (SumW - 1));

endmodule
