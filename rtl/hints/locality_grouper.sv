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
// found by a tree whose nodes take eight at a time and compare all pairs of them at once. A sorted
// list that goes round about is so searched without sorting. Who is ready and what is lower come last,
// so they are not compared with the rest but beside it. A warp that issues though it has had its turn begins a
// new round.
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
  localparam int unsigned RankW  = 2 * KeyW + 1;
  localparam int unsigned Levels = ($clog2(Slots) + 2) / 3;
  localparam int unsigned Leaves = 1 << (3 * Levels);
  localparam logic [1:0] HintLines = 2'd1, HintBorders = 2'd2, HintSome = 2'd3;

  if (Slots < 2 || Slots > 64 || CoordBits < 1 || CoordBits > 8) begin : gen_bad_size
    $fatal(1, "locality_grouper: 2 <= Slots <= 64, 1 <= CoordBits <= 8");
  end

  logic [Slots-1:0]      resident_q, resident_d;
  logic [KeyW*Slots-1:0] key_q, key_d;
  logic [KeyW*Slots-1:0] order_q, order_d;
  logic [Slots-1:0]      had_turn_q, had_turn_d;
  logic [1:0]            hint_q, hint_d;
  logic [5:0]            groups_q, groups_d;
  logic [4:0]            turn_q, turn_d;
  logic                  served_q, served_d;
  logic [KeyW-1:0]       last_key_q, last_key_d;
  logic                  fault_q, fault_d;

  // The tree: level 0 the slots, each level an eighth of the one below, the last one the root. A node
  // has what its least warp has: lower, rank {key, had_turn, order}, slot, and whether its group is
  // another than that served last; 0 where none is ready.
  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    localparam int unsigned Nodes = Leaves >> (3 * l);
    logic [Nodes-1:0]       some;
    logic [Nodes-1:0]       lower, other;
    logic [RankW*Nodes-1:0] ranks;
    logic [6*Nodes-1:0]     slots;
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      if (l == 0 && n < Slots) begin : gen_slot
        logic [KeyW-1:0] key;
        assign key      = key_q[KeyW*n +: KeyW];
        assign some[n]  = resident_q[n] && ready_i[n];
        assign lower[n] = served_q && key < last_key_q;
        assign other[n] = served_q && key != last_key_q;
        assign ranks[RankW*n +: RankW] = {key, had_turn_q[n], order_q[KeyW*n +: KeyW]};
        assign slots[6*n +: 6]         = 6'(n);
      end else if (l == 0) begin : gen_none
        assign some[n]                 = 1'b0;
        assign lower[n]                = 1'b0;
        assign other[n]                = 1'b0;
        assign ranks[RankW*n +: RankW] = '0;
        assign slots[6*n +: 6]         = 6'd0;
      end else begin : gen_least
        logic [7:0]         part, wins, of_lower;
        logic [8*RankW-1:0] of_rank;
        logic [8*6-1:0]     of_slot;
        assign part     = gen_level[l-1].some[8*n +: 8];
        assign of_lower = gen_level[l-1].lower[8*n +: 8];
        assign of_rank  = gen_level[l-1].ranks[8*RankW*n +: 8*RankW];
        assign of_slot  = gen_level[l-1].slots[8*6*n +: 8*6];
        for (genvar a = 0; a < 8; a++) begin : gen_child
          logic [7:0] ahead;  // bit b: a goes before b
          for (genvar b = 0; b < 8; b++) begin : gen_pair
            if (a < b) begin : gen_compare
              logic rank_ahead;
              assign rank_ahead = of_rank[RankW*a +: RankW] <= of_rank[RankW*b +: RankW];
              assign ahead[b] = (of_lower[a] == of_lower[b]) ? rank_ahead : of_lower[b];
            end else if (a > b) begin : gen_other
              assign ahead[b] = !gen_child[b].ahead[a];
            end else begin : gen_self
              assign ahead[b] = 1'b1;
            end
          end
          assign wins[a] = part[a] && (ahead | ~part) == 8'hff;
        end
        logic [RankW-1:0] least_rank;
        logic [5:0]       least_slot;
        always_comb begin
          least_rank  = '0;
          least_slot  = '0;
          for (int unsigned a = 0; a < 8; a++) begin
            least_rank  = least_rank | ({RankW{wins[a]}} & of_rank[RankW*a +: RankW]);
            least_slot  = least_slot | ({6{wins[a]}} & of_slot[6*a +: 6]);
          end
        end
        assign some[n]                 = part != 8'h0;
        assign lower[n]                = (wins & of_lower) != 8'h0;
        assign other[n]                = (wins & gen_level[l-1].other[8*n +: 8]) != 8'h0;
        assign ranks[RankW*n +: RankW] = least_rank;
        assign slots[6*n +: 6]         = least_slot;
      end
    end
  end

  logic            grant_valid;
  logic            new_round, unused_lower;
  logic [KeyW-1:0] grant_key, unused_order;
  logic [5:0]      grant_slot;
  assign grant_valid = gen_level[Levels].some;
  assign grant_slot  = gen_level[Levels].slots;
  assign {grant_key, new_round, unused_order} = gen_level[Levels].ranks;
  assign unused_lower   = gen_level[Levels].lower;
  assign grant_valid_o  = grant_valid;
  assign grant_slot_o   = grant_slot;
  assign grant_key_o    = 13'(grant_key);
  assign grant_switch_o = gen_level[Levels].other;
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

  logic [Slots-1:0] launch_at, finish_at;
  for (genvar k = 0; k < Slots; k++) begin : gen_write
    assign launch_at[k]  = launch_i && launch_slot_i == 6'(k) && !resident_q[k];
    assign finish_at[k]  = finish_i && finish_slot_i == 6'(k) && resident_q[k];
    assign resident_d[k] = launch_at[k] || (resident_q[k] && !finish_at[k]);
    assign key_d[KeyW*k +: KeyW]   = launch_at[k] ? new_key : key_q[KeyW*k +: KeyW];
    assign order_d[KeyW*k +: KeyW] = launch_at[k] ? new_order : order_q[KeyW*k +: KeyW];
    always_comb begin
      had_turn_d[k] = had_turn_q[k];
      if (issue_i && grant_valid) begin
        if (new_round && key_q[KeyW*k +: KeyW] == grant_key) had_turn_d[k] = 1'b0;
        if (grant_slot == 6'(k)) had_turn_d[k] = 1'b1;
      end
      if (launch_at[k]) had_turn_d[k] = 1'b0;
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
    if (issue_i && grant_valid) begin
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
      key_q      <= '0;
      order_q    <= '0;
      hint_q     <= 2'd0;
      groups_q   <= 6'd1;
      turn_q     <= 5'd0;
      served_q   <= 1'b0;
      last_key_q <= '0;
      had_turn_q <= '0;
      fault_q    <= 1'b0;
    end else begin
      resident_q <= resident_d;
      key_q      <= key_d;
      order_q    <= order_d;
      hint_q     <= hint_d;
      groups_q   <= groups_d;
      turn_q     <= turn_d;
      served_q   <= served_d;
      last_key_q <= last_key_d;
      had_turn_q <= had_turn_d;
      fault_q    <= fault_d;
    end
  end

endmodule
