// SPDX-License-Identifier: Apache-2.0
// An adapter: serial_classifier behind the pins of block reg_compressor.
//
// The block's protocol can wait on both sides, so all that an implementation of another timing needs
// is to be not ready while it works. Model and RTL then differ in their cycles and agree in what is
// transferred:
//
//   warpref cosim reg_compressor --transfers --rtl examples/rtl/reg_compressor_serial.sv
//     --top reg_compressor_serial
module reg_compressor_serial #(
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

  logic start;
  assign start = valid_i && ready_o;

  serial_classifier #(
    .Lanes(Lanes)
  ) u_core (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start),
    .pag_i    (pag_i == 2'd3 ? 2'd2 : pag_i),
    .lane_i   (lane_i),
    .taken_i  (ready_i),
    .idle_o   (ready_o),
    .done_o   (valid_o),
    .pattern_o(pattern_o),
    .count_o  (count_o),
    .word_o   (word_o)
  );

  // What the core does not know: whose register it is, and the protocol's fault.
  logic [5:0] tag_q;
  logic       fault_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tag_q   <= 6'd0;
      fault_q <= 1'b0;
    end else if (start) begin
      tag_q   <= tag_i;
      fault_q <= fault_q || pag_i == 2'd3;
    end
  end
  assign tag_o   = tag_q;
  assign fault_o = fault_q;

endmodule
