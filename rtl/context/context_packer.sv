// SPDX-License-Identifier: Apache-2.0
// context_packer: joins the words of a warp's live registers into segments, builds the pattern
// vector.
//
// The words lie in a ring of banks, each one segment long. A segment always starts at word 0 of
// a bank, so the output needs no shifter; only what comes in is rotated, to the fill offset:
//
//   head_q            fill_q
//     v                 v
//   [ full segment ] [ a b c . . . . ] [            ]
//                          ^ off_q: words of the bank being filled
//
//   words held = full_q * SegWords + off_q
//
// ready asks for room for one register behind a leftover and one register more, so that it need
// not look at seg_ready: full_q * SegWords + off_q < SegWords + Lanes. Two banks are enough
// where 2 Lanes - 1 fits a segment, else three.
// A whole register slot (Lanes words) is written whatever its count: the words past it lie
// behind the fill offset, are masked at the output and overwritten by what follows.
//
// Source: Lin-P IV.B, IV.C, Fig. 13.
module context_packer #(
  parameter int unsigned Lanes    = 32,  // 8 to 64
  parameter int unsigned SegWords = 32,  // Lanes to 64
  parameter int unsigned PadWords = 8    // divides SegWords
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  logic                   valid_i,
  input  logic [5:0]             tag_i,
  input  logic [1:0]             pattern_i,
  input  logic [6:0]             count_i,
  input  logic [Lanes*32-1:0]    word_i,
  input  logic                   flush_i,
  input  logic                   seg_ready_i,
  output logic                   ready_o,
  output logic                   seg_valid_o,
  output logic [SegWords*32-1:0] seg_word_o,
  output logic [6:0]             seg_count_o,
  output logic                   seg_last_o,
  output logic                   done_o,
  output logic [127:0]           pattern_vec_o,
  output logic [12:0]            total_o,
  output logic                   fault_o
);

  localparam int unsigned Banks = (2 * Lanes - 1 <= SegWords) ? 2 : 3;
  localparam int unsigned OffW  = $clog2(SegWords);
  localparam logic [1:0] LastBank = 2'(Banks - 1);

  if (Lanes < 8 || Lanes > SegWords || SegWords > 64) begin : gen_bad_size
    $fatal(1, "context_packer: 8 <= Lanes <= SegWords <= 64");
  end
  if (PadWords < 1 || SegWords % PadWords != 0) begin : gen_bad_pad
    $fatal(1, "context_packer: PadWords must divide SegWords");
  end

  logic            open_q, open_d;      // between start and flush
  logic            closed_q, closed_d;  // between flush and start
  logic            fixed_q, fixed_d;    // closed, and the head segment was shown before the flush
  logic [1:0]      head_q, head_d;      // bank of the oldest word
  logic [1:0]      fill_q, fill_d;      // bank being filled
  logic [1:0]      full_q, full_d;      // full segments held
  logic [OffW-1:0] off_q, off_d;        // words in the bank being filled
  logic [6:0]      next_tag_q, next_tag_d;
  logic [12:0]     total_q, total_d;
  logic [127:0]    pattern_q, pattern_d;
  logic            fault_q, fault_d;

  // Output: from state alone.
  logic ready, seg_valid;
  logic [Banks*SegWords*32-1:0] ring;
  logic [SegWords*32-1:0]       head_word;
  assign ready     = open_q && (full_q == 2'd0 || (full_q == 2'd1 && 7'(off_q) < 7'(Lanes)));
  assign seg_valid = full_q != 2'd0 || (closed_q && off_q != '0);

  always_comb begin
    head_word = ring[0 +: SegWords*32];
    for (int unsigned b = 1; b < Banks; b++) begin
      if (head_q == 2'(b)) head_word = ring[b*SegWords*32 +: SegWords*32];
    end
  end
  logic [SegWords-1:0] below;  // words of the bank being filled that lie before off_q
  assign below = ~({SegWords{1'b1}} << off_q);
  for (genvar p = 0; p < SegWords; p++) begin : gen_out
    assign seg_word_o[32*p +: 32] =
        (seg_valid && (full_q != 2'd0 || below[p])) ? head_word[32*p +: 32] : 32'h0;
  end
  always_comb begin
    seg_count_o = 7'd0;
    if (full_q != 2'd0) begin
      seg_count_o = 7'(SegWords);
    end else if (closed_q) begin
      for (int unsigned k = 0; k < SegWords; k += PadWords) begin
        if (7'(off_q) > 7'(k)) seg_count_o = 7'(k + PadWords);
      end
    end
  end

  assign ready_o       = ready;
  assign seg_valid_o   = seg_valid;
  assign seg_last_o    = seg_valid && closed_q && !fixed_q &&
                         (full_q == 2'd0 || (full_q == 2'd1 && off_q == '0));
  assign done_o        = closed_q && full_q == 2'd0 && off_q == '0;
  assign pattern_vec_o = pattern_q;
  assign total_o       = total_q;
  assign fault_o       = fault_q;

  // Input: effective count, the words rotated to the fill offset, and where they go.
  logic       take_reg, take_flush, take_seg, take_full, count_bad, wraps;
  logic [6:0] count;
  logic [7:0] end_off;  // fill offset behind this register, before it wraps
  assign take_reg   = ready && valid_i && !start_i;
  assign take_flush = ready && flush_i && !start_i;
  assign take_seg   = seg_valid && seg_ready_i;
  assign take_full  = take_seg && full_q != 2'd0;
  assign count_bad  = count_i == 7'd0 || count_i > 7'(Lanes);
  assign count      = count_bad ? 7'(Lanes) : count_i;
  assign end_off    = 8'(off_q) + 8'(count);
  assign wraps      = end_off >= 8'(SegWords);

  logic [SegWords*32-1:0] rotated;
  always_comb begin
    rotated                 = '0;
    rotated[Lanes*32-1:0]   = word_i;
    for (int unsigned k = 0; k < OffW; k++) begin
      if (off_q[k]) begin
        rotated = (rotated << (32 << k)) | (rotated >> (32 * (SegWords - (1 << k))));
      end
    end
  end

  logic [1:0] fill_next;
  assign fill_next = (fill_q == LastBank) ? 2'd0 : fill_q + 2'd1;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    for (genvar p = 0; p < SegWords; p++) begin : gen_word
      logic        write;
      logic [31:0] word_q;
      assign write = take_reg && ((fill_q == 2'(b) && !below[p]) ||
                                  (fill_next == 2'(b) && 8'(off_q) + 8'(Lanes) > 8'(SegWords + p)));
      // Without reset: masked until written.
      always_ff @(posedge clk_i) begin
        if (write) word_q <= rotated[32*p +: 32];
      end
      assign ring[32*(b*SegWords+p) +: 32] = word_q;
    end
  end

  always_comb begin
    open_d     = open_q;
    closed_d   = closed_q;
    fixed_d    = fixed_q;
    head_d     = head_q;
    fill_d     = fill_q;
    full_d     = full_q;
    off_d      = off_q;
    next_tag_d = next_tag_q;
    total_d    = total_q;
    pattern_d  = pattern_q;
    fault_d    = fault_q;
    if (start_i) begin
      open_d     = 1'b1;
      closed_d   = 1'b0;
      fixed_d    = 1'b0;
      head_d     = 2'd0;
      fill_d     = 2'd0;
      full_d     = 2'd0;
      off_d      = '0;
      next_tag_d = 7'd0;
      total_d    = 13'd0;
      pattern_d  = 128'h0;
      fault_d    = fault_q || full_q != 2'd0 || off_q != '0 || (ready && (valid_i || flush_i));
    end else begin
      if (take_seg) begin
        fixed_d = 1'b0;
        if (full_q != 2'd0) head_d = (head_q == LastBank) ? 2'd0 : head_q + 2'd1;
        else                off_d  = '0;
      end
      full_d = full_q - 2'(take_full) + 2'(take_reg && wraps);
      if (take_reg) begin
        off_d      = wraps ? OffW'(end_off - 8'(SegWords)) : OffW'(end_off);
        fill_d     = wraps ? fill_next : fill_q;
        next_tag_d = 7'(tag_i) + 7'd1;
        total_d    = total_q + 13'(count);
        fault_d    = fault_q || count_bad || pattern_i == 2'd0 || 7'(tag_i) < next_tag_q;
        pattern_d[{tag_i, 1'b0} +: 2] = pattern_i;
      end
      if (take_flush) begin
        open_d   = 1'b0;
        closed_d = 1'b1;
        fixed_d  = seg_valid && !seg_ready_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q     <= 1'b0;
      closed_q   <= 1'b0;
      fixed_q    <= 1'b0;
      head_q     <= 2'd0;
      fill_q     <= 2'd0;
      full_q     <= 2'd0;
      off_q      <= '0;
      next_tag_q <= 7'd0;
      total_q    <= 13'd0;
      pattern_q  <= 128'h0;
      fault_q    <= 1'b0;
    end else begin
      open_q     <= open_d;
      closed_q   <= closed_d;
      fixed_q    <= fixed_d;
      head_q     <= head_d;
      fill_q     <= fill_d;
      full_q     <= full_d;
      off_q      <= off_d;
      next_tag_q <= next_tag_d;
      total_q    <= total_d;
      pattern_q  <= pattern_d;
      fault_q    <= fault_d;
    end
  end

endmodule
