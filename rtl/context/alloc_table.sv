// SPDX-License-Identifier: Apache-2.0
// alloc_table: allocation table of one on-chip memory, contiguous first fit, and the plan of a
// preemption.
//
//            cand_q, cand_q + size
//                 | compared with every entry at once
//   entry 0  [ start | size | kernel | TB ]--> begins below? --+
//   entry 1  [                            ]-->                 +-> the highest of these: end -> cand_d
//     ...                                                      |
//   match: kernel, TB - first TB < count  -> lookup, free, a new TB that is there already
//   lowest: one search for the lowest TB, among the old kernel's (pick) or those gone (leave)
//
// Whose start is higher, whose TB lower is compared of all pairs of entries (least), beside what is
// compared with the candidate and not behind it.
//
// An entry is free where its bit of used_q is 0. A trial sweeps once upwards: TBs of one size are
// placed side by side in each gap, so nothing of a trial is kept but the candidate and the count; the
// sweep is repeated when they are placed for good.
//
// Source: Lin-P III.A, Fig. 4.
module alloc_table #(
  parameter int unsigned Entries    = 16,    // 2 to 32
  parameter int unsigned Units      = 1024,  // 2 to 1024
  parameter int unsigned KernelBits = 3,     // 1 to 3
  parameter int unsigned TbBits     = 16     // 5 to 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic [1:0]  op_i,
  input  logic [2:0]  kernel_i,
  input  logic [15:0] tb_i,
  input  logic [10:0] size_i,
  input  logic [5:0]  count_i,
  input  logic [2:0]  old_i,
  input  logic        rsp_ready_i,
  output logic        ready_o,
  output logic        rsp_valid_o,
  output logic [1:0]  rsp_kind_o,
  output logic        rsp_ok_o,
  output logic [15:0] rsp_tb_o,
  output logic [9:0]  rsp_start_o,
  output logic [10:0] rsp_size_o,
  output logic [5:0]  used_o,
  output logic        fault_o
);

  localparam int unsigned AddrW = $clog2(Units);
  localparam int unsigned SizeW = $clog2(Units + 1);
  localparam int unsigned CntW  = $clog2(Entries + 1);

  localparam logic [1:0] OpLookup = 2'd0;
  localparam logic [1:0] OpFree   = 2'd1;
  localparam logic [1:0] OpAlloc  = 2'd2;
  localparam logic [1:0] OpPlan   = 2'd3;

  localparam logic [1:0] KindLeave = 2'd1;
  localparam logic [1:0] KindPlace = 2'd2;

  localparam logic [2:0] Idle   = 3'd0;
  localparam logic [2:0] Search = 3'd1;
  localparam logic [2:0] Trial  = 3'd2;
  localparam logic [2:0] Pick   = 3'd3;
  localparam logic [2:0] Leave  = 3'd4;
  localparam logic [2:0] Place  = 3'd5;
  localparam logic [2:0] Reply  = 3'd6;

  if (Entries < 2 || Entries > 32) begin : gen_bad_entries
    $fatal(1, "alloc_table: Entries must be 2 to 32");
  end
  if (Units < 2 || Units > 1024) begin : gen_bad_units
    $fatal(1, "alloc_table: Units must be 2 to 1024");
  end
  if (KernelBits < 1 || KernelBits > 3 || TbBits < 5 || TbBits > 16) begin : gen_bad_bits
    $fatal(1, "alloc_table: KernelBits must be 1 to 3, TbBits 5 to 16");
  end

  logic [2:0]            state_q, state_d;
  logic [Entries-1:0]    used_q, used_d;              // entries in use
  logic [Entries-1:0]    gone_q, gone_d;              // entries that are to leave
  logic [SizeW-1:0]      cand_q, cand_d;              // candidate address, up to Units
  logic [CntW-1:0]       placed_q, placed_d;          // new TBs placed
  logic [KernelBits-1:0] op_kernel_q, op_kernel_d;    // the operation under way
  logic [TbBits-1:0]     op_tb_q, op_tb_d;
  logic [SizeW-1:0]      op_size_q, op_size_d;
  logic [CntW-1:0]       op_count_q, op_count_d;
  logic [KernelBits-1:0] op_old_q, op_old_d;
  logic                  rsp_ok_q, rsp_ok_d;          // its last reply
  logic [AddrW-1:0]      rsp_start_q, rsp_start_d;
  logic [SizeW-1:0]      rsp_size_q, rsp_size_d;
  logic                  fault_q, fault_d;

  // The operation at the pins: bits that count.
  logic [KernelBits-1:0] in_kernel, in_old;
  logic [TbBits-1:0]     in_tb;
  logic [5:0]            match_count;  // TBs from in_tb on that are looked for
  assign in_kernel   = kernel_i[KernelBits-1:0];
  assign in_old      = old_i[KernelBits-1:0];
  assign in_tb       = tb_i[TbBits-1:0];
  assign match_count = (op_i == OpPlan) ? count_i : 6'd1;

  logic unused_bits;  // of small configurations
  assign unused_bits = ^{kernel_i, old_i, tb_i};

  // The table, and what each entry says to the candidate and to the operation.
  logic                      placing;
  logic [Entries-1:0]        free_mask, write, clear;
  logic [TbBits-1:0]         new_tb;  // of a search (nothing placed) or placement
  logic [Entries-1:0]        kept_mask, begun, blocks, match, of_old;
  logic [Entries*AddrW-1:0]  starts;
  logic [Entries*SizeW-1:0]  sizes, ends;
  logic [Entries*TbBits-1:0] tbs;
  logic [SizeW:0]            cand_end;
  assign cand_end = (SizeW+1)'(cand_q) + (SizeW+1)'(op_size_q);
  assign placing  = state_q == Search || state_q == Place;
  assign new_tb   = op_tb_q + TbBits'(placed_q);

  for (genvar i = 0; i < Entries; i++) begin : gen_entry
    logic [AddrW-1:0]      start_q;
    logic [SizeW-1:0]      size_q;
    logic [KernelBits-1:0] kernel_q;
    logic [TbBits-1:0]     tb_q;
    logic [TbBits-1:0]     above;  // how far this TB lies above the first one looked for
    logic [SizeW+1:0]      rest;   // below 0: this entry starts below the candidate's end

    // Without reset: mean nothing while the entry is not in use. So the first free entry is written
    // already while its place is looked for; it is in use when that is certain.
    always_ff @(posedge clk_i) begin
      if (placing && free_mask[i]) begin
        start_q  <= cand_q[AddrW-1:0];
        size_q   <= op_size_q;
        kernel_q <= op_kernel_q;
        tb_q     <= new_tb;
      end
    end

    assign starts[i*AddrW +: AddrW] = start_q;
    assign sizes[i*SizeW +: SizeW]  = size_q;
    assign ends[i*SizeW +: SizeW]   = SizeW'(start_q) + size_q;
    assign tbs[i*TbBits +: TbBits]  = tb_q;

    assign kept_mask[i] = used_q[i] && !gone_q[i];
    assign rest         = (SizeW+2)'(start_q) - (SizeW+2)'(cand_q) - (SizeW+2)'(op_size_q);
    assign begun[i]     = kept_mask[i] && rest[SizeW+1];
    assign blocks[i]    = begun[i] && ends[i*SizeW +: SizeW] > cand_q;
    assign above        = tb_q - in_tb;
    assign match[i]     = used_q[i] && kernel_q == in_kernel && 17'(above) < 17'(match_count);
    assign of_old[i]    = kept_mask[i] && kernel_q == op_old_q;
  end

  assign free_mask = ~used_q & (used_q + Entries'(1));  // one-hot: the lowest 0 of used_q

  // The highest entry begun before the candidate's end, the one with the lowest TB. Entries do not
  // overlap, so the highest of those in the way is also the highest begun, and has the highest end.
  logic [Entries-1:0] last_mask, low_among, low_mask;
  least #(
    .Items (Entries),
    .KeyW  (AddrW)
  ) u_last (
    .among_i (begun),
    .keys_i  (~starts),
    .least_o (last_mask)
  );
  assign low_among = (state_q == Leave) ? gone_q : of_old;
  least #(
    .Items (Entries),
    .KeyW  (TbBits)
  ) u_lowest (
    .among_i (low_among),
    .keys_i  (tbs),
    .least_o (low_mask)
  );

  // What these entries hold, and that of the entry looked up.
  logic [SizeW-1:0]  block_end, found_size, low_size;
  logic [AddrW-1:0]  found_start, low_start;
  logic [TbBits-1:0] low_tb;
  logic [CntW-1:0]   kept, used;  // entries in use, without and with those gone
  always_comb begin
    block_end   = '0;
    found_start = '0;
    found_size  = '0;
    low_start   = '0;
    low_size    = '0;
    low_tb      = '0;
    kept        = '0;
    used        = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (last_mask[i]) block_end = block_end | ends[i*SizeW +: SizeW];
      if (match[i]) begin
        found_start = found_start | starts[i*AddrW +: AddrW];
        found_size  = found_size | sizes[i*SizeW +: SizeW];
      end
      if (low_mask[i]) begin
        low_start = low_start | starts[i*AddrW +: AddrW];
        low_size  = low_size | sizes[i*SizeW +: SizeW];
        low_tb    = low_tb | tbs[i*TbBits +: TbBits];
      end
      kept = kept + CntW'(kept_mask[i]);
      used = used + CntW'(used_q[i]);
    end
  end

  logic blocked, past_end, no_room, last_one, place_reply;
  assign blocked     = blocks != '0;
  assign past_end    = cand_end > (SizeW+1)'(Units);
  assign no_room     = op_count_q > CntW'(Entries) - kept;
  assign last_one    = placed_q + CntW'(1) == op_count_q;
  assign place_reply = state_q == Place && !blocked;

  // Protocol faults of the operation at the pins.
  logic bad_size, bad_plan, bad;
  assign bad_size = size_i == 11'd0 || size_i > 11'(Units);
  assign bad_plan = count_i == 6'd0 || count_i > 6'(Entries) || in_old == in_kernel;
  always_comb begin
    unique case (op_i)
      OpLookup: bad = 1'b0;
      OpFree:   bad = match == '0;
      OpAlloc:  bad = bad_size || match != '0;
      default:  bad = bad_size || bad_plan || match != '0;
    endcase
  end

  always_comb begin
    state_d     = state_q;
    gone_d      = gone_q;
    cand_d      = cand_q;
    placed_d    = placed_q;
    op_kernel_d = op_kernel_q;
    op_tb_d     = op_tb_q;
    op_size_d   = op_size_q;
    op_count_d  = op_count_q;
    op_old_d    = op_old_q;
    rsp_ok_d    = rsp_ok_q;
    rsp_start_d = rsp_start_q;
    rsp_size_d  = rsp_size_q;
    fault_d     = fault_q;
    write       = '0;
    clear       = '0;
    unique case (state_q)
      Idle: if (valid_i) begin
        op_kernel_d = in_kernel;
        op_tb_d     = in_tb;
        op_size_d   = size_i[SizeW-1:0];
        op_count_d  = count_i[CntW-1:0];
        op_old_d    = in_old;
        state_d     = Reply;
        rsp_ok_d    = 1'b0;
        rsp_start_d = '0;
        rsp_size_d  = '0;
        if (bad) begin
          fault_d = 1'b1;
        end else if (op_i == OpAlloc || op_i == OpPlan) begin
          if (op_i == OpPlan || used_q != '1) begin
            state_d  = (op_i == OpPlan) ? Trial : Search;
            cand_d   = '0;
            placed_d = '0;
          end
        end else begin
          rsp_ok_d    = match != '0;
          rsp_start_d = found_start;
          rsp_size_d  = found_size;
          if (op_i == OpFree) clear = match;
        end
      end
      Search: begin
        if (past_end) begin
          state_d = Reply;
        end else if (blocked) begin
          cand_d = block_end;
        end else begin
          write       = free_mask;
          state_d     = Reply;
          rsp_ok_d    = 1'b1;
          rsp_start_d = cand_q[AddrW-1:0];
          rsp_size_d  = op_size_q;
        end
      end
      Trial: begin
        if (no_room || past_end) begin
          state_d = Pick;
        end else if (blocked) begin
          cand_d = block_end;
        end else if (last_one) begin
          state_d  = (gone_q != '0) ? Leave : Place;
          cand_d   = '0;
          placed_d = '0;
        end else begin
          placed_d = placed_q + CntW'(1);
          cand_d   = cand_end[SizeW-1:0];
        end
      end
      Pick: begin
        if (of_old == '0) begin
          state_d = Reply;
          gone_d  = '0;
        end else begin
          state_d  = Trial;
          gone_d   = gone_q | low_mask;
          cand_d   = '0;
          placed_d = '0;
        end
      end
      Leave: if (rsp_ready_i) begin
        clear  = low_mask;
        gone_d = gone_q & ~low_mask;
        if ((gone_q & ~low_mask) == '0) begin
          state_d  = Place;
          cand_d   = '0;
          placed_d = '0;
        end
      end
      Place: begin
        if (blocked) begin
          cand_d = block_end;
        end else if (rsp_ready_i) begin
          write    = free_mask;
          placed_d = placed_q + CntW'(1);
          cand_d   = cand_end[SizeW-1:0];
          if (last_one) begin
            state_d  = Reply;
            rsp_ok_d = 1'b1;
          end
        end
      end
      Reply: if (rsp_ready_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  assign used_d = (used_q | write) & ~clear;

  assign ready_o     = state_q == Idle;
  assign rsp_valid_o = state_q == Leave || place_reply || state_q == Reply;
  assign used_o      = 6'(used);
  assign fault_o     = fault_q;
  always_comb begin
    rsp_kind_o  = 2'd0;
    rsp_ok_o    = 1'b0;
    rsp_tb_o    = 16'd0;
    rsp_start_o = 10'd0;
    rsp_size_o  = 11'd0;
    if (state_q == Leave) begin
      rsp_kind_o  = KindLeave;
      rsp_ok_o    = 1'b1;
      rsp_tb_o    = 16'(low_tb);
      rsp_start_o = 10'(low_start);
      rsp_size_o  = 11'(low_size);
    end else if (place_reply) begin
      rsp_kind_o  = KindPlace;
      rsp_ok_o    = 1'b1;
      rsp_tb_o    = 16'(new_tb);
      rsp_start_o = 10'(cand_q);
      rsp_size_o  = 11'(op_size_q);
    end else if (state_q == Reply) begin
      rsp_ok_o    = rsp_ok_q;
      rsp_tb_o    = 16'(op_tb_q);
      rsp_start_o = 10'(rsp_start_q);
      rsp_size_o  = 11'(rsp_size_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      used_q      <= '0;
      gone_q      <= '0;
      cand_q      <= '0;
      placed_q    <= '0;
      op_kernel_q <= '0;
      op_tb_q     <= '0;
      op_size_q   <= '0;
      op_count_q  <= '0;
      op_old_q    <= '0;
      rsp_ok_q    <= 1'b0;
      rsp_start_q <= '0;
      rsp_size_q  <= '0;
      fault_q     <= 1'b0;
    end else begin
      state_q     <= state_d;
      used_q      <= used_d;
      gone_q      <= gone_d;
      cand_q      <= cand_d;
      placed_q    <= placed_d;
      op_kernel_q <= op_kernel_d;
      op_tb_q     <= op_tb_d;
      op_size_q   <= op_size_d;
      op_count_q  <= op_count_d;
      op_old_q    <= op_old_d;
      rsp_ok_q    <= rsp_ok_d;
      rsp_start_q <= rsp_start_d;
      rsp_size_q  <= rsp_size_d;
      fault_q     <= fault_d;
    end
  end

endmodule
