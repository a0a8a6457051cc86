// SPDX-License-Identifier: Apache-2.0
// simt_stack: one freely chosen level is followed. Whenever something is pushed over it, what must lie
// there is noted; when the levels above have left, it must be at the top, unchanged.
`include "frame.svh"

  (* anyconst *) logic [4:0] level;  // the entry below which `level` entries lie
  logic [Lanes-1:0] mask, taken, other;
  logic [63:0]      unused;
  logic             load, split, drop, over, fits, known, broken, lost_room;
  logic [4:0]       base, pushes;
  logic [127:0]     wanted, top;
  assign top    = {mask_o, rpc_o, pc_o};
  assign mask   = mask_o[Lanes-1:0];
  assign taken  = mask & mask_i[Lanes-1:0];
  assign other  = mask & ~mask_i[Lanes-1:0];
  assign load   = op_i == 3'd2 && depth_o < 5'(Entries);
  assign split  = op_i == 3'd4 && depth_o != 0 && taken != 0 && other != 0;
  assign drop   = depth_o >= 2 && rpc_i == rpc_o;
  assign base   = depth_o - 5'(drop);  // where the first side goes
  assign pushes = 5'(alt_pc_i != rpc_i) + 5'(pc_i != rpc_i);
  assign fits   = base + pushes <= 5'(Entries);
  assign over   = split && !fits;
  always @(posedge clk_i) begin
    if (!rst_ni) {known, broken, lost_room} <= '0;
    else begin
      if (op_i == 3'd1) lost_room <= 1'b0;
      else if (over) lost_room <= 1'b1;
      if (op_i >= 3'd5 || (op_i == 3'd2 && depth_o == 5'(Entries)) ||
          ((op_i == 3'd3 || op_i == 3'd4) && depth_o == 0)) broken <= 1'b1;
      if (load && depth_o == level + 1) begin
        known  <= 1'b1;
        wanted <= top;
      end else if (split && fits && base + pushes > level + 1) begin
        // More than this level lies there now: it is the top as it was, rewritten, or the first side.
        if (!drop && depth_o == level + 1) begin
          known  <= 1'b1;
          wanted <= {mask_o, rpc_o, rpc_i};
        end else if (base == level && pushes == 2) begin
          known  <= 1'b1;
          wanted <= {64'(other), rpc_i, alt_pc_i};
        end
      end else if (depth_o <= level + 1) known <= 1'b0;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | bound: never more than Entries are held
    bound: assert (depth_o <= 5'(Entries));
    // induction 2 | masked: an empty copy shows 0, and no lane at or above Lanes is ever active
    masked: assert ((depth_o != 0 || top == 0) && (64'(mask_o) >> Lanes) == 0);
    // pdr | below: an entry comes back to the top as it was when the others were put over it
    if (known && depth_o == level + 1) below: assert (top == wanted);
    // induction 2 | overflow_exact: raised by a split without room, until clear
    overflow_exact: assert (overflow_o == lost_room);
    // induction 2 | fault_exact: load when full, step or branch when empty, operations 5 to 7, and nothing else
    fault_exact: assert (fault_o == broken);
    if (was_ni) begin
      // induction 2 | loaded: a loaded entry is the top
      if ($past(load)) loaded: assert (depth_o == $past(depth_o) + 5'd1 &&
                                       {mask, rpc_o, pc_o} == $past({mask_i[Lanes-1:0], rpc_i, pc_i}));
      // induction 2 | both_sides: a split with room leaves the lanes that take the branch at the top
      if ($past(split && fits && pc_i != rpc_i))
        both_sides: assert ({mask, rpc_o, pc_o} == $past({taken, rpc_i, pc_i}) &&
                            depth_o == $past(base + pushes));
      // induction 2 | no_room: a split without room changes nothing
      if ($past(over)) no_room: assert (depth_o == $past(depth_o) && top == $past(top));
      // induction 2 | bottom_stays: only clear takes the bottom entry
      if ($past(depth_o != 0 && op_i != 3'd1)) bottom_stays: assert (depth_o != 0);
      // induction 2 | one_at_most: a step or a branch to one side drops one entry at most
      if ($past(!split && op_i != 3'd1)) one_at_most: assert (depth_o + 5'd1 >= $past(depth_o));
      // induction 2 | held: without an operation nothing changes
      if ($past(op_i == 3'd0)) held: assert (depth_o == $past(depth_o) && top == $past(top));
    end
    // cover 10 | full_seen: the copy is full
    full_seen: cover (depth_o == 5'(Entries));
    // cover 10 | back: a level comes back
    back: cover (known && depth_o == level + 1);
    // cover 10 | overflown: a split finds no room
    overflown: cover (overflow_o);
    // cover 10 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
