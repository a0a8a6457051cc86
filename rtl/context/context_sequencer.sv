// SPDX-License-Identifier: Apache-2.0
// context_sequencer: the memory requests that spill and read back the fixed parts of a TB.
//
//   start --> layout --> piece {addr_q, left_q} --> requests, none across a segment
//
// A cycle without bytes left goes to the next piece. The room of registers is multiplied from the
// pins as an operation starts, so that layout only adds. An array pin is one flat vector, element 0
// lowest.
//
// Source: Lin-P IV.B, IV.C, Fig. 12, Fig. 13.
module context_sequencer #(
  parameter int unsigned Warps    = 32,  // 1 to 32
  parameter int unsigned AddrBits = 40   // 24 to 48
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  logic         op_i,
  input  logic [5:0]   warps_i,
  input  logic [6:0]   slot_segs_i,
  input  logic [15:0]  shared_bytes_i,
  input  logic         keep_regs_i,
  input  logic         keep_shared_i,
  input  logic         whole_i,
  input  logic [4:0]   pace_i,
  input  logic [47:0]  ccb_addr_i,
  input  logic [40:0]  base_i,
  input  logic [40:0]  low_i,
  input  logic [40:0]  high_i,
  input  logic [4:0]   slot_index_i,
  input  logic         req_ready_i,
  input  logic [15:0]  depth_i,
  input  logic [13:0]  slot_bytes_i,
  input  logic         ccb_valid_i,
  input  logic [191:0] ptr_i,
  input  logic         meta_done_i,
  output logic         busy_o,
  output logic [1:0]   waits_o,
  output logic [40:0]  slot_addr_o,
  output logic         req_valid_o,
  output logic [2:0]   req_kind_o,
  output logic [47:0]  req_addr_o,
  output logic [7:0]   req_bytes_o,
  output logic [15:0]  req_offset_o,
  output logic         req_last_o,
  output logic [5:0]   warp_o,
  output logic [143:0] ptr_o,
  output logic         done_o,
  output logic [2:0]   damage_o,
  output logic         fault_o
);

  localparam int unsigned SegBits = AddrBits - 7;

  localparam logic [3:0] Idle     = 4'd0;
  localparam logic [3:0] Layout   = 4'd1;
  localparam logic [3:0] Shared   = 4'd2;
  localparam logic [3:0] Preds    = 4'd3;
  localparam logic [3:0] Stack    = 4'd4;
  localparam logic [3:0] Ccb      = 4'd5;
  localparam logic [3:0] Patterns = 4'd6;
  localparam logic [3:0] WaitCcb  = 4'd7;
  localparam logic [3:0] WaitMeta = 4'd8;
  localparam logic [3:0] Slot     = 4'd9;
  localparam logic [3:0] Done     = 4'd10;

  if (Warps < 1 || Warps > 32) begin : gen_bad_warps
    $fatal(1, "context_sequencer: Warps must be 1 to 32");
  end
  if (AddrBits < 24 || AddrBits > 48) begin : gen_bad_addr_bits
    $fatal(1, "context_sequencer: AddrBits must be 24 to 48");
  end

  logic [3:0]          state_q, state_d;
  logic                restore_q, keep_regs_q, keep_shared_q;
  logic                whole_q, whole_d;
  logic [5:0]          warps_q;
  logic [6:0]          slot_segs_q;
  logic [4:0]          cycles_q;
  logic [15:0]         shared_bytes_q;
  logic [AddrBits-1:0] ccb_q;
  logic [SegBits-1:0]  low_q, high_q;
  logic [SegBits-1:0]  regs_q, regs_d, shared_q, shared_d, stack_q, stack_d;
  logic [11:0]         room_q, room_d;
  logic [AddrBits-1:0] addr_q, addr_d;
  logic [SegBits-1:0]  piece_q, piece_d;
  logic [15:0]         left_q, left_d, offset_q, offset_d;
  logic [5:0]          warp_q, warp_d;
  logic [4:0]          pace_q, pace_d;
  logic [2:0]          damage_q, damage_d;
  logic                fault_q, fault_d;

  logic unused_bits;  // of small configurations
  assign unused_bits = ^{ccb_addr_i, base_i, low_i, high_i};

  logic idle, accept, bad_start;
  assign idle      = state_q == Idle;
  assign bad_start = warps_i == 6'd0 || 32'(warps_i) > Warps || slot_segs_i > 7'd64 ||
                     shared_bytes_i > 16'd49152;
  assign accept    = start_i && idle && !bad_start;

  // Sizes in segments: pattern vectors, predicates, shared memory, and rooms of the parts.
  function automatic logic [3:0] pattern_segs(input logic [5:0] warps);
    pattern_segs = {1'b0, warps[5:3]} + {3'd0, warps[2:0] != 3'd0};
  endfunction

  // In front of the slots: pattern vectors, or the class table of a whole TB.
  function automatic logic [3:0] front_segs(input logic [5:0] warps, input logic whole);
    front_segs = whole ? 4'd1 : pattern_segs(warps);
  endfunction

  logic [4:0]  preds;
  logic [9:0]  shared_segs;
  logic [8:0]  stack_room;
  logic [12:0] in_front;  // segments in front of the stack part
  logic [11:0] slots;     // of the operation that may start
  assign preds       = {1'b0, warps_q[5:2]} + {4'd0, warps_q[1:0] != 2'd0};
  assign shared_segs = {1'b0, shared_bytes_q[15:7]} + {9'd0, shared_bytes_q[6:0] != 7'd0};
  assign stack_room  = 9'(preds) + 9'(warps_q) + {2'b0, warps_q, 1'b0};
  assign in_front    = 13'(room_q) + 13'(shared_segs);
  assign slots       = 12'(warps_i) * 12'(slot_segs_i);

  logic has_shared;
  assign has_shared = !keep_shared_q && shared_bytes_q != 16'd0;

  // The request.
  logic       valid, taken, piece_end, in_seg;
  logic [7:0] room_in_seg, bytes;
  assign room_in_seg = 8'd128 - {1'b0, addr_q[6:0]};
  assign in_seg      = left_q < 16'(room_in_seg);
  assign bytes       = in_seg ? left_q[7:0] : room_in_seg;
  assign valid       = left_q != 16'd0 && !(state_q == Shared && pace_q != 5'd0);
  assign taken       = valid && req_ready_i;
  assign piece_end   = left_q == 16'(bytes);

  // Pointers that were read; behind its first segment a part has `more`.
  function automatic logic good(input logic [63:0] pointer, input logic none,
                                input logic [11:0] more, input logic [SegBits-1:0] low,
                                input logic [SegBits-1:0] high);
    logic [SegBits-1:0] seg;
    logic [SegBits:0]   space;
    seg   = pointer[AddrBits-1:7];
    space = {1'b0, high} - {1'b0, seg};
    if (none) good = pointer == 64'd0;
    else
      good = pointer[6:0] == 7'd0 && pointer[63:AddrBits] == '0 && seg != '0 && seg >= low &&
             !space[SegBits] && space[SegBits-1:0] >= SegBits'(more);
  endfunction

  logic is_whole;  // of a restore: so its pointer says, and it may
  assign is_whole = whole_q && !keep_regs_q && ptr_i[0];

  logic good_regs, good_shared, good_stack;
  assign good_regs   = good({ptr_i[63:1], ptr_i[0] && !is_whole}, keep_regs_q, room_q - 12'd1, low_q, high_q);
  assign good_shared = good(ptr_i[127:64], !has_shared, 12'(shared_segs) - 12'd1, low_q, high_q);
  assign good_stack  = good(ptr_i[191:128], 1'b0, 12'(stack_room) - 12'd1, low_q, high_q);

  logic       all_warps, too_deep;
  logic [5:0] depth;
  logic [8:0] stack;  // bytes of its entries
  logic [3:0] stack_sectors;
  assign all_warps = warp_q == warps_q;
  assign too_deep  = depth_i > 16'd32;
  assign depth     = too_deep ? 6'd32 : depth_i[5:0];
  assign stack     = {depth, 3'd0} + {1'b0, depth, 2'd0};
  assign stack_sectors = stack[8:5] + {3'd0, stack[4:0] != 5'd0};

  logic next_warp;
  always_comb begin
    state_d   = state_q;
    regs_d    = regs_q;
    shared_d  = shared_q;
    stack_d   = stack_q;
    room_d    = room_q;
    addr_d    = addr_q;
    piece_d   = piece_q;
    left_d    = left_q;
    offset_d  = offset_q;
    warp_d    = warp_q;
    damage_d  = damage_q;
    whole_d   = whole_q;
    next_warp = 1'b0;
    pace_d    = pace_q - {4'd0, pace_q != 5'd0};
    fault_d   = fault_q || (start_i && (!idle || bad_start)) ||
                (ccb_valid_i && state_q != WaitCcb) || (meta_done_i && state_q != WaitMeta);
    if (taken) begin
      addr_d   = in_seg ? {addr_q[AddrBits-1:7], addr_q[6:0] + left_q[6:0]} :
                          {addr_q[AddrBits-1:7] + SegBits'(1), 7'd0};
      offset_d = offset_q + 16'(bytes);
      left_d   = left_q - 16'(bytes);
      if (state_q == Shared && !restore_q) pace_d = cycles_q;
      next_warp = piece_end && (state_q == Stack || state_q == Slot);
    end else if (left_q == 16'd0) begin
      case (state_q)
        Idle: begin
          if (accept) begin
            state_d  = Layout;
            regs_d   = base_i[SegBits-1:0];
            room_d   = 12'(pattern_segs(warps_i)) + slots;
            damage_d = 3'd0;
            whole_d  = whole_i;
          end
        end
        Layout: begin
          shared_d = regs_q + SegBits'(room_q);
          stack_d  = regs_q + SegBits'(in_front);
          offset_d = 16'd0;
          if (restore_q) begin
            state_d = Ccb;
            addr_d  = ccb_q;
            left_d  = 16'd24;
          end else begin
            state_d = Shared;
            addr_d  = {shared_d, 7'd0};
            left_d  = has_shared ? shared_bytes_q : 16'd0;
          end
        end
        Shared: begin
          if (restore_q) begin
            state_d = WaitMeta;
          end else begin
            state_d  = Preds;
            addr_d   = {stack_q, 7'd0};
            left_d   = {5'd0, warps_q, 5'd0};
            offset_d = 16'd0;
          end
        end
        Preds: begin
          if (restore_q) begin
            state_d  = Shared;
            addr_d   = {shared_q, 7'd0};
            left_d   = has_shared ? shared_bytes_q : 16'd0;
            offset_d = 16'd0;
          end else begin
            state_d = Stack;
            warp_d  = 6'd0;
            piece_d = stack_q + SegBits'(preds);
          end
        end
        Stack: begin
          if (all_warps && !restore_q) begin
            state_d  = Ccb;
            addr_d   = ccb_q;
            left_d   = 16'd24;
            offset_d = 16'd0;
          end else if (all_warps && keep_regs_q) begin
            state_d = Done;
          end else if (all_warps) begin
            state_d = Slot;
            warp_d  = 6'd0;
            piece_d = regs_q + SegBits'(front_segs(warps_q, whole_q));
          end else if (too_deep && restore_q) begin
            state_d  = Done;
            damage_d = 3'd4;
          end else begin
            fault_d   = fault_d || too_deep;
            addr_d    = {piece_q, 7'd0};
            left_d    = restore_q ? 16'(stack) : {7'd0, stack_sectors, 5'd0};
            offset_d  = 16'd0;
            next_warp = depth == 6'd0;
          end
        end
        Ccb: begin
          if (restore_q) begin
            state_d = WaitCcb;
          end else begin
            state_d  = Patterns;
            addr_d   = {regs_q, 7'd0};
            left_d   = keep_regs_q ? 16'd0 : {5'd0, front_segs(warps_q, whole_q), 7'd0};
            offset_d = 16'd0;
          end
        end
        Patterns: begin
          if (restore_q) begin
            state_d  = Preds;
            addr_d   = {stack_q, 7'd0};
            left_d   = {5'd0, warps_q, 5'd0};
            offset_d = 16'd0;
          end else begin
            state_d = Done;
          end
        end
        WaitCcb: begin
          if (ccb_valid_i) whole_d = is_whole;
          if (ccb_valid_i && !(good_regs && good_shared && good_stack)) begin
            state_d  = Done;
            damage_d = !good_regs ? 3'd1 : !good_shared ? 3'd2 : 3'd3;
          end else if (ccb_valid_i) begin
            state_d  = Patterns;
            regs_d   = ptr_i[7 +: SegBits];
            shared_d = ptr_i[64 + 7 +: SegBits];
            stack_d  = ptr_i[128 + 7 +: SegBits];
            addr_d   = {regs_d, 7'd0};
            left_d   = keep_regs_q ? 16'd0 : is_whole ? 16'd36 : {6'd0, warps_q, 4'd0};
            offset_d = 16'd0;
          end
        end
        WaitMeta: begin
          if (meta_done_i) begin
            state_d = Stack;
            warp_d  = 6'd0;
            piece_d = stack_q + SegBits'(preds);
          end
        end
        Slot: begin
          if (all_warps) begin
            state_d = Done;
          end else if (slot_bytes_i > {slot_segs_q, 7'd0}) begin
            state_d  = Done;
            damage_d = 3'd5;
          end else if (slot_bytes_i != 14'd0 && depth_i == 16'd0) begin
            state_d  = Done;
            damage_d = 3'd6;
          end else begin
            addr_d    = {piece_q, 7'd0};
            left_d    = {2'd0, slot_bytes_i};
            offset_d  = 16'd0;
            next_warp = slot_bytes_i == 14'd0;
          end
        end
        default: state_d = Idle;
      endcase
    end
    if (next_warp) begin
      warp_d  = warp_q + 6'd1;
      piece_d = piece_q + (state_q == Stack ? SegBits'(3) : SegBits'(slot_segs_q));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {restore_q, keep_regs_q, keep_shared_q} <= '0;
      {warps_q, slot_segs_q, cycles_q, shared_bytes_q, ccb_q, low_q, high_q} <= '0;
    end else if (accept) begin
      restore_q      <= op_i;
      keep_regs_q    <= keep_regs_i;
      keep_shared_q  <= keep_shared_i;
      warps_q        <= warps_i;
      slot_segs_q    <= slot_segs_i;
      cycles_q       <= pace_i;
      shared_bytes_q <= shared_bytes_i;
      ccb_q          <= ccb_addr_i[AddrBits-1:0];
      low_q          <= low_i[SegBits-1:0];
      high_q         <= high_i[SegBits-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      regs_q   <= '0;
      shared_q <= '0;
      stack_q  <= '0;
      room_q   <= '0;
      addr_q   <= '0;
      piece_q  <= '0;
      left_q   <= '0;
      offset_q <= '0;
      warp_q   <= '0;
      pace_q   <= '0;
      damage_q <= '0;
      whole_q  <= 1'b0;
      fault_q  <= 1'b0;
    end else begin
      state_q  <= state_d;
      regs_q   <= regs_d;
      shared_q <= shared_d;
      stack_q  <= stack_d;
      room_q   <= room_d;
      addr_q   <= addr_d;
      piece_q  <= piece_d;
      left_q   <= left_d;
      offset_q <= offset_d;
      warp_q   <= warp_d;
      pace_q   <= pace_d;
      damage_q <= damage_d;
      whole_q  <= whole_d;
      fault_q  <= fault_d;
    end
  end

  logic [2:0] kind;
  always_comb begin
    case (state_q)
      Preds:    kind = 3'd1;
      Stack:    kind = 3'd2;
      Ccb:      kind = 3'd3;
      Patterns: kind = 3'd4;
      Slot:     kind = 3'd5;
      default:  kind = 3'd0;
    endcase
  end

  logic [SegBits-1:0] slot_addr;
  assign slot_addr    = base_i[SegBits-1:0] + SegBits'(front_segs(warps_i, whole_i)) +
                        SegBits'(12'(slot_index_i) * 12'(slot_segs_i));
  assign busy_o       = !idle;
  assign waits_o      = {state_q == WaitMeta, state_q == WaitCcb};
  assign slot_addr_o  = idle ? 41'(slot_addr) : 41'd0;
  assign req_valid_o  = valid;
  assign req_kind_o   = valid ? kind : 3'd0;
  assign req_addr_o   = valid ? 48'(addr_q) : 48'd0;
  assign req_bytes_o  = valid ? bytes : 8'd0;
  assign req_offset_o = valid ? offset_q : 16'd0;
  assign req_last_o   = valid && piece_end && !restore_q &&
                        (state_q == Patterns || (state_q == Ccb && keep_regs_q));
  assign warp_o       = warp_q;
  assign ptr_o        = {48'({stack_q, 7'd0}),
                         has_shared ? 48'({shared_q, 7'd0}) : 48'd0,
                         keep_regs_q ? 48'd0 : 48'({regs_q, 6'd0, whole_q})};
  assign done_o       = state_q == Done;
  assign damage_o     = damage_q;
  assign fault_o      = fault_q;

endmodule
