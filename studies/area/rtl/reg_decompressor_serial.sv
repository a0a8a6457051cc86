// SPDX-License-Identifier: Apache-2.0
// Block reg_decompressor, Step lanes a cycle: one register under way, Step adders instead of one for each lane.
//
// The words of a random register are its lanes, and done when they have come. Of another one bases and strides go
// into a short row, the present group's in front, and Lanes / Step cycles push its lanes into the register from
// above, the oldest down, until lane 0 is lowest:
//
//   row   base 0, stride 0, base 1, ...   moves on by 1 (uniform) or 2 (strided) words behind a group
//   value base at the first lane of a group, then the last value + Step strides
//
//   warpref cosim reg_decompressor --transfers --rtl studies/area/rtl/reg_decompressor_serial.sv
//     --top reg_decompressor_serial --rtl-param Step=4
module reg_decompressor_serial #(
  parameter int unsigned Lanes  = 32,  // 8 to 64, a multiple of Step
  parameter logic [31:0] Poison = 32'hdeadbeef,
  parameter int unsigned Step   = 1    // 1, 2, 4 or 8
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

  localparam int unsigned Row = 2 * ((Lanes + 7) / 8);  // words
  localparam logic [1:0] Dead    = 2'b00;
  localparam logic [1:0] Random  = 2'b10;
  localparam logic [1:0] Strided = 2'b11;

  if (Lanes % Step != 0 || 8 % Step != 0) begin : gen_bad_step
    $fatal(1, "reg_decompressor_serial: Step must be 1, 2, 4 or 8 and divide Lanes");
  end

  logic scan_q, done_q, fault_q, dead_q, strided_q;
  logic [5:0]          index_q, tag_q;  // index: the lane that comes next, a multiple of Step
  logic [1:0]          pag_q;
  logic [Row*32-1:0]   row_q;
  logic [31:0]         value_q;
  logic [Lanes*32-1:0] lane_q;

  logic       take, first, last, ends;
  logic [4:0] mask;  // of a lane's index, its place in its group
  assign ready_o = !scan_q && (!done_q || ready_i);
  assign take    = valid_i && ready_o;
  assign mask    = {pag_q[1], pag_q != 2'd0, 3'b111};
  assign first   = (index_q[4:0] & mask) == 5'd0;
  assign ends    = ((index_q[4:0] | 5'(Step - 1)) & mask) == mask;
  assign last    = index_q == 6'(Lanes - Step);

  logic [31:0]        value, stride, next;
  logic [Step*32-1:0] lanes;
  assign value  = dead_q ? Poison : first ? row_q[31:0] : value_q;
  assign stride = strided_q ? row_q[63:32] : 32'h0;
  assign next   = value + stride * Step;
  for (genvar i = 0; i < Step; i++) begin : gen_lane
    logic [31:0] offset;
    assign offset = (((i & 1) != 0 ? stride : 32'h0) + ((i & 2) != 0 ? stride << 1 : 32'h0)) +
                    ((i & 4) != 0 ? stride << 2 : 32'h0);
    assign lanes[32*i +: 32] = value + offset;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scan_q  <= 1'b0;
      done_q  <= 1'b0;
      fault_q <= 1'b0;
      index_q <= 6'd0;
    end else begin
      if (take) begin
        scan_q  <= pattern_i != Random;
        done_q  <= pattern_i == Random;
        fault_q <= fault_q || pag_i == 2'd3;
        index_q <= 6'd0;
      end else if (scan_q) begin
        scan_q  <= !last;
        done_q  <= last;
        index_q <= index_q + 6'(Step);
      end else if (ready_i) begin
        done_q <= 1'b0;
      end
    end
  end

  // Without reset: nothing of it counts until done.
  always_ff @(posedge clk_i) begin
    if (take) begin
      tag_q     <= tag_i;
      pag_q     <= pag_i == 2'd3 ? 2'd2 : pag_i;
      dead_q    <= pattern_i == Dead;
      strided_q <= pattern_i == Strided;
      row_q     <= word_i[Row*32-1:0];
      lane_q    <= word_i;
    end else if (scan_q) begin
      value_q <= next;
      lane_q  <= (Lanes*32)'({lanes, lane_q} >> (32 * Step));
      if (ends) row_q <= strided_q ? row_q >> 64 : row_q >> 32;
    end
  end

  assign valid_o = done_q;
  assign tag_o   = tag_q;
  assign lane_o  = lane_q;
  assign fault_o = fault_q;

endmodule
