// SPDX-License-Identifier: Apache-2.0
// duet_unit: GPUDuet's control of one SM: the blocks that know where everybody lies, those that
// decide, and what joins them.
//
//   machine --> stall_scanner --> switch_queues --> context_switch_logic
//               me_controller --> tb_launcher --> onchip_bitmap, warp_slots
//               warp_context_table, tb_context_table: one command or look a cycle, of the switch
//               logic, else the launcher, else the machine, else the scanner
//
// Who places TBs is state_q: the dispatcher (native), until the machine hands over; then what is
// there goes into the tables (book, booking), and from then on the launcher does (run).
//
// Source: Lin-D 3.6.1 to 3.6.6, Fig. 3.8 to 3.11.
module duet_unit #(
  parameter int unsigned RegUnits  = 2048,  // 8 to 2048, multiples of 8, together at most 3,072
  parameter int unsigned SmemUnits = 768,   // 8 to 1016
  parameter int unsigned L1Units   = 256,   // 8 to 1016
  parameter int unsigned Warps     = 128,   // Slots to 128
  parameter int unsigned Tbs       = 32,    // 1 to 32
  parameter int unsigned Slots     = 64,    // 1 to 64
  parameter int unsigned StLines   = 2      // 1 to 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,
  input  logic [2:0]       limits_i,
  input  logic [5:0]       warps_i,
  input  logic [9:0]       regs_i,
  input  logic [9:0]       lines_i,
  input  logic [11:0]      tb_regs_i,
  input  logic [11:0]      tb_reduced_i,
  input  logic [9:0]       smem_i,
  input  logic [6:0]       meta_i,
  input  logic [5:0]       most_i,
  input  logic             waiting_i,
  input  logic             placed_i,
  input  logic [4:0]       placed_tb_i,
  input  logic [31:0]      ended_i,
  input  logic             book_i,
  input  logic [31:0]      here_i,
  input  logic [5:0]       ask_slot_i,
  input  logic             place_ok_i,
  input  logic             valid_i,
  input  logic [1:0]       verdict_i,
  input  logic             l1_idle_i,
  input  logic [63:0]      memory_i,
  input  logic [63:0]      barrier_i,
  input  logic [63:0]      clear_i,
  input  logic [63:0]      done_i,
  input  logic [63:0]      woken_i,
  input  logic [Warps-1:0] free_i,
  input  logic             move_ack_i,
  input  logic             find_i,
  input  logic [6:0]       find_id_i,
  output logic [2:0]       state_o,
  output logic             extra_o,
  output logic [1:0]       level_o,
  output logic             searching_o,
  output logic [5:0]       mc_o,
  output logic [5:0]       bound_o,
  output logic [5:0]       me_o,
  output logic             bypass_o,
  output logic [5:0]       tbs_o,
  output logic [63:0]      hold_o,
  output logic [3:0]       job_o,
  output logic             place_o,
  output logic [1:0]       kind_o,
  output logic             ask_o,
  output logic [4:0]       tb_o,
  output logic [6:0]       warp_o,
  output logic [11:0]      row_o,
  output logic [11:0]      meta_o,
  output logic [11:0]      smem_o,
  output logic [5:0]       slot_o,
  output logic             enter_o,
  output logic             arrive_o,
  output logic             left_o,
  output logic             gone_o,
  output logic [2:0]       op_o,
  output logic [6:0]       out_id_o,
  output logic [6:0]       in_id_o,
  output logic             move_o,
  output logic             move_meta_o,
  output logic             move_out_o,
  output logic             move_in_o,
  output logic [11:0]      move_home_o,
  output logic [11:0]      move_away_o,
  output logic             away_o,
  output logic             back_o,
  output logic [6:0]       moved_id_o,
  output logic [11:0]      moved_row_o,
  output logic [11:0]      moved_meta_o,
  output logic             find_ack_o,
  output logic             find_valid_o,
  output logic [1:0]       find_state_o,
  output logic [11:0]      find_reg_o,
  output logic [11:0]      find_meta_o,
  output logic [1:0]       entry_op_o,
  output logic [6:0]       entry_id_o,
  output logic [1:0]       entry_state_o,
  output logic             fault_o
);

  localparam int unsigned TbWarps  = (Warps < 32) ? Warps : 32;
  localparam int unsigned AllUnits = RegUnits | SmemUnits | L1Units;
  localparam int unsigned WordBits = (AllUnits % 64 == 0) ? 64 :
                                     (AllUnits % 32 == 0) ? 32 :
                                     (AllUnits % 16 == 0) ? 16 : 8;

  // State of the block, and codes of its parts.
  localparam logic [2:0] Native = 3'd0, Tell = 3'd1, Book = 3'd2, Booking = 3'd3, Run = 3'd4;

  localparam logic [1:0] LevelOff = 2'd0, LevelWarp = 2'd1;

  localparam logic [2:0] OpNone = 3'd0, OpIn = 3'd2;

  localparam logic [3:0] JobUndo = 4'd7;

  localparam logic [2:0] TabReadTb = 3'd2;  // of all who ask

  logic [2:0] state_q, state_d;
  logic       fault_q, fault_d;

  // What the parts say.
  logic        csl_stalled_pop, csl_ready_pop, csl_take, csl_give, csl_pass, csl_split;
  logic [5:0]  csl_slot;
  logic        csl_req;
  logic [2:0]  csl_tab_op;
  logic [6:0]  csl_id, csl_slot_id;
  logic [4:0]  csl_index;
  logic        csl_all;
  logic [1:0]  csl_tab_state;
  logic [11:0] csl_reg, csl_meta;
  logic        csl_mem_req, csl_mem_free;
  logic [1:0]  csl_mem_region;
  logic [11:0] csl_mem_count, csl_mem_addr;
  logic        csl_fault;
  logic        stalled_valid, stalled_space, ready_valid, ready_space;
  logic [6:0]  stalled_id, ready_id;

  logic        settled, told, placed, allow, keep, me_fault;

  logic        map_done, map_found, map_fault, unused_map_ready;
  logic [11:0] map_addr;

  logic        csl_ack, lau_ack, scan_ack;
  logic        look_warp_valid, look_warp_present;
  logic [1:0]  look_warp_state;
  logic [11:0] look_warp_reg, look_warp_meta;
  logic        look_tb_valid, look_tb_present, look_tb_whole, tb_free;
  logic [11:0] look_tb_addr;
  logic [4:0]  tb_free_id;
  logic        group_stalled, group_ready, tables_fault;
  logic        claim, give;
  logic [5:0]  claim_slot, give_slot, slot_next;
  logic [6:0]  claim_id, slot_id, slots_free;

  logic        lau_booked, lau_busy, lau_launching;
  logic [31:0] lau_ending;
  logic        lau_req;
  logic [2:0]  lau_tab_op;
  logic [6:0]  lau_id;
  logic        lau_all;
  logic [1:0]  lau_tab_state;
  logic [11:0] lau_reg, lau_meta;
  logic        mem_ack, mem_found;
  logic [11:0] mem_addr;
  logic        map_valid, map_op;
  logic [1:0]  map_region;
  logic [11:0] map_count, map_free_addr;
  logic [6:0]  lau_slots_free;
  logic        lau_claim, lau_me_launch, lau_me_leave, lau_fault;
  logic [4:0]  unused_lau_state, unused_lau_index;

  logic        may_leave;
  logic        scan_req;
  logic [2:0]  scan_tab_op;
  logic [6:0]  scan_id;
  logic [1:0]  scan_tab_state;
  logic        scan_barrier, stalled_push, ready_push;
  logic [6:0]  push_id, group_first, vacate_id;
  logic [5:0]  scan_slot, group_count;
  logic        vacate, scan_fault;
  logic [31:0] scan_busy;

  // The launch.
  logic native, begins, engages, configures;
  assign native     = state_q == Native || state_q == Tell;
  assign begins     = start_i && state_q == Native;
  assign engages    = book_i && extra_o;
  assign configures = begins || engages;
  assign extra_o    = state_q == Native && !start_i && settled && me_o != 6'd0 && most_i != 6'd0 &&
                      level_o != LevelOff && waiting_i;

  // The parts.
  unit_switch #(
    .StLines(StLines),
    .TbWarps(TbWarps)
  ) u_switch (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .cfg_i          (configures),
    .limits_i       (limits_i),
    .warps_i        (warps_i),
    .lines_i        (lines_i),
    .full_i         (regs_i),
    .use_l1_i       (bypass_o),
    .stalled_push_i (stalled_push),
    .ready_push_i   (ready_push),
    .push_id_i      (push_id),
    .may_leave_i    (may_leave),
    .want_i         (allow && waiting_i && tb_free),
    .slots_free_i   (lau_slots_free),
    .slot_i         (slot_next),
    .tab_ack_i      (csl_ack),
    .tab_state_i    (look_warp_state),
    .tab_reg_i      (csl_tab_op == TabReadTb ? look_tb_addr : look_warp_reg),
    .tab_meta_i     (look_warp_meta),
    .mem_ack_i      (mem_ack),
    .mem_found_i    (mem_found),
    .mem_addr_i     (mem_addr),
    .move_ack_i     (move_ack_i),
    .stalled_valid_o(stalled_valid),
    .stalled_id_o   (stalled_id),
    .stalled_space_o(stalled_space),
    .ready_valid_o  (ready_valid),
    .ready_id_o     (ready_id),
    .ready_space_o  (ready_space),
    .level_o        (level_o),
    .op_o           (op_o),
    .stalled_pop_o  (csl_stalled_pop),
    .ready_pop_o    (csl_ready_pop),
    .slot_take_o    (csl_take),
    .slot_give_o    (csl_give),
    .slot_o         (csl_slot),
    .slot_id_o      (csl_slot_id),
    .pass_o         (csl_pass),
    .split_o        (csl_split),
    .tab_req_o      (csl_req),
    .tab_op_o       (csl_tab_op),
    .tab_id_o       (csl_id),
    .tab_index_o    (csl_index),
    .tab_all_o      (csl_all),
    .tab_state_o    (csl_tab_state),
    .tab_reg_o      (csl_reg),
    .tab_meta_o     (csl_meta),
    .mem_req_o      (csl_mem_req),
    .mem_free_o     (csl_mem_free),
    .mem_region_o   (csl_mem_region),
    .mem_count_o    (csl_mem_count),
    .mem_addr_o     (csl_mem_addr),
    .out_id_o       (out_id_o),
    .in_id_o        (in_id_o),
    .away_o         (away_o),
    .back_o         (back_o),
    .moved_id_o     (moved_id_o),
    .moved_row_o    (moved_row_o),
    .moved_meta_o   (moved_meta_o),
    .move_o         (move_o),
    .move_meta_o    (move_meta_o),
    .move_out_o     (move_out_o),
    .move_in_o      (move_in_o),
    .move_home_o    (move_home_o),
    .move_away_o    (move_away_o),
    .fault_o        (csl_fault)
  );

  unit_me #(
    .RegUnits (RegUnits),
    .SmemUnits(SmemUnits),
    .L1Units  (L1Units),
    .Warps    (Warps),
    .Tbs      (Tbs),
    .Slots    (Slots)
  ) u_me (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .begins_i    (begins),
    .warps_i     (warps_i),
    .tb_regs_i   (tb_regs_i),
    .tb_reduced_i(tb_reduced_i),
    .smem_i      (smem_i),
    .meta_i      (meta_i),
    .most_i      (most_i),
    .native_i    (native),
    .placed_i    (placed_i),
    .ended_i     (ended_i),
    .valid_i     (valid_i),
    .verdict_i   (verdict_i),
    .l1_idle_i   (l1_idle_i),
    .launching_i (lau_launching),
    .launch_i    (lau_me_launch),
    .leave_i     (lau_me_leave),
    .placed_o    (placed),
    .settled_o   (settled),
    .told_o      (told),
    .allow_o     (allow),
    .keep_o      (keep),
    .busy_o      (searching_o),
    .mc_o        (mc_o),
    .bound_o     (bound_o),
    .me_o        (me_o),
    .bypass_o    (bypass_o),
    .tbs_o       (tbs_o),
    .fault_o     (me_fault)
  );

  onchip_bitmap #(
    .RegUnits (RegUnits),
    .SmemUnits(SmemUnits),
    .L1Units  (L1Units),
    .WordBits (WordBits)
  ) u_map (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (map_valid),
    .op_i    (map_op),
    .region_i(map_region),
    .count_i (map_count),
    .addr_i  (map_free_addr),
    .ready_o (unused_map_ready),
    .done_o  (map_done),
    .found_o (map_found),
    .addr_o  (map_addr),
    .fault_o (map_fault)
  );

  unit_tables #(
    .RegUnits (RegUnits),
    .SmemUnits(SmemUnits),
    .Warps    (Warps),
    .Tbs      (Tbs),
    .TbWarps  (TbWarps),
    .Slots    (Slots)
  ) u_tables (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .warps_i         (warps_i),
    .csl_req_i       (csl_req),
    .csl_tab_op_i    (csl_tab_op),
    .csl_id_i        (csl_id),
    .csl_index_i     (csl_index),
    .csl_all_i       (csl_all),
    .csl_tab_state_i (csl_tab_state),
    .csl_reg_i       (csl_reg),
    .csl_meta_i      (csl_meta),
    .csl_take_i      (csl_take),
    .csl_within_i    (move_meta_o),
    .csl_give_i      (csl_give),
    .csl_pass_i      (csl_pass),
    .csl_slot_i      (csl_slot),
    .csl_slot_id_i   (csl_slot_id),
    .lau_req_i       (lau_req),
    .lau_tab_op_i    (lau_tab_op),
    .lau_id_i        (lau_id),
    .lau_all_i       (lau_all),
    .lau_tab_state_i (lau_tab_state),
    .lau_reg_i       (lau_reg),
    .lau_meta_i      (lau_meta),
    .lau_claim_i     (lau_claim),
    .lau_left_i      (left_o),
    .lau_slot_i      (slot_o),
    .lau_warp_i      (warp_o),
    .find_i          (find_i),
    .find_id_i       (find_id_i),
    .scan_req_i      (scan_req),
    .scan_tab_op_i   (scan_tab_op),
    .scan_id_i       (scan_id),
    .scan_tab_state_i(scan_tab_state),
    .scan_barrier_i  (scan_barrier),
    .scan_slot_i     (scan_slot),
    .group_first_i   (group_first),
    .group_count_i   (group_count),
    .csl_ack_o       (csl_ack),
    .lau_ack_o       (lau_ack),
    .find_ack_o      (find_ack_o),
    .scan_ack_o      (scan_ack),
    .warp_valid_o    (look_warp_valid),
    .warp_present_o  (look_warp_present),
    .warp_state_o    (look_warp_state),
    .warp_reg_o      (look_warp_reg),
    .warp_meta_o     (look_warp_meta),
    .tb_valid_o      (look_tb_valid),
    .tb_present_o    (look_tb_present),
    .tb_whole_o      (look_tb_whole),
    .tb_addr_o       (look_tb_addr),
    .tb_free_o       (tb_free),
    .tb_free_id_o    (tb_free_id),
    .group_stalled_o (group_stalled),
    .group_ready_o   (group_ready),
    .entry_op_o      (entry_op_o),
    .entry_id_o      (entry_id_o),
    .entry_state_o   (entry_state_o),
    .claim_o         (claim),
    .claim_slot_o    (claim_slot),
    .claim_id_o      (claim_id),
    .give_o          (give),
    .give_slot_o     (give_slot),
    .slot_id_o       (slot_id),
    .slots_free_o    (slots_free),
    .slot_next_o     (slot_next),
    .fault_o         (tables_fault)
  );

  tb_launcher #(
    .Warps  (Warps),
    .Tbs    (Tbs),
    .TbWarps(TbWarps),
    .StLines(StLines)
  ) u_launcher (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .cfg_i           (configures),
    .level_i         (level_o),
    .registers_move_i(level_o == LevelWarp && limits_i[0]),
    .use_l1_i        (bypass_o),
    .warps_i         (warps_i),
    .regs_i          (regs_i),
    .lines_i         (lines_i),
    .tb_regs_i       (tb_regs_i),
    .smem_i          (smem_i),
    .mc_i            (mc_o),
    .book_i          (state_q == Book),
    .here_i          (here_i),
    .allow_i         (allow),
    .keep_i          (keep),
    .waiting_i       (waiting_i),
    .tb_found_i      (tb_free),
    .tb_found_id_i   (tb_free_id),
    .ready_waits_i   (ready_valid),
    .switch_in_i     (op_o == OpIn),
    .ended_i         (native ? 32'd0 : ended_i),
    .queued_i        (scan_busy),
    .vacate_i        (vacate),
    .vacate_id_i     (vacate_id),
    .tab_ack_i       (lau_ack),
    .tab_valid_i     (lau_tab_op == TabReadTb ? look_tb_valid : look_warp_valid),
    .tab_state_i     (look_warp_state),
    .tab_present_i   (lau_tab_op == TabReadTb ? look_tb_present : look_warp_present),
    .tab_whole_i     (look_tb_whole),
    .tab_reg_i       (lau_tab_op == TabReadTb ? look_tb_addr : look_warp_reg),
    .tab_meta_i      (look_warp_meta),
    .mem_req_i       (csl_mem_req),
    .mem_free_i      (csl_mem_free),
    .mem_region_i    (csl_mem_region),
    .mem_count_i     (csl_mem_count),
    .mem_addr_i      (csl_mem_addr),
    .map_done_i      (map_done),
    .map_found_i     (map_found),
    .map_addr_i      (map_addr),
    .slots_free_i    (slots_free),
    .slot_next_i     (slot_next),
    .ask_slot_i      (ask_slot_i),
    .place_ok_i      (place_ok_i),
    .me_ready_i      (settled),
    .booked_o        (lau_booked),
    .job_o           (job_o),
    .state_o         (unused_lau_state),
    .busy_o          (lau_busy),
    .launching_o     (lau_launching),
    .ending_o        (lau_ending),
    .tb_o            (tb_o),
    .index_o         (unused_lau_index),
    .warp_o          (warp_o),
    .row_o           (row_o),
    .meta_o          (meta_o),
    .smem_o          (smem_o),
    .slot_o          (slot_o),
    .tab_req_o       (lau_req),
    .tab_op_o        (lau_tab_op),
    .tab_id_o        (lau_id),
    .tab_all_o       (lau_all),
    .tab_state_o     (lau_tab_state),
    .tab_reg_o       (lau_reg),
    .tab_meta_o      (lau_meta),
    .mem_ack_o       (mem_ack),
    .mem_found_o     (mem_found),
    .mem_addr_o      (mem_addr),
    .map_valid_o     (map_valid),
    .map_op_o        (map_op),
    .map_region_o    (map_region),
    .map_count_o     (map_count),
    .map_addr_o      (map_free_addr),
    .slots_free_o    (lau_slots_free),
    .ask_o           (ask_o),
    .claim_o         (lau_claim),
    .place_o         (place_o),
    .kind_o          (kind_o),
    .enter_o         (enter_o),
    .arrive_o        (arrive_o),
    .left_o          (left_o),
    .gone_o          (gone_o),
    .me_launch_o     (lau_me_launch),
    .me_leave_o      (lau_me_leave),
    .fault_o         (lau_fault)
  );

  stall_scanner #(
    .Warps  (Warps),
    .Tbs    (Tbs),
    .TbWarps(TbWarps),
    .Slots  (Slots)
  ) u_scanner (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .cfg_i          (state_q == Tell),
    .level_i        (level_o),
    .warps_i        (warps_i),
    .booked_i       (lau_booked),
    .memory_i       (memory_i),
    .barrier_i      (barrier_i),
    .clear_i        (clear_i),
    .done_i         (done_i),
    .woken_i        (woken_i),
    .free_i         (free_i),
    .closed_i       (lau_ending | (lau_launching || job_o == JobUndo ? 32'd1 << tb_o : 32'd0)),
    .claim_i        (claim),
    .claim_slot_i   (claim_slot),
    .claim_id_i     (claim_id),
    .give_i         (give),
    .give_slot_i    (give_slot),
    .slot_id_i      (slot_id),
    .away_i         (away_o),
    .away_id_i      (csl_id),
    .split_i        (csl_split),
    .split_tb_i     (csl_id[4:0]),
    .op_i           (op_o),
    .stalled_valid_i(stalled_valid),
    .stalled_id_i   (stalled_id),
    .stalled_pop_i  (csl_stalled_pop),
    .stalled_space_i(stalled_space),
    .ready_valid_i  (ready_valid),
    .ready_id_i     (ready_id),
    .ready_pop_i    (csl_ready_pop),
    .ready_space_i  (ready_space),
    .arrive_i       (arrive_o),
    .arrive_id_i    (warp_o),
    .placed_i       (placed || (place_o && place_ok_i)),
    .placed_tb_i    (place_o && place_ok_i ? tb_o : placed_tb_i),
    .tab_ack_i      (scan_ack),
    .tab_whole_i    (look_tb_whole),
    .group_stalled_i(group_stalled),
    .group_ready_i  (group_ready),
    .hold_o         (hold_o),
    .may_leave_o    (may_leave),
    .look_slot_o    (scan_slot),
    .tab_req_o      (scan_req),
    .tab_op_o       (scan_tab_op),
    .tab_id_o       (scan_id),
    .tab_state_o    (scan_tab_state),
    .tab_barrier_o  (scan_barrier),
    .stalled_push_o (stalled_push),
    .ready_push_o   (ready_push),
    .push_id_o      (push_id),
    .group_first_o  (group_first),
    .group_count_o  (group_count),
    .vacate_o       (vacate),
    .vacate_id_o    (vacate_id),
    .busy_o         (scan_busy),
    .fault_o        (scan_fault)
  );

  // Outputs that are not a part's.
  assign state_o       = state_q;
  assign find_valid_o  = find_ack_o && look_warp_valid;
  assign find_state_o  = find_ack_o ? look_warp_state : 2'd0;
  assign find_reg_o    = find_ack_o ? look_warp_reg : 12'd0;
  assign find_meta_o   = find_ack_o ? look_warp_meta : 12'd0;
  assign fault_o       = fault_q || csl_fault || me_fault || map_fault || tables_fault ||
                         lau_fault || scan_fault;

  logic over;
  assign over = !waiting_i && tbs_o == 6'd0 && op_o == OpNone && !lau_busy && told;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Native:  state_d = begins ? Tell : engages ? Book : Native;
      Tell:    state_d = Native;
      Book:    state_d = Booking;
      Booking: state_d = lau_booked ? Run : Booking;
      default: state_d = over ? Native : Run;
    endcase
    fault_d    = fault_q || (start_i && !begins) || (book_i && !engages);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Native;
      fault_q    <= 1'b0;
    end else begin
      state_q    <= state_d;
      fault_q    <= fault_d;
    end
  end

endmodule
