// SPDX-License-Identifier: Apache-2.0
// context_switch_logic: takes stalled and ready units (warps or TBs) from their queues, and has
// their contexts switched out, in, or one for the other.
//
//   heads of the queues --> decision --> op_q, unit ids
//                                          |
//   state_q: read_out > read_in > alloc > alloc_l1 > move > per warp (rd_out > rd_in > meta >
//            wr_out > wr_in) > addr_out > mask_out > addr_in > mask_in > free; each op takes its
//            own steps
//
// Every output is a function of registers. A request (tab_req_o, mem_req_o, move_o) stands as long
// as its step; the ack ends both. home_q and away_q are the two places of the context under way; an
// exchange swaps them between its two units and needs neither allocation nor free.
//
// What the tables are asked, and about whom, is found with the step before and stands in registers
// (ask_q and the like): behind it comes a look-up in all entries. The TB of a warp is a division by
// N. What needs a kernel's figures or a unit's id alone is found a cycle ahead of its use: lines of
// a unit that is switched out, upper half of the division.
//
// Source: Lin-D 3.6.5 to 3.6.7, Fig. 3.9, Fig. 3.10.
module context_switch_logic #(
  parameter int unsigned StLines = 2,  // 1 to 4
  parameter int unsigned TbWarps = 32  // 1 to 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cfg_i,
  input  logic [2:0]  limits_i,
  input  logic [5:0]  warps_i,
  input  logic [9:0]  lines_i,
  input  logic [9:0]  full_i,
  input  logic        use_l1_i,
  input  logic        stalled_valid_i,
  input  logic [6:0]  stalled_id_i,
  input  logic        may_leave_i,
  input  logic        ready_valid_i,
  input  logic [6:0]  ready_id_i,
  input  logic        want_i,
  input  logic [6:0]  slots_free_i,
  input  logic [5:0]  slot_i,
  input  logic        tab_ack_i,
  input  logic [1:0]  tab_state_i,
  input  logic [11:0] tab_reg_i,
  input  logic [11:0] tab_meta_i,
  input  logic        mem_ack_i,
  input  logic        mem_found_i,
  input  logic [11:0] mem_addr_i,
  input  logic        move_ack_i,
  output logic [1:0]  level_o,
  output logic [2:0]  op_o,
  output logic [3:0]  state_o,
  output logic        stalled_pop_o,
  output logic        ready_pop_o,
  output logic        slot_take_o,
  output logic        slot_give_o,
  output logic [5:0]  slot_o,
  output logic [6:0]  slot_id_o,
  output logic        tab_req_o,
  output logic [2:0]  tab_op_o,
  output logic [6:0]  tab_id_o,
  output logic [4:0]  tab_index_o,
  output logic        tab_all_o,
  output logic [1:0]  tab_state_o,
  output logic [11:0] tab_reg_o,
  output logic [11:0] tab_meta_o,
  output logic        mem_req_o,
  output logic        mem_free_o,
  output logic [1:0]  mem_region_o,
  output logic [11:0] mem_count_o,
  output logic [11:0] mem_addr_o,
  output logic        move_o,
  output logic        move_meta_o,
  output logic        move_out_o,
  output logic        move_in_o,
  output logic [11:0] move_home_o,
  output logic [11:0] move_away_o,
  output logic        fault_o
);

  localparam logic [1:0] LvOff = 2'd0, LvWarp = 2'd1, LvTb = 2'd2;
  localparam logic [2:0] OpNone = 3'd0, OpOut = 3'd1, OpIn = 3'd2, OpExchange = 3'd3, OpBack = 3'd4;
  localparam logic [3:0] StIdle = 4'd0, StReadOut = 4'd1, StReadIn = 4'd2, StAlloc = 4'd3,
                         StAllocL1 = 4'd4, StMove = 4'd5, StRdOut = 4'd6, StRdIn = 4'd7,
                         StWrOut = 4'd8, StWrIn = 4'd9, StAddrOut = 4'd10, StMaskOut = 4'd11,
                         StAddrIn = 4'd12, StMaskIn = 4'd13, StFree = 4'd14,
                         StMeta = 4'd15;
  localparam logic [1:0] Running = 2'd0, Stalled = 2'd1, Absent = 2'd2, Ready = 2'd3;
  localparam logic [2:0] TabReadWarp = 3'd0, TabWriteWarp = 3'd1, TabReadTb = 3'd2,
                         TabMoveTb = 3'd3, TabAbsentTb = 3'd4, TabPresentTb = 3'd5;
  localparam logic [5:0] SlotPage = 6'b110000;  // bits 11:6 of 0xC00 to 0xC3F

  if (StLines < 1 || StLines > 4 || TbWarps < 1 || TbWarps > 32) begin : gen_bad_size
    $fatal(1, "context_switch_logic: 1 <= StLines <= 4, 1 <= TbWarps <= 32");
  end

  // The kernel's figures.
  logic [1:0]  level_q, level_d;
  logic        registers_q, registers_d;
  logic        use_l1_q, use_l1_d;
  logic [5:0]  warps_q, warps_d;
  logic [9:0]  lines_q, lines_d;
  logic [9:0]  full_q, full_d;
  // The switch under way.
  logic [2:0]  op_q, op_d;
  logic [3:0]  state_q, state_d;
  logic [6:0]  out_id_q, out_id_d;
  logic [6:0]  in_id_q, in_id_d;
  logic        out_pop_q, out_pop_d;
  logic        in_pop_q, in_pop_d;
  logic        take_q, take_d;
  logic        give_q, give_d;
  logic [5:0]  slot_q, slot_d;
  logic [5:0]  warp_q, warp_d;
  logic [11:0] home_q, home_d;
  logic [11:0] away_q, away_d;
  logic [11:0] out_reg_q, out_reg_d;
  logic [11:0] out_meta_q, out_meta_d;
  logic        wait_q, wait_d;  // the warp that comes in was read absent
  logic [11:0] in_reg_q, in_reg_d;
  logic [11:0] meta_away_q, meta_away_d;  // a warp's metadata, switched out
  logic        full_once_q, full_once_d;
  logic        fault_q, fault_d;

  // The request of the step, and the warps of both units that steps are about.
  logic        ask_q, ask_d;
  logic [2:0]  ask_op_q, ask_op_d;
  logic [6:0]  ask_id_q, ask_id_d;
  logic [4:0]  ask_index_q, ask_index_d;
  logic [6:0]  out_warp_q, out_warp_d;
  logic [6:0]  in_warp_q, in_warp_d;

  // A cycle ahead of their use, which is two cycles behind the decision at the soonest.
  logic [10:0] away_lines_q;
  logic [6:0]  out_rest_q, in_rest_q;
  logic [2:0]  out_tb_q, in_tb_q;  // bits 4 to 2 of the TB

  // Sizes of a unit.
  logic        tb, regs_move, body_moves;
  logic [5:0]  unit_warps;
  logic [9:0]  body;
  logic [10:0] away_lines;
  logic [9:0]  home_lines;
  assign tb         = level_q == LvTb;
  assign regs_move  = level_q == LvWarp && registers_q;
  assign body_moves = tb || regs_move;
  assign unit_warps = tb ? warps_q : 6'd1;
  assign body       = body_moves ? lines_q : 10'd0;
  assign away_lines = 11'(body) + 11'(StLines) * 11'(unit_warps);
  assign home_lines = tb ? lines_q : full_q;

  logic leaves, comes, idle;
  assign leaves = op_q == OpOut || op_q == OpExchange || op_q == OpBack;
  assign comes  = op_q == OpIn || op_q == OpExchange;
  assign idle   = op_q == OpNone;

  // The TB of a warp, id / N mod 32, and its number in it, id mod N: the upper bits ahead.
  logic [4:0] out_upper, in_upper;
  logic [6:0] out_rest, in_rest, out_index, in_index;
  logic [1:0] out_lower, in_lower;
  division_steps #(.High(6), .Low(2)) u_out_upper (
    .rest_i(out_id_q), .divisor_i(warps_q), .quotient_o(out_upper), .rest_o(out_rest));
  division_steps #(.High(6), .Low(2)) u_in_upper (
    .rest_i(in_id_q), .divisor_i(warps_q), .quotient_o(in_upper), .rest_o(in_rest));
  division_steps #(.High(1), .Low(0)) u_out_lower (
    .rest_i(out_rest_q), .divisor_i(warps_q), .quotient_o(out_lower), .rest_o(out_index));
  division_steps #(.High(1), .Low(0)) u_in_lower (
    .rest_i(in_rest_q), .divisor_i(warps_q), .quotient_o(in_lower), .rest_o(in_index));
  logic unused_division;
  assign unused_division = ^{out_upper[4:3], in_upper[4:3], out_index[6:5], in_index[6:5]};

  // Requests.
  assign tab_req_o   = ask_q;
  assign tab_op_o    = ask_op_q;
  assign tab_id_o    = ask_id_q;
  assign tab_index_o = ask_index_q;
  assign tab_all_o   = tb && (state_q == StMaskOut || state_q == StMaskIn);

  always_comb begin
    tab_state_o = Running;
    tab_reg_o   = 12'd0;
    tab_meta_o  = 12'd0;
    unique case (state_q)
      StWrOut: begin
        tab_state_o = op_q == OpBack ? Running : Absent;
        tab_reg_o   = (regs_move && op_q != OpBack) ? away_q : out_reg_q;
        tab_meta_o  = op_q == OpBack ? out_meta_q : meta_away_q;
      end
      StWrIn: begin
        tab_state_o = wait_q ? Ready : Running;
        tab_reg_o   = regs_move ? home_q : in_reg_q;
        tab_meta_o  = op_q == OpExchange ? out_meta_q : {SlotPage, slot_q};
      end
      StAddrOut: tab_reg_o = away_q;
      StAddrIn:  tab_reg_o = home_q;
      default: ;
    endcase
  end

  // The request of the next step, and the unit that it is about.
  logic       next_in;
  logic [6:0] next_unit, next_warp;
  assign next_in   = state_d == StReadIn || state_d == StRdIn || state_d == StWrIn ||
                     state_d == StAddrIn || state_d == StMaskIn;
  assign next_unit = next_in ? in_id_d : out_id_d;
  assign next_warp = next_in ? in_warp_d : out_warp_d;

  always_comb begin
    ask_d       = 1'b1;
    ask_op_d    = TabReadWarp;
    ask_id_d    = tb ? 7'(next_unit[4:0]) : next_unit;
    ask_index_d = 5'd0;
    unique case (state_d)
      StReadOut, StReadIn: ask_op_d = tb ? TabReadTb : TabReadWarp;
      StRdOut, StRdIn:     ask_id_d = next_warp;
      StWrOut, StWrIn: begin
        ask_op_d = TabWriteWarp;
        ask_id_d = next_warp;
      end
      StAddrOut, StAddrIn: ask_op_d = TabMoveTb;
      StMaskOut, StMaskIn: begin
        ask_op_d = next_in ? TabPresentTb : TabAbsentTb;
        if (!tb) begin
          ask_id_d    = {2'd0, next_in ? {in_tb_q, in_lower} : {out_tb_q, out_lower}};
          ask_index_d = next_in ? in_index[4:0] : out_index[4:0];
        end
      end
      default: begin
        ask_d    = 1'b0;
        ask_id_d = 7'd0;
      end
    endcase
  end

  always_comb begin
    mem_req_o    = 1'b0;
    mem_free_o   = 1'b0;
    mem_region_o = 2'd0;
    mem_count_o  = 12'd0;
    mem_addr_o   = 12'd0;
    unique case (state_q)
      StAlloc, StAllocL1: begin
        mem_req_o    = 1'b1;
        mem_region_o = state_q == StAllocL1 ? 2'd2 : {1'b0, tb == (op_q == OpIn)};
        mem_count_o  = op_q == OpIn ? 12'(home_lines) : 12'(away_lines_q);
      end
      StFree: begin
        mem_req_o   = 1'b1;
        mem_free_o  = 1'b1;
        mem_count_o = op_q == OpIn ? 12'(away_lines_q) : 12'(home_lines);
        mem_addr_o  = op_q == OpIn ? away_q : home_q;
      end
      default: ;
    endcase
  end

  logic in_meta;
  assign in_meta       = state_q == StMeta;
  assign move_o        = state_q == StMove || in_meta;
  assign move_meta_o   = in_meta;
  assign move_out_o    = move_o && leaves;
  assign move_in_o     = move_o && comes;
  assign move_home_o   = in_meta ? {SlotPage, slot_q} : home_q;
  assign move_away_o   = in_meta ? meta_away_q : away_q;
  assign level_o       = level_q;
  assign op_o          = op_q;
  assign state_o       = state_q;
  assign stalled_pop_o = out_pop_q;
  assign ready_pop_o   = in_pop_q;
  assign slot_take_o   = take_q;
  assign slot_give_o   = give_q;
  assign slot_o        = slot_q;
  assign slot_id_o     = take_q ? in_warp_q : 7'd0;
  assign fault_o       = fault_q;

  // Configuration.
  logic       cfg_off, cfg_tb, cfg_bad;
  assign cfg_off = limits_i == 3'b000 || (limits_i[0] && limits_i[2]);
  assign cfg_tb  = limits_i[2] && !limits_i[0];
  assign cfg_bad = warps_i == 6'd0 || warps_i > 6'(TbWarps) || (cfg_tb && lines_i == 10'd0) ||
                   (limits_i[0] && !limits_i[2] && (full_i == 10'd0 || full_i < lines_i));

  // Decision.
  logic       on, can_leave, begin_exchange, begin_in, begin_out, begin_back;
  logic       bad_stalled, bad_ready;
  assign on             = level_q != LvOff;
  assign can_leave      = stalled_valid_i && may_leave_i;
  assign begin_exchange = on && can_leave && ready_valid_i;
  assign begin_in       = on && !begin_exchange && ready_valid_i &&
                          slots_free_i >= 7'(unit_warps) && !(stalled_valid_i && full_once_q);
  assign begin_out      = on && can_leave && !ready_valid_i && want_i;
  assign begin_back     = stalled_valid_i && !begin_exchange && !begin_in && !begin_out;
  // id / N above 31 is id at or above 32 N.
  assign bad_stalled = (level_q == LvWarp && 11'(stalled_id_i) >= {warps_q, 5'd0}) ||
                       (tb && (stalled_id_i[6:5] != 2'd0 ||
                               (11'(stalled_id_i[4:0]) + 11'd1) * 11'(warps_q) > 11'd128));
  assign bad_ready   = (level_q == LvWarp && 11'(ready_id_i) >= {warps_q, 5'd0}) ||
                       (tb && (ready_id_i[6:5] != 2'd0 ||
                               (11'(ready_id_i[4:0]) + 11'd1) * 11'(warps_q) > 11'd128));

  // Faults of the neighbours.
  logic bad_ack, bad_head, bad_read, choosing, read_out_warp, read_in_warp;
  assign choosing = state_q == StReadOut || state_q == StReadIn || state_q == StAlloc ||
                    state_q == StAllocL1;
  assign bad_ack  = (tab_ack_i && !tab_req_o) || (mem_ack_i && !mem_req_o) ||
                    (move_ack_i && !move_o);
  assign bad_head =
      (choosing && op_q == OpOut && !(stalled_valid_i && stalled_id_i == out_id_q)) ||
      (choosing && op_q == OpIn && body_moves && !(ready_valid_i && ready_id_i == in_id_q));
  assign read_out_warp = state_q == StRdOut || (state_q == StReadOut && !tb);
  assign read_in_warp  = state_q == StRdIn || (state_q == StReadIn && !tb);
  assign bad_read = tab_ack_i &&
      ((read_out_warp && tab_state_i != Stalled) ||
       (read_in_warp && tab_state_i != Ready && !(tb && tab_state_i == Absent)) ||
       (state_q == StRdOut && tab_meta_i[11:6] != SlotPage) ||
       (state_q == StRdIn && (tab_meta_i[11:10] == 2'b11 ||
                              (op_q == OpIn && slots_free_i == 7'd0))));

  logic last_warp;
  assign last_warp = warp_q + 6'd1 >= unit_warps;

  // Where the metadata of the warp of an out go: behind the lines that moved.
  logic [11:0] meta_behind;
  assign meta_behind = away_q + 12'(body) + 12'(StLines) * 12'(warp_q);

  always_comb begin
    level_d     = level_q;
    registers_d = registers_q;
    use_l1_d    = use_l1_q;
    warps_d     = warps_q;
    lines_d     = lines_q;
    full_d      = full_q;
    op_d        = op_q;
    state_d     = state_q;
    out_id_d    = out_id_q;
    in_id_d     = in_id_q;
    out_pop_d   = 1'b0;
    in_pop_d    = 1'b0;
    take_d      = 1'b0;
    give_d      = 1'b0;
    slot_d      = slot_q;
    warp_d      = warp_q;
    home_d      = home_q;
    away_d      = away_q;
    out_reg_d   = out_reg_q;
    out_meta_d  = out_meta_q;
    wait_d      = wait_q;
    in_reg_d    = in_reg_q;
    meta_away_d = meta_away_q;
    full_once_d = full_once_q;
    out_warp_d  = out_warp_q;
    in_warp_d   = in_warp_q;
    fault_d     = fault_q || bad_ack || bad_head || bad_read || (cfg_i && !idle);

    unique case (state_q)
      StIdle: begin
        if (cfg_i) begin
          level_d     = (cfg_off || cfg_bad) ? LvOff : cfg_tb ? LvTb : LvWarp;
          registers_d = limits_i[0];
          use_l1_d    = use_l1_i;
          warps_d     = warps_i;
          lines_d     = lines_i;
          full_d      = full_i;
          fault_d     = fault_d || cfg_bad;
        end else if (begin_exchange || begin_in || begin_out || begin_back) begin
          home_d      = 12'd0;
          away_d      = 12'd0;
          op_d        = begin_exchange ? OpExchange : begin_in ? OpIn : begin_out ? OpOut : OpBack;
          state_d     = begin_in ? StReadIn : begin_back ? StRdOut : StReadOut;
          full_once_d = full_once_q && begin_in;
          out_pop_d   = begin_exchange || begin_back;
          in_pop_d    = begin_exchange || (begin_in && !body_moves);
          if (!begin_in) begin
            out_id_d   = stalled_id_i;
            out_warp_d = tb ? 7'(stalled_id_i[4:0]) * 7'(warps_q) : stalled_id_i;
            fault_d    = fault_d || bad_stalled;
          end
          if (begin_exchange || begin_in) begin
            in_id_d   = ready_id_i;
            in_warp_d = tb ? 7'(ready_id_i[4:0]) * 7'(warps_q) : ready_id_i;
            fault_d   = fault_d || bad_ready;
          end
        end
      end
      StReadOut: if (tab_ack_i) begin
        home_d  = body_moves ? tab_reg_i : 12'd0;
        state_d = op_q == OpOut ? StAlloc : StReadIn;
      end
      StReadIn: if (tab_ack_i) begin
        away_d  = body_moves ? tab_reg_i : tab_meta_i;
        state_d = !body_moves ? (leaves ? StRdOut : StRdIn) : leaves ? StMove : StAlloc;
      end
      StAlloc, StAllocL1: if (mem_ack_i) begin
        if (op_q == OpIn) begin
          full_once_d = !mem_found_i;
          in_pop_d    = mem_found_i;
          home_d      = mem_found_i ? mem_addr_i : home_q;
          state_d     = mem_found_i ? StMove : StIdle;
          op_d        = mem_found_i ? OpIn : OpNone;
        end else if (mem_found_i) begin
          out_pop_d = 1'b1;
          away_d    = mem_addr_i;
          state_d   = body_moves ? StMove : StRdOut;
        end else if (state_q == StAlloc && use_l1_q) begin
          state_d = StAllocL1;
        end else begin
          out_pop_d = 1'b1;
          op_d      = OpBack;
          state_d   = StRdOut;
        end
      end
      StMove: if (move_ack_i) state_d = leaves ? StRdOut : StRdIn;
      StRdOut: if (tab_ack_i) begin
        out_reg_d  = tab_reg_i;
        out_meta_d = tab_meta_i;
        slot_d     = tab_meta_i[5:0];
        state_d    = comes ? StRdIn : op_q == OpBack ? StWrOut : StMeta;
        if (op_q == OpOut) meta_away_d = meta_behind;
      end
      StRdIn: if (tab_ack_i) begin
        in_reg_d    = tab_reg_i;
        meta_away_d = tab_meta_i;
        wait_d      = tab_state_i == Absent;
        state_d     = StMeta;
        if (!leaves) begin
          slot_d = slot_i;
          take_d = 1'b1;
        end
      end
      StMeta: if (move_ack_i) state_d = leaves ? StWrOut : StWrIn;
      StWrOut, StWrIn: if (tab_ack_i) begin
        give_d = state_q == StWrOut && op_q == OpOut;
        if (state_q == StWrOut && comes) begin
          state_d = StWrIn;
        end else if (state_q == StWrIn && wait_q) begin
          wait_d = 1'b0;
        end else if (!last_warp) begin
          warp_d     = warp_q + 6'd1;
          out_warp_d = out_warp_q + 7'd1;
          in_warp_d  = in_warp_q + 7'd1;
          state_d    = leaves ? StRdOut : StRdIn;
        end else begin
          warp_d = 6'd0;
          if (op_q == OpBack) begin
            op_d    = OpNone;
            state_d = StIdle;
          end else if (tb) begin
            state_d = leaves ? StAddrOut : StAddrIn;
          end else begin
            state_d = leaves ? StMaskOut : StMaskIn;
          end
        end
      end
      StAddrOut: if (tab_ack_i) state_d = StMaskOut;
      StAddrIn:  if (tab_ack_i) state_d = StMaskIn;
      StMaskOut: if (tab_ack_i) begin
        if (comes) begin
          state_d = tb ? StAddrIn : StMaskIn;
        end else if (body_moves) begin
          state_d = StFree;
        end else begin
          op_d    = OpNone;
          state_d = StIdle;
        end
      end
      StMaskIn: if (tab_ack_i) begin
        op_d    = leaves ? OpNone : OpIn;
        state_d = leaves ? StIdle : StFree;
      end
      default: if (mem_ack_i) begin  // StFree
        op_d    = OpNone;
        state_d = StIdle;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      away_lines_q <= 11'd0;
      out_rest_q   <= 7'd0;
      in_rest_q    <= 7'd0;
      out_tb_q     <= 3'd0;
      in_tb_q      <= 3'd0;
    end else begin
      away_lines_q <= away_lines;
      out_rest_q   <= out_rest;
      in_rest_q    <= in_rest;
      out_tb_q     <= out_upper[2:0];
      in_tb_q      <= in_upper[2:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q     <= LvOff;
      registers_q <= 1'b0;
      use_l1_q    <= 1'b0;
      warps_q     <= 6'd0;
      lines_q     <= 10'd0;
      full_q      <= 10'd0;
      op_q        <= OpNone;
      state_q     <= StIdle;
      out_id_q    <= 7'd0;
      in_id_q     <= 7'd0;
      out_pop_q   <= 1'b0;
      in_pop_q    <= 1'b0;
      take_q      <= 1'b0;
      give_q      <= 1'b0;
      slot_q      <= 6'd0;
      warp_q      <= 6'd0;
      home_q      <= 12'd0;
      away_q      <= 12'd0;
      out_reg_q   <= 12'd0;
      out_meta_q  <= 12'd0;
      wait_q      <= 1'b0;
      in_reg_q    <= 12'd0;
      meta_away_q <= 12'd0;
      full_once_q <= 1'b0;
      ask_q       <= 1'b0;
      ask_op_q    <= TabReadWarp;
      ask_id_q    <= 7'd0;
      ask_index_q <= 5'd0;
      out_warp_q  <= 7'd0;
      in_warp_q   <= 7'd0;
      fault_q     <= 1'b0;
    end else begin
      level_q     <= level_d;
      registers_q <= registers_d;
      use_l1_q    <= use_l1_d;
      warps_q     <= warps_d;
      lines_q     <= lines_d;
      full_q      <= full_d;
      op_q        <= op_d;
      state_q     <= state_d;
      out_id_q    <= out_id_d;
      in_id_q     <= in_id_d;
      out_pop_q   <= out_pop_d;
      in_pop_q    <= in_pop_d;
      take_q      <= take_d;
      give_q      <= give_d;
      slot_q      <= slot_d;
      warp_q      <= warp_d;
      home_q      <= home_d;
      away_q      <= away_d;
      out_reg_q   <= out_reg_d;
      out_meta_q  <= out_meta_d;
      wait_q      <= wait_d;
      in_reg_q    <= in_reg_d;
      meta_away_q <= meta_away_d;
      full_once_q <= full_once_d;
      ask_q       <= ask_d;
      ask_op_q    <= ask_op_d;
      ask_id_q    <= ask_id_d;
      ask_index_q <= ask_index_d;
      out_warp_q  <= out_warp_d;
      in_warp_q   <= in_warp_d;
      fault_q     <= fault_d;
    end
  end

endmodule
