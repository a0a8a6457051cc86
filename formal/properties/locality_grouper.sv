// SPDX-License-Identifier: Apache-2.0
// locality_grouper: who is resident is followed for all slots, the key of one freely chosen slot from its
// launch on.
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

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | granted: a warp is granted exactly where a resident one is ready
    granted: assert (grant_valid_o == ((there & ready_i) != 0));
    // pdr | resident: who is granted is resident and ready
    if (grant_valid_o) resident: assert (32'(grant_slot_o) < Slots && there[grant_slot_o] &&
                                         ready_i[grant_slot_o]);
    // pdr | keyed: its key is the one of its launch, by the kernel's hint
    if (grant_valid_o && grant_slot_o == s) keyed: assert (grant_key_o == key);
    // pdr | group_stays: while a warp of the group served last is ready, one of that group is granted
    if (mine && served && key == last) group_stays: assert (grant_key_o == last && !grant_switch_o);
    // pdr | next_group: else the next higher group that has a ready warp, then the lowest
    if (mine && served && grant_key_o != last)
      next_group: assert (key > last ? grant_key_o > last && grant_key_o <= key
                                     : grant_key_o > last || grant_key_o <= key);
    // pdr | first_group: before anything is served the lowest group is granted
    if (mine && !served) first_group: assert (grant_key_o <= key && !grant_switch_o);
    // pdr | switch_told: another group than that served last is told
    if (grant_valid_o && served) switch_told: assert (grant_switch_o == (grant_key_o != last));
    // pdr | masked: without a grant the other pins are 0
    if (!grant_valid_o) masked: assert (grant_slot_o == 0 && grant_key_o == 0 && !grant_switch_o);
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 8 | switched: the group changes
    switched: cover (grant_switch_o);
    // cover 8 | all_there: every slot is resident
    all_there: cover (&there);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
