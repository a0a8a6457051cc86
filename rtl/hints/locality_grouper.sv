// SPDX-License-Identifier: Apache-2.0
// locality_grouper: two-level round robin over groups of warps that share data.
//
// Each slot holds the key of its group, its order inside it, and whether it has had its turn in
// the round of the group. Among the ready warps the grant goes to the least of
//
//   { class 2 | key | had_turn | order | slot }      class 0: group served last
//                                                          1: groups with a higher key
//                                                          2: groups with a lower key
//
// found by a tree of comparators, Slots - 1 of them. A sorted list that goes round about is so
// searched without sorting. A warp that issues though it has had its turn begins a new round.
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
  localparam int unsigned RankW  = 2 + 2 * KeyW + 7;
  localparam int unsigned NodeW  = RankW + 1;  // top bit: nothing there
  localparam int unsigned Levels = $clog2(Slots);
  localparam int unsigned Leaves = 1 << Levels;
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

  // The tree: level 0 the slots, each level half of the one below, the last one the root.
  logic [NodeW*Leaves-1:0] leaf;
  for (genvar k = 0; k < Leaves; k++) begin : gen_leaf
    if (k < Slots) begin : gen_slot
      logic [KeyW-1:0] key, order;
      logic [1:0]      class_k;
      assign key   = key_q[KeyW*k +: KeyW];
      assign order = order_q[KeyW*k +: KeyW];
      always_comb begin
        class_k = 2'd0;
        if (served_q && key != last_key_q) class_k = key > last_key_q ? 2'd1 : 2'd2;
      end
      assign leaf[NodeW*k +: NodeW] = {!(resident_q[k] && ready_i[k]), class_k, key,
                                        had_turn_q[k], order, 6'(k)};
    end else begin : gen_none
      assign leaf[NodeW*k +: NodeW] = '1;
    end
  end
  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    localparam int unsigned Nodes = Leaves >> l;
    logic [NodeW*Nodes-1:0] node;
    if (l == 0) begin : gen_leaves
      assign node = leaf;
    end else begin : gen_least
      for (genvar n = 0; n < Nodes; n++) begin : gen_pair
        logic [NodeW-1:0] a, b;
        assign a = gen_level[l-1].node[NodeW*(2*n) +: NodeW];
        assign b = gen_level[l-1].node[NodeW*(2*n+1) +: NodeW];
        assign node[NodeW*n +: NodeW] = a <= b ? a : b;
      end
    end
  end

  logic [NodeW-1:0] root;
  assign root = gen_level[Levels].node;

  logic            grant_valid;
  logic            new_round;
  logic [1:0]      grant_class;
  logic [KeyW-1:0] grant_key, unused_order;
  logic [5:0]      grant_slot;
  assign grant_valid = !root[RankW];
  assign {grant_class, grant_key, new_round, unused_order, grant_slot} =
      grant_valid ? root[RankW-1:0] : {RankW{1'b0}};
  assign grant_valid_o  = grant_valid;
  assign grant_slot_o   = grant_slot;
  assign grant_key_o    = 13'(grant_key);
  assign grant_switch_o = grant_class != 2'd0;
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
