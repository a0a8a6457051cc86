// SPDX-License-Identifier: Apache-2.0
// liveness_decoder: decodes pp and bar.pp and walks over the live registers, lowest first.
//
// Word:  63 ...... 54 53 52 ................... 0
//        [  opcode  ][hi][ registers 52 ... 0    ]    hi: every allocated register from 53 up
//
// rest_q holds the registers of the walk that have not been taken; the lowest set bit is the
// index, and taking it is rest & (rest - 1). Nothing but rest_q says that a walk is under way.
//
// Source: Lin-P IV.A.
module liveness_decoder #(
  parameter int unsigned Regs    = 64,    // 1 to 64
  parameter int unsigned OpPp    = 2,     // the three opcodes must differ
  parameter int unsigned OpBarPp = 3,
  parameter int unsigned OpDummy = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [63:0] word_i,
  input  logic [63:0] next_i,
  input  logic        diverged_i,
  input  logic [6:0]  alloc_i,
  input  logic        ready_i,
  output logic        busy_o,
  output logic        decoded_o,
  output logic        is_pp_o,
  output logic        is_bar_o,
  output logic [63:0] mask_o,
  output logic        valid_o,
  output logic [5:0]  index_o,
  output logic        last_o,
  output logic        fault_o
);

  localparam int unsigned HighBit = 53;

  if (Regs < 1 || Regs > 64) begin : gen_bad_regs
    $fatal(1, "liveness_decoder: Regs must be 1 to 64");
  end
  if (OpPp > 1023 || OpBarPp > 1023 || OpDummy > 1023 || OpPp == OpBarPp || OpPp == OpDummy ||
      OpBarPp == OpDummy) begin : gen_bad_opcodes
    $fatal(1, "liveness_decoder: the opcodes must be 10 bits wide and differ");
  end

  // Decode of the offered words.
  logic        is_pp, is_bar, has_dummy;
  logic [53:0] vector;
  assign is_pp     = word_i[63:54] == 10'(OpPp);
  assign is_bar    = word_i[63:54] == 10'(OpBarPp);
  assign has_dummy = next_i[63:54] == 10'(OpDummy);
  assign vector    = (is_pp && diverged_i && has_dummy) ? next_i[53:0] : word_i[53:0];

  logic       alloc_high;
  logic [6:0] alloc;
  assign alloc_high = alloc_i > 7'(Regs);
  assign alloc      = alloc_high ? 7'(Regs) : alloc_i;

  logic [Regs-1:0]    mask_new;
  logic [HighBit:0]   beyond;  // bits of the vector at or above alloc
  logic               fault_vector, fault_diverged;
  for (genvar r = 0; r < Regs; r++) begin : gen_mask
    assign mask_new[r] = (is_pp || is_bar) && vector[(r < HighBit) ? r : HighBit] &&
                         alloc > 7'(r);
  end
  for (genvar r = 0; r <= HighBit; r++) begin : gen_beyond
    assign beyond[r] = vector[r] && alloc <= 7'(r);
  end
  assign fault_vector   = |beyond;
  assign fault_diverged = diverged_i && (is_bar || !has_dummy);

  // State.
  logic [Regs-1:0] mask_q, mask_d, rest_q, rest_d;
  logic            decoded_q, decoded_d, is_pp_q, is_pp_d, is_bar_q, is_bar_d, fault_q, fault_d;
  logic            busy;
  assign busy = |rest_q;

  always_comb begin
    mask_d    = mask_q;
    rest_d    = rest_q;
    is_pp_d   = is_pp_q;
    is_bar_d  = is_bar_q;
    decoded_d = 1'b0;
    fault_d   = fault_q;
    if (busy) begin
      fault_d = fault_q || start_i;
      if (ready_i) begin
        rest_d = rest_q & (rest_q - Regs'(1));
      end
    end else if (start_i) begin
      decoded_d = 1'b1;
      is_pp_d   = is_pp;
      is_bar_d  = is_bar;
      mask_d    = mask_new;
      rest_d    = mask_new;
      fault_d   = fault_q || alloc_high ||
                  ((is_pp || is_bar) && (fault_vector || fault_diverged));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mask_q    <= '0;
      rest_q    <= '0;
      decoded_q <= 1'b0;
      is_pp_q   <= 1'b0;
      is_bar_q  <= 1'b0;
      fault_q   <= 1'b0;
    end else begin
      mask_q    <= mask_d;
      rest_q    <= rest_d;
      decoded_q <= decoded_d;
      is_pp_q   <= is_pp_d;
      is_bar_q  <= is_bar_d;
      fault_q   <= fault_d;
    end
  end

  // Lowest set bit, and whether it is the only one.
  logic [5:0] index;
  always_comb begin
    index = 6'd0;
    for (int unsigned r = Regs; r > 0; r--) begin
      if (rest_q[r-1]) index = 6'(r - 1);
    end
  end

  always_comb begin
    mask_o           = 64'h0;
    mask_o[Regs-1:0] = mask_q;
  end

  assign busy_o    = busy;
  assign decoded_o = decoded_q;
  assign is_pp_o   = is_pp_q;
  assign is_bar_o  = is_bar_q;
  assign valid_o   = busy;
  assign index_o   = index;
  assign last_o    = busy && (rest_q & (rest_q - Regs'(1))) == '0;
  assign fault_o   = fault_q;

endmodule
