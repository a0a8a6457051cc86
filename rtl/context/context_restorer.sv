// SPDX-License-Identifier: Apache-2.0
// context_restorer: context_unpacker and reg_decompressor as one pipeline, which puts the dead
// registers in between the live ones.
//
//   segments --> context_unpacker --live--> turn_*_q --> reg_decompressor --> register file
//                                             ^ dead: next_q, while the unpacker's head is above
//
// The register whose turn it is is held before the decompressor, so that to rotate words out of the
// unpacker's ring and to choose among them are steps of two cycles.
// next_q runs over the allocated registers. The unpacker's pattern vector alone says which are
// dead, so there is no second copy of it here: a register is dead when the unpacker's head has
// passed it, or when the unpacker has none left.
//
// Source: Lin-P III.C, IV.B, IV.C, Fig. 13.
module context_restorer #(
  parameter int unsigned Lanes    = 32,  // 8 to 64
  parameter int unsigned SegWords = 32,  // Lanes to 64
  parameter int unsigned Regs     = 64,  // 1 to 64
  parameter logic [31:0] Poison   = 32'hdeadbeef
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  logic [127:0]           pattern_vec_i,
  input  logic [1:0]             pag_i,
  input  logic [6:0]             alloc_i,
  input  logic                   seg_valid_i,
  input  logic [SegWords*32-1:0] seg_word_i,
  input  logic                   rf_gnt_i,
  output logic                   busy_o,
  output logic                   seg_want_o,
  output logic                   seg_ready_o,
  output logic                   rf_req_o,
  output logic [5:0]             rf_index_o,
  output logic [Lanes*32-1:0]    rf_lane_o,
  output logic                   fault_o
);

  localparam logic [1:0] Dead = 2'b00;

  if (Regs < 1 || Regs > 64) begin : gen_bad_regs
    $fatal(1, "context_restorer: Regs must be 1 to 64");
  end

  logic [6:0] next_q, next_d;      // lowest register that has not had its turn
  logic [6:0] alloc_q, alloc_d;
  logic [1:0] inside_q, inside_d;  // registers that have had it and are not written
  logic       fault_q, fault_d;

  logic left, busy, accept, unpacker_busy;
  assign left   = next_q < alloc_q;
  assign busy   = unpacker_busy || left || inside_q != 2'd0;
  assign accept = start_i && !busy;

  // Segments to live registers.
  logic                head_valid, head_ready, unpacker_fault;
  logic [5:0]          head_tag;
  logic [1:0]          head_pattern, head_pag;
  logic [Lanes*32-1:0] head_word;
  context_unpacker #(
    .Lanes    (Lanes),
    .SegWords (SegWords),
    .Masked   (1'b0)  // nothing is looked at without valid, nor words past a register's count
  ) u_unpacker (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .start_i       (accept),
    .pattern_vec_i (pattern_vec_i),
    .pag_i         (pag_i),
    .seg_valid_i   (seg_valid_i),
    .seg_word_i    (seg_word_i),
    .ready_i       (head_ready),
    .busy_o        (unpacker_busy),
    .seg_ready_o   (seg_ready_o),
    .valid_o       (head_valid),
    .tag_o         (head_tag),
    .pattern_o     (head_pattern),
    .pag_o         (head_pag),
    .word_o        (head_word),
    .fault_o       (unpacker_fault)
  );

  // Whose turn it is. The head is never below next_q, so unequal means above.
  logic       at_head, live, dead, turn_ready, taken, written;
  logic [5:0] turn_tag;
  assign at_head    = {1'b0, head_tag} == next_q;
  assign live       = head_valid && (at_head || !left);
  assign dead       = left && (head_valid ? !at_head : !unpacker_busy);
  assign turn_tag   = live ? head_tag : next_q[5:0];
  assign head_ready = live && turn_ready;
  assign taken      = (live || dead) && turn_ready;

  logic                turn_valid_q, grow_ready;
  logic [5:0]          turn_tag_q;
  logic [1:0]          turn_pattern_q;
  logic [Lanes*32-1:0] turn_word_q;
  assign turn_ready = !turn_valid_q || grow_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_valid_q   <= 1'b0;
      turn_tag_q     <= 6'd0;
      turn_pattern_q <= Dead;
    end else if (turn_ready) begin
      turn_valid_q <= live || dead;
      if (taken) begin
        turn_tag_q     <= turn_tag;
        turn_pattern_q <= live ? head_pattern : Dead;
      end
    end
  end
  // Without reset: never seen while turn_valid_q is 0.
  always_ff @(posedge clk_i) begin
    if (taken) turn_word_q <= head_word;
  end

  logic unused_decompressor_fault;
  reg_decompressor #(
    .Lanes  (Lanes),
    .Poison (Poison)
  ) u_decompressor (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .valid_i   (turn_valid_q),
    .tag_i     (turn_tag_q),
    .pag_i     (head_pag),  // stays from start to start, and none comes while a register is inside
    .pattern_i (turn_pattern_q),
    .word_i    (turn_word_q),
    .ready_i   (rf_gnt_i),
    .ready_o   (grow_ready),
    .valid_o   (rf_req_o),
    .tag_o     (rf_index_o),
    .lane_o    (rf_lane_o),
    .fault_o   (unused_decompressor_fault)
  );
  assign written = rf_req_o && rf_gnt_i;

  // Start: alloc in range, and registers that the vector calls live although not allocated.
  logic        alloc_high, live_high;
  logic [6:0]  alloc;
  logic [63:0] is_live;
  assign alloc_high = alloc_i > 7'(Regs);
  assign alloc      = alloc_high ? 7'(Regs) : alloc_i;
  for (genvar r = 0; r < 64; r++) begin : gen_is_live
    assign is_live[r] = pattern_vec_i[2*r +: 2] != Dead;
  end
  assign live_high = |(is_live >> alloc);

  assign busy_o     = busy;
  assign seg_want_o = unpacker_busy;
  assign fault_o    = fault_q || unpacker_fault;

  always_comb begin
    next_d   = next_q;
    alloc_d  = alloc_q;
    inside_d = inside_q + {1'b0, taken} - {1'b0, written};
    fault_d  = fault_q || (start_i && busy);
    if (taken) next_d = {1'b0, turn_tag} + 7'd1;
    if (accept) begin
      next_d  = 7'd0;
      alloc_d = alloc;
      fault_d = fault_q || alloc_high || live_high;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q   <= 7'd0;
      alloc_q  <= 7'd0;
      inside_q <= 2'd0;
      fault_q  <= 1'b0;
    end else begin
      next_q   <= next_d;
      alloc_q  <= alloc_d;
      inside_q <= inside_d;
      fault_q  <= fault_d;
    end
  end

endmodule
