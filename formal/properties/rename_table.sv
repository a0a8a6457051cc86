// SPDX-License-Identifier: Apache-2.0
// rename_table: the mapping of one freely chosen register of a class is followed from its update to its
// drop, and each read must give it; counts and fault are judged where an update or a drop names it, which
// for a free choice is everywhere.
`include "frame.svh"

  (* anyconst *) logic       vec;
  (* anyconst *) logic [7:0] r;
  (* hierconn *) wire [16*Entries-1:0] \dut.scalar_q ;
  (* hierconn *) wire [16*Entries-1:0] \dut.vector_q ;
  logic               held, update, drop, is_new;
  logic [7:0]         to;
  logic [4:0]         count, other;
  logic [Entries-1:0] hits, right;
  assign count  = vec ? vector_count_o : scalar_count_o;
  assign other  = vec ? scalar_count_o : vector_count_o;
  assign update = update_i && !clear_i && update_vec_i == vec && update_reg_i == r;
  assign is_new = update && !held && update_to_i != r;
  assign drop   = drop_i && !clear_i && drop_vec_i == vec && drop_reg_i == r && held && drop_from_i == to;
  always @(posedge clk_i) begin
    if (!rst_ni) {held, to} <= '0;
    else if (clear_i) held <= 1'b0;
    else if (update) begin
      if (held || count < 5'(Entries)) begin
        held <= update_to_i != r;
        to   <= update_to_i;
      end
    end else if (drop) held <= 1'b0;
  end
  for (genvar e = 0; e < Entries; e++) begin : gen_hit
    logic [15:0] entry;
    assign entry    = vec ? \dut.vector_q [16*e +: 16] : \dut.scalar_q [16*e +: 16];
    assign hits[e]  = entry[15:8] == r && entry[7:0] != r;
    assign right[e] = !hits[e] || entry[7:0] == to;
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | inv_once: no register stands in two entries of its table
    inv_once: assert ((hits & (hits - 1'b1)) == 0 && (hits != 0) == held && right == '1);
    // induction 2 | found: a read gives the newest mapping of the register, itself where it has none
    if (read_vec_i[0] == vec && read_reg_i[7:0] == r)
      found: assert (renamed_o[0] == held && mapped_o[7:0] == (held ? to : r));
    // induction 2 | bound: no class holds more mappings than entries
    bound: assert (count <= 5'(Entries));
    // induction 2 | counted: a mapping that is held is counted
    if (held) counted: assert (count != 0);
    if (was_ni) begin
      // induction 2 | count_new: an update of a register without mapping, alone, adds one, where there is room
      if ($past(is_new && !drop_i))
        count_new: assert (count == $past(count) + 5'($past(count) != 5'(Entries)));
      // induction 2 | count_over: an update of one that has a mapping keeps the count, or frees the entry
      if ($past(update && held && !drop_i))
        count_over: assert (count == $past(count) - 5'($past(update_to_i == r)));
      // induction 2 | count_drop: a drop of a held mapping, alone, frees its entry
      if ($past(drop && !update_i)) count_drop: assert (count == $past(count) - 5'd1);
      // induction 2 | cleared: clear leaves nothing
      if ($past(clear_i)) cleared: assert (count == 0 && other == 0);
      // induction 2 | apart: an update of one class does not touch the other
      if ($past(update && !drop_i)) apart: assert (other == $past(other));
      // induction 2 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // induction 2 | fault_why: it is set where an update finds no room, and for no other reason
      if (!$past(fault_o) && $past(update))
        fault_why: assert (fault_o == $past(is_new && count == 5'(Entries)));
      // induction 2 | fault_quiet: without an update there is none
      if (!$past(fault_o) && !$past(update_i && !clear_i)) fault_quiet: assert (!fault_o);
    end
    // cover 8 | full: all entries of a class are held
    full: cover (count == 5'(Entries));
    // cover 8 | dropped: a followed mapping is dropped
    dropped: cover (was_ni && $past(drop && !update_i));
    // cover 8 | faulty: an update finds no room
    faulty: cover (fault_o);
  end
endmodule
