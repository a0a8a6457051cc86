// SPDX-License-Identifier: Apache-2.0
// context_saver: liveness_decoder, reg_compressor and context_packer as one pipeline.
//
//   liveness_decoder --index--> register file --lanes--> reg_compressor --words--> context_packer
//        ^ start                 | read latency 1                                       | segments
//
// The register file is read like a synchronous memory: granted in one cycle, lanes in the next,
// held until the cycle of the next grant. So a request needs no buffer behind it; it only has to
// wait until the lanes of the one before move on. All handshakes inside go from the packer's
// ready, a function of its state, backwards: no output depends on an input of the same cycle.
//
// Source: Lin-P IV.A, IV.B, IV.C, Fig. 13.
module context_saver #(
  parameter int unsigned Lanes    = 32,  // 8 to 64
  parameter int unsigned SegWords = 32,  // Lanes to 64
  parameter int unsigned PadWords = 8,   // divides SegWords
  parameter int unsigned Regs     = 64,  // 1 to 64
  parameter int unsigned OpPp     = 2,     // 10 bits; the three opcodes must differ
  parameter int unsigned OpBarPp  = 3,
  parameter int unsigned OpDummy  = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  logic [63:0]            word_i,
  input  logic [63:0]            next_i,
  input  logic                   diverged_i,
  input  logic [6:0]             alloc_i,
  input  logic [1:0]             pag_i,
  input  logic                   rf_gnt_i,
  input  logic [Lanes*32-1:0]    rf_lane_i,
  input  logic                   seg_ready_i,
  output logic                   busy_o,
  output logic                   rf_req_o,
  output logic [5:0]             rf_index_o,
  output logic                   seg_valid_o,
  output logic [SegWords*32-1:0] seg_word_o,
  output logic [6:0]             seg_count_o,
  output logic                   seg_last_o,
  output logic                   done_o,
  output logic [127:0]           pattern_vec_o,
  output logic [12:0]            total_o,
  output logic                   fault_o
);

  localparam logic [1:0] NoWarp  = 2'd0;  // since reset
  localparam logic [1:0] Walking = 2'd1;  // the flush is still to come
  localparam logic [1:0] Flushed = 2'd2;

  logic [1:0] state_q, state_d;
  logic       pending_q, pending_d;  // lanes of a granted register are due
  logic [5:0] tag_q, tag_d;          // that register
  logic [1:0] pag_q, pag_d;
  logic [1:0] inside_q, inside_d;    // registers in the compressor
  logic       fault_q, fault_d;

  // Start.
  logic busy, accept, packer_done;
  assign busy   = state_q == Walking || (state_q == Flushed && !packer_done);
  assign accept = start_i && !busy;

  // Registers to save.
  logic       decoded, is_pp, is_bar, live_valid, decoder_fault;
  logic [5:0] live_index;
  logic       request, granted;
  logic       unused_decoder_busy, unused_decoder_last;
  logic [63:0] unused_decoder_mask;
  liveness_decoder #(
    .Regs    (Regs),
    .OpPp    (OpPp),
    .OpBarPp (OpBarPp),
    .OpDummy (OpDummy)
  ) u_decoder (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .start_i    (accept),
    .word_i     (word_i),
    .next_i     (next_i),
    .diverged_i (diverged_i),
    .alloc_i    (alloc_i),
    .ready_i    (granted),
    .busy_o     (unused_decoder_busy),
    .decoded_o  (decoded),
    .is_pp_o    (is_pp),
    .is_bar_o   (is_bar),
    .mask_o     (unused_decoder_mask),
    .valid_o    (live_valid),
    .index_o    (live_index),
    .last_o     (unused_decoder_last),
    .fault_o    (decoder_fault)
  );

  // Register file to compressor.
  logic                compressor_ready;
  logic                word_valid, packer_ready;
  logic [5:0]          word_tag;
  logic [1:0]          word_pattern;
  logic [6:0]          word_count;
  logic [Lanes*32-1:0] word;
  logic                unused_compressor_fault;
  assign request = state_q == Walking && live_valid && (!pending_q || compressor_ready);
  assign granted = request && rf_gnt_i;
  reg_compressor #(
    .Lanes (Lanes)
  ) u_compressor (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .valid_i   (pending_q),
    .tag_i     (tag_q),
    .pag_i     (pag_q),
    .lane_i    (rf_lane_i),
    .ready_i   (packer_ready),
    .ready_o   (compressor_ready),
    .valid_o   (word_valid),
    .tag_o     (word_tag),
    .pattern_o (word_pattern),
    .count_o   (word_count),
    .word_o    (word),
    .fault_o   (unused_compressor_fault)
  );

  // Compressor to segments. Nothing before the packer but what stands at its input: the end.
  logic flush, unused_packer_fault;
  assign flush = state_q == Walking && !live_valid && !pending_q && inside_q == {1'b0, word_valid};
  context_packer #(
    .Lanes    (Lanes),
    .SegWords (SegWords),
    .PadWords (PadWords)
  ) u_packer (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .start_i       (accept),
    .valid_i       (word_valid),
    .tag_i         (word_tag),
    .pattern_i     (word_pattern),
    .count_i       (word_count),
    .word_i        (word),
    .flush_i       (flush),
    .seg_ready_i   (seg_ready_i),
    .ready_o       (packer_ready),
    .seg_valid_o   (seg_valid_o),
    .seg_word_o    (seg_word_o),
    .seg_count_o   (seg_count_o),
    .seg_last_o    (seg_last_o),
    .done_o        (packer_done),
    .pattern_vec_o (pattern_vec_o),
    .total_o       (total_o),
    .fault_o       (unused_packer_fault)
  );

  // A word that is no preemption instruction shows when it is decoded.
  logic stray;
  assign stray = decoded && !is_pp && !is_bar;

  assign busy_o     = busy;
  assign rf_req_o   = request;
  assign rf_index_o = request ? live_index : 6'd0;
  assign done_o     = packer_done;
  assign fault_o    = fault_q || stray || decoder_fault;

  always_comb begin
    state_d   = state_q;
    tag_d     = tag_q;
    pag_d     = pag_q;
    pending_d = granted || (pending_q && !compressor_ready);
    inside_d  = inside_q + {1'b0, pending_q && compressor_ready} -
                {1'b0, word_valid && packer_ready};
    fault_d   = fault_q || stray || (start_i && busy) || (accept && pag_i == 2'd3);
    if (granted) tag_d = live_index;
    if (accept) begin
      state_d = Walking;
      pag_d   = (pag_i == 2'd3) ? 2'd2 : pag_i;
    end else if (flush && packer_ready) begin
      state_d = Flushed;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= NoWarp;
      pending_q <= 1'b0;
      tag_q     <= 6'd0;
      pag_q     <= 2'd0;
      inside_q  <= 2'd0;
      fault_q   <= 1'b0;
    end else begin
      state_q   <= state_d;
      pending_q <= pending_d;
      tag_q     <= tag_d;
      pag_q     <= pag_d;
      inside_q  <= inside_d;
      fault_q   <= fault_d;
    end
  end

endmodule
