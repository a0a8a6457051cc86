// SPDX-License-Identifier: Apache-2.0
// division_steps: bits High to Low of rest / divisor, and the rest behind them, combinational: a
// comparison and a subtraction for each bit. The bits above High are taken to be done: rest_i is
// below divisor << (High + 1). So a division can be cut between two bits by a register.
module division_steps #(
  parameter int unsigned High = 6,
  parameter int unsigned Low  = 0
) (
  input  logic [6:0]        rest_i,
  input  logic [5:0]        divisor_i,
  output logic [High-Low:0] quotient_o,
  output logic [6:0]        rest_o
);

  always_comb begin
    quotient_o = '0;
    rest_o     = rest_i;
    for (int unsigned i = 0; i <= High - Low; i++) begin
      if ((rest_o >> (High - i)) >= 7'(divisor_i)) begin
        rest_o                 = rest_o - (7'(divisor_i) << (High - i));
        quotient_o[High-Low-i] = 1'b1;
      end
    end
  end

endmodule
