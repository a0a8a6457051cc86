// SPDX-License-Identifier: Apache-2.0
// utilisation_adder: what the SMs and the memory partitions do in a cycle, added up for throughput_monitor.
//
//   issued, l1, up of each SM      --> clip --> tree --> issued_q, l1_q, up_q
//   down, l2, dram of each part    --> clip --> tree --> down_q, l2_q, dram_q
//   cycles of the clocks, start, stop, cut ------------> *_q
//
// One register stands behind everything, so that all outputs are of one cycle. Each sum is just as wide as
// full use asks for.
//
// Source: Lin-D 3.6.4, Table 3.3.
module utilisation_adder #(
  parameter int unsigned Sms    = 16,  // 1 to 32
  parameter int unsigned Scheds = 4,   // 1 to 4
  parameter int unsigned Parts  = 16   // 1 to 32
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,
  input  logic               stop_i,
  input  logic               cut_i,
  input  logic [Sms*3-1:0]   issued_i,
  input  logic [Sms-1:0]     l1_i,
  input  logic [1:0]         noc_cycles_i,
  input  logic [Sms*2-1:0]   up_i,
  input  logic [Parts*2-1:0] down_i,
  input  logic [1:0]         l2_cycles_i,
  input  logic [Parts*2-1:0] l2_i,
  input  logic [1:0]         dram_cycles_i,
  input  logic [Parts*2-1:0] dram_i,
  output logic               start_o,
  output logic               stop_o,
  output logic               cut_o,
  output logic [7:0]         issued_o,
  output logic [5:0]         l1_o,
  output logic [1:0]         noc_cycles_o,
  output logic [6:0]         up_o,
  output logic [6:0]         down_o,
  output logic [1:0]         l2_cycles_o,
  output logic [6:0]         l2_o,
  output logic [1:0]         dram_cycles_o,
  output logic [6:0]         dram_o,
  output logic               fault_o
);

  localparam int unsigned IssueW = $clog2(Sms * Scheds + 1);
  localparam int unsigned L1W    = $clog2(Sms + 1);
  localparam int unsigned UpW    = $clog2(3 * Sms + 1);
  localparam int unsigned PartW  = $clog2(3 * Parts + 1);

  if (Sms < 1 || Sms > 32 || Scheds < 1 || Scheds > 4 || Parts < 1 || Parts > 32) begin : gen_bad_size
    $fatal(1, "utilisation_adder: Sms and Parts 1 to 32, Scheds 1 to 4");
  end

  logic              start_q, stop_q, cut_q;
  logic [IssueW-1:0] issued_q, issued_d;
  logic [L1W-1:0]    l1_q, l1_d;
  logic [UpW-1:0]    up_q, up_d;
  logic [PartW-1:0]  down_q, down_d, l2_q, l2_d, dram_q, dram_d;
  logic [1:0]        noc_cycles_q, l2_cycles_q, dram_cycles_q;
  logic              fault_q, fault_d;

  logic [5:0] over;
  clipped_sum #(.N(Sms), .W(3), .SumW(IssueW)) u_issued (
    .x_i(issued_i), .most_i(3'(Scheds)), .sum_o(issued_d), .over_o(over[0])
  );
  clipped_sum #(.N(Sms), .W(1), .SumW(L1W)) u_l1 (
    .x_i(l1_i), .most_i(1'b1), .sum_o(l1_d), .over_o(over[1])
  );
  clipped_sum #(.N(Sms), .W(2), .SumW(UpW)) u_up (
    .x_i(up_i), .most_i(noc_cycles_i), .sum_o(up_d), .over_o(over[2])
  );
  clipped_sum #(.N(Parts), .W(2), .SumW(PartW)) u_down (
    .x_i(down_i), .most_i(noc_cycles_i), .sum_o(down_d), .over_o(over[3])
  );
  clipped_sum #(.N(Parts), .W(2), .SumW(PartW)) u_l2 (
    .x_i(l2_i), .most_i(l2_cycles_i), .sum_o(l2_d), .over_o(over[4])
  );
  clipped_sum #(.N(Parts), .W(2), .SumW(PartW)) u_dram (
    .x_i(dram_i), .most_i(dram_cycles_i), .sum_o(dram_d), .over_o(over[5])
  );
  assign fault_d = fault_q || over != 6'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q       <= 1'b0;
      stop_q        <= 1'b0;
      cut_q         <= 1'b0;
      issued_q      <= '0;
      l1_q          <= '0;
      noc_cycles_q  <= 2'd0;
      up_q          <= '0;
      down_q        <= '0;
      l2_cycles_q   <= 2'd0;
      l2_q          <= '0;
      dram_cycles_q <= 2'd0;
      dram_q        <= '0;
      fault_q       <= 1'b0;
    end else begin
      start_q       <= start_i;
      stop_q        <= stop_i;
      cut_q         <= cut_i;
      issued_q      <= issued_d;
      l1_q          <= l1_d;
      noc_cycles_q  <= noc_cycles_i;
      up_q          <= up_d;
      down_q        <= down_d;
      l2_cycles_q   <= l2_cycles_i;
      l2_q          <= l2_d;
      dram_cycles_q <= dram_cycles_i;
      dram_q        <= dram_d;
      fault_q       <= fault_d;
    end
  end

  assign start_o       = start_q;
  assign stop_o        = stop_q;
  assign cut_o         = cut_q;
  assign issued_o      = 8'(issued_q);
  assign l1_o          = 6'(l1_q);
  assign noc_cycles_o  = noc_cycles_q;
  assign up_o          = 7'(up_q);
  assign down_o        = 7'(down_q);
  assign l2_cycles_o   = l2_cycles_q;
  assign l2_o          = 7'(l2_q);
  assign dram_cycles_o = dram_cycles_q;
  assign dram_o        = 7'(dram_q);
  assign fault_o       = fault_q;

endmodule
