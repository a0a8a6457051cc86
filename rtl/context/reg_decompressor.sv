// SPDX-License-Identifier: Apache-2.0
// reg_decompressor: expands the words of a compressed vector register back to its lanes.
//
// Lanes are cut into slices of 8, the smallest pattern analysing group (PAG). Stage 1 turns what
// came into one of two forms, so that stage 2 need not know the PAG:
//
//   random   s1_word_q[i] is lane i
//   else     s1_word_q[8s] is the value of slice s's first lane, s1_word_q[8s+1] its stride
//
// A slice that is number k of its group starts at base + 8 k stride; a uniform register has
// stride 0, a dead one base Poison and stride 0. Stage 2 adds 1 to 7 strides inside the slice as
// shifts of the stride, so there is no multiplier.
//
// Source: Lin-P III.C.
module reg_decompressor #(
  parameter int unsigned Lanes  = 32,  // 8 to 64
  parameter logic [31:0] Poison = 32'hdeadbeef
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [5:0]          tag_i,
  input  logic [1:0]          pag_i,
  input  logic [1:0]          pattern_i,
  input  logic [Lanes*32-1:0] word_i,
  input  logic                ready_i,
  output logic                ready_o,
  output logic                valid_o,
  output logic [5:0]          tag_o,
  output logic [Lanes*32-1:0] lane_o,
  output logic                fault_o
);

  localparam int unsigned Slices = (Lanes + 7) / 8;
  localparam logic [1:0] Dead    = 2'b00;
  localparam logic [1:0] Uniform = 2'b01;
  localparam logic [1:0] Random  = 2'b10;
  localparam logic [1:0] Strided = 2'b11;

  if (Lanes < 8 || Lanes > 64) begin : gen_bad_lanes
    $fatal(1, "reg_decompressor: Lanes must be 8 to 64");
  end

  // Handshake: a stage loads when it is empty or its content moves on in this cycle.
  logic s1_valid_q, s2_valid_q;
  logic s1_load, s2_load;
  assign s2_load = !s2_valid_q || ready_i;
  assign s1_load = !s1_valid_q || s2_load;

  // Stage 1: first value and stride of each slice. In context_restorer the words come last, so that
  // each is chosen in one step.
  logic       random, dead;
  logic [2:0] pag, uniform, strided;  // with PAG 8, 16 and 32
  assign random  = pattern_i == Random;
  assign dead    = pattern_i == Dead;
  assign pag     = {pag_i[1], pag_i == 2'd1, pag_i == 2'd0};
  assign uniform = (pattern_i == Uniform) ? pag : 3'd0;
  assign strided = (pattern_i == Strided) ? pag : 3'd0;

  logic [Lanes*32-1:0] s1_word_d;
  for (genvar s = 0; s < Slices; s++) begin : gen_slice
    localparam int unsigned Size = (8 * s + 8 <= Lanes) ? 8 : Lanes - 8 * s;
    logic [31:0] base, step, skip_8, skip_16;
    always_comb begin
      base    = dead ? Poison : 32'h0;
      step    = 32'h0;
      skip_8  = 32'h0;
      skip_16 = 32'h0;
      // Its group with 8, 16 and 32 lanes a group is s >> g.
      for (int unsigned g = 0; g < 3; g++) begin
        base = base | ({32{uniform[g]}} & word_i[32*(s>>g) +: 32])
                    | ({32{strided[g]}} & word_i[32*2*(s>>g) +: 32]);
        step = step | ({32{strided[g]}} & word_i[32*(2*(s>>g)+1) +: 32]);
        if (g >= 1 && s % 2 == 1) begin
          skip_8 = skip_8 | ({32{strided[g]}} & (word_i[32*(2*(s>>g)+1) +: 32] << 3));
        end
        if (g == 2 && s % 4 >= 2) begin
          skip_16 = {32{strided[g]}} & (word_i[32*(2*(s>>g)+1) +: 32] << 4);
        end
      end
    end
    assign s1_word_d[32*8*s +: 32] = (random ? word_i[32*8*s +: 32] : 32'h0) |
                                     (base + skip_8 + skip_16);
    if (Size > 1) begin : gen_stride
      assign s1_word_d[32*(8*s+1) +: 32] = (random ? word_i[32*(8*s+1) +: 32] : 32'h0) | step;
    end else begin : gen_no_stride
      logic unused_step;
      assign unused_step = ^step;
    end
    if (Size > 2) begin : gen_rest
      assign s1_word_d[32*(8*s+2) +: 32*(Size-2)] = word_i[32*(8*s+2) +: 32*(Size-2)];
    end
  end

  logic [5:0]          s1_tag_q;
  logic                s1_random_q;
  logic [Lanes*32-1:0] s1_word_q;
  logic                fault_q;

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
      s1_random_q <= random;
      s1_word_q   <= s1_word_d;
    end
  end

  // Stage 2: the lanes of each slice.
  logic [Lanes*32-1:0] lane_d;
  for (genvar s = 0; s < Slices; s++) begin : gen_expand
    localparam int unsigned Size = (8 * s + 8 <= Lanes) ? 8 : Lanes - 8 * s;
    logic [31:0] first;
    assign first = s1_word_q[32*8*s +: 32];
    assign lane_d[32*8*s +: 32] = first;
    for (genvar i = 1; i < Size; i++) begin : gen_lane
      logic [31:0] step, offset;
      assign step   = s1_word_q[32*(8*s+1) +: 32];
      assign offset = (((i & 1) != 0 ? step : 32'h0) + ((i & 2) != 0 ? step << 1 : 32'h0)) +
                      ((i & 4) != 0 ? step << 2 : 32'h0);
      assign lane_d[32*(8*s+i) +: 32] = s1_random_q ? s1_word_q[32*(8*s+i) +: 32]
                                                    : first + offset;
    end
  end

  logic [5:0]          s2_tag_q;
  logic [Lanes*32-1:0] s2_lane_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s2_valid_q <= 1'b0;
      s2_tag_q   <= '0;
      s2_lane_q  <= '0;
    end else if (s2_load) begin
      s2_valid_q <= s1_valid_q;
      if (s1_valid_q) begin
        s2_tag_q  <= s1_tag_q;
        s2_lane_q <= lane_d;
      end
    end
  end

  assign ready_o = s1_load;
  assign valid_o = s2_valid_q;
  assign tag_o   = s2_tag_q;
  assign lane_o  = s2_lane_q;
  assign fault_o = fault_q;

endmodule
