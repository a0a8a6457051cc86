// SPDX-License-Identifier: Apache-2.0
// reg_compressor: classifies a vector register as uniform, strided or random and emits its words.
//
// The lanes are cut into slices of 8, the smallest pattern analysing group (PAG). Differences of
// adjacent lanes are computed once, Lanes - 1 subtractors for all three PAG settings:
//
//   lanes   0 1 2 3 4 5 6 7 | 8 9 ...
//   diff     d d d d d d d  d  d ...
//   equal     e e e e e e | x x | ...     e: inside a slice, x: across the border behind it
//
// A border counts only where the PAG joins the slices on its two sides. Stage 1 keeps the lanes,
// one inner and one cross bit and the first difference of each slice; stage 2 the words.
// Where all compared differences are equal, a slice that is not the first of its group has its
// group's stride (or a single lane and 0), so "some stride is not 0" needs no mask.
//
// Source: Lin-P III.C, Fig. 10: a = first difference not 0, b = all differences equal.
module reg_compressor #(
  parameter int unsigned Lanes = 32  // 8 to 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [5:0]          tag_i,
  input  logic [1:0]          pag_i,
  input  logic [Lanes*32-1:0] lane_i,
  input  logic                ready_i,
  output logic                ready_o,
  output logic                valid_o,
  output logic [5:0]          tag_o,
  output logic [1:0]          pattern_o,
  output logic [6:0]          count_o,
  output logic [Lanes*32-1:0] word_o,
  output logic                fault_o
);

  localparam int unsigned Slices = (Lanes + 7) / 8;
  localparam logic [1:0] Uniform = 2'b01;
  localparam logic [1:0] Random  = 2'b10;
  localparam logic [1:0] Strided = 2'b11;

  if (Lanes < 8 || Lanes > 64) begin : gen_bad_lanes
    $fatal(1, "reg_compressor: Lanes must be 8 to 64");
  end

  // Handshake: a stage loads when it is empty or its content moves on in this cycle.
  logic s1_valid_q, s2_valid_q;
  logic s1_load, s2_load;
  assign s2_load = !s2_valid_q || ready_i;
  assign s1_load = !s1_valid_q || s2_load;

  // Stage 1: differences, comparison bits.
  logic [(Lanes-1)*32-1:0] diff;
  logic [Lanes-3:0]        equal;
  logic [Slices-1:0]       inner_d, cross_d;
  logic [Slices*32-1:0]    stride_d;

  for (genvar i = 0; i < Lanes - 1; i++) begin : gen_diff
    assign diff[32*i +: 32] = lane_i[32*(i+1) +: 32] - lane_i[32*i +: 32];
  end
  for (genvar i = 0; i < Lanes - 2; i++) begin : gen_equal
    assign equal[i] = diff[32*(i+1) +: 32] == diff[32*i +: 32];
  end
  for (genvar s = 0; s < Slices; s++) begin : gen_slice
    localparam int unsigned Size = (8 * s + 8 <= Lanes) ? 8 : Lanes - 8 * s;
    if (Size > 2) begin : gen_inner
      assign inner_d[s] = &equal[8*s +: Size-2];
    end else begin : gen_no_inner
      assign inner_d[s] = 1'b1;
    end
    if (8 * s + 9 < Lanes) begin : gen_cross
      assign cross_d[s] = equal[8*s+6] && equal[8*s+7];
    end else if (8 * s + 8 < Lanes) begin : gen_cross_one
      assign cross_d[s] = equal[8*s+6];
    end else begin : gen_no_cross
      assign cross_d[s] = 1'b1;
    end
    if (Size > 1) begin : gen_stride
      assign stride_d[32*s +: 32] = diff[32*8*s +: 32];
    end else begin : gen_no_stride
      assign stride_d[32*s +: 32] = 32'h0;
    end
  end

  logic [5:0]           s1_tag_q;
  logic [1:0]           s1_pag_q;
  logic [Lanes*32-1:0]  s1_lane_q;
  logic [Slices-1:0]    s1_inner_q, s1_cross_q;
  logic [Slices*32-1:0] s1_stride_q;
  logic                 fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s1_valid_q <= 1'b0;
      fault_q    <= 1'b0;
    end else if (s1_load) begin
      s1_valid_q <= valid_i;
      fault_q    <= fault_q || (valid_i && pag_i == 2'd3);
    end
  end

  // Without reset: never seen while s1_valid_q is 0.
  always_ff @(posedge clk_i) begin
    if (s1_load && valid_i) begin
      s1_tag_q    <= tag_i;
      s1_pag_q    <= (pag_i == 2'd3) ? 2'd2 : pag_i;
      s1_lane_q   <= lane_i;
      s1_inner_q  <= inner_d;
      s1_cross_q  <= cross_d;
      s1_stride_q <= stride_d;
    end
  end

  // Stage 2: class of the register, then its words. A border between slices s and s+1 counts
  // where it does not end a group.
  logic [Slices-1:0] crossed;
  logic              equal_all;
  logic [1:0]        pattern_d;
  for (genvar s = 0; s < Slices; s++) begin : gen_crossed
    localparam bit Ends16 = (s % 2) == 1;
    localparam bit Ends32 = (s % 4) == 3;
    assign crossed[s] = s1_cross_q[s] || s1_pag_q == 2'd0 || (s1_pag_q == 2'd1 && Ends16) ||
                        Ends32;
  end
  assign equal_all = (&s1_inner_q) && (&crossed);
  assign pattern_d = !equal_all ? Random : (|s1_stride_q) ? Strided : Uniform;

  // Base and stride of group g for each PAG. A group that does not exist reads as 0, so unused
  // words come out 0.
  logic [Slices*32-1:0] group_base, group_stride;
  for (genvar g = 0; g < Slices; g++) begin : gen_group
    logic [31:0] base16, stride16, base32, stride32;
    if (2 * g < Slices) begin : gen_16
      assign base16   = s1_lane_q[32*16*g +: 32];
      assign stride16 = s1_stride_q[32*2*g +: 32];
    end else begin : gen_no_16
      assign base16   = 32'h0;
      assign stride16 = 32'h0;
    end
    if (4 * g < Slices) begin : gen_32
      assign base32   = s1_lane_q[32*32*g +: 32];
      assign stride32 = s1_stride_q[32*4*g +: 32];
    end else begin : gen_no_32
      assign base32   = 32'h0;
      assign stride32 = 32'h0;
    end
    always_comb begin
      unique case (s1_pag_q)
        2'd0: begin
          group_base[32*g +: 32]   = s1_lane_q[32*8*g +: 32];
          group_stride[32*g +: 32] = s1_stride_q[32*g +: 32];
        end
        2'd1: begin
          group_base[32*g +: 32]   = base16;
          group_stride[32*g +: 32] = stride16;
        end
        default: begin
          group_base[32*g +: 32]   = base32;
          group_stride[32*g +: 32] = stride32;
        end
      endcase
    end
  end

  logic [Lanes*32-1:0] uniform_word, strided_word, word_d;
  for (genvar w = 0; w < Lanes; w++) begin : gen_word
    if (w < Slices) begin : gen_uniform
      assign uniform_word[32*w +: 32] = group_base[32*w +: 32];
    end else begin : gen_no_uniform
      assign uniform_word[32*w +: 32] = 32'h0;
    end
    if (w >= 2 * Slices) begin : gen_no_strided
      assign strided_word[32*w +: 32] = 32'h0;
    end else if (w % 2 == 0) begin : gen_base
      assign strided_word[32*w +: 32] = group_base[32*(w/2) +: 32];
    end else begin : gen_stride
      assign strided_word[32*w +: 32] = group_stride[32*(w/2) +: 32];
    end
  end

  logic [6:0] groups, count_d;
  always_comb begin
    unique case (s1_pag_q)
      2'd0:    groups = 7'(Slices);
      2'd1:    groups = 7'((Slices + 1) / 2);
      default: groups = 7'((Slices + 3) / 4);
    endcase
    unique case (pattern_d)
      Uniform: begin
        count_d = groups;
        word_d  = uniform_word;
      end
      Strided: begin
        count_d = groups << 1;
        word_d  = strided_word;
      end
      default: begin
        count_d = 7'(Lanes);
        word_d  = s1_lane_q;
      end
    endcase
  end

  logic [5:0]          s2_tag_q;
  logic [1:0]          s2_pattern_q;
  logic [6:0]          s2_count_q;
  logic [Lanes*32-1:0] s2_word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s2_valid_q   <= 1'b0;
      s2_tag_q     <= '0;
      s2_pattern_q <= '0;
      s2_count_q   <= '0;
      s2_word_q    <= '0;
    end else if (s2_load) begin
      s2_valid_q <= s1_valid_q;
      if (s1_valid_q) begin
        s2_tag_q     <= s1_tag_q;
        s2_pattern_q <= pattern_d;
        s2_count_q   <= count_d;
        s2_word_q    <= word_d;
      end
    end
  end

  assign ready_o   = s1_load;
  assign valid_o   = s2_valid_q;
  assign tag_o     = s2_tag_q;
  assign pattern_o = s2_pattern_q;
  assign count_o   = s2_count_q;
  assign word_o    = s2_word_q;
  assign fault_o   = fault_q;

endmodule
