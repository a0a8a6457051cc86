// SPDX-License-Identifier: Apache-2.0
// tb_launcher: brings TBs to an SM and clears them away: lines of the bitmap, entries of the tables,
// warp slots.
//
//   book, vacate, ended, allow --> job_q
//                                    |
//   state_q: setup > smem > add_tb > per warp (regs > away > add_warp) > place > leave > launch >
//            per warp (look > tell); check > check_tb; per warp (read > drop > free_regs > free_away)
//            > read_tb > drop_tb > free_smem; each job takes its own steps
//
// A run of lines is written to the tables as soon as it is had, so the block keeps the addresses of
// one warp alone. A request stands as long as its step. The bitmap is asked once a step, by the
// switch logic first; an entry goes before its lines are given back.
//
// Source: Lin-D 3.6.2, 3.6.4, 3.6.6, Fig. 3.11.
module tb_launcher #(
  parameter int unsigned Warps   = 128,  // 1 to 128
  parameter int unsigned Tbs     = 32,   // 1 to 32
  parameter int unsigned TbWarps = 32,   // 1 to 32
  parameter int unsigned StLines = 2     // 1 to 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cfg_i,
  input  logic [1:0]  level_i,
  input  logic        registers_move_i,
  input  logic        use_l1_i,
  input  logic [5:0]  warps_i,
  input  logic [9:0]  regs_i,
  input  logic [9:0]  lines_i,
  input  logic [11:0] tb_regs_i,
  input  logic [9:0]  smem_i,
  input  logic [5:0]  mc_i,
  input  logic        book_i,
  input  logic [31:0] here_i,
  input  logic        allow_i,
  input  logic        keep_i,
  input  logic        waiting_i,
  input  logic        tb_found_i,
  input  logic [4:0]  tb_found_id_i,
  input  logic        ready_waits_i,
  input  logic        switch_in_i,
  input  logic [31:0] ended_i,
  input  logic [31:0] queued_i,
  input  logic        vacate_i,
  input  logic [6:0]  vacate_id_i,
  input  logic        tab_ack_i,
  input  logic        tab_valid_i,
  input  logic [1:0]  tab_state_i,
  input  logic        tab_present_i,
  input  logic        tab_whole_i,
  input  logic [11:0] tab_reg_i,
  input  logic [11:0] tab_meta_i,
  input  logic        mem_req_i,
  input  logic        mem_free_i,
  input  logic [1:0]  mem_region_i,
  input  logic [11:0] mem_count_i,
  input  logic [11:0] mem_addr_i,
  input  logic        map_done_i,
  input  logic        map_found_i,
  input  logic [11:0] map_addr_i,
  input  logic [6:0]  slots_free_i,
  input  logic [5:0]  slot_next_i,
  input  logic [5:0]  ask_slot_i,
  input  logic        place_ok_i,
  input  logic        me_ready_i,
  output logic        booked_o,
  output logic [3:0]  job_o,
  output logic [4:0]  state_o,
  output logic        busy_o,
  output logic        launching_o,
  output logic [31:0] ending_o,
  output logic [4:0]  tb_o,
  output logic [4:0]  index_o,
  output logic [6:0]  warp_o,
  output logic [11:0] row_o,
  output logic [11:0] meta_o,
  output logic [11:0] smem_o,
  output logic [5:0]  slot_o,
  output logic        tab_req_o,
  output logic [2:0]  tab_op_o,
  output logic [6:0]  tab_id_o,
  output logic        tab_all_o,
  output logic [1:0]  tab_state_o,
  output logic [11:0] tab_reg_o,
  output logic [11:0] tab_meta_o,
  output logic        mem_ack_o,
  output logic        mem_found_o,
  output logic [11:0] mem_addr_o,
  output logic        map_valid_o,
  output logic        map_op_o,
  output logic [1:0]  map_region_o,
  output logic [11:0] map_count_o,
  output logic [11:0] map_addr_o,
  output logic [6:0]  slots_free_o,
  output logic        ask_o,
  output logic        claim_o,
  output logic        place_o,
  output logic [1:0]  kind_o,
  output logic        enter_o,
  output logic        arrive_o,
  output logic        left_o,
  output logic        gone_o,
  output logic        me_launch_o,
  output logic        me_leave_o,
  output logic        fault_o
);

  localparam logic [1:0] LvOff = 2'd0, LvWarp = 2'd1, LvTb = 2'd2;
  localparam logic [3:0] JobNone = 4'd0, JobBook = 4'd1, JobUnbook = 4'd2, JobNative = 4'd3,
                         JobExtra = 4'd4, JobHanded = 4'd5, JobClear = 4'd6, JobUndo = 4'd7,
                         JobVacate = 4'd8;
  localparam logic [4:0] StIdle = 5'd0, StSetup = 5'd1, StSmem = 5'd2, StAddTb = 5'd3,
                         StRegs = 5'd4, StAway = 5'd5, StAddWarp = 5'd6, StPlace = 5'd7,
                         StLeave = 5'd8, StLaunch = 5'd9, StLook = 5'd10, StTell = 5'd11,
                         StCheck = 5'd12, StCheckTb = 5'd13, StRead = 5'd14, StDrop = 5'd15,
                         StFreeRegs = 5'd16, StFreeAway = 5'd17, StReadTb = 5'd18,
                         StDropTb = 5'd19, StFreeSmem = 5'd20;
  localparam logic [1:0] Running = 2'd0;
  localparam logic [1:0] KindNative = 2'd0, KindExtra = 2'd1, KindHanded = 2'd2;
  localparam logic [5:0] SlotPage = 6'b110000;  // bits 11:6 of 0xC00 to 0xC3F
  localparam logic [11:0] Nowhere = 12'hfff;

  if (Warps < 1 || Warps > 128 || Tbs < 1 || Tbs > 32) begin : gen_bad_tables
    $fatal(1, "tb_launcher: Warps is 1 to 128, Tbs 1 to 32");
  end
  if (TbWarps < 1 || TbWarps > 32 || StLines < 1 || StLines > 4) begin : gen_bad_size
    $fatal(1, "tb_launcher: TbWarps is 1 to 32, StLines 1 to 4");
  end

  // The figures of the launch.
  logic [1:0]  level_q;
  logic        registers_move_q;
  logic        use_l1_q;
  logic [5:0]  warps_q;
  logic [9:0]  regs_q, lines_q, cfg_smem_q;
  logic [11:0] tb_regs_q;
  logic [5:0]  mc_q;
  // The job under way.
  logic [3:0]  job_q, job_d;
  logic [4:0]  state_q, state_d;
  logic [5:0]  tb_q, tb_d;
  logic [4:0]  index_q, index_d;
  logic [6:0]  warp_q, warp_d;
  logic [11:0] smem_q, smem_d;
  logic [11:0] row_q, row_d;
  logic [11:0] meta_q, meta_d;
  logic        here_q, here_d;        // booking: the TB is on the SM
  logic        spilled_q, spilled_d;  // the TB read last has absent warps
  logic        second_q, second_d;    // the alloc under way was tried in the L1
  // What waits.
  logic           run_q, run_d;
  logic [Tbs-1:0] ended_q, ended_d;
  logic launch_blocked_q, launch_blocked_d, native_blocked_q, native_blocked_d;
  logic in_blocked_q, in_blocked_d, map_busy_q, map_busy_d, map_ours_q, map_ours_d;
  logic fault_q, fault_d;

  logic idle, takes_cfg;
  assign idle      = state_q == StIdle;
  assign takes_cfg = idle && cfg_i;

  // Sizes.
  logic        tbs, regs_move, extra, native;
  logic [11:0] away_lines;
  assign tbs        = level_q == LvTb;
  assign regs_move  = level_q == LvWarp && registers_move_q;
  assign extra      = job_q == JobExtra;
  assign native     = job_q == JobNative;
  assign away_lines = ((tbs || regs_move) ? 12'(lines_q) : 12'd0) +
                      12'(StLines) * (tbs ? 12'(warps_q) : 12'd1);

  // The TB of the job and its warps.
  logic [11:0] first_warp;
  logic        fits, last_warp, booking_ends;
  logic [4:0]  next_index;
  logic [6:0]  next_warp;
  assign first_warp   = 12'(tb_q) * 12'(warps_q);
  assign fits         = tb_q < 6'(Tbs) && 13'(first_warp) + 13'(warps_q) <= 13'(Warps);
  assign booking_ends = tb_q == mc_q || !fits;
  assign last_warp    = 6'(index_q) + 6'd1 >= warps_q;
  assign next_index   = last_warp ? 5'd0 : index_q + 5'd1;
  assign next_warp    = last_warp ? first_warp[6:0] : warp_q + 7'd1;

  // A warp on the SM has a slot, or one of a native TB gets one: its entry says so in this step.
  logic        book_slot, claim_slot, has_slot;
  logic [11:0] meta_extra;
  assign book_slot  = state_q == StAddWarp && job_q == JobBook && here_q;
  assign claim_slot = state_q == StTell && native;
  assign has_slot   = book_slot || claim_slot;
  assign slot_o     = book_slot ? ask_slot_i : claim_slot ? slot_next_i : meta_q[5:0];
  assign meta_extra = tbs ? smem_q + 12'(lines_q) + 12'(StLines) * 12'(index_q) :
                      regs_move ? row_q + 12'(lines_q) : meta_q;

  launcher_tables u_tables (
    .state_i(state_q), .native_i(native), .extra_i(extra), .tb_i(tb_q[4:0]), .warp_i(warp_q),
    .has_slot_i(has_slot), .slot_i(slot_o), .smem_i(smem_q), .row_i(row_q), .meta_i(meta_extra),
    .req_o(tab_req_o), .op_o(tab_op_o), .id_o(tab_id_o), .all_o(tab_all_o), .state_o(tab_state_o),
    .reg_o(tab_reg_o), .meta_o(tab_meta_o));

  // The bitmap.
  logic [11:0] taken;
  logic away, lines_step, gives, other, answered, lines_none, lines_done, no_room, try_second;
  assign away = meta_q[11:10] != 2'b11;  // the warp read last is switched out
  launcher_lines u_lines (
    .state_i(state_q), .book_i(job_q == JobBook), .tbs_i(tbs), .regs_move_i(regs_move),
    .extra_i(extra), .away_i(away), .spilled_i(spilled_q), .l1_i(use_l1_q && !second_q), .regs_i(regs_q),
    .tb_regs_i(tb_regs_q), .cfg_smem_i(cfg_smem_q), .away_lines_i(away_lines), .smem_i(smem_q),
    .row_i(row_q), .meta_i(meta_q), .busy_i(map_busy_q), .mem_req_i(mem_req_i),
    .mem_free_i(mem_free_i), .mem_region_i(mem_region_i), .mem_count_i(mem_count_i),
    .mem_addr_i(mem_addr_i), .step_o(lines_step), .gives_o(gives), .other_o(other),
    .none_o(lines_none), .map_valid_o(map_valid_o), .map_op_o(map_op_o),
    .map_region_o(map_region_o), .map_count_o(map_count_o), .map_addr_o(map_addr_o));
  assign answered    = map_busy_q && map_done_i;
  assign lines_done  = lines_step && (lines_none || (answered && map_ours_q));
  assign no_room     = !lines_none && !gives && !map_found_i;
  assign taken       = lines_none ? Nowhere : map_addr_i;
  assign try_second      = no_room && other && use_l1_q && !second_q;
  assign map_busy_d  = answered ? 1'b0 : map_busy_q || map_valid_o;
  assign map_ours_d  = map_valid_o ? !mem_req_i : map_ours_q;
  assign mem_ack_o   = answered && !map_ours_q;
  assign mem_found_o = mem_ack_o && map_found_i;
  assign mem_addr_o  = mem_ack_o ? map_addr_i : 12'd0;

  // Lines given back, but for those of undo, unblock launches; a switch in waits for any.
  logic given, bad_free, blocks, wanting, refused;
  assign given    = answered && (map_ours_q ? gives : mem_free_i);
  assign bad_free = given && !map_found_i;
  assign blocks   = !(given && !(map_ours_q && job_q == JobUndo)) && !takes_cfg;
  assign wanting  = lines_done && no_room && !try_second;
  assign refused  = state_q == StPlace && !place_ok_i;
  assign launch_blocked_d = (launch_blocked_q && blocks) || (extra && (wanting || refused)) ||
                            (native && refused);
  assign native_blocked_d = (native_blocked_q && blocks) || (native && wanting);
  assign in_blocked_d     = !takes_cfg && ((in_blocked_q && !given) ||
                            (mem_ack_o && !mem_free_i && !map_found_i && switch_in_i));

  // Slots promised to a native launch are no other's.
  logic [5:0] promised;
  assign promised     = !native ? 6'd0 : (state_q == StLook || state_q == StTell) ?
                        warps_q - 6'(index_q) : warps_q;
  assign slots_free_o = in_blocked_q ? 7'd0 : slots_free_i - 7'(promised);

  // Decision.
  logic           may_book, may_launch, end_found;
  logic [Tbs-1:0] ends;
  logic [4:0]     end_tb;
  assign may_book   = !run_q && level_q != LvOff;
  assign may_launch = allow_i && waiting_i && !launch_blocked_q;
  assign ends       = ended_q & ~queued_i[Tbs-1:0];
  lowest_set #(.Bits(Tbs), .IdW(5)) u_end (.set_i(ends), .found_o(end_found), .id_o(end_tb));

  logic may_native;
  assign may_native = slots_free_i >= 7'(warps_q) && !ready_waits_i && !switch_in_i &&
                      !native_blocked_q;

  if (Tbs < 32) begin : gen_unused
    logic unused_tbs;
    assign unused_tbs = ^{ended_i[31:Tbs], queued_i[31:Tbs]};
  end

  // Faults of the neighbours.
  logic bad_cfg, bad_read;
  assign bad_cfg  = warps_i == 6'd0 || warps_i > 6'(TbWarps) || level_i == 2'd3;
  assign bad_read = tab_ack_i &&
      (((state_q == StLook || state_q == StReadTb) && !tab_valid_i) ||
       (state_q == StRead && job_q == JobVacate && !tab_valid_i) ||
       (state_q == StRead && (job_q == JobVacate || job_q == JobClear) && tab_valid_i &&
        !tab_present_i));

  // The step behind: where the job goes on per warp, and where it ends.
  logic [4:0] first_lines;
  logic       next_cleared, next_told, next_tb, restart, finish, forget;
  assign first_lines = (extra && regs_move) ? StAway : StRegs;

  always_comb begin
    job_d        = job_q;
    state_d      = state_q;
    tb_d         = tb_q;
    index_d      = index_q;
    warp_d       = warp_q;
    smem_d       = smem_q;
    row_d        = row_q;
    meta_d       = meta_q;
    here_d       = here_q;
    spilled_d    = spilled_q;
    second_d     = second_q;
    run_d        = run_q;
    fault_d      = fault_q || bad_read || bad_free || (cfg_i && !idle) ||
                   (book_i && !(idle && !cfg_i && may_book)) || (tab_ack_i && !tab_req_o) ||
                   (map_done_i && !map_busy_q);
    next_cleared = 1'b0;
    next_told    = 1'b0;
    next_tb      = 1'b0;
    restart      = 1'b0;
    finish       = 1'b0;
    forget       = 1'b0;

    unique case (state_q)
      StIdle: begin
        if (cfg_i) begin
          run_d   = 1'b0;
          fault_d = fault_d || bad_cfg;
        end else if (may_book && book_i) begin
          job_d   = JobBook;
          state_d = StSetup;
          tb_d    = 6'd0;
        end else if (run_q && vacate_i) begin
          job_d   = JobVacate;
          state_d = StRead;
          warp_d  = vacate_id_i;
        end else if (run_q && end_found) begin
          job_d   = JobClear;
          state_d = StSetup;
          tb_d    = 6'(end_tb);
        end else if (run_q && ended_q == '0 && may_launch && tb_found_i) begin
          job_d   = JobExtra;
          state_d = StSetup;
          tb_d    = 6'(tb_found_id_i);
        end
      end
      StSetup: begin
        restart = 1'b1;
        unique case (job_q)
          JobBook: begin
            here_d  = here_i[tb_q[4:0]] && !booking_ends;
            fault_d = fault_d || (booking_ends && tb_q != mc_q);
            if (booking_ends) begin
              job_d = JobUnbook;
              tb_d  = 6'd0;
            end else begin
              state_d = StSmem;
            end
          end
          JobUnbook: begin
            fault_d = fault_d || (booking_ends && tb_q != mc_q);
            if (booking_ends) begin
              run_d  = 1'b1;
              finish = 1'b1;
            end else if (here_i[tb_q[4:0]]) begin
              tb_d = tb_q + 6'd1;
            end else begin
              state_d = StRead;
            end
          end
          JobClear: begin
            if (!fits) begin
              {fault_d, forget, finish} = 3'b111;
            end else begin
              job_d   = (keep_i && waiting_i) ? JobHanded : JobClear;
              state_d = (keep_i && waiting_i) ? StCheck : StRead;
            end
          end
          default: begin  // JobExtra
            if (!fits || !allow_i || !waiting_i) begin
              finish = 1'b1;
            end else begin
              job_d   = may_native ? JobNative : JobExtra;
              state_d = StSmem;
            end
          end
        endcase
      end
      StSmem, StRegs, StAway: if (lines_done) begin
        second_d = try_second;
        if (wanting) begin
          fault_d = fault_d || job_q == JobBook;
          if (job_q == JobBook || state_q == StSmem) begin
            finish = 1'b1;
          end else begin
            job_d = JobUndo;
            if (state_q == StAway && !regs_move) begin
              state_d = StAddWarp;
            end else begin
              state_d = StRead;
              restart = 1'b1;
            end
          end
        end else if (!try_second) begin
          if (state_q == StSmem)                   smem_d = taken;
          else if (state_q == StRegs || regs_move) row_d = taken;
          if (state_q == StAway)                   meta_d = taken;
          state_d = state_q == StSmem                   ? StAddTb :
                    (state_q == StRegs && extra && !tbs) ? StAway : StAddWarp;
        end
      end
      StAddTb: if (tab_ack_i) state_d = first_lines;
      StAddWarp: if (tab_ack_i) begin
        index_d = next_index;
        warp_d  = next_warp;
        unique case (job_q)
          JobBook: begin
            row_d = row_q + 12'(regs_q);
            if (last_warp) next_tb = 1'b1;
          end
          JobUndo: begin
            restart = 1'b1;
            state_d = StRead;
          end
          default: state_d = last_warp ? StPlace : first_lines;
        endcase
      end
      StPlace: begin
        job_d   = place_ok_i ? job_q : job_q == JobHanded ? JobClear : JobUndo;
        state_d = !place_ok_i ? StRead : job_q == JobHanded ? StLeave : StLaunch;
      end
      StLeave: if (me_ready_i) begin
        job_d   = job_q == JobHanded ? JobHanded : JobNone;
        state_d = job_q == JobHanded ? StLaunch : StIdle;
      end
      StLaunch: if (me_ready_i) state_d = StLook;
      StLook: if (tab_ack_i) begin
        row_d   = tab_reg_i;
        meta_d  = tab_meta_i;
        state_d = StTell;
      end
      StTell: next_told = !native || tab_ack_i;
      StCheck: if (tab_ack_i) begin
        index_d = next_index;
        warp_d  = next_warp;
        if (!(tab_valid_i && tab_present_i && tab_state_i == Running)) begin
          restart = 1'b1;
          job_d   = JobClear;
          state_d = StRead;
        end else if (last_warp) begin
          state_d = StCheckTb;
        end
      end
      StCheckTb: if (tab_ack_i) begin
        smem_d = tab_reg_i;
        if (tab_valid_i && tab_present_i && tab_whole_i) begin
          state_d = StPlace;
        end else begin
          job_d   = JobClear;
          state_d = StRead;
        end
      end
      StRead: if (tab_ack_i) begin
        row_d  = tab_reg_i;
        meta_d = tab_meta_i;
        if (tab_valid_i) state_d = StDrop;
        else             next_cleared = 1'b1;
      end
      StDrop: if (tab_ack_i) state_d = StFreeRegs;
      StFreeRegs: if (lines_done) begin
        if (away && level_q == LvWarp && !registers_move_q) state_d = StFreeAway;
        else                                                next_cleared = 1'b1;
      end
      StFreeAway: next_cleared = lines_done;
      StReadTb: if (tab_ack_i) begin
        smem_d    = tab_reg_i;
        spilled_d = !tab_whole_i;
        if (tab_valid_i) begin
          state_d = StDropTb;
        end else if (job_q == JobUnbook) begin
          next_tb = 1'b1;
        end else begin
          forget = job_q == JobClear;
          finish = 1'b1;
        end
      end
      StDropTb: if (tab_ack_i) begin
        forget  = job_q == JobClear;
        state_d = StFreeSmem;
      end
      default: if (lines_done) begin  // StFreeSmem
        if (job_q == JobUnbook) begin
          next_tb = 1'b1;
        end else begin
          job_d   = job_q == JobClear ? JobClear : JobNone;
          state_d = job_q == JobClear ? StLeave : StIdle;
        end
      end
    endcase

    if ((next_cleared || next_told) && job_q != JobVacate) begin
      index_d = next_index;
      warp_d  = next_warp;
      state_d = next_told ? StLook : last_warp ? StReadTb : StRead;
    end
    finish = finish || (next_cleared && job_q == JobVacate) || (next_told && last_warp);
    forget = forget || (next_told && last_warp && job_q == JobHanded);
    if (restart) begin
      index_d = 5'd0;
      warp_d  = first_warp[6:0];
    end
    if (next_tb) begin
      tb_d    = tb_q + 6'd1;
      state_d = StSetup;
    end
    if (finish) begin
      job_d   = JobNone;
      state_d = StIdle;
    end
  end

  for (genvar t = 0; t < Tbs; t++) begin : gen_ended
    assign ended_d[t] = ended_i[t] ||
                        (ended_q[t] && !(forget && tb_q[4:0] == 5'(t)) && !takes_cfg);
  end

  assign booked_o    = state_q == StSetup && job_q == JobUnbook && booking_ends;
  assign job_o       = job_q;
  assign state_o     = state_q;
  assign busy_o      = !idle || ended_q != '0 || map_busy_q;
  assign launching_o = state_q == StSetup || native || extra || job_q == JobHanded;
  assign ending_o    = 32'(ended_q);
  assign tb_o        = tb_q[4:0];
  assign index_o     = index_q;
  assign warp_o      = warp_q;
  assign row_o       = row_q;
  assign meta_o      = meta_q;
  assign smem_o      = smem_q;
  assign ask_o       = book_slot;
  assign claim_o     = has_slot && tab_ack_i;
  assign place_o     = state_q == StPlace;
  assign kind_o      = !place_o ? KindNative : job_q == JobHanded ? KindHanded :
                       extra ? KindExtra : KindNative;
  assign enter_o     = state_q == StTell && (job_q == JobHanded || (native && tab_ack_i));
  assign arrive_o    = state_q == StTell && extra;
  assign left_o      = state_q == StDrop && tab_ack_i && meta_q[11:6] == SlotPage;
  assign gone_o      = state_q == StDropTb && tab_ack_i && job_q == JobClear;
  assign me_launch_o = state_q == StLaunch && me_ready_i;
  assign me_leave_o  = state_q == StLeave && me_ready_i;
  assign fault_o     = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q          <= LvOff;
      registers_move_q <= 1'b0;
      use_l1_q         <= 1'b0;
      warps_q          <= 6'd0;
      regs_q           <= 10'd0;
      lines_q          <= 10'd0;
      tb_regs_q        <= 12'd0;
      cfg_smem_q       <= 10'd0;
      mc_q             <= 6'd0;
    end else if (takes_cfg) begin
      level_q          <= bad_cfg ? LvOff : level_i;
      registers_move_q <= registers_move_i;
      use_l1_q         <= use_l1_i;
      warps_q          <= warps_i;
      regs_q           <= regs_i;
      lines_q          <= lines_i;
      tb_regs_q        <= tb_regs_i;
      cfg_smem_q       <= smem_i;
      mc_q             <= mc_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      job_q            <= JobNone;
      state_q          <= StIdle;
      tb_q             <= 6'd0;
      index_q          <= 5'd0;
      warp_q           <= 7'd0;
      smem_q           <= 12'd0;
      row_q            <= 12'd0;
      meta_q           <= 12'd0;
      here_q           <= 1'b0;
      spilled_q        <= 1'b0;
      second_q         <= 1'b0;
      run_q            <= 1'b0;
      ended_q          <= '0;
      launch_blocked_q <= 1'b0;
      native_blocked_q <= 1'b0;
      in_blocked_q     <= 1'b0;
      map_busy_q       <= 1'b0;
      map_ours_q       <= 1'b0;
      fault_q          <= 1'b0;
    end else begin
      job_q            <= job_d;
      state_q          <= state_d;
      tb_q             <= tb_d;
      index_q          <= index_d;
      warp_q           <= warp_d;
      smem_q           <= smem_d;
      row_q            <= row_d;
      meta_q           <= meta_d;
      here_q           <= here_d;
      spilled_q        <= spilled_d;
      second_q         <= second_d;
      run_q            <= run_d;
      ended_q          <= ended_d;
      launch_blocked_q <= launch_blocked_d;
      native_blocked_q <= native_blocked_d;
      in_blocked_q     <= in_blocked_d;
      map_busy_q       <= map_busy_d;
      map_ours_q       <= map_ours_d;
      fault_q          <= fault_d;
    end
  end

endmodule
