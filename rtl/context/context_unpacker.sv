// SPDX-License-Identifier: Apache-2.0
// context_unpacker: cuts a warp's segments back into the words of one live register at a time.
//
// The mirror of context_packer: segments enter whole banks of a ring, so the input needs no
// shifter; what leaves is rotated down by the read offset, and may span two banks:
//
//   head_q             tail_q (next bank to write)
//     v                  v
//   [ . . . x x x x ] [ x x x x x x x ] [          ]
//           ^ off_q: words of the head bank that have left
//
// seg_ready asks for fewer than 2 Lanes words held, so that it need not look at ready. Two
// banks are enough where 2 Lanes - 1 fits a segment, else three.
// pattern_q is cleared register by register. The lowest live register of what is left is the head:
// its number and code are held, 0 where the warp is finished, and the next one is searched beside
// what the head does.
//
// Source: Lin-P IV.B, IV.C, Fig. 13.
module context_unpacker #(
  parameter int unsigned Lanes    = 32,   // 8 to 64
  parameter int unsigned SegWords = 32,   // Lanes to 64
  parameter bit          Masked   = 1'b1  // without a register its pins are 0, and its words past its count; else anything
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  logic [127:0]           pattern_vec_i,
  input  logic [1:0]             pag_i,
  input  logic                   seg_valid_i,
  input  logic [SegWords*32-1:0] seg_word_i,
  input  logic                   ready_i,
  output logic                   busy_o,
  output logic                   seg_ready_o,
  output logic                   valid_o,
  output logic [5:0]             tag_o,
  output logic [1:0]             pattern_o,
  output logic [1:0]             pag_o,
  output logic [Lanes*32-1:0]    word_o,
  output logic                   fault_o
);

  localparam int unsigned Banks  = (2 * Lanes - 1 <= SegWords) ? 2 : 3;
  localparam int unsigned OffW   = $clog2(SegWords);
  localparam int unsigned Groups = (Lanes + 7) / 8;
  localparam logic [1:0] LastBank = 2'(Banks - 1);
  localparam logic [1:0] Uniform = 2'b01;
  localparam logic [1:0] Strided = 2'b11;

  if (Lanes < 8 || Lanes > SegWords || SegWords > 64) begin : gen_bad_size
    $fatal(1, "context_unpacker: 8 <= Lanes <= SegWords <= 64");
  end

  logic [127:0]    pattern_q, pattern_d;  // registers left
  logic [5:0]      tag_q, tag_d;          // the lowest of them
  logic [1:0]      code_q, code_d;
  logic [1:0]      pag_q, pag_d;
  logic [1:0]      head_q, head_d;        // bank of the oldest word
  logic [1:0]      tail_q, tail_d;        // bank that the next segment enters
  logic [OffW-1:0] off_q, off_d;          // words of the head bank that have left
  logic [7:0]      count_q, count_d;      // words held
  logic            fault_q, fault_d;

  // How many words the head register needs; whether these are there is compared for all patterns.
  logic       busy, valid, seg_ready;
  logic [6:0] groups, need;
  assign busy = code_q != 2'd0;
  always_comb begin
    unique case (pag_q)
      2'd0:    groups = 7'(Groups);
      2'd1:    groups = 7'((Groups + 1) / 2);
      default: groups = 7'((Groups + 3) / 4);
    endcase
    unique case (code_q)
      Uniform: need = groups;
      Strided: need = groups << 1;
      default: need = 7'(Lanes);
    endcase
    unique case (code_q)
      Uniform: valid = count_q >= 8'(groups);
      Strided: valid = count_q >= {groups, 1'b0};
      default: valid = busy && count_q >= 8'(Lanes);
    endcase
  end
  assign seg_ready = busy && count_q < 8'(2 * Lanes);

  // Storage.
  logic take_seg, take_reg;
  logic [Banks*SegWords*32-1:0] ring;
  assign take_seg = seg_valid_i && seg_ready;
  assign take_reg = valid && ready_i;
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [SegWords*32-1:0] bank_q;
    // Without reset: masked until written.
    always_ff @(posedge clk_i) begin
      if (take_seg && tail_q == 2'(b)) bank_q <= seg_word_i;
    end
    assign ring[b*SegWords*32 +: SegWords*32] = bank_q;
  end

  // The head register's words: from off_q on in the head bank, the rest from the bank behind.
  logic [1:0] head_next, tail_next;
  assign head_next = (head_q == LastBank) ? 2'd0 : head_q + 2'd1;
  assign tail_next = (tail_q == LastBank) ? 2'd0 : tail_q + 2'd1;

  logic [SegWords*32-1:0] head_word, next_word, joined, rotated;
  always_comb begin
    head_word = ring[0 +: SegWords*32];
    next_word = ring[0 +: SegWords*32];
    for (int unsigned b = 1; b < Banks; b++) begin
      if (head_q == 2'(b))    head_word = ring[b*SegWords*32 +: SegWords*32];
      if (head_next == 2'(b)) next_word = ring[b*SegWords*32 +: SegWords*32];
    end
  end
  logic [SegWords-1:0] gone;  // words of the head bank that have left
  assign gone = ~({SegWords{1'b1}} << off_q);
  for (genvar p = 0; p < SegWords; p++) begin : gen_joined
    assign joined[32*p +: 32] = gone[p] ? next_word[32*p +: 32] : head_word[32*p +: 32];
  end
  always_comb begin
    rotated = joined;
    for (int unsigned k = 0; k < OffW; k++) begin
      if (off_q[k]) begin
        rotated = (rotated >> (32 << k)) | (rotated << (32 * (SegWords - (1 << k))));
      end
    end
  end
  for (genvar i = 0; i < Lanes; i++) begin : gen_word
    assign word_o[32*i +: 32] = (!Masked || (valid && need > 7'(i))) ? rotated[32*i +: 32] : 32'h0;
  end
  if (SegWords > Lanes) begin : gen_unused
    logic unused_rotated;
    assign unused_rotated = ^rotated[SegWords*32-1:Lanes*32];
  end

  assign busy_o      = busy;
  assign seg_ready_o = seg_ready;
  assign valid_o     = valid;
  assign tag_o       = (!Masked || valid) ? tag_q : 6'd0;
  assign pattern_o   = (!Masked || valid) ? code_q : 2'd0;
  assign pag_o       = pag_q;
  assign fault_o     = fault_q;

  // The registers behind the head, or of a new warp; and the lowest of them, which is the next head:
  // of two neighbours the lower one goes on if it is live, so that from 64 one is left in six rounds.
  logic [127:0] behind, codes;
  logic [63:0]  live;
  logic [383:0] tags;
  always_comb begin
    behind = busy ? pattern_q : pattern_vec_i;
    if (busy) behind[{tag_q, 1'b0} +: 2] = 2'd0;
    codes = behind;
    for (int unsigned r = 0; r < 64; r++) begin
      live[r]        = codes[2*r +: 2] != 2'd0;
      tags[6*r +: 6] = 6'(r);
    end
    for (int unsigned players = 64; players > 1; players = players / 2) begin
      for (int unsigned n = 0; n < players / 2; n++) begin
        tags[6*n +: 6]  = live[2*n] ? tags[12*n +: 6] : tags[12*n+6 +: 6];
        codes[2*n +: 2] = live[2*n] ? codes[4*n +: 2] : codes[4*n+2 +: 2];
        live[n]         = live[2*n] || live[2*n+1];
      end
    end
  end

  logic [7:0] end_off;  // read offset behind this register, before it wraps
  assign end_off = 8'(off_q) + 8'(need);

  always_comb begin
    pattern_d = pattern_q;
    tag_d     = tag_q;
    code_d    = code_q;
    pag_d     = pag_q;
    head_d    = head_q;
    tail_d    = tail_q;
    off_d     = off_q;
    count_d   = count_q;
    fault_d   = fault_q;
    if (!busy) begin
      fault_d = fault_q || seg_valid_i || (start_i && pag_i == 2'd3);
      if (start_i) begin
        pattern_d = behind;
        tag_d     = tags[5:0];
        code_d    = codes[1:0];
        pag_d     = (pag_i == 2'd3) ? 2'd2 : pag_i;
        head_d    = 2'd0;
        tail_d    = 2'd0;
        off_d     = '0;
        count_d   = 8'd0;
      end
    end else begin
      fault_d = fault_q || start_i;
      count_d = count_q + (take_seg ? 8'(SegWords) : 8'd0) - (take_reg ? 8'(need) : 8'd0);
      if (take_seg) tail_d = tail_next;
      if (take_reg) begin
        pattern_d = behind;
        tag_d     = tags[5:0];
        code_d    = codes[1:0];
        if (end_off >= 8'(SegWords)) begin
          head_d = head_next;
          off_d  = OffW'(end_off - 8'(SegWords));
        end else begin
          off_d = OffW'(end_off);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pattern_q <= 128'h0;
      tag_q     <= 6'd0;
      code_q    <= 2'd0;
      pag_q     <= 2'd0;
      head_q    <= 2'd0;
      tail_q    <= 2'd0;
      off_q     <= '0;
      count_q   <= 8'd0;
      fault_q   <= 1'b0;
    end else begin
      pattern_q <= pattern_d;
      tag_q     <= tag_d;
      code_q    <= code_d;
      pag_q     <= pag_d;
      head_q    <= head_d;
      tail_q    <= tail_d;
      off_q     <= off_d;
      count_q   <= count_d;
      fault_q   <= fault_d;
    end
  end

endmodule
