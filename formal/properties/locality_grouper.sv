// SPDX-License-Identifier: Apache-2.0
// locality_grouper: who is resident is followed for all slots, the key of one freely chosen slot from its
// launch on. Assertions named inv_* say what the block's registers hold of each resident slot, so that
// the others need no look back.
`include "frame.svh"

  localparam int unsigned KeyW = CoordBits + 5;
  (* anyconst *) logic [5:0] s;
  logic [Slots-1:0] there;
  logic [1:0]       hint;
  logic [5:0]       groups;
  logic [4:0]       turn;
  logic [12:0]      key, last;
  logic             served, broken, launches, bad_groups;
  logic             launch_good, finish_good;
  logic [12:0]      new_key;
  assign launch_good = launch_i && 32'(launch_slot_i) < Slots && !there[launch_slot_i];
  assign finish_good = finish_i && 32'(finish_slot_i) < Slots && there[finish_slot_i];
  assign bad_groups  = groups_i == 0 || groups_i > 6'd32;
  assign launches    = launch_good && launch_slot_i == s;
  always_comb begin
    case (hint)
      2'd1:    new_key = 13'({block_y_i[CoordBits-1:0], warp_i});
      2'd2:    new_key = 13'(block_x_i[CoordBits-1:0]);
      2'd3:    new_key = 13'(turn);
      default: new_key = 13'd0;
    endcase
  end
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {there, hint, turn, served, broken, last} <= '0;
      groups <= 6'd1;
    end else begin
      there <= (there & ~(Slots'(finish_good) << finish_slot_i)) | (Slots'(launch_good) << launch_slot_i);
      if (launches) key <= new_key;
      if (launch_good && hint == 2'd3) turn <= 6'(turn) + 6'd1 == groups ? 5'd0 : turn + 5'd1;
      if (issue_i && grant_valid_o) begin
        served <= 1'b1;
        last   <= grant_key_o;
      end
      if (cfg_i) begin
        hint   <= hint_i;
        groups <= bad_groups ? 6'd1 : groups_i;
        turn   <= 5'd0;
        served <= 1'b0;
      end
      if ((launch_i && !launch_good) || (finish_i && !finish_good) || (issue_i && !grant_valid_o) ||
          (cfg_i && (there != 0 || bad_groups))) broken <= 1'b1;
    end
  end
  logic mine;  // the chosen slot may issue
  assign mine = 32'(s) < Slots && there[s] && ready_i[s];

  // What the block keeps, against the keys and orders that it keeps: of each resident slot, of each pair.
  (* hierconn *) wire [Slots-1:0] \dut.resident_q ;
  (* hierconn *) wire [KeyW*Slots-1:0] \dut.key_q ;
  (* hierconn *) wire [KeyW*Slots-1:0] \dut.order_q ;
  (* hierconn *) wire [Slots*(Slots-1)/2-1:0] \dut.below_q ;
  (* hierconn *) wire [Slots*(Slots-1)/2-1:0] \dut.same_q ;
  (* hierconn *) wire [Slots-1:0] \dut.lower_q ;
  (* hierconn *) wire [Slots-1:0] \dut.other_q ;
  (* hierconn *) wire [1:0] \dut.hint_q ;
  (* hierconn *) wire [5:0] \dut.groups_q ;
  (* hierconn *) wire [4:0] \dut.turn_q ;
  (* hierconn *) wire \dut.served_q ;
  (* hierconn *) wire [KeyW-1:0] \dut.last_key_q ;
  (* hierconn *) wire \dut.fault_q ;
  logic           pairs_hold, slots_hold;
  logic [KeyW-1:0] key_a, key_b, order_a, order_b;
  always_comb begin
    pairs_hold = 1'b1;
    slots_hold = 1'b1;
    for (int unsigned b = 0; b < Slots; b++) begin
      key_b   = \dut.key_q [KeyW*b +: KeyW];
      order_b = \dut.order_q [KeyW*b +: KeyW];
      if (there[b] && (\dut.lower_q [b] != (served && 13'(key_b) < last) ||
                       \dut.other_q [b] != (served && 13'(key_b) != last))) slots_hold = 1'b0;
      for (int unsigned a = 0; a < b; a++) begin
        key_a   = \dut.key_q [KeyW*a +: KeyW];
        order_a = \dut.order_q [KeyW*a +: KeyW];
        if (there[a] && there[b] &&
            (\dut.below_q [b*(b-1)/2+a] != ({key_a, order_a} <= {key_b, order_b}) ||
             \dut.same_q [b*(b-1)/2+a] != (key_a == key_b))) pairs_hold = 1'b0;
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | inv_control: the block knows the kernel, who is resident, and the group served last
    inv_control: assert (\dut.resident_q == there && \dut.hint_q == hint && \dut.groups_q == groups &&
                         \dut.turn_q == turn && \dut.served_q == served && \dut.fault_q == broken &&
                         (!served || 13'(\dut.last_key_q ) == last));
    // induction 2 | inv_key: the chosen slot has the key of its launch
    if (32'(s) < Slots && there[s]) inv_key: assert (13'(\dut.key_q [KeyW*s +: KeyW]) == key);
    // induction 2 | inv_pairs: what is kept of a pair is what keys and orders of the two say
    inv_pairs: assert (pairs_hold);
    // induction 2 | inv_slots: what is kept of a slot is what its key and that served last say
    inv_slots: assert (slots_hold);
    // induction 2 | granted: a warp is granted exactly where a resident one is ready
    granted: assert (grant_valid_o == ((there & ready_i) != 0));
    // induction 2 | resident: who is granted is resident and ready
    if (grant_valid_o) resident: assert (32'(grant_slot_o) < Slots && there[grant_slot_o] &&
                                         ready_i[grant_slot_o]);
    // induction 2 | keyed: its key is the one of its launch, by the kernel's hint
    if (grant_valid_o && grant_slot_o == s) keyed: assert (grant_key_o == key);
    // induction 2 | group_stays: while a warp of the group served last is ready, one of that group is granted
    if (mine && served && key == last) group_stays: assert (grant_key_o == last && !grant_switch_o);
    // induction 2 | next_group: else the next higher group that has a ready warp, then the lowest
    if (mine && served && grant_key_o != last)
      next_group: assert (key > last ? grant_key_o > last && grant_key_o <= key
                                     : grant_key_o > last || grant_key_o <= key);
    // induction 2 | first_group: before anything is served the lowest group is granted
    if (mine && !served) first_group: assert (grant_key_o <= key && !grant_switch_o);
    // induction 2 | switch_told: another group than that served last is told
    if (grant_valid_o && served) switch_told: assert (grant_switch_o == (grant_key_o != last));
    // induction 2 | masked: without a grant the other pins are 0
    if (!grant_valid_o) masked: assert (grant_slot_o == 0 && grant_key_o == 0 && !grant_switch_o);
    // induction 2 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 8 | switched: the group changes
    switched: cover (grant_switch_o);
    // cover 8 | all_there: every slot is resident
    all_there: cover (&there);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
