// SPDX-License-Identifier: Apache-2.0
// tb_age: numbers below Tbs in the order in which they last came, the oldest first. One that comes
// again moves to the end, and those behind its old place move up. The place behind the last one always
// takes the number that comes, new or not: what is there counts only where it is new.
module tb_age #(
  parameter int unsigned Tbs = 32  // 1 to 32
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       placed_i,
  input  logic [4:0] tb_i,
  input  logic [4:0] pos_i,
  output logic [4:0] tb_o,     // the number at place pos_i
  output logic [5:0] count_o
);

  localparam int unsigned PosW = Tbs > 1 ? $clog2(Tbs) : 1;

  logic [5*Tbs-1:0] order_q, order_d;
  logic [5:0]       count_q, count_d;
  logic [Tbs-1:0]   same, here;  // tb_i is at this place; at it or before

  for (genvar i = 0; i < Tbs; i++) begin : gen_place
    logic [4:0] next;
    assign same[i] = 6'(i) < count_q && order_q[5*i +: 5] == tb_i;
    if (i + 1 < Tbs) begin : gen_shift
      assign next = count_q == 6'(i + 1) ? tb_i : order_q[5*(i+1) +: 5];
    end else begin : gen_end
      assign next = tb_i;
    end
    assign order_d[5*i +: 5] = count_q == 6'(i) ? tb_i : here[i] ? next : order_q[5*i +: 5];
  end
  always_comb begin
    here = same;
    for (int unsigned k = 1; k < Tbs; k = 2 * k) here = here | (here << k);
  end
  assign count_d = count_q + 6'(!here[Tbs-1] && count_q != 6'(Tbs));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= '0;
      count_q <= '0;
    end else begin
      if (placed_i) order_q <= order_d;
      if (clear_i)       count_q <= '0;
      else if (placed_i) count_q <= count_d;
    end
  end

  if (PosW < 5) begin : gen_unused
    logic unused_pos;
    assign unused_pos = ^pos_i[4:PosW];
  end
  assign tb_o    = order_q[5*pos_i[PosW-1:0] +: 5];
  assign count_o = count_q;

endmodule
