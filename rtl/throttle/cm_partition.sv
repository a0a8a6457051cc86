// SPDX-License-Identifier: Apache-2.0
// cm_partition: the two stall counters of one memory partition, for concurrency_manager.
//
// read_i takes their values away: in that cycle they begin anew with the stalls of the same cycle, so
// no stall is lost and each counter covers exactly the cycles between two reads. They saturate at
// 1,023.
//
// Source: Kayiran V (two 10-bit counters a partition).
module cm_partition (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,
  input  logic       read_i,
  input  logic       stall_mc_i,
  input  logic       stall_net_i,
  output logic [9:0] mc_o,
  output logic [9:0] net_o
);

  logic [9:0] mc_q, mc_d, net_q, net_d;

  always_comb begin
    mc_d  = mc_q;
    net_d = net_q;
    if (start_i) begin
      mc_d  = 10'd0;
      net_d = 10'd0;
    end else if (read_i) begin
      mc_d  = 10'(stall_mc_i);
      net_d = 10'(stall_net_i);
    end else begin
      if (stall_mc_i && mc_q != '1)   mc_d  = mc_q + 10'd1;
      if (stall_net_i && net_q != '1) net_d = net_q + 10'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mc_q  <= 10'd0;
      net_q <= 10'd0;
    end else begin
      mc_q  <= mc_d;
      net_q <= net_d;
    end
  end

  assign mc_o  = mc_q;
  assign net_o = net_q;

endmodule
