// SPDX-License-Identifier: Apache-2.0
// bandwidth_converter: when an operation is over and which entries it writes, from the pins alone.
// still view_i
`include "frame.svh"

  logic       takes, broken, works, costs, second;
  logic [1:0] kernel;
  logic [5:0] to, before, gap, at;
  logic [9:0] since, length;  // cycles since the operation was taken, and of it
  logic [3:0] beat;           // since - 1, modulo 9
  logic       bad;
  assign takes = req_i && ready_o;
  assign bad   = 32'(kernel_i) >= Kernels || (op_i == 2'd3 && (kernel_i != kernel || c_i[5:0] == 0 ||
                 32'(c_i[5:0]) > MaxCtas || c_i[5:0] < before));
  assign gap    = to == before ? 6'd1 : to - before;
  assign length = costs ? 10'd19 : 10'd19 + 10'd18 * 10'(gap);
  always @(posedge clk_i) begin
    if (!rst_ni) {broken, works, costs, kernel, to, before, since, beat, at, second} <= '0;
    else begin
      if (takes && bad) broken <= 1'b1;
      if (takes && !bad && op_i[1]) begin
        {works, costs} <= {1'b1, op_i == 2'd2};
        kernel         <= kernel_i;
        since          <= 10'd1;
        beat           <= 4'd0;
        to             <= c_i[5:0];
        second         <= 1'b0;
        at             <= (before == c_i[5:0]) ? before : before + 6'd1;
      end else if (works && since == length) begin
        works  <= 1'b0;
        before <= costs ? 6'd0 : to;
      end else if (works) begin
        since <= since + 10'd1;
        beat  <= (beat == 4'd8) ? 4'd0 : beat + 4'd1;
      end
      if (we_o) {at, second} <= {at + 6'(second), !second};
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | ready: an operation is taken unless a cost or a sample is worked on, for exactly as long as it takes
    ready: assert (ready_o == !works);
    // pdr | entries: a value is written every nine cycles of a sample from the 28th on
    entries: assert (we_o == (works && !costs && since >= 10'd28 && beat == 4'd0));
    // pdr | in_turn: of the NoC and of DRAM, for each number of CTAs up to the sample's, of its kernel
    if (we_o) in_turn: assert (what_o == second && index_o == at && index_o <= to && out_kernel_o == kernel);
    // pdr | masked: without an entry its pins are 0
    if (!we_o) masked: assert ({what_o, out_kernel_o, index_o, value_o} == 0);
    // pdr | unseen: a kernel that is not there has no costs
    if (32'(view_i) >= Kernels) unseen: assert ({n16_o, dreq_o} == 0);
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // pdr | reset: after reset everything is 0, and an operation is taken
    if (!was_ni) reset: assert ({we_o, n16_o, dreq_o, fault_o} == 0 && ready_o);
    // cover 22 | costed: a cost of bytes
    costed: cover (dreq_o == 8'd3);
    // cover 60 | filled: the second entry of a sample
    filled: cover (we_o && what_o && index_o == 6'd2);
  end
endmodule
