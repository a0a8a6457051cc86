// SPDX-License-Identifier: Apache-2.0
// context_sequencer: what was started is noted, and every request is held to it: where its part lies, how much
// of the part has been asked for, and whether the part is in place. Asserts named inv_* say what the registers
// hold in each state, so that induction closes.
`include "frame.svh"

  localparam int unsigned SegBits = AddrBits - 7;
  localparam logic [3:0] Layout = 4'd1, Shared = 4'd2, Preds = 4'd3, Stack = 4'd4, Ccb = 4'd5, Patterns = 4'd6,
                         WaitCcb = 4'd7, WaitMeta = 4'd8, Slot = 4'd9, Done = 4'd10;
  localparam logic [2:0] OfShared = 3'd0, OfPreds = 3'd1, OfStack = 3'd2, OfCcb = 3'd3, OfPatterns = 3'd4,
                         OfSlot = 3'd5;
  (* hierconn *) wire [3:0]          \dut.state_q ;
  (* hierconn *) wire                \dut.restore_q ;
  (* hierconn *) wire                \dut.keep_regs_q ;
  (* hierconn *) wire                \dut.keep_shared_q ;
  (* hierconn *) wire                \dut.whole_q ;
  (* hierconn *) wire [5:0]          \dut.warps_q ;
  (* hierconn *) wire [6:0]          \dut.slot_segs_q ;
  (* hierconn *) wire [4:0]          \dut.cycles_q ;
  (* hierconn *) wire [15:0]         \dut.shared_bytes_q ;
  (* hierconn *) wire [AddrBits-1:0] \dut.ccb_q ;
  (* hierconn *) wire [SegBits-1:0]  \dut.low_q ;
  (* hierconn *) wire [SegBits-1:0]  \dut.high_q ;
  (* hierconn *) wire [SegBits-1:0]  \dut.regs_q ;
  (* hierconn *) wire [SegBits-1:0]  \dut.shared_q ;
  (* hierconn *) wire [SegBits-1:0]  \dut.stack_q ;
  (* hierconn *) wire [11:0]         \dut.room_q ;
  (* hierconn *) wire [AddrBits-1:0] \dut.addr_q ;
  (* hierconn *) wire [SegBits-1:0]  \dut.piece_q ;
  (* hierconn *) wire [15:0]         \dut.left_q ;
  (* hierconn *) wire [15:0]         \dut.offset_q ;
  (* hierconn *) wire [5:0]          \dut.warp_q ;
  (* hierconn *) wire [4:0]          \dut.pace_q ;
  (* hierconn *) wire [2:0]          \dut.damage_q ;

  // The operation as it was started, what of it has been asked for, and cycles until shared memory may be.
  logic                restore, keep_regs, keep_shared, whole, broken, told;
  logic [5:0]          warps;
  logic [6:0]          slot_segs;
  logic [4:0]          pace, pause;
  logic [15:0]         shared_bytes, shared_asked, patterns_asked;
  logic [AddrBits-1:0] ccb;
  logic [SegBits-1:0]  base, low, high;
  logic [2:0]          waited;  // cycles since the last request was taken, 4 at most
  logic                legal, begins, took;
  assign legal  = warps_i != 0 && 32'(warps_i) <= Warps && slot_segs_i <= 7'd64 && shared_bytes_i <= 16'd49152;
  assign begins = start_i && !busy_o && legal;
  assign took   = req_valid_o && req_ready_i;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {restore, keep_regs, keep_shared, whole, broken, told, warps, slot_segs, pace, pause, waited} <= '0;
      {shared_bytes, shared_asked, patterns_asked, ccb, base, low, high} <= '0;
    end else begin
      pause <= pause - {4'd0, pause != 0};
      if (took && req_kind_o == OfShared && !restore) pause <= pace;
      if (took && req_kind_o == OfShared) shared_asked <= shared_asked + 16'(req_bytes_o);
      if (took && req_kind_o == OfPatterns) patterns_asked <= patterns_asked + 16'(req_bytes_o);
      if (\dut.state_q == WaitCcb && ccb_valid_i) whole <= whole && !keep_regs && ptr_i[0];
      waited <= waited + {2'd0, waited != 0 && waited != 3'd4};
      if (took && req_last_o) {told, waited} <= {1'b1, 3'd1};
      if (begins) begin
        {restore, keep_regs, keep_shared, whole, told} <= {op_i, keep_regs_i, keep_shared_i, whole_i, 1'b0};
        {warps, slot_segs, pace, shared_bytes}  <= {warps_i, slot_segs_i, pace_i, shared_bytes_i};
        {shared_asked, patterns_asked, waited}  <= '0;
        ccb <= ccb_addr_i[AddrBits-1:0];
        {base, low, high} <= {base_i[SegBits-1:0], low_i[SegBits-1:0], high_i[SegBits-1:0]};
      end
      if ((start_i && (busy_o || !legal)) || (ccb_valid_i && \dut.state_q != WaitCcb) ||
          (meta_done_i && \dut.state_q != WaitMeta) || (\dut.state_q == Stack && \dut.left_q == 0 &&
           \dut.warp_q != warps && !restore && depth_i > 16'd32)) broken <= 1'b1;
    end
  end

  // Segments of slots in front of a warp, of the parts, and bytes that are asked for of two of them.
  function automatic [12:0] slots(input [5:0] many, input [6:0] each_one);
    slots = 13'd0;
    for (int unsigned w = 0; w < Warps; w++) if (w < 32'(many)) slots = slots + 13'(each_one);
  endfunction
  logic [3:0]  patterns, preds, front;  // in front of the slots
  logic [11:0] regs_room, shared_room, stack_room;
  logic [15:0] shared_all, patterns_all;
  logic        has_shared;
  assign has_shared   = !keep_shared && shared_bytes != 0;
  assign patterns     = 4'((7'(warps) + 7'd7) >> 3);
  assign front        = whole ? 4'd1 : patterns;
  assign preds        = 4'((7'(warps) + 7'd3) >> 2);
  assign regs_room    = 12'(patterns) + 12'(slots(warps, slot_segs));
  assign shared_room  = 12'((17'(shared_bytes) + 17'd127) >> 7);
  assign stack_room   = 12'(preds) + 12'd3 * 12'(warps);
  assign shared_all   = has_shared ? shared_bytes : 16'd0;
  assign patterns_all = keep_regs ? 16'd0 : restore ? (whole ? 16'd36 : {6'd0, warps, 4'd0}) :
                        {5'd0, front, 7'd0};

  // Where the parts lie: a save lays them out, a restore goes by the pointers that it has read.
  logic [SegBits-1:0]  save_shared, save_stack, at_regs, at_shared, at_stack;
  assign save_shared = base + SegBits'(regs_room);
  assign save_stack  = save_shared + SegBits'(shared_room);
  assign at_regs     = restore ? ptr_o[7 +: SegBits] : base;
  assign at_shared   = restore ? ptr_o[55 +: SegBits] : save_shared;
  assign at_stack    = restore ? ptr_o[103 +: SegBits] : save_stack;

  // The piece of the request at the output: its first byte and its room.
  logic [AddrBits-1:0] piece_at;
  logic [15:0]         piece_room;
  logic [SegBits-1:0]  slot_at, entry_at;
  assign entry_at = at_stack + SegBits'(preds) + SegBits'(9'd3 * 9'(warp_o));
  assign slot_at  = at_regs + SegBits'(front) + SegBits'(slots(warp_o, slot_segs));
  always_comb begin
    case (req_kind_o)
      OfShared:   {piece_at, piece_room} = {at_shared, 7'd0, shared_all};
      OfPreds:    {piece_at, piece_room} = {at_stack, 7'd0, 5'd0, warps, 5'd0};
      OfStack:    {piece_at, piece_room} = {entry_at, 7'd0, 16'd384};
      OfCcb:      {piece_at, piece_room} = {ccb, 16'd24};
      OfPatterns: {piece_at, piece_room} = {at_regs, 7'd0, patterns_all};
      default:    {piece_at, piece_room} = {slot_at, 7'd0, 2'd0, slot_segs, 7'd0};
    endcase
  end

  // Whether a part lies in the area, which wraps nowhere.
  function automatic within(input [SegBits-1:0] at, input [11:0] room);
    within = at != 0 && at >= low && (SegBits + 1)'(at) + (SegBits + 1)'(room) <= (SegBits + 1)'(high) + 1'b1;
  endfunction

  logic        known, asks;  // a restore has read its pointers; a stack or slot is asked for
  logic [16:0] sum;
  logic [81:0] request;
  assign asks    = \dut.state_q == Stack || \dut.state_q == Slot;
  assign known   = restore && (asks || \dut.state_q == Shared || \dut.state_q == Preds || \dut.state_q == Patterns ||
                               \dut.state_q == WaitMeta);
  assign sum     = 17'(\dut.offset_q ) + 17'(\dut.left_q );
  assign request = {req_kind_o, req_bytes_o, req_offset_o, req_last_o, warp_o, req_addr_o};

  // In which state what has been asked for, of an operation without damage.
  logic [15:0] shared_now, patterns_now;
  logic        told_now;
  always_comb begin
    {shared_now, patterns_now, told_now} = '0;
    case (\dut.state_q )
      Shared:   {shared_now, patterns_now} = {\dut.offset_q , restore ? patterns_all : 16'd0};
      Preds:    {shared_now, patterns_now} = restore ? {16'd0, patterns_all} : {shared_all, 16'd0};
      Stack:    {shared_now, patterns_now} = {shared_all, restore ? patterns_all : 16'd0};
      Ccb:      {shared_now, told_now}     = restore ? 17'd0 : {shared_all, keep_regs && \dut.left_q == 0};
      Patterns: {shared_now, patterns_now, told_now} = restore ? {16'd0, \dut.offset_q , 1'b0} :
                                                       {shared_all, \dut.offset_q , \dut.left_q == 0};
      WaitMeta, Slot, Done: {shared_now, patterns_now, told_now} = {shared_all, patterns_all, !restore};
      default: ;
    endcase
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | inv_noted: the block holds the operation as it was started, and it is a legal one
    if (busy_o) inv_noted: assert ({\dut.restore_q , \dut.keep_regs_q , \dut.keep_shared_q , \dut.whole_q , \dut.warps_q ,
      \dut.slot_segs_q , \dut.cycles_q , \dut.shared_bytes_q , \dut.ccb_q , \dut.low_q , \dut.high_q } ==
      {restore, keep_regs, keep_shared, whole, warps, slot_segs, pace, shared_bytes, ccb, low, high} &&
      warps != 0 && 32'(warps) <= Warps && slot_segs <= 7'd64 && shared_bytes <= 16'd49152);
    // induction 2 | inv_states: only a restore waits and asks for slots, and bytes are left in a piece alone
    inv_states: assert (busy_o == (\dut.state_q != 0) && \dut.state_q <= Done && (!busy_o || restore ||
      (\dut.state_q != WaitCcb && \dut.state_q != WaitMeta && \dut.state_q != Slot)) &&
      (\dut.state_q != Slot || !keep_regs) &&
      (\dut.left_q == 0 || (\dut.state_q >= Shared && \dut.state_q <= Patterns) || \dut.state_q == Slot));
    // induction 2 | inv_layout: a save has its parts one behind the other from base on
    if (busy_o && !restore) inv_layout: assert (\dut.regs_q == base &&
      (\dut.state_q == Layout || (\dut.shared_q == save_shared && \dut.stack_q == save_stack)));
    // induction 2 | inv_room: the room of registers is kept
    if (busy_o) inv_room: assert (\dut.room_q == regs_room);
    // induction 2 | inv_area: a restore has its parts in the area
    if (known) inv_area: assert ((keep_regs || within(\dut.regs_q , regs_room)) &&
      (!has_shared || within(\dut.shared_q , shared_room)) && within(\dut.stack_q , stack_room));
    // induction 2 | inv_shared: the next address of shared memory, and what is left of it
    if (\dut.state_q == Shared) inv_shared: assert (sum == 17'(shared_all) &&
      \dut.addr_q == {\dut.shared_q , 7'd0} + AddrBits'(\dut.offset_q ));
    // induction 2 | inv_preds: of predicates
    if (\dut.state_q == Preds) inv_preds: assert (sum == {6'd0, warps, 5'd0} &&
      \dut.addr_q == {\dut.stack_q , 7'd0} + AddrBits'(\dut.offset_q ));
    // induction 2 | inv_ccb: of the CCB entry
    if (\dut.state_q == Ccb) inv_ccb: assert (sum == 17'd24 && \dut.addr_q == ccb + AddrBits'(\dut.offset_q ));
    // induction 2 | inv_patterns: of pattern vectors
    if (\dut.state_q == Patterns) inv_patterns: assert (sum == 17'(patterns_all) &&
      (keep_regs || \dut.addr_q == {\dut.regs_q , 7'd0} + AddrBits'(\dut.offset_q )));
    // induction 2 | inv_warp: the warp in work, and where its stack or slot begins
    if (asks) inv_warp: assert (\dut.warp_q <= warps && \dut.piece_q == (\dut.state_q == Stack ?
      \dut.stack_q + SegBits'(preds) + SegBits'(9'd3 * 9'(\dut.warp_q )) :
      \dut.regs_q + SegBits'(front) + SegBits'(slots(\dut.warp_q , slot_segs))));
    // induction 2 | inv_piece: the next address of a stack or slot, and what is left of it
    if (asks && \dut.left_q != 0) inv_piece: assert (\dut.warp_q < warps &&
      sum <= (\dut.state_q == Stack ? 17'd384 : {3'd0, slot_segs, 7'd0}) &&
      \dut.addr_q == {\dut.piece_q , 7'd0} + AddrBits'(\dut.offset_q ));
    // induction 2 | inv_counted: what has been asked for in each state
    if (busy_o && damage_o == 0) inv_counted: assert ({shared_asked, patterns_asked, told} ==
      {shared_now, patterns_now, told_now});
    // induction 2 | inv_waited: the last request of a save is one cycle old in its piece, two behind it, or three
    inv_waited: assert (waited <= 3'd4 && told == (waited != 0) && !(restore && told) && (!told || (busy_o ?
      waited == (\dut.state_q == Ccb ? 3'd1 : (\dut.state_q == Patterns ? 3'd1 : 3'd2) + {2'd0, keep_regs}) :
      waited > (keep_regs ? 3'd3 : 3'd2))));
    // induction 2 | inv_damage: with damage an operation is over, and a restore
    if (\dut.damage_q != 0) inv_damage: assert (restore && (!busy_o || \dut.state_q == Done));
    // induction 2 | inv_pause: the pace runs out
    inv_pause: assert (\dut.pace_q == pause);
    // induction 2 | inv_fault: set from the cycle behind the first broken rule, and for no other reason
    inv_fault: assert (fault_o == broken);

    // induction 2 | one_segment: a request has bytes, and they lie in one segment
    if (req_valid_o) one_segment: assert (req_bytes_o != 0 && 9'(req_addr_o[6:0]) + 9'(req_bytes_o) <= 9'd128);
    // induction 2 | place: it lies in its part as a save lays it out, or a restore has read, at its offset
    if (req_valid_o) place: assert (req_addr_o == 48'(AddrBits'(piece_at + AddrBits'(req_offset_o))));
    // induction 2 | inside_room: it ends inside the room of its piece
    if (req_valid_o) inside_room: assert (17'(req_offset_o) + 17'(req_bytes_o) <= 17'(piece_room));
    // induction 2 | waits: a restore alone waits, and asks for nothing meanwhile
    if (waits_o != 0) waits: assert (restore && busy_o && !req_valid_o && waits_o != 3);
    // induction 2 | in_area: of a restore all but the CCB entry lies in the area
    if (req_valid_o && restore && req_kind_o != OfCcb) in_area: assert (req_addr_o[47:7] >= 41'(low) &&
      req_addr_o[47:7] <= 41'(high));
    // induction 2 | regs_in_place: nothing is asked of registers that stay in place
    if (req_valid_o && keep_regs) regs_in_place: assert (req_kind_o != OfPatterns && req_kind_o != OfSlot);
    // induction 2 | shared_in_place: nor of shared memory that does
    if (req_valid_o && keep_shared) shared_in_place: assert (req_kind_o != OfShared);
    // induction 2 | null_pointers: what stays in place has pointer 0
    if (busy_o) null_pointers: assert ((!keep_regs || ptr_o[47:0] == 0) && (has_shared || ptr_o[95:48] == 0));
    // induction 2 | pointers: a save shows where its parts lie
    if (req_valid_o && !restore) pointers: assert (ptr_o == {48'({save_stack, 7'd0}),
      has_shared ? 48'({save_shared, 7'd0}) : 48'd0, keep_regs ? 48'd0 : 48'({base, 6'd0, whole})});
    // induction 2 | slots_read: a save asks for no register slot
    if (req_valid_o && !restore) slots_read: assert (req_kind_o != OfSlot);
    // induction 2 | warp_exact: stacks and slots are of warps that the TB has
    if (req_valid_o && (req_kind_o == OfStack || req_kind_o == OfSlot)) warp_exact: assert (warp_o < warps);
    // induction 2 | shared_order: shared memory goes from its first byte on, none twice
    if (req_valid_o && req_kind_o == OfShared) shared_order: assert (req_offset_o == shared_asked);
    // induction 2 | patterns_order: so do pattern vectors
    if (req_valid_o && req_kind_o == OfPatterns) patterns_order: assert (req_offset_o == patterns_asked);
    // induction 2 | shared_whole: an operation without damage has asked for all shared memory that does not stay
    if (done_o && damage_o == 0) shared_whole: assert (shared_asked == shared_all);
    // induction 2 | patterns_whole: and for all pattern vectors
    if (done_o && damage_o == 0) patterns_whole: assert (patterns_asked == patterns_all);
    // induction 2 | paced: between requests of shared memory of a save lie the cycles asked for
    if (pause != 0 && !restore) paced: assert (!req_valid_o || req_kind_o != OfShared);
    // induction 2 | last_told: a save is done behind a request that was flagged as the last
    if (done_o && !restore) last_told: assert (told);
    // induction 2 | nothing_behind_last: behind it there is none
    if (busy_o && told) nothing_behind_last: assert (!req_valid_o);
    // induction 2 | last_of_save: a restore flags no last request
    if (req_last_o) last_of_save: assert (req_valid_o && !restore);
    // induction 2 | save_undamaged: a save finds no damage
    if (busy_o && !restore) save_undamaged: assert (damage_o == 0);
    // induction 2 | damage_ends: behind damage nothing is asked for
    if (damage_o != 0) damage_ends: assert (!req_valid_o && (!busy_o || done_o));
    // induction 2 | masked: without a request its pins are 0
    if (!req_valid_o) masked: assert ({req_kind_o, req_addr_o, req_bytes_o, req_offset_o, req_last_o} == 0);
    if (was_ni) begin
      // pdr | stable: a request holds until it is taken
      if ($past(req_valid_o && !req_ready_i)) stable: assert (req_valid_o && request == $past(request));
      // pdr | done_once: done is one cycle, and idle follows
      if ($past(done_o)) done_once: assert (!busy_o);
      // pdr | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // pdr | start_faults: a start while busy, or with a value out of its range, sets it
      if ($past(start_i && (busy_o || !legal))) start_faults: assert (fault_o);
      // pdr | started: a legal start is taken
      if ($past(begins)) started: assert (busy_o && !req_valid_o);
    end
    // induction 2 | done_follows: done comes two cycles behind the last request, three where registers stay
    if (waited == (keep_regs ? 3'd3 : 3'd2)) done_follows: assert (done_o);
    // cover 14 | saved: a save comes to its end
    saved: cover (done_o && !restore);
    // cover 20 | restored: a restore does
    restored: cover (done_o && restore && damage_o == 0);
    // cover 10 | damaged: a restore finds damage
    damaged: cover (done_o && damage_o != 0);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
