// SPDX-License-Identifier: Apache-2.0
// count_ones: how many of 64 bits are set, combinational: of four, of sixteen, of all.
module count_ones (
  input  logic [63:0] set_i,
  output logic [6:0]  count_o
);

  logic [47:0] four;     // 16 counts of 3 bits
  logic [19:0] sixteen;  // 4 of 5 bits
  for (genvar i = 0; i < 16; i++) begin : gen_four
    assign four[3*i +: 3] = (3'(set_i[4*i]) + 3'(set_i[4*i+1])) + (3'(set_i[4*i+2]) + 3'(set_i[4*i+3]));
  end
  for (genvar i = 0; i < 4; i++) begin : gen_sixteen
    assign sixteen[5*i +: 5] = (5'(four[12*i +: 3]) + 5'(four[12*i+3 +: 3])) +
                               (5'(four[12*i+6 +: 3]) + 5'(four[12*i+9 +: 3]));
  end
  assign count_o = (7'(sixteen[4:0]) + 7'(sixteen[9:5])) + (7'(sixteen[14:10]) + 7'(sixteen[19:15]));

endmodule
