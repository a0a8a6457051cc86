// SPDX-License-Identifier: Apache-2.0
// Block reg_compressor, pin for pin, with two ways to ask whether adjacent differences are equal:
//
//   CarrySave = 0   y - x == z - y: a subtractor for each pair of lanes, and a comparator of two differences
//   CarrySave = 1   x + z - 2y == 0: a carry-save adder of the three and no carry chain. With sum s and carries c
//                   of x + z + ~2y, the three add up to 2^32 - 1 = -1 exactly where s and c have no bit in
//                   common and none missing: s ^ c is all ones. Subtractors remain for the strides alone, one
//                   for each slice of 8 lanes.
//
// All else is the same text, so that the two differ in this alone. Slices, borders and stages are those of the
// block (rtl/context/reg_compressor.sv).
module reg_compressor_compare #(
  parameter int unsigned Lanes = 32,  // 8 to 64
  parameter bit          CarrySave = 1'b1
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

  // equal[i]: lanes i, i+1 and i+2 go up in equal steps.
  logic [Lanes-3:0] equal;
  for (genvar i = 0; i < Lanes - 2; i++) begin : gen_equal
    logic [31:0] x, y, z;
    assign x = lane_i[32*i +: 32];
    assign y = lane_i[32*(i+1) +: 32];
    assign z = lane_i[32*(i+2) +: 32];
    if (CarrySave) begin : gen_carry_save
      logic [31:0] not_twice, sum, carry;
      assign not_twice = ~(y << 1);
      assign sum       = x ^ z ^ not_twice;
      assign carry     = {((x[30:0] & z[30:0]) | (x[30:0] & not_twice[30:0]) | (z[30:0] & not_twice[30:0])), 1'b0};
      assign equal[i]  = &(sum ^ carry);
    end else begin : gen_subtract
      assign equal[i]  = y - x == z - y;
    end
  end

  // A slice: all steps inside it are equal; those across the border behind it are; its first step.
  logic [Slices-1:0]    inner, border;
  logic [Slices*32-1:0] step;
  always_comb begin
    inner = '1;
    border = '1;
    for (int unsigned i = 0; i < Lanes - 2; i++) begin
      if (i % 8 < 6) inner[i/8] = inner[i/8] && equal[i];
      else           border[i/8] = border[i/8] && equal[i];
    end
  end
  for (genvar s = 0; s < Slices; s++) begin : gen_step
    if (8 * s + 1 < Lanes) begin : gen_two
      assign step[32*s +: 32] = lane_i[32*(8*s+1) +: 32] - lane_i[32*8*s +: 32];
    end else begin : gen_one
      assign step[32*s +: 32] = 32'h0;
    end
  end

  // Stage 1.
  logic                 s1_valid_q, s2_valid_q, s1_load, s2_load, fault_q;
  logic [5:0]           s1_tag_q;
  logic [1:0]           s1_pag_q;
  logic [Lanes*32-1:0]  s1_lane_q;
  logic [Slices-1:0]    s1_inner_q, s1_cross_q;
  logic [Slices*32-1:0] s1_stride_q;
  assign s2_load = !s2_valid_q || ready_i;
  assign s1_load = !s1_valid_q || s2_load;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s1_valid_q <= 1'b0;
      fault_q    <= 1'b0;
    end else if (s1_load) begin
      s1_valid_q <= valid_i;
      fault_q    <= fault_q || (valid_i && pag_i == 2'd3);
    end
  end
  always_ff @(posedge clk_i) begin
    if (s1_load && valid_i) begin
      s1_tag_q    <= tag_i;
      s1_pag_q    <= pag_i == 2'd3 ? 2'd2 : pag_i;
      s1_lane_q   <= lane_i;
      s1_inner_q  <= inner;
      s1_cross_q  <= border;
      s1_stride_q <= step;
    end
  end

  // Stage 2: class and words. Beyond the lanes and slices that exist all reads as 0.
  logic [32*Slices*32-1:0] lanes;
  logic [4*Slices*32-1:0]  strides;
  assign lanes   = (32*Slices*32)'(s1_lane_q);
  assign strides = (4*Slices*32)'(s1_stride_q);

  logic [1:0]          pattern;
  logic [6:0]          groups, count;
  logic [Lanes*32-1:0] word;
  logic [Slices-1:0]   borders;  // that lie inside a group
  always_comb begin
    for (int unsigned s = 0; s < Slices; s++) begin
      borders[s] = s1_pag_q != 2'd0 && s % 4 != 3 && (s1_pag_q != 2'd1 || s % 2 == 0);
    end
    groups  = s1_pag_q == 2'd0 ? 7'(Slices) : s1_pag_q == 2'd1 ? 7'((Slices + 1) / 2)
                                                               : 7'((Slices + 3) / 4);
    pattern = !(&s1_inner_q && &(s1_cross_q | ~borders)) ? Random : |s1_stride_q ? Strided : Uniform;
    count   = pattern == Random ? 7'(Lanes) : pattern == Strided ? groups << 1 : groups;
    word    = pattern == Random ? s1_lane_q : '0;
    for (int unsigned g = 0; g < Slices; g++) begin
      logic [31:0] base, stride;
      base   = s1_pag_q == 2'd0 ? lanes[32*8*g +: 32] : s1_pag_q == 2'd1 ? lanes[32*16*g +: 32]
                                                                          : lanes[32*32*g +: 32];
      stride = s1_pag_q == 2'd0 ? strides[32*g +: 32] : s1_pag_q == 2'd1 ? strides[32*2*g +: 32]
                                                                          : strides[32*4*g +: 32];
      if (pattern == Uniform) word[32*g +: 32] = base;
      if (pattern == Strided) word[64*g +: 64] = {stride, base};
    end
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
        s2_pattern_q <= pattern;
        s2_count_q   <= count;
        s2_word_q    <= word;
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
