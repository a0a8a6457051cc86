// SPDX-License-Identifier: Apache-2.0
// locality_grouper: two-level round robin over groups of warps that share data.
//
// Each slot holds the key of its group, its order inside it, and whether it has had its turn in
// the round of the group. Among the ready warps the grant goes to the least of
//
//   { lower | key | had_turn | order | slot }        lower: its key is below that served last
//
// so to the group served last where one of it is ready, else to the next one with a higher key, else
// to the one with the lowest of all.
//
// Key and order of a warp stay as long as it is there. So they are compared once, at its launch, with
// those of all slots, and registers keep for each pair of slots who is below and whether their group is
// one. From these is known who is ahead of whom before it is known who is ready; a ready warp wins where
// no other one is ahead. At an issue the winner's row of the pairs tells each slot where it stands to
// the group served last. A warp that issues though it has had its turn begins a new round.
//
// Source: Gong 6.3.2.
module locality_grouper #(
  parameter int unsigned Slots     = 64,  // 2 to 64
  parameter int unsigned CoordBits = 8    // 1 to 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             cfg_i,
  input  logic [1:0]       hint_i,
  input  logic [5:0]       groups_i,
  input  logic             launch_i,
  input  logic [5:0]       launch_slot_i,
  input  logic [7:0]       block_x_i,
  input  logic [7:0]       block_y_i,
  input  logic [4:0]       warp_i,
  input  logic             finish_i,
  input  logic [5:0]       finish_slot_i,
  input  logic [Slots-1:0] ready_i,
  input  logic             issue_i,
  output logic             grant_valid_o,
  output logic [5:0]       grant_slot_o,
  output logic [12:0]      grant_key_o,
  output logic             grant_switch_o,
  output logic             fault_o
);

  localparam int unsigned KeyW   = CoordBits + 5;  // blockIdx and number of the warp in its block
  localparam int unsigned Pairs = Slots * (Slots - 1) / 2;
  localparam logic [1:0] HintLines = 2'd1, HintBorders = 2'd2, HintSome = 2'd3;

  if (Slots < 2 || Slots > 64 || CoordBits < 1 || CoordBits > 8) begin : gen_bad_size
    $fatal(1, "locality_grouper: 2 <= Slots <= 64, 1 <= CoordBits <= 8");
  end

  logic [Slots-1:0]      resident_q, resident_d;
  logic [KeyW*Slots-1:0] key_q, key_d;
  logic [KeyW*Slots-1:0] order_q, order_d;
  logic [Slots-1:0]      had_turn_q, had_turn_d;
  // Of slots a < b, at b (b - 1) / 2 + a: {key, order, slot} of a is below that of b; one key is both's.
  logic [Pairs-1:0]      below_q, below_d;
  logic [Pairs-1:0]      same_q, same_d;
  // Of a slot: the key is below that served last; is another one.
  logic [Slots-1:0]      lower_q, lower_d;
  logic [Slots-1:0]      other_q, other_d;
  logic [1:0]            hint_q, hint_d;
  logic [5:0]            groups_q, groups_d;
  logic [4:0]            turn_q, turn_d;
  logic                  served_q, served_d;
  logic [KeyW-1:0]       last_key_q, last_key_d;
  logic                  fault_q, fault_d;

  // The grant. Who is ahead of whom comes from registers alone, beside ready. Slot b answers for its pairs
  // with the slots below it, in vectors over these; what it says of them is gathered from slot to slot.
  logic [Slots-1:0] eligible, wins;
  logic [Slots-1:0] in_group;  // the key is the winner's
  logic [Slots-1:0] up_to;     // {key, order, slot} is not above the winner's
  assign eligible = resident_q & ready_i;
  for (genvar b = 0; b < Slots; b++) begin : gen_slot
    localparam logic [Slots-1:0] Others = (Slots'(1) << b) - Slots'(1);
    logic [Slots-1:0] below, same, ahead;    // bit a: a against b
    logic [Slots-1:0] beaten, group, under;  // bit a: what slots a + 1 to b say of a
    if (b == 0) begin : gen_first
      assign below  = '0;
      assign same   = '0;
      assign beaten = '0;
      assign group  = '0;
      assign under  = '0;
    end else begin : gen_pairs
      assign below  = Slots'(below_q[b * (b - 1) / 2 +: b]);
      assign same   = Slots'(same_q[b * (b - 1) / 2 +: b]);
      assign beaten = gen_slot[b-1].beaten | (Others & ~ahead & {Slots{eligible[b]}});
      assign group  = gen_slot[b-1].group | (same & {Slots{wins[b]}});
      assign under  = gen_slot[b-1].under | (below & {Slots{wins[b]}});
    end
    logic [Slots-1:0] apart, turns;
    assign apart = lower_q ^ {Slots{lower_q[b]}};
    assign turns = same & (had_turn_q ^ {Slots{had_turn_q[b]}});
    assign ahead = (apart & {Slots{lower_q[b]}}) |
                   (~apart & ((turns & {Slots{had_turn_q[b]}}) | (~turns & below)));
    assign wins[b]     = eligible[b] && (Others & ahead & eligible) == '0 && !gen_slot[Slots-1].beaten[b];
    assign in_group[b] = wins[b] || (same & wins) != '0 || gen_slot[Slots-1].group[b];
    assign up_to[b]    = wins[b] || (Others & ~below & wins) != '0 || gen_slot[Slots-1].under[b];
  end

  logic            grant_valid;
  logic            new_round;
  logic [KeyW-1:0] grant_key;
  logic [5:0]      grant_slot;
  always_comb begin
    grant_key  = '0;
    grant_slot = '0;
    for (int unsigned a = 0; a < Slots; a++) begin
      grant_key  = grant_key | ({KeyW{wins[a]}} & key_q[KeyW*a +: KeyW]);
      grant_slot = grant_slot | ({6{wins[a]}} & 6'(a));
    end
  end
  assign grant_valid    = eligible != '0;
  assign new_round      = (wins & had_turn_q) != '0;
  assign grant_valid_o  = grant_valid;
  assign grant_slot_o   = grant_slot;
  assign grant_key_o    = 13'(grant_key);
  assign grant_switch_o = (wins & other_q) != '0;
  assign fault_o        = fault_q;

  // Key and order of a warp that is launched.
  logic [CoordBits-1:0] col, row;
  logic                 unused_coord;
  logic [KeyW-1:0]      new_key, new_order;
  assign col = CoordBits'(block_x_i);
  assign row = CoordBits'(block_y_i);
  assign unused_coord = ^{block_x_i, block_y_i};
  always_comb begin
    new_key   = '0;
    new_order = '0;
    unique case (hint_q)
      HintLines: new_key = {row, warp_i};
      HintBorders: begin
        new_key   = KeyW'(col);
        new_order = {row, warp_i};
      end
      HintSome: new_key = KeyW'(turn_q);
      default: ;
    endcase
  end

  // The new warp against all, and against the group that is served last from this cycle on.
  logic [Slots-1:0] key_below, key_same, new_below;
  logic             new_lower, new_other;
  logic             serve;
  for (genvar k = 0; k < Slots; k++) begin : gen_new
    logic [KeyW-1:0] key, order;
    assign key   = key_q[KeyW*k +: KeyW];
    assign order = order_q[KeyW*k +: KeyW];
    assign key_below[k] = new_key < key;
    assign key_same[k]  = new_key == key;
    assign new_below[k] = {new_key, new_order, launch_slot_i} < {key, order, 6'(k)};
  end
  assign serve     = issue_i && grant_valid;
  assign new_lower = serve ? (wins & key_below) != '0 : served_q && new_key < last_key_q;
  assign new_other = serve ? (wins & key_same) == '0 : served_q && new_key != last_key_q;

  logic [Slots-1:0] launch_at, finish_at;
  for (genvar k = 0; k < Slots; k++) begin : gen_write
    assign launch_at[k]  = launch_i && launch_slot_i == 6'(k) && !resident_q[k];
    assign finish_at[k]  = finish_i && finish_slot_i == 6'(k) && resident_q[k];
    assign resident_d[k] = launch_at[k] || (resident_q[k] && !finish_at[k]);
    assign key_d[KeyW*k +: KeyW]   = launch_at[k] ? new_key : key_q[KeyW*k +: KeyW];
    assign order_d[KeyW*k +: KeyW] = launch_at[k] ? new_order : order_q[KeyW*k +: KeyW];
    always_comb begin
      had_turn_d[k] = had_turn_q[k];
      lower_d[k]    = lower_q[k];
      other_d[k]    = other_q[k];
      if (serve) begin
        had_turn_d[k] = wins[k] || (had_turn_q[k] && !(new_round && in_group[k]));
        lower_d[k]    = up_to[k] && !in_group[k];
        other_d[k]    = !in_group[k];
      end
      if (launch_at[k]) begin
        had_turn_d[k] = 1'b0;
        lower_d[k]    = new_lower;
        other_d[k]    = new_other;
      end
      if (cfg_i) begin
        lower_d[k] = 1'b0;
        other_d[k] = 1'b0;
      end
    end
    if (k > 0) begin : gen_pairs
      localparam int unsigned P = k * (k - 1) / 2;
      assign below_d[P +: k] = launch_at[k] ? ~new_below[k-1:0]
                             : (launch_at[k-1:0] & {k{new_below[k]}}) | (~launch_at[k-1:0] & below_q[P +: k]);
      assign same_d[P +: k]  = launch_at[k] ? key_same[k-1:0]
                             : (launch_at[k-1:0] & {k{key_same[k]}}) | (~launch_at[k-1:0] & same_q[P +: k]);
    end
  end

  logic bad_groups, turn_wraps;
  assign bad_groups = groups_i == 6'd0 || groups_i > 6'd32;
  assign turn_wraps = 6'(turn_q) + 6'd1 == groups_q;
  always_comb begin
    hint_d     = hint_q;
    groups_d   = groups_q;
    turn_d     = turn_q;
    served_d   = served_q;
    last_key_d = last_key_q;
    fault_d    = fault_q || (launch_i && launch_at == '0) || (finish_i && finish_at == '0) ||
                 (issue_i && !grant_valid) || (cfg_i && (resident_q != '0 || bad_groups));
    if (serve) begin
      served_d   = 1'b1;
      last_key_d = grant_key;
    end
    if (launch_at != '0 && hint_q == HintSome) turn_d = turn_wraps ? 5'd0 : turn_q + 5'd1;
    if (cfg_i) begin
      hint_d   = hint_i;
      groups_d = bad_groups ? 6'd1 : groups_i;
      turn_d   = 5'd0;
      served_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      resident_q <= '0;
      hint_q     <= 2'd0;
      groups_q   <= 6'd1;
      turn_q     <= 5'd0;
      served_q   <= 1'b0;
      last_key_q <= '0;
      had_turn_q <= '0;
      fault_q    <= 1'b0;
    end else begin
      resident_q <= resident_d;
      hint_q     <= hint_d;
      groups_q   <= groups_d;
      turn_q     <= turn_d;
      served_q   <= served_d;
      last_key_q <= last_key_d;
      had_turn_q <= had_turn_d;
      fault_q    <= fault_d;
    end
  end

  // Without reset: of a slot that has not been launched nothing is asked.
  always_ff @(posedge clk_i) begin
    key_q    <= key_d;
    order_q  <= order_d;
    below_q <= below_d;
    same_q   <= same_d;
    lower_q  <= lower_d;
    other_q  <= other_d;
  end

endmodule
