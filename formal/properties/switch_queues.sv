// SPDX-License-Identifier: Apache-2.0
// switch_queues: order and no loss in all four queues, counts, space and valid, clear, the fault.
//
// A shadow of one freely chosen queue: how many ids it must hold, and one watched id: how many stand in
// front of it. The watched push is any one, so what holds of it holds of all; two ids that follow each
// other keep their order as each leaves exactly when all in front of it have left.
`include "frame.svh"

  // The chosen queue: 0, 1 the warps' (stalled, ready), 2, 3 the TBs'.
  (* anyconst *) logic [1:0] q;
  (* anyseq *)   logic       pick;  // watch the push of this cycle
  logic       push, pop, space, valid;
  logic [6:0] id, head;
  assign push  = q[1] ? tb_push_i[q[0]]  : warp_push_i[q[0]];
  assign pop   = q[1] ? tb_pop_i[q[0]]   : warp_pop_i[q[0]];
  assign space = q[1] ? tb_space_o[q[0]] : warp_space_o[q[0]];
  assign valid = q[1] ? tb_valid_o[q[0]] : warp_valid_o[q[0]];
  assign id    = q[1] ? 7'(tb_push_id_i[5*q[0] +: 5]) : warp_push_id_i[7*q[0] +: 7];
  assign head  = q[1] ? 7'(tb_head_o[5*q[0] +: 5])    : warp_head_o[7*q[0] +: 7];

  logic [7:0] depth, held, ahead, held_d;
  logic       taken, gone, watch;
  logic [6:0] watched;
  assign depth  = q[1] ? 8'(TbDepth) : 8'(WarpDepth);
  assign taken  = push && held != depth && !clear_i;
  assign gone   = pop && held != 0 && !clear_i;
  assign held_d = clear_i ? 8'd0 : held + 8'(taken) - 8'(gone);
  logic broken;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {held, ahead, watch, broken} <= '0;
    end else begin
      held <= held_d;
      if (clear_i) watch <= 1'b0;
      else if (!watch && pick && taken) begin
        watch   <= 1'b1;
        watched <= id;
        ahead   <= held - 8'(gone);
      end else if (watch && gone) begin
        if (ahead == 0) watch <= 1'b0;
        else            ahead <= ahead - 8'd1;
      end
      if (!clear_i && ((warp_pop_i & ~warp_valid_o) != 0 || (tb_pop_i & ~tb_valid_o) != 0)) broken <= 1'b1;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | bound: never more than the depth is held
    bound: assert (held <= depth);
    // pdr | space_told: space is shown exactly where fewer than the depth are held
    space_told: assert (space == (held < depth));
    // pdr | valid_told: an entry is shown exactly where one is held
    valid_told: assert (valid == (held != 0));
    // pdr | not_lost: the watched id stands among those held
    not_lost: assert (!watch || ahead < held);
    // pdr | order: the watched id stands at the head when all in front of it have left, unchanged
    if (watch && ahead == 0) order: assert (valid && head == watched);
    // pdr | masked: the head is 0 where nothing is held
    if (!valid) masked: assert (head == 0);
    // pdr | fault_exact: set from the cycle behind the first pop of an empty queue without clear, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 12 | full: a queue is full
    full: cover (held == depth);
    // cover 12 | last: a watched id leaves from behind others
    last: cover (watch && ahead == 0 && gone && $past(watch && ahead == 1));
    // cover 12 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
