// SPDX-License-Identifier: Apache-2.0
// The work of reg_compressor with one subtractor and one comparator: a lane a cycle.
//
// A register is started and held in place; its lanes go round once, the lowest with its neighbour
// through the subtractor. A group's first difference is kept as its stride, and every other one of the
// group must equal it. Behind Lanes cycles the lanes stand as they came and are the words of a random
// register; bases are lanes at fixed places. So the result needs no second copy of the register.
//
//   idle --start--> scan, Lanes cycles --> done --taken--> idle
//
// Its pins are its own: reg_compressor_serial.sv puts it behind the block's.
module serial_classifier #(
  parameter int unsigned Lanes = 32  // 8 to 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,  // while idle
  input  logic [1:0]          pag_i,    // 0 to 2
  input  logic [Lanes*32-1:0] lane_i,
  input  logic                taken_i,  // while done
  output logic                idle_o,
  output logic                done_o,
  output logic [1:0]          pattern_o,
  output logic [6:0]          count_o,
  output logic [Lanes*32-1:0] word_o
);

  localparam int unsigned Slices = (Lanes + 7) / 8;
  localparam logic [1:0] Uniform = 2'b01;
  localparam logic [1:0] Random  = 2'b10;
  localparam logic [1:0] Strided = 2'b11;

  logic                 scan_q, done_q;
  logic [5:0]           index_q;
  logic [1:0]           pag_q;
  logic [Lanes*32-1:0]  lane_q;
  logic [31:0]          step_q;    // first difference of the present group
  logic [Slices*32-1:0] stride_q;  // that of each group
  logic                 random_q, strided_q;

  // The difference at the lowest lane, and what it is to its group.
  logic [31:0] diff;
  logic [4:0]  mask;   // of the lane's place, the bits inside its group
  logic        first, last, end_of_lanes;
  logic [2:0]  group;
  assign diff         = lane_q[63:32] - lane_q[31:0];
  assign mask         = {pag_q[1], pag_q != 2'd0, 3'b111};
  assign end_of_lanes = index_q == 6'(Lanes - 1);
  assign first        = (index_q[4:0] & mask) == 5'd0;
  assign last         = (index_q[4:0] & mask) == mask || end_of_lanes;
  assign group        = index_q[5:3] >> pag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scan_q  <= 1'b0;
      done_q  <= 1'b0;
      index_q <= 6'd0;
    end else if (idle_o) begin
      scan_q  <= start_i;
      index_q <= 6'd0;
    end else if (scan_q) begin
      scan_q  <= !end_of_lanes;
      done_q  <= end_of_lanes;
      index_q <= index_q + 6'd1;
    end else if (taken_i) begin
      done_q <= 1'b0;
    end
  end

  // Without reset: nothing until done.
  always_ff @(posedge clk_i) begin
    if (idle_o) begin
      if (start_i) lane_q <= lane_i;
      pag_q     <= pag_i;
      random_q  <= 1'b0;
      strided_q <= 1'b0;
    end else if (scan_q) begin
      lane_q <= {lane_q[31:0], lane_q[Lanes*32-1:32]};
      if (first) begin
        step_q    <= diff;
        strided_q <= strided_q || (!last && diff != 32'd0);
      end else if (!last) begin
        random_q <= random_q || diff != step_q;
      end
    end
  end
  for (genvar g = 0; g < Slices; g++) begin : gen_stride
    always_ff @(posedge clk_i) begin
      if (scan_q && first && group == 3'(g)) stride_q[32*g +: 32] <= last ? 32'd0 : diff;
    end
  end

  // Words. A group that does not exist reads as 0.
  logic [6:0]           groups;
  logic [Slices*32-1:0] base, stride;
  for (genvar g = 0; g < Slices; g++) begin : gen_group
    logic [31:0] base16, base32;
    if (16 * g < Lanes) begin : gen_16
      assign base16 = lane_q[32*16*g +: 32];
    end else begin : gen_no_16
      assign base16 = 32'd0;
    end
    if (32 * g < Lanes) begin : gen_32
      assign base32 = lane_q[32*32*g +: 32];
    end else begin : gen_no_32
      assign base32 = 32'd0;
    end
    assign base[32*g +: 32]   = pag_q == 2'd0 ? lane_q[32*8*g +: 32]
                              : pag_q == 2'd1 ? base16 : base32;
    assign stride[32*g +: 32] = 7'(g) < groups ? stride_q[32*g +: 32] : 32'd0;
  end

  always_comb begin
    unique case (pag_q)
      2'd0:    groups = 7'(Slices);
      2'd1:    groups = 7'((Slices + 1) / 2);
      default: groups = 7'((Slices + 3) / 4);
    endcase
  end
  assign pattern_o = random_q ? Random : strided_q ? Strided : Uniform;
  assign count_o   = random_q ? 7'(Lanes) : strided_q ? groups << 1 : groups;

  for (genvar w = 0; w < Lanes; w++) begin : gen_word
    logic [31:0] lane, uniform, strided;
    assign lane = lane_q[32*w +: 32];
    if (w < Slices) begin : gen_uniform
      assign uniform = base[32*w +: 32];
    end else begin : gen_no_uniform
      assign uniform = 32'd0;
    end
    if (w >= 2 * Slices) begin : gen_no_strided
      assign strided = 32'd0;
    end else if (w % 2 == 0) begin : gen_base
      assign strided = base[32*(w/2) +: 32];
    end else begin : gen_step
      assign strided = stride[32*(w/2) +: 32];
    end
    assign word_o[32*w +: 32] = random_q ? lane : strided_q ? strided : uniform;
  end

  assign idle_o = !scan_q && !done_q;
  assign done_o = done_q;

endmodule
