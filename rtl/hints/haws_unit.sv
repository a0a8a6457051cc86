// SPDX-License-Identifier: Apache-2.0
// haws_unit: hint mode of all warps of an SM.
//
// A warp that waits for memory goes on along its chain of hints. One warp a cycle has its turn: its row of
// the tables is read, the instruction that comes for it is renamed and checked against its entries, and
// stands at issue in the next cycle. Where it is taken there, it becomes an entry and the row is written.
//
//             turn (serve_q)                       issue (issue_q)
//   want --> pick --> row of the warp --> rename --> instruction --> take
//     ^               ^      ends? waits?                             |
//     |               +-- base, offset, lanes, rpc, entries <---------+
//     +------------------ ahead, over, holds <------------------------+<-- check: frees the oldest
//
// Mode is two bits a warp: in order --, seen -o, hint a-, wait ao, with a for ahead_q and o for over_q, which
// says that the warp wants no more turns before it has stalled no more. The ring of entries of a warp:
//
//   entry   0   1   2   3   4   5   6   7
//           e   f   -   -   a   b   c   d      a oldest (head 4), f youngest (tail 2)
//
// holds_q tells a full ring from an empty one. Entries below the head are younger than those from it on.
// An entry that runs is a bit of runs_q; one that is ready or not held is 0 there, and so is a branch.
//
// The instruction at issue is in hint mode, the warp of a check in order, that of a turn is another one
// than that at issue: so never do two of them change the same row.
//
// Source: Gong 5.3.1 to 5.3.4, Fig. 5.4, 5.6 to 5.8.
module haws_unit #(
  parameter int unsigned Warps       = 40,   // 2 to 64
  parameter int unsigned Entries     = 8,    // 2 to 8
  parameter int unsigned Srcs        = 4,    // 1 to 4
  parameter int unsigned OffsetW     = 9,    // 3 to 9
  parameter int unsigned BranchW     = 11,   // OffsetW to 11
  parameter int unsigned SpecialBase = 240,  // 1 to 256
  parameter int unsigned Lanes       = 64    // 2 to 64
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Warps-1:0]  stalled_i,
  input  logic              decode_i,
  input  logic [31:0]       pc_i,
  input  logic [23:0]       hint_i,
  input  logic              branch_i,
  input  logic [7:0]        dst_i,
  input  logic [Srcs-1:0]   src_used_i,
  input  logic [Srcs*8-1:0] src_i,
  input  logic [63:0]       mask_i,
  input  logic [31:0]       target_i,
  input  logic [31:0]       rpc_i,
  input  logic              take_i,
  input  logic              done_i,
  input  logic [5:0]        done_warp_i,
  input  logic [3:0]        done_id_i,
  input  logic              check_i,
  input  logic [5:0]        check_warp_i,
  input  logic [31:0]       check_pc_i,
  input  logic              clear_i,
  input  logic [5:0]        clear_warp_i,
  output logic              serve_o,
  output logic [5:0]        serve_warp_o,
  output logic              serve_entry_o,
  output logic [31:0]       serve_pc_o,
  output logic              issue_o,
  output logic [5:0]        issue_warp_o,
  output logic [31:0]       issue_pc_o,
  output logic [63:0]       issue_lanes_o,
  output logic [7:0]        issue_dst_o,
  output logic [7:0]        issue_renamed_o,
  output logic [Srcs*8-1:0] issue_src_o,
  output logic              issue_control_o,
  output logic [3:0]        issue_id_o,
  output logic [2:0]        action_o,
  output logic [7:0]        copy_from_o,
  output logic [7:0]        copy_to_o,
  output logic [Warps-1:0]  hint_o,
  output logic [Warps-1:0]  holds_o,
  output logic              fault_o
);

  if (Warps < 2 || Warps > 64 || Entries < 2 || Entries > 8 || Srcs < 1 || Srcs > 4) begin : gen_bad_size
    $fatal(1, "haws_unit: Warps must be 2 to 64, Entries 2 to 8, Srcs 1 to 4");
  end
  if (OffsetW < 3 || OffsetW > 9 || BranchW < OffsetW || BranchW > 11) begin : gen_bad_width
    $fatal(1, "haws_unit: 3 <= OffsetW <= 9 and OffsetW <= BranchW <= 11");
  end
  if (SpecialBase < 1 || SpecialBase > 256 || Lanes < 2 || Lanes > 64) begin : gen_bad_special
    $fatal(1, "haws_unit: SpecialBase must be 1 to 256, Lanes 2 to 64");
  end

  localparam int unsigned WarpW  = $clog2(Warps);
  localparam int unsigned IdW    = $clog2(Entries);
  localparam int unsigned NamesW = Entries * 17;  // of each entry control, dst and renamed
  localparam logic [IdW-1:0] Last = IdW'(Entries - 1);
  localparam logic [63:0] LaneMask = {64{1'b1}} >> (64 - Lanes);

  localparam logic [2:0] Normal = 3'd0;
  localparam logic [2:0] Wait   = 3'd1;
  localparam logic [2:0] Skip   = 3'd2;
  localparam logic [2:0] Copy   = 3'd3;
  localparam logic [2:0] Branch = 3'd4;

  // Bits of each warp.
  logic [Warps-1:0]         ahead_q, ahead_d;
  logic [Warps-1:0]         over_q, over_d;
  logic [Warps-1:0]         holds_q, holds_d;
  logic [IdW-1:0]           head_q [Warps];
  logic [IdW-1:0]           tail_q [Warps];
  logic [Entries-1:0]       runs_q [Warps];
  // The turn. The number of the warp stays where nobody wants one.
  logic                     serve_q, serve_d;
  logic                     serve_entry_q, serve_entry_d;
  logic [WarpW-1:0]         serve_warp_q, serve_warp_d;
  // The instruction at issue, 0 without one; then what is behind it.
  logic                     issue_q, issue_d;
  logic [WarpW-1:0]         issue_warp_q, issue_warp_d;
  logic [31:0]              issue_pc_q, issue_pc_d;
  logic [OffsetW-1:0]       issue_own_q, issue_own_d;  // its distance from base
  logic [Lanes-1:0]         issue_lanes_q, issue_lanes_d;
  logic [7:0]               issue_dst_q, issue_dst_d;
  logic [7:0]               issue_renamed_q, issue_renamed_d;
  logic [Srcs*8-1:0]        issue_src_q, issue_src_d;
  logic                     issue_control_q, issue_control_d;
  logic [IdW-1:0]           issue_id_q, issue_id_d;
  logic                     next_ends_q, next_ends_d;  // the chain ends, or the ring is full then
  logic [OffsetW-1:0]       next_offset_q, next_offset_d;
  logic [Lanes-1:0]         next_lanes_q, next_lanes_d;
  logic [31:0]              next_rpc_q, next_rpc_d;
  logic                     fault_q, fault_d;

  // The warps that are named, one-hot: a number of no warp is none of them.
  logic [Warps-1:0] serve_at, issue_at, done_at, check_at, clear_at;
  for (genvar w = 0; w < Warps; w++) begin : gen_at
    assign serve_at[w] = serve_warp_q == WarpW'(w);
    assign issue_at[w] = issue_warp_q == WarpW'(w);
    assign done_at[w]  = done_warp_i == 6'(w);
    assign check_at[w] = check_warp_i == 6'(w);
    assign clear_at[w] = clear_i && clear_warp_i == 6'(w);
  end

  // The tables: memories with one place of writing, a stall point that is looked at or what is taken,
  // and read for the turn and for the check. A warp's row is nothing before a chain of it begins.
  logic               take, look, start;
  logic [Warps-1:0]   start_at, take_at;
  logic [Entries-1:0] take_id_at;
  logic [Lanes-1:0]   mask;
  logic [WarpW-1:0]   write_warp, check_warp;
  logic [31:0]        base_q [Warps];
  logic [OffsetW-1:0] offset_q [Warps];
  logic [Lanes-1:0]   lanes_q [Warps];
  logic [31:0]        rpc_q [Warps];
  assign write_warp = take ? issue_warp_q : serve_warp_q;
  assign check_warp = (check_at == '0) ? '0 : WarpW'(check_warp_i);
  always_ff @(posedge clk_i) begin
    if (look) base_q[serve_warp_q] <= pc_i;
    if (look || take) begin
      offset_q[write_warp] <= take ? next_offset_q : offset_1[OffsetW-1:0];
      lanes_q[write_warp]  <= take ? next_lanes_q : mask;
      rpc_q[write_warp]    <= take ? next_rpc_q : rpc_i;
    end
  end
  logic [NamesW-1:0]          s_names, c_names;
  logic [Entries*OffsetW-1:0] c_offset;
  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    logic [OffsetW-1:0] own_q [Warps];
    logic [16:0]        names_q [Warps];
    always_ff @(posedge clk_i) begin
      if (take && take_id_at[e]) begin
        own_q[issue_warp_q]   <= issue_own_q;
        names_q[issue_warp_q] <= {issue_control_q, issue_dst_q, issue_renamed_q};
      end
    end
    assign s_names[17*e +: 17]             = names_q[serve_warp_q];
    assign c_names[17*e +: 17]             = names_q[check_warp];
    assign c_offset[OffsetW*e +: OffsetW]  = own_q[check_warp];
  end

  // What is read of the warp that has its turn.
  logic               s_stalled, s_cleared, s_holds;
  logic [IdW-1:0]     s_head, s_tail;
  logic [31:0]        s_base, s_rpc;
  logic [OffsetW-1:0] s_offset;
  logic [Lanes-1:0]   s_lanes;
  logic [Entries-1:0] s_runs;
  assign s_stalled = (serve_at & stalled_i) != '0;
  assign s_cleared = clear_i && clear_warp_i == 6'(serve_warp_q);
  assign s_holds   = (serve_at & holds_q) != '0;
  assign s_base    = base_q[serve_warp_q];
  assign s_rpc     = rpc_q[serve_warp_q];
  assign s_offset  = offset_q[serve_warp_q];
  assign s_lanes   = lanes_q[serve_warp_q];
  assign s_head    = head_q[serve_warp_q];
  assign s_tail    = tail_q[serve_warp_q];
  assign s_runs    = runs_q[serve_warp_q];

  // Where its chain stands.
  logic        chain, at_chain_pc;
  logic [31:0] chain_pc;
  assign chain    = serve_q && !serve_entry_q;
  assign chain_pc = s_base + {{(32-OffsetW){s_offset[OffsetW-1]}}, s_offset};
  is_sum u_follows (
    .a_i(s_base), .b_i({{(32-OffsetW){s_offset[OffsetW-1]}}, s_offset}), .sum_i(pc_i), .is_o(at_chain_pc));

  // Sources against its ring. Of the matches below the head, else of all, the last is the youngest.
  logic [Entries-1:0]   s_below, s_named;  // younger if the ring wraps; held and no branch
  logic [Srcs-1:0]      waits;
  logic [Srcs*8-1:0]    renamed_src;
  for (genvar e = 0; e < Entries; e++) begin : gen_held
    logic before_tail;
    assign s_below[e]  = 5'(e) < 5'(s_head);
    assign before_tail = 5'(e) < 5'(s_tail);
    assign s_named[e]  = s_holds && !s_names[17*e+16] &&
                         ((s_tail <= s_head) ? !s_below[e] || before_tail : !s_below[e] && before_tail);
  end
  for (genvar i = 0; i < Srcs; i++) begin : gen_src
    logic [Entries-1:0] match, young;
    logic [7:0]         renamed;
    for (genvar e = 0; e < Entries; e++) begin : gen_match
      assign match[e] = src_used_i[i] && s_named[e] && s_names[17*e+8 +: 8] == src_i[8*i +: 8];
    end
    assign young    = ((match & s_below) != '0) ? match & s_below : match;
    assign waits[i] = (match & s_runs) != '0;
    always_comb begin
      renamed = (match == '0) ? src_i[8*i +: 8] : 8'h0;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (young[e] && (young >> e) == Entries'(1)) renamed = renamed | s_names[17*e +: 8];
      end
    end
    assign renamed_src[8*i +: 8] = renamed;
  end

  // Formats, offsets with their sign up to bit 10.
  logic [10:0] offset_1, offset_taken, offset_not_taken;
  logic        valid, direct, reserved_1, reserved_2;
  assign valid            = hint_i[23];
  assign direct           = hint_i[22];
  assign offset_1         = {{(12-OffsetW){hint_i[8+OffsetW]}}, hint_i[9 +: OffsetW-1]};
  assign offset_taken     = {{(12-BranchW){hint_i[BranchW-1]}}, hint_i[0 +: BranchW-1]};
  assign offset_not_taken = {{(12-BranchW){hint_i[10+BranchW]}}, hint_i[11 +: BranchW-1]};
  assign reserved_1       = (hint_i[21:9] >> OffsetW) != 13'h0 || (!serve_entry_q && hint_i[22]);
  assign reserved_2       = (hint_i[10:0] >> BranchW) != 11'h0 ||
                            (direct ? hint_i[21:11] : hint_i[21:11] >> BranchW) != 11'h0;

  logic rename, rename_bad;
  assign rename     = hint_i[8];
  assign rename_bad = {1'b0, dst_i} >= 9'(SpecialBase) || {1'b0, hint_i[7:0]} >= 9'(SpecialBase) ||
                      hint_i[7:0] == dst_i;

  // Which lanes go on, and which way. Without an active lane a branch is taken.
  logic             some_take, some_not, split, taken;
  logic [Lanes-1:0] side;
  assign mask      = Lanes'(mask_i & LaneMask);
  assign some_take = (s_lanes & mask) != '0;
  assign some_not  = (s_lanes & ~mask) != '0;
  assign split     = branch_i && !direct && some_take && some_not;
  assign taken     = direct || !some_not || (some_take && target_i != rpc_i);
  assign side      = (branch_i && !direct) ? (taken ? s_lanes & mask : s_lanes & ~mask) : s_lanes;

  // Where the chain goes on: on both ways, straight on [0] and to the target [1], and with the PC at
  // which the lanes reconverge or, behind a split and a stall point, that of the pin; then one of them
  // is chosen. A distance in reach is one whose upper bits are all its sign.
  logic [31:0]          origin;
  logic [2*OffsetW-1:0] on;
  logic [1:0]           ends_own, ends_pin;
  logic                 jump, ends;
  assign origin = serve_entry_q ? pc_i : s_base;
  for (genvar k = 0; k < 2; k++) begin : gen_way
    logic [10:0] distance;
    logic [31:0] first, goal;
    logic        none;
    if (k == 1) begin : gen_target
      assign distance = offset_taken;
      assign first    = target_i;
    end else begin : gen_straight
      assign distance = (branch_i && !serve_entry_q) ? offset_not_taken : offset_1;
      assign first    = pc_i + 32'd1;
    end
    assign goal = origin + {{(32-OffsetW){distance[OffsetW-1]}}, distance[OffsetW-1:0]};
    assign none = distance == 11'h0 || distance[10:OffsetW-1] != {(12-OffsetW){distance[10]}} || goal < first;
    assign ends_own[k] = none || (first <= s_rpc && s_rpc <= goal);
    assign ends_pin[k] = none || (first <= rpc_i && rpc_i <= goal);
    assign on[OffsetW*k +: OffsetW] = distance[OffsetW-1:0];
  end
  assign jump = branch_i && taken;
  assign ends = split ? ends_pin[jump] : ends_own[jump];

  // A turn. What it writes of a row at once is what take writes, which goes before.
  logic decode, see, follow, lost, go, bad_hint;
  assign decode   = decode_i && serve_q && s_stalled && !s_cleared;
  assign look     = decode && serve_entry_q && !take;
  assign start    = look && valid && hint_i[22] && !ends_pin[0];
  assign see      = look && !start;
  assign follow   = decode && !serve_entry_q && at_chain_pc;
  assign lost     = follow && !valid;
  assign go       = follow && valid && waits == '0;
  assign bad_hint = (look && valid && hint_i[22] && reserved_1) || (decode && !serve_entry_q && !at_chain_pc) || lost ||
                    (go && (branch_i ? reserved_2
                                     : reserved_1 || (rename ? rename_bad : hint_i[7:0] != dst_i)));

  logic [IdW-1:0] s_behind;  // behind the tail
  assign s_behind = (s_tail == Last) ? '0 : s_tail + IdW'(1);
  always_comb begin
    issue_d         = go;
    issue_warp_d    = go ? serve_warp_q : '0;
    issue_pc_d      = go ? pc_i : 32'h0;
    issue_own_d     = s_offset;
    issue_lanes_d   = go ? s_lanes : '0;
    issue_dst_d     = (go && !branch_i) ? dst_i : 8'h0;
    issue_renamed_d = !(go && !branch_i) ? 8'h0 : (rename && !rename_bad) ? hint_i[7:0] : dst_i;
    issue_src_d     = go ? renamed_src : '0;
    issue_control_d = go && branch_i;
    issue_id_d      = go ? s_tail : '0;
    next_ends_d     = ends || s_behind == s_head;
    next_offset_d   = jump ? on[OffsetW +: OffsetW] : on[0 +: OffsetW];
    next_lanes_d    = side;
    next_rpc_d      = split ? rpc_i : s_rpc;
  end

  // Issue.
  logic [IdW-1:0] behind;
  assign take         = take_i && issue_q && !(clear_i && clear_warp_i == 6'(issue_warp_q));
  assign behind       = (issue_id_q == Last) ? '0 : issue_id_q + IdW'(1);
  assign start_at     = {Warps{start}} & serve_at;
  assign take_at      = {Warps{take}} & issue_at;
  for (genvar e = 0; e < Entries; e++) begin : gen_take
    assign take_id_at[e] = issue_id_q == IdW'(e);
  end

  // What is read of the warp in order, and of that its oldest entry.
  logic                       c_open;  // it is in order and holds entries
  logic [IdW-1:0]             c_head, c_tail;
  logic [31:0]                c_base;
  logic [Entries-1:0]         c_runs;
  assign c_open = (check_at & holds_q & ~ahead_q) != '0;
  assign c_base = base_q[check_warp];
  assign c_head = head_q[check_warp];
  assign c_tail = tail_q[check_warp];
  assign c_runs = runs_q[check_warp];
  logic [OffsetW-1:0] head_offset;
  logic [7:0]         head_dst, head_renamed;
  logic               head_control, head_runs;
  always_comb begin
    {head_offset, head_control, head_dst, head_renamed, head_runs} = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (c_head == IdW'(e)) begin
        head_offset = c_offset[OffsetW*e +: OffsetW];
        head_runs   = c_runs[e];
        {head_control, head_dst, head_renamed} = c_names[17*e +: 17];
      end
    end
  end

  // Check.
  logic       fits;
  logic [2:0] action;
  is_sum u_fits (
    .a_i(c_base), .b_i({{(32-OffsetW){head_offset[OffsetW-1]}}, head_offset}), .sum_i(check_pc_i), .is_o(fits));
  always_comb begin
    if (!(c_open && fits))             action = Normal;
    else if (head_runs)                action = Wait;
    else if (head_control)             action = Branch;
    else if (head_renamed == head_dst) action = Skip;
    else                               action = Copy;
  end

  logic           free, empties;
  logic [IdW-1:0] c_behind;  // behind the head
  assign free     = check_i && action != Normal && action != Wait && (check_at & clear_at) == '0;
  assign c_behind = (c_head == Last) ? '0 : c_head + IdW'(1);
  assign empties  = free && c_behind == c_tail;

  // State of the warps. The entry that finishes may be of the warp whose instruction is taken.
  logic [WarpW-1:0]   done_warp, clear_warp;
  logic [Entries-1:0] done_id_at, done_runs, take_runs;
  logic               clear;
  assign ahead_d    = (ahead_q | start_at) & stalled_i & ~clear_at;
  assign over_d     = (over_q | ({Warps{see || lost}} & serve_at) | ({Warps{next_ends_q}} & take_at)) &
                      stalled_i & ~clear_at;
  assign holds_d    = ((holds_q & ~({Warps{empties}} & check_at)) | take_at) & ~clear_at;
  assign clear      = clear_at != '0;
  assign clear_warp = clear ? WarpW'(clear_warp_i) : '0;
  assign done_warp  = (done_at == '0) ? '0 : WarpW'(done_warp_i);
  for (genvar e = 0; e < Entries; e++) begin : gen_done
    assign done_id_at[e] = done_i && done_at != '0 && done_id_i == 4'(e);
  end
  assign done_runs = runs_q[done_warp] & done_id_at;
  assign take_runs = (runs_q[issue_warp_q] & ~((done_warp == issue_warp_q) ? done_runs : '0)) |
                     (issue_control_q ? '0 : take_id_at);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned w = 0; w < Warps; w++) begin
        head_q[w] <= '0;
        tail_q[w] <= '0;
        runs_q[w] <= '0;
      end
    end else begin
      if (free)             head_q[check_warp]   <= c_behind;
      if (done_runs != '0)  runs_q[done_warp]    <= runs_q[done_warp] & ~done_id_at;
      if (take) begin
        tail_q[issue_warp_q] <= behind;
        runs_q[issue_warp_q] <= take_runs;
      end
      if (clear) begin
        head_q[clear_warp] <= '0;
        tail_q[clear_warp] <= '0;
        runs_q[clear_warp] <= '0;
      end
    end
  end

  // The next turn: the lowest above the last one, else the lowest. The warp of the last one comes last
  // of all, so that its number stays where no other wants the turn, and what is decoded says no more
  // than whether it wants it again. Whether the check empties a ring comes late, too: one is picked for
  // both cases, [1] if it does.
  logic [Warps-1:0]   want, if_empty, above;
  logic [1:0]         others, other_entry, self;
  logic [2*WarpW-1:0] other_warp;
  logic               other, again;
  assign want     = stalled_i & (clear_at | (~over_q & ~({Warps{take_i && issue_q && next_ends_q}} & issue_at) &
                                             (ahead_q | ~holds_q)));
  assign if_empty = stalled_i & ~over_q & check_at;
  assign above    = ({Warps{1'b1}} << serve_warp_q) & ~serve_at;
  for (genvar k = 0; k < 2; k++) begin : gen_turn
    logic [Warps-1:0] wants, up, all, up_pick, all_pick;
    logic [WarpW-1:0] up_warp, all_warp;
    logic             up_entry, all_entry;
    assign wants     = (k == 1) ? want | if_empty : want;
    assign up        = wants & above;
    assign all       = wants & ~serve_at;
    assign up_pick   = up & (~up + Warps'(1));
    assign all_pick  = all & (~all + Warps'(1));
    assign up_entry  = (up_pick & (~ahead_q | clear_at)) != '0;
    assign all_entry = (all_pick & (~ahead_q | clear_at)) != '0;
    always_comb begin
      up_warp  = '0;
      all_warp = '0;
      for (int unsigned w = 0; w < Warps; w++) begin
        if (up_pick[w])  up_warp  = up_warp | WarpW'(w);
        if (all_pick[w]) all_warp = all_warp | WarpW'(w);
      end
    end
    assign self[k]                      = (wants & serve_at) != '0;
    assign others[k]                    = all != '0;
    assign other_entry[k]               = (up != '0) ? up_entry : all_entry;
    assign other_warp[WarpW*k +: WarpW] = (up != '0) ? up_warp : all_warp;
  end
  assign other         = others[empties];
  assign again         = self[empties] && !see && !lost && !go;
  assign serve_d       = other || again;
  assign serve_warp_d  = !other ? serve_warp_q : empties ? other_warp[WarpW +: WarpW] : other_warp[0 +: WarpW];
  assign serve_entry_d = other ? other_entry[empties]
                               : again && !start && (serve_at & ahead_q & ~clear_at) == '0;

  // Of a warp that is cleared nothing is a fault.
  assign fault_d = fault_q || bad_hint || (decode_i && !serve_q) || (take_i && !issue_q) ||
                   (done_i && done_runs == '0 && (done_at & clear_at) == '0) ||
                   (check_i && (check_at & (~ahead_q | clear_at)) == '0) ||
                   (clear_i && clear_at == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ahead_q         <= '0;
      over_q          <= '0;
      holds_q         <= '0;
      serve_q         <= 1'b0;
      serve_entry_q   <= 1'b0;
      serve_warp_q    <= '0;
      issue_q         <= 1'b0;
      issue_warp_q    <= '0;
      issue_pc_q      <= '0;
      issue_own_q     <= '0;
      issue_lanes_q   <= '0;
      issue_dst_q     <= '0;
      issue_renamed_q <= '0;
      issue_src_q     <= '0;
      issue_control_q <= 1'b0;
      issue_id_q      <= '0;
      next_ends_q     <= 1'b0;
      next_offset_q   <= '0;
      next_lanes_q    <= '0;
      next_rpc_q      <= '0;
      fault_q         <= 1'b0;
    end else begin
      ahead_q         <= ahead_d;
      over_q          <= over_d;
      holds_q         <= holds_d;
      serve_q         <= serve_d;
      serve_entry_q   <= serve_entry_d;
      serve_warp_q    <= serve_warp_d;
      issue_q         <= issue_d;
      issue_warp_q    <= issue_warp_d;
      issue_pc_q      <= issue_pc_d;
      issue_own_q     <= issue_own_d;
      issue_lanes_q   <= issue_lanes_d;
      issue_dst_q     <= issue_dst_d;
      issue_renamed_q <= issue_renamed_d;
      issue_src_q     <= issue_src_d;
      issue_control_q <= issue_control_d;
      issue_id_q      <= issue_id_d;
      next_ends_q     <= next_ends_d;
      next_offset_q   <= next_offset_d;
      next_lanes_q    <= next_lanes_d;
      next_rpc_q      <= next_rpc_d;
      fault_q         <= fault_d;
    end
  end

  assign serve_o         = serve_q;
  assign serve_warp_o    = 6'(serve_warp_q);
  assign serve_entry_o   = serve_entry_q;
  assign serve_pc_o      = chain ? chain_pc : 32'h0;
  assign issue_o         = issue_q;
  assign issue_warp_o    = 6'(issue_warp_q);
  assign issue_pc_o      = issue_pc_q;
  assign issue_lanes_o   = 64'(issue_lanes_q);
  assign issue_dst_o     = issue_dst_q;
  assign issue_renamed_o = issue_renamed_q;
  assign issue_src_o     = issue_src_q;
  assign issue_control_o = issue_control_q;
  assign issue_id_o      = 4'(issue_id_q);
  assign action_o        = action;
  assign copy_from_o     = (action == Copy) ? head_renamed : 8'h0;
  assign copy_to_o       = (action == Copy) ? head_dst : 8'h0;
  assign hint_o          = ahead_q & ~over_q;
  assign holds_o         = holds_q;
  assign fault_o         = fault_q;

endmodule
