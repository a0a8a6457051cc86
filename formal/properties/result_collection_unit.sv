// SPDX-License-Identifier: Apache-2.0
// result_collection_unit: a queue in order of execution. One watched entry is followed from its
// allocation to its removal; flags of all entries by number say which may be reported done.
`include "frame.svh"

  (* anyseq *) logic pick;
  logic [15:0] there, ready;  // by entry number
  logic [3:0]  next;          // number of the next entry
  logic [4:0]  held, ahead;
  logic        watch, broken, taken, gone, control;
  logic [3:0]  id;
  logic [8:0]  offset;
  logic [7:0]  dst, renamed;
  logic        front, at_pc;
  logic [3:0]  oldest;
  assign oldest = 5'(next) >= held ? 4'(5'(next) - held) : 4'(5'(next) + 5'(Depth) - held);
  assign taken = alloc_i && hint_i && held != 5'(Depth) && !clear_i;
  assign gone  = fetch_i && !hint_i && action_o >= 3'd2 && !clear_i;
  assign front = watch && ahead == 0;
  assign at_pc = pc_i == base_i + {{23{offset[8]}}, offset};
  always @(posedge clk_i) begin
    if (!rst_ni) {there, ready, next, held, ahead, watch, broken} <= '0;
    else begin
      if (!clear_i) begin
        if ((alloc_i && (!hint_i || held == 5'(Depth) || dep_o)) || (fetch_i && hint_i) ||
            (done_i && !(there[done_id_i] && !ready[done_id_i]))) broken <= 1'b1;
        ready <= (ready | (16'(done_i) << done_id_i) & there) & ~(16'(taken) << next);
        there <= (there & ~(16'(gone) << oldest)) | (16'(taken) << next);
        if (taken) next <= next == 4'(Depth - 1) ? 4'd0 : next + 4'd1;
        held <= held + 5'(taken) - 5'(gone);
        if (!watch && pick && taken) begin
          watch <= 1'b1;
          ahead <= held - 5'(gone);
          id    <= next;
          {offset, dst, renamed, control} <= {offset_i, dst_i, renamed_i, control_i};
        end else if (watch && gone) begin
          if (ahead == 0) watch <= 1'b0;
          else            ahead <= ahead - 5'd1;
        end
      end else {there, next, held, watch} <= '0;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | counts: count, full and empty tell the entries held, never more than there are
    counts: assert (count_o == held && held <= 5'(Depth) && full_o == (held == 5'(Depth)) &&
                    empty_o == (held == 0));
    // pdr | number: entries are numbered in order, round and round
    number: assert (id_o == next);
    // pdr | not_lost: the watched entry stands among those held
    if (watch) not_lost: assert (ahead < held && there[id]);
    // pdr | head: it is the head when all before it have left, with the registers that it came with
    if (front) head: assert (copy_from_o == renamed && copy_to_o == dst);
    // pdr | action_told: what fetch is told of the head at its PC: wait, branch, skip or copy
    if (front && !hint_i && at_pc)
      action_told: assert (action_o == (!ready[id] ? 3'd1 : control ? 3'd4 : renamed == dst ? 3'd2 : 3'd3));
    // pdr | normal: in hint mode, at another PC or with nothing held fetch goes on as usual
    if (hint_i || held == 0 || (front && !at_pc)) normal: assert (action_o == 3'd0);
    // pdr | masked: what would be copied is 0 where nothing is held
    if (held == 0) masked: assert (copy_from_o == 0 && copy_to_o == 0);
    // pdr | raw: a source that a running entry writes waits
    if (watch && hint_i && !control && !ready[id] && src_used_i[0] && src_i[7:0] == dst) raw: assert (dep_o);
    // pdr | raw_only: nothing waits where no entry runs, or in order
    if (!hint_i || (there & ~ready) == 0) raw_only: assert (!dep_o);
    // pdr | raw_exact: beside one entry alone just its destination waits
    if (watch && held == 1 && hint_i && Srcs == 1)
      raw_exact: assert (dep_o == (src_used_i[0] && src_i[7:0] == dst && !control && !ready[id]));
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 10 | full_seen: all entries are held
    full_seen: cover (held == 5'(Depth));
    // cover 10 | copied: a watched entry is copied from behind another
    copied: cover (front && gone && action_o == 3'd3 && $past(watch && ahead != 0));
    // cover 10 | waits: a source waits
    waits: cover (dep_o);
    // cover 10 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
