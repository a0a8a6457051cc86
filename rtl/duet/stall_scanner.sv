// SPDX-License-Identifier: Apache-2.0
// stall_scanner: which warps are to leave their slots, and which to come back.
//
//   slots   levels of the machine --> pick (slot_q) --> end, restart, stall or look --+--> tables
//   absent  absent_q & free_i, TB by TB, the oldest first --> found_q --> wake -------+
//   TBs     at level TB the walk shows each TB to the group port: pushes of whole TBs
//
// What is picked is judged anew in the cycle in which it is asked for, from the levels as they are
// then. One comparator a slot serves both levels: slots of the TB that is to leave, or of the one that
// has lost a warp.
//
// Source: Lin-D 3.6.2, 3.6.3, 3.6.5, 3.6.6.
module stall_scanner #(
  parameter int unsigned Warps   = 128,  // 1 to 128
  parameter int unsigned Tbs     = 32,   // 1 to 32
  parameter int unsigned TbWarps = 32,   // 1 to 32
  parameter int unsigned Slots   = 64    // 1 to 64
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             cfg_i,
  input  logic [1:0]       level_i,
  input  logic [5:0]       warps_i,
  input  logic             booked_i,
  input  logic [63:0]      memory_i,
  input  logic [63:0]      barrier_i,
  input  logic [63:0]      clear_i,
  input  logic [63:0]      done_i,
  input  logic [63:0]      woken_i,
  input  logic [Warps-1:0] free_i,
  input  logic [31:0]      closed_i,
  input  logic             claim_i,
  input  logic [5:0]       claim_slot_i,
  input  logic [6:0]       claim_id_i,
  input  logic             give_i,
  input  logic [5:0]       give_slot_i,
  input  logic [6:0]       slot_id_i,
  input  logic             away_i,
  input  logic [6:0]       away_id_i,
  input  logic             split_i,
  input  logic [4:0]       split_tb_i,
  input  logic [2:0]       op_i,
  input  logic             stalled_valid_i,
  input  logic [6:0]       stalled_id_i,
  input  logic             stalled_pop_i,
  input  logic             stalled_space_i,
  input  logic             ready_valid_i,
  input  logic [6:0]       ready_id_i,
  input  logic             ready_pop_i,
  input  logic             ready_space_i,
  input  logic             arrive_i,
  input  logic [6:0]       arrive_id_i,
  input  logic             placed_i,
  input  logic [4:0]       placed_tb_i,
  input  logic             tab_ack_i,
  input  logic             tab_whole_i,
  input  logic             group_stalled_i,
  input  logic             group_ready_i,
  output logic [63:0]      hold_o,
  output logic             may_leave_o,
  output logic [5:0]       look_slot_o,
  output logic             tab_req_o,
  output logic [2:0]       tab_op_o,
  output logic [6:0]       tab_id_o,
  output logic [1:0]       tab_state_o,
  output logic             tab_barrier_o,
  output logic             stalled_push_o,
  output logic             ready_push_o,
  output logic [6:0]       push_id_o,
  output logic [6:0]       group_first_o,
  output logic [5:0]       group_count_o,
  output logic             vacate_o,
  output logic [6:0]       vacate_id_o,
  output logic [31:0]      busy_o,
  output logic             fault_o
);

  localparam int unsigned SlotW = Slots > 1 ? $clog2(Slots) : 1;
  localparam int unsigned TbW   = Tbs > 1 ? $clog2(Tbs) : 1;
  localparam logic [1:0] LvOff = 2'd0, LvTb = 2'd2;
  localparam logic [2:0] OpNone = 3'd0, OpOut = 3'd1, OpIn = 3'd2, OpExchange = 3'd3, OpBack = 3'd4;
  localparam logic [1:0] Running = 2'd0, Stalled = 2'd1, Ready = 2'd3;
  localparam logic [2:0] TabWriteWarp = 3'd1, TabReadTb = 3'd2;

  if (Warps < 1 || Warps > 128 || Tbs < 1 || Tbs > 32 || TbWarps < 1 || TbWarps > 32 ||
      Slots < 1 || Slots > 64) begin : gen_bad_size
    $fatal(1, "stall_scanner: Warps is 1 to 128, Tbs and TbWarps 1 to 32, Slots 1 to 64");
  end

  // The launch.
  logic [1:0] level_q, level_d;
  logic [5:0] warps_q, warps_d;
  logic       run_q, run_d;
  // Slots.
  logic [Slots-1:0]   mark_q, mark_d;
  logic [Slots-1:0]   woke_q, woke_d;
  logic [5*Slots-1:0] tb_q;
  logic               pick_q, pick_d;
  logic               sure_q, sure_d;
  logic [SlotW-1:0]   slot_q, slot_d;
  logic [SlotW-1:0]   scan_q, scan_d;
  // Absent warps and the walk.
  logic [Warps-1:0] absent_q, absent_d;
  logic [4:0]       pos_q, pos_d;
  logic             at_valid_q, at_valid_d;
  logic [4:0]       at_tb_q, at_tb_d;
  logic [9:0]       at_base_q, at_base_d;
  logic             found_q, found_d;
  logic [4:0]       found_index_q, found_index_d;
  // Units on their way.
  logic [Tbs-1:0]   busy_q, busy_d;
  logic [SlotW-1:0] out_slot_q, out_slot_d;
  logic             held_q, held_d;
  logic [4:0]       out_tb_q, out_tb_d;
  logic [4:0]       in_tb_q, in_tb_d;
  logic             out_popped_q, out_popped_d;
  logic             in_popped_q, in_popped_d;
  logic             vacate_q, vacate_d;
  logic [6:0]       vacate_id_q, vacate_id_d;
  logic [SlotW-1:0] vacate_slot_q, vacate_slot_d;
  logic             claim_q, claim_d;
  logic [SlotW-1:0] claim_slot_q, claim_slot_d;
  logic [4:0]       claim_upper_q, claim_upper_d;
  logic [6:0]       claim_rest_q, claim_rest_d;
  logic             fault_q, fault_d;

  logic tbs, none;
  assign tbs  = level_q == LvTb;
  assign none = op_i == OpNone;

  // Events that name a slot, a warp or a TB.
  logic claim_ok, give_ok, away_ok, arrive_ok, placed_ok;
  assign claim_ok  = claim_i && 7'(claim_slot_i) < 7'(Slots) && 8'(claim_id_i) < 8'(Warps);
  assign give_ok   = give_i && 7'(give_slot_i) < 7'(Slots);
  assign away_ok   = away_i && 8'(away_id_i) < 8'(Warps);
  assign arrive_ok = arrive_i && 8'(arrive_id_i) < 8'(Warps);
  assign placed_ok = placed_i && 6'(placed_tb_i) < 6'(Tbs);
  logic unused_bits;

  // What may be begun with each slot.
  logic [Slots-1:0] done, waits, out_slot, ends, stalls, looks;
  logic             engaged;
  assign done     = done_i[Slots-1:0];
  assign waits    = (memory_i[Slots-1:0] | barrier_i[Slots-1:0]) & clear_i[Slots-1:0];
  assign out_slot = Slots'(1) << out_slot_q;
  assign engaged  = stalled_valid_i || !none;
  always_comb begin
    ends   = '0;
    stalls = '0;
    looks  = '0;
    if (run_q && tbs) begin
      ends   = mark_q & woke_q;
      stalls = ready_valid_i ? ~mark_q & (done | waits) : '0;
    end else if (run_q) begin
      ends = vacate_q ? '0 : done & ~mark_q & ~(engaged ? out_slot : '0);
      if (ready_valid_i && stalled_space_i && !engaged) begin
        stalls = memory_i[Slots-1:0] & clear_i[Slots-1:0] & ~done;
        looks  = barrier_i[Slots-1:0] & ~memory_i[Slots-1:0] & clear_i[Slots-1:0] & ~done;
      end
    end
  end

  logic [Slots-1:0] picks;
  logic             picked;
  logic [SlotW-1:0] first;
  assign picks = ends | (stalls != '0 ? stalls : looks);
  first_set #(
    .Bits(Slots),
    .IdW (SlotW)
  ) u_pick (
    .set_i  (picks),
    .from_i (scan_q),
    .found_o(picked),
    .id_o   (first)
  );

  // What the slot whose turn it is asks for.
  logic [4:0]     slot_tb;
  logic [Tbs-1:0] barred;  // TBs with which nothing may be begun
  logic       shut, end_s, restart_s, stall_s, look_s, slot_wants;
  assign barred     = closed_i[Tbs-1:0] | (tbs ? busy_q : '0);
  assign slot_tb    = tb_q[5*slot_q +: 5];
  assign shut       = !pick_q || barred[slot_tb[TbW-1:0]];
  assign end_s      = !shut && !tbs && ends[slot_q];
  assign restart_s  = !shut && tbs && ends[slot_q];
  assign stall_s    = !shut && !ends[slot_q] && (stalls[slot_q] || (looks[slot_q] && sure_q));
  assign look_s     = !shut && !ends[slot_q] && !stalls[slot_q] && looks[slot_q] && !sure_q;
  assign slot_wants = end_s || restart_s || stall_s || look_s;

  // The TB that is looked at.
  logic there, comes, full, wake;
  logic [6:0] warp_found;
  assign there      = at_valid_q && 11'(at_base_q) + 11'(warps_q) <= 11'(Warps);
  assign comes      = tbs && (op_i == OpIn || op_i == OpExchange) && at_tb_q == in_tb_q;
  assign full       = !tbs && !ready_space_i;
  assign wake       = found_q && !comes && !full;
  assign warp_found = 7'(at_base_q) + 7'(found_index_q);

  logic acked, wakes, serves;
  assign acked  = tab_req_o && tab_ack_i;
  assign wakes  = acked && wake;
  assign serves = acked && !wake;

  always_comb begin
    tab_req_o     = wake || slot_wants;
    tab_op_o      = 3'd0;
    tab_id_o      = 7'd0;
    tab_state_o   = Running;
    tab_barrier_o = 1'b0;
    if (wake) begin
      tab_op_o    = TabWriteWarp;
      tab_id_o    = warp_found;
      tab_state_o = Ready;
    end else if (end_s || look_s) begin
      tab_op_o = TabReadTb;
      tab_id_o = 7'(slot_tb);
    end else if (restart_s || stall_s) begin
      tab_op_o      = TabWriteWarp;
      tab_id_o      = slot_id_i;
      tab_state_o   = stall_s ? Stalled : Running;
      tab_barrier_o = stall_s && (barrier_i[6'(slot_q)] || done_i[6'(slot_q)]);
    end
  end

  logic moves, judged, push_stalled, push_ready;
  assign moves  = run_q && !found_q && !(tbs && acked);
  assign judged = tbs && moves && there && !barred[at_tb_q[TbW-1:0]];
  assign push_stalled = judged && group_stalled_i && ready_valid_i && stalled_space_i && !engaged;
  assign push_ready   = judged && group_ready_i && ready_space_i && !push_stalled;

  assign stalled_push_o = push_stalled || (!tbs && serves && stall_s);
  assign ready_push_o   = push_ready || (!tbs && wakes);
  always_comb begin
    push_id_o = 7'd0;
    if (push_stalled || push_ready)          push_id_o = 7'(at_tb_q);
    else if (ready_push_o)                   push_id_o = warp_found;
    else if (stalled_push_o)                 push_id_o = slot_id_i;
  end

  // The unit that is to leave.
  logic [4:0]       unit_tb;
  logic [Slots-1:0] unit, leaving;
  logic             leaves;
  assign unit_tb = !tbs ? split_tb_i : none ? stalled_id_i[4:0] : out_tb_q;
  for (genvar i = 0; i < Slots; i++) begin : gen_unit
    assign unit[i] = tb_q[5*i +: 5] == unit_tb;
  end
  assign leaving = mark_q & unit;
  assign leaves  = none || op_i == OpOut || op_i == OpExchange;
  always_comb begin
    hold_o = '0;
    if (tbs) begin
      if (leaves && engaged) hold_o = 64'(leaving);
      may_leave_o = (leaving & ~done) != '0 && (leaving & (woke_q | ~(waits | done))) == '0;
    end else begin
      if (leaves && held_q) hold_o = 64'(out_slot);
      may_leave_o = waits[out_slot_q];
    end
  end

  assign look_slot_o   = 6'(slot_q);
  assign group_first_o = at_base_q[6:0];
  assign group_count_o = warps_q;
  assign vacate_o      = vacate_q;
  assign vacate_id_o   = vacate_id_q;
  assign busy_o        = 32'(busy_q);
  assign fault_o       = fault_q;

  // Slots.
  logic [Slots-1:0] turn, given, claimed;
  logic             claim_tb_ok;
  logic [6:0]       claim_tb;
  assign turn    = Slots'(1) << slot_q;
  assign given   = give_ok ? Slots'(1) << give_slot_i : '0;
  assign claimed = (claim_q && claim_tb_ok) ? Slots'(1) << claim_slot_q : '0;
  always_comb begin
    mark_d = mark_q;
    if (serves && (tbs ? stall_s : end_s && tab_whole_i)) mark_d = mark_d | turn;
    if (serves && restart_s)                              mark_d = mark_d & ~turn;
    if (tbs ? op_i == OpBack : split_i)                   mark_d = mark_d & ~unit;
    if (!tbs)                                             mark_d = mark_d & done;
    mark_d = mark_d & ~given & ~claimed;
    woke_d = (serves && stall_s) ? woke_q & ~turn : woke_q;
    woke_d = woke_d | woken_i[Slots-1:0];
  end
  for (genvar i = 0; i < Slots; i++) begin : gen_slot
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)         tb_q[5*i +: 5] <= 5'd0;
      else if (claimed[i]) tb_q[5*i +: 5] <= claim_tb[4:0];
    end
  end

  always_comb begin
    pick_d = pick_q;
    sure_d = sure_q;
    slot_d = slot_q;
    scan_d = scan_q;
    if (serves && look_s && !tab_whole_i) begin
      sure_d = 1'b1;
    end else if (pick_q && (serves || !slot_wants)) begin
      pick_d = 1'b0;
      sure_d = 1'b0;
      scan_d = slot_q == SlotW'(Slots - 1) ? '0 : slot_q + SlotW'(1);
    end else if (!sure_q) begin
      pick_d = picked;
      slot_d = first;
    end
  end

  // The TB of a claimed slot: a division over two cycles.
  logic [1:0] claim_lower;
  logic [6:0] unused_rest;
  division_steps #(.High(6), .Low(2)) u_upper (
    .rest_i(claim_id_i), .divisor_i(warps_q), .quotient_o(claim_upper_d), .rest_o(claim_rest_d));
  division_steps #(.High(1), .Low(0)) u_lower (
    .rest_i(claim_rest_q), .divisor_i(warps_q), .quotient_o(claim_lower), .rest_o(unused_rest));
  assign claim_tb     = {claim_upper_q, claim_lower};
  assign claim_tb_ok  = warps_q != 6'd0 && claim_tb < 7'(Tbs);
  assign claim_d      = claim_ok;
  assign claim_slot_d = claim_ok ? SlotW'(claim_slot_i) : claim_slot_q;

  // Units on their way.
  always_comb begin
    busy_d       = busy_q;
    out_popped_d = none ? 1'b0 : out_popped_q || stalled_pop_i;
    in_popped_d  = none ? 1'b0 : in_popped_q || ready_pop_i;
    out_tb_d     = none ? stalled_id_i[4:0] : out_tb_q;
    in_tb_d      = none ? ready_id_i[4:0] : in_tb_q;
    if (none && !tbs && !stalled_valid_i) busy_d = '0;
    for (int unsigned t = 0; t < Tbs; t++) begin
      if (none && tbs && ((out_popped_q && out_tb_q == 5'(t)) || (in_popped_q && in_tb_q == 5'(t))))
        busy_d[t] = 1'b0;
      if ((push_stalled || push_ready) && at_tb_q == 5'(t))          busy_d[t] = 1'b1;
      if (!tbs && serves && stall_s && slot_tb == 5'(t))             busy_d[t] = 1'b1;
      if (!tbs && claimed != '0 && claim_tb[4:0] == 5'(t))           busy_d[t] = 1'b1;
    end
  end

  always_comb begin
    held_d     = held_q && !(claim_i && claim_slot_i == 6'(out_slot_q)) && !(give_i && give_slot_i == 6'(out_slot_q)) &&
                 engaged && op_i != OpBack;
    out_slot_d = out_slot_q;
    if (!tbs && serves && stall_s) begin
      held_d     = 1'b1;
      out_slot_d = slot_q;
    end
    vacate_d      = vacate_q && !(give_i && give_slot_i == 6'(vacate_slot_q));
    vacate_id_d   = vacate_id_q;
    vacate_slot_d = vacate_slot_q;
    if (serves && end_s && !tab_whole_i) begin
      vacate_d      = 1'b1;
      vacate_id_d   = slot_id_i;
      vacate_slot_d = slot_q;
    end
  end

  // Absent warps.
  for (genvar w = 0; w < Warps; w++) begin : gen_warp
    assign absent_d[w] = (away_ok && away_id_i == 7'(w)) ||
                         (arrive_ok && !tbs && arrive_id_i == 7'(w)) ||
                         (absent_q[w] && !(wakes && warp_found == 7'(w)) &&
                          !(claim_i && claim_id_i == 7'(w)));
  end

  // The walk: place, TB, its warps.
  logic [4:0]  next_tb;
  logic [5:0]  count;
  logic [31:0] window, own;
  logic [127:0] goes;
  logic        window_any;
  logic [4:0]  window_first;
  tb_age #(
    .Tbs(Tbs)
  ) u_age (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (cfg_i),
    .placed_i(placed_ok),
    .tb_i    (placed_tb_i),
    .pos_i   (pos_q),
    .tb_o    (next_tb),
    .count_o (count)
  );
  assign own    = ~(32'hffff_ffff << warps_q);
  assign goes   = 128'(absent_q) & 128'(free_i);
  assign window = 32'(goes >> at_base_q[6:0]) & own;
  lowest_set #(
    .Bits(32),
    .IdW (5)
  ) u_window (
    .set_i  (window),
    .found_o(window_any),
    .id_o   (window_first)
  );

  always_comb begin
    pos_d         = pos_q;
    at_valid_d    = at_valid_q;
    at_tb_d       = at_tb_q;
    at_base_d     = at_base_q;
    found_d       = found_q;
    found_index_d = found_index_q;
    if (wakes || (found_q && comes) || full || placed_ok) begin
      found_d    = 1'b0;
      at_valid_d = 1'b0;
      pos_d      = 5'd0;
    end else if (moves && there && !comes && window_any) begin
      found_d       = 1'b1;
      found_index_d = window_first;
    end else if (moves) begin
      at_valid_d = 6'(pos_q) < count;
      if (at_valid_d) begin
        at_tb_d   = next_tb;
        at_base_d = 10'(next_tb) * 10'(warps_q);
      end
      pos_d      = 6'(pos_q) + 6'd1 < count ? pos_q + 5'd1 : 5'd0;
    end
  end

  // The launch, and faults.
  logic cfg_bad;
  assign cfg_bad = warps_i == 6'd0 || warps_i > 6'(TbWarps) || level_i > LvTb;
  assign level_d = cfg_i ? (cfg_bad ? LvOff : level_i) : level_q;
  assign warps_d = cfg_i ? warps_i : warps_q;
  assign run_d   = !cfg_i && (run_q || (booked_i && level_q != LvOff));
  assign fault_d = fault_q || (cfg_i && cfg_bad) ||
      (tab_ack_i && !tab_req_o) || (booked_i && (run_q || level_q == LvOff)) ||
      (claim_i && !claim_ok) || (give_i && !give_ok) || (away_i && !away_ok) ||
      (arrive_i && !arrive_ok) || (placed_i && !placed_ok) || (claim_q && !claim_tb_ok);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= LvOff;
      warps_q <= '0;
      run_q   <= 1'b0;
      fault_q <= 1'b0;
    end else begin
      level_q <= level_d;
      warps_q <= warps_d;
      run_q   <= run_d;
      fault_q <= fault_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {mark_q, woke_q, pick_q, sure_q, slot_q, scan_q}                         <= '0;
      {absent_q, pos_q, at_valid_q, at_tb_q, at_base_q, found_q, found_index_q} <= '0;
      {busy_q, out_slot_q, held_q, out_tb_q, in_tb_q, out_popped_q, in_popped_q} <= '0;
      {vacate_q, vacate_id_q, vacate_slot_q}                                   <= '0;
      {claim_q, claim_slot_q, claim_upper_q, claim_rest_q}                     <= '0;
    end else begin
      mark_q        <= mark_d;
      woke_q        <= woke_d;
      pick_q        <= pick_d;
      sure_q        <= sure_d;
      slot_q        <= slot_d;
      scan_q        <= scan_d;
      absent_q      <= absent_d;
      pos_q         <= pos_d;
      at_valid_q    <= at_valid_d;
      at_tb_q       <= at_tb_d;
      at_base_q     <= at_base_d;
      found_q       <= found_d;
      found_index_q <= found_index_d;
      busy_q        <= busy_d;
      out_slot_q    <= out_slot_d;
      held_q        <= held_d;
      out_tb_q      <= out_tb_d;
      in_tb_q       <= in_tb_d;
      out_popped_q  <= out_popped_d;
      in_popped_q   <= in_popped_d;
      vacate_q      <= vacate_d;
      vacate_id_q   <= vacate_id_d;
      vacate_slot_q <= vacate_slot_d;
      claim_q       <= claim_d;
      claim_slot_q  <= claim_slot_d;
      claim_upper_q <= claim_upper_d;
      claim_rest_q  <= claim_rest_d;
      if (cfg_i) begin
        {mark_q, pick_q, sure_q, absent_q, at_valid_q, found_q}                    <= '0;
        {busy_q, held_q, out_popped_q, in_popped_q, vacate_q, claim_q}             <= '0;
      end
    end
  end

  assign unused_bits = ^{stalled_id_i[6:5], ready_id_i[6:5], unused_rest};
  if (Tbs < 32) begin : gen_unused_tbs
    logic unused_tbs;
    assign unused_tbs = ^closed_i[31:Tbs];
  end
  if (Slots < 64) begin : gen_unused
    logic unused_slots;
    assign unused_slots = ^{memory_i[63:Slots], barrier_i[63:Slots], clear_i[63:Slots], woken_i[63:Slots]};
  end

endmodule
