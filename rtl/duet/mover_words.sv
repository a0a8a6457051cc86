// SPDX-License-Identifier: Apache-2.0
// mover_words: the data path of context_mover: one line that is filled or emptied, and one row.
//
//   pack   a row's words, rotated to where the window's end: the line, and what is left over of it
//   take   the words of a register out of a line and the one behind it, rotated down; of each slice of
//          eight lanes, the smallest group, the first lane of its group and the step, or its lanes;
//          a cycle later its own first lane:
//
//            whole   out_q[i] is lane i
//            else    out_q[8s] is the first lane of slice s, behind it one, three, five and seven steps
//
// So a lane is a sum of two behind out_q, and nothing is multiplied.
module mover_words #(
  parameter int unsigned Lanes = 32  // 8, 16 or 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [1:0]               group_i,
  input  logic [Lanes*32-1:0]      home_i,
  input  logic [Lanes*32-1:0]      away_i,
  input  logic                     pack_i,       // the row in home_i, of this kind, goes to this word
  input  logic [1:0]               pack_kind_i,
  input  logic [$clog2(Lanes)-1:0] pack_word_i,
  input  logic                     pack_full_i,  // it fills the line
  input  logic                     take_i,       // a line, or words, are taken
  input  logic                     out_i,        // what was taken goes on
  input  logic                     take_new_i,   // a line is there,
  input  logic                     take_home_i,  // in home_i
  input  logic [1:0]               take_kind_i,
  input  logic [$clog2(Lanes)-1:0] take_word_i,
  output logic [Lanes*32-1:0]      window_o,
  output logic [Lanes*32-1:0]      line_o,       // of pack
  output logic [Lanes*32-1:0]      row_o         // lanes
);

  localparam int unsigned Slices = Lanes / 8;
  localparam int unsigned WordW  = $clog2(Lanes);
  localparam logic [1:0] Uniform = 2'd1, Strided = 2'd2, Whole = 2'd3;

  logic [Lanes*32-1:0] window_q, window_d;
  logic [2:0]          group;  // of 8, 16, 32 lanes
  assign group = {group_i[1], group_i == 2'd1, group_i == 2'd0};

  // The words that are kept of a row, the others 0.
  logic                pack_whole;
  logic [2:0]          pack_uniform, pack_strided;
  logic [Slices*32-1:0] step;
  logic [Lanes*32-1:0] word;
  assign pack_whole   = pack_kind_i == Whole;
  assign pack_uniform = pack_kind_i == Uniform ? group : 3'd0;
  assign pack_strided = pack_kind_i == Strided ? group : 3'd0;
  for (genvar s = 0; s < Slices; s++) begin : gen_step
    assign step[32*s +: 32] = home_i[32*(8*s+1) +: 32] - home_i[32*8*s +: 32];
  end
  always_comb begin
    word = {Lanes*32{pack_whole}} & home_i;
    // Slice s begins group s >> g where it is a multiple of the slices of a group, or is the only one.
    for (int unsigned g = 0; g < 3; g++) begin
      for (int unsigned s = 0; s < Slices; s++) begin
        if (s % (1 << g) == 0) begin
          word[32*(s>>g) +: 32]       = word[32*(s>>g) +: 32] | ({32{pack_uniform[g]}} & home_i[32*8*s +: 32]);
          word[32*(2*(s>>g)) +: 32]   = word[32*(2*(s>>g)) +: 32] | ({32{pack_strided[g]}} & home_i[32*8*s +: 32]);
          word[32*(2*(s>>g)+1) +: 32] = word[32*(2*(s>>g)+1) +: 32] | ({32{pack_strided[g]}} & step[32*s +: 32]);
        end
      end
    end
  end

  logic [Lanes*32-1:0] put;      // rotated up
  logic [Lanes-1:0]    ahead;    // words of the window
  assign ahead = ~({Lanes{1'b1}} << pack_word_i);
  always_comb begin
    put = word;
    for (int unsigned k = 0; k < WordW; k++) begin
      if (pack_word_i[k]) put = (put << (32 << k)) | (put >> (32 * (Lanes - (1 << k))));
    end
  end

  // The words of a register.
  logic                take_whole;
  logic [2:0]          take_uniform, take_strided;
  logic [Lanes*32-1:0] lower, joined, got;
  logic [Lanes-1:0]    gone;     // words of the lower line that are not the register's
  assign take_whole   = take_kind_i == Whole;
  assign take_uniform = take_kind_i == Uniform ? group : 3'd0;
  assign take_strided = take_kind_i == Strided ? group : 3'd0;
  assign lower        = !take_new_i ? window_q : take_home_i ? home_i : away_i;
  assign gone         = ~({Lanes{1'b1}} << take_word_i);
  for (genvar p = 0; p < Lanes; p++) begin : gen_joined
    assign joined[32*p +: 32] = gone[p] ? window_q[32*p +: 32] : lower[32*p +: 32];
  end
  always_comb begin
    got = joined;
    for (int unsigned k = 0; k < WordW; k++) begin
      if (take_word_i[k]) got = (got >> (32 << k)) | (got << (32 * (Lanes - (1 << k))));
    end
  end

  // First lane and step of the group of each slice, and how many slices of it are before.
  logic                row_whole_q;
  logic [1:0]          row_skip_q;  // they count: one of every second slice, two of every second pair
  logic [Lanes*32-1:0] row_q, row_d;
  logic                out_whole_q;
  logic [Lanes*32-1:0] out_q, out_d;
  for (genvar s = 0; s < Slices; s++) begin : gen_slice
    logic [31:0] first, stride;
    always_comb begin
      first  = 32'd0;
      stride = 32'd0;
      for (int unsigned g = 0; g < 3; g++) begin
        first  = first | ({32{take_uniform[g]}} & got[32*(s>>g) +: 32])
                       | ({32{take_strided[g]}} & got[32*2*(s>>g) +: 32]);
        stride = stride | ({32{take_strided[g]}} & got[32*(2*(s>>g)+1) +: 32]);
      end
    end
    assign row_d[32*8*s +: 32]      = take_whole ? got[32*8*s +: 32] : first;
    assign row_d[32*(8*s+1) +: 32]  = take_whole ? got[32*(8*s+1) +: 32] : stride;
    assign row_d[32*(8*s+2) +: 192] = got[32*(8*s+2) +: 192];
    logic [31:0] begins, rises, skip_8, skip_16;
    assign begins  = row_q[32*8*s +: 32];
    assign rises   = row_q[32*(8*s+1) +: 32];
    assign skip_8  = (s % 2 == 1 && row_skip_q[0]) ? rises << 3 : 32'd0;
    assign skip_16 = (s % 4 >= 2 && row_skip_q[1]) ? rises << 4 : 32'd0;
    // Three, five and seven steps, where lanes 2 to 4 would stand: then a lane is a sum of two.
    assign out_d[32*8*s +: 32]      = row_whole_q ? begins : begins + skip_8 + skip_16;
    assign out_d[32*(8*s+1) +: 32]  = rises;
    assign out_d[32*(8*s+2) +: 32]  = row_whole_q ? row_q[32*(8*s+2) +: 32] : rises + (rises << 1);
    assign out_d[32*(8*s+3) +: 32]  = row_whole_q ? row_q[32*(8*s+3) +: 32] : rises + (rises << 2);
    assign out_d[32*(8*s+4) +: 32]  = row_whole_q ? row_q[32*(8*s+4) +: 32] : (rises << 3) - rises;
    assign out_d[32*(8*s+5) +: 96]  = row_q[32*(8*s+5) +: 96];
    logic [31:0] one, three, five, seven;
    assign {seven, five, three, one} = out_q[32*(8*s+1) +: 128];
    logic [223:0] rise;  // of lanes 1 to 7
    assign rise = {seven, three << 1, five, one << 2, three, one << 1, one};
    assign row_o[32*8*s +: 32] = out_q[32*8*s +: 32];
    for (genvar i = 1; i < 8; i++) begin : gen_lane
      assign row_o[32*(8*s+i) +: 32] = out_whole_q ? out_q[32*(8*s+i) +: 32] :
                                       out_q[32*8*s +: 32] + rise[32*(i-1) +: 32];
    end
  end

  // The window: what is before it and the words put there, or what is left over behind a full line.
  for (genvar p = 0; p < Lanes; p++) begin : gen_window
    assign line_o[32*p +: 32]   = ahead[p] ? window_q[32*p +: 32] : put[32*p +: 32];
    assign window_d[32*p +: 32] = take_i ? lower[32*p +: 32] :
                                  pack_full_i ? (ahead[p] ? put[32*p +: 32] : 32'd0) : line_o[32*p +: 32];
  end
  assign window_o = window_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      window_q <= '0;
    end else if (take_i || pack_i) begin
      window_q <= window_d;
    end
  end

  // Without reset: masked until taken.
  always_ff @(posedge clk_i) begin
    if (out_i) begin
      out_q       <= out_d;
      out_whole_q <= row_whole_q;
    end
    if (take_i) begin
      row_q       <= row_d;
      row_whole_q <= take_whole;
      row_skip_q  <= {group[2], group[1] || group[2]};
    end
  end

endmodule
