// SPDX-License-Identifier: Apache-2.0
// concurrency_manager: CM-CPU and CM-BAL in their three places.
//
// This module is the part at the CTA scheduler (interval counter, sums, thresholds, Part 1) and the
// wiring; cm_partition stands at each memory partition, cm_core in each GPU core. Partitions are read
// one a cycle at the head of an interval, so one adder a sum is enough; behind the last comes the
// decision.
//
//   cyc_q   0    1    ...  Parts-1  Parts     Parts+1
//   read    p0   p1        last     cores
//   sum     p0   +p1       complete ---> Part 1 ---> limits
//
// Source: Kayiran 4.1, 4.2, V, Fig. 11.
module concurrency_manager #(
  parameter int unsigned Cores    = 28,   // 1 to 32
  parameter int unsigned Parts    = 8,    // 1 to 8
  parameter int unsigned Interval = 1024  // 16 to 1024
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,
  input  logic               balance_i,
  input  logic               load_i,
  input  logic [12:0]        th_high_i,
  input  logic [12:0]        th_low_i,
  input  logic               cut_i,
  input  logic [1:0]         k_i,
  input  logic [Parts-1:0]   stall_mc_i,
  input  logic [Parts-1:0]   stall_net_i,
  input  logic [Cores*2-1:0] stall_core_i,
  input  logic [4:0]         core_i,
  input  logic [3:0]         level_i,
  output logic [Cores*6-1:0] limit_o,
  output logic               decide_o,
  output logic [1:0]         part1_o,
  output logic [12:0]        sum_mc_o,
  output logic [12:0]        sum_net_o,
  output logic [4:0]         limit0_o,
  output logic [4:0]         limit1_o,
  output logic [10:0]        avg_o,
  output logic               avg_valid_o,
  output logic [10:0]        stall_o,
  output logic [1:0]         run_o,
  output logic               fault_o
);

  if (Cores < 1 || Cores > 32 || Parts < 1 || Parts > 8) begin : gen_bad_size
    $fatal(1, "concurrency_manager: Cores 1 to 32, Parts 1 to 8");
  end
  if (Interval < 16 || Interval > 1024) begin : gen_bad_interval
    $fatal(1, "concurrency_manager: Interval 16 to 1024");
  end

  logic [9:0]  cyc_q, cyc_d;
  logic        later_q, later_d;      // an interval has ended since start
  logic        balance_q, balance_d;
  logic [12:0] th_high_q, th_high_d, th_low_q, th_low_d;
  logic [12:0] sum_mc_q, sum_mc_d, sum_net_q, sum_net_d;
  logic        fault_q, fault_d;

  logic read_cores, gathers, decide, ends;
  assign read_cores = cyc_q == 10'(Parts);
  assign gathers    = cyc_q <= 10'(Parts);
  assign decide     = read_cores && later_q;
  assign ends       = (cut_i && !gathers) || cyc_q == 10'(Interval - 1);

  logic mc_high, net_high, mc_low, net_low, reduce, increase;
  assign mc_high  = sum_mc_q >= th_high_q;
  assign net_high = sum_net_q >= th_high_q;
  assign mc_low   = sum_mc_q < th_low_q;
  assign net_low  = sum_net_q < th_low_q;
  assign reduce   = mc_high || net_high;
  assign increase = mc_low && net_low && !reduce;

  // k = (code + 1) Interval / 32, a constant for each code.
  logic [7:0] k;
  always_comb begin
    unique case (k_i)
      2'd0:    k = 8'(Interval / 32);
      2'd1:    k = 8'(Interval / 16);
      2'd2:    k = 8'(3 * Interval / 32);
      default: k = 8'(Interval / 8);
    endcase
  end

  // Memory partitions, read in turn.
  logic [Parts*10-1:0] mc_q, net_q;
  logic [9:0]          mc_read, net_read;
  for (genvar p = 0; p < Parts; p++) begin : gen_partition
    cm_partition u_partition (
      .clk_i,
      .rst_ni,
      .start_i,
      .read_i     (cyc_q == 10'(p)),
      .stall_mc_i (stall_mc_i[p]),
      .stall_net_i(stall_net_i[p]),
      .mc_o       (mc_q[10*p +: 10]),
      .net_o      (net_q[10*p +: 10])
    );
  end
  always_comb begin
    mc_read  = 10'd0;
    net_read = 10'd0;
    for (int unsigned p = 0; p < Parts; p++) begin
      if (cyc_q == 10'(p)) begin
        mc_read  = mc_q[10*p +: 10];
        net_read = net_q[10*p +: 10];
      end
    end
  end

  // GPU cores.
  logic [Cores*11-1:0] stall, avg;
  logic [Cores*2-1:0]  run;
  logic [Cores-1:0]    avg_valid, too_many;
  for (genvar c = 0; c < Cores; c++) begin : gen_core
    assign too_many[c] = &stall_core_i[2*c +: 2];
    cm_core u_core (
      .clk_i,
      .rst_ni,
      .start_i,
      .read_i     (read_cores),
      .decide_i   (decide),
      .balance_i  (balance_q),
      .reduce_i   (reduce),
      .increase_i (increase),
      .k_i        (k),
      .stall_i    ({stall_core_i[2*c+1], stall_core_i[2*c] && !too_many[c]}),
      .level_i,
      .limit_o    (limit_o[6*c +: 6]),
      .stall_o    (stall[11*c +: 11]),
      .run_o      (run[2*c +: 2]),
      .avg_o      (avg[11*c +: 11]),
      .avg_valid_o(avg_valid[c])
    );
  end

  // The read port.
  always_comb begin
    limit0_o    = 5'd0;
    limit1_o    = 5'd0;
    avg_o       = 11'd0;
    avg_valid_o = 1'b0;
    stall_o     = 11'd0;
    run_o       = 2'd0;
    for (int unsigned c = 0; c < Cores; c++) begin
      if (core_i == 5'(c)) begin
        limit1_o    = limit_o[6*c+1 +: 5];
        limit0_o    = limit_o[6*c+1 +: 5] + 5'(limit_o[6*c]);
        avg_o       = avg[11*c +: 11];
        avg_valid_o = avg_valid[c];
        stall_o     = stall[11*c +: 11];
        run_o       = run[2*c +: 2];
      end
    end
  end

  always_comb begin
    cyc_d     = ends ? 10'd0 : cyc_q + 10'd1;
    later_d   = later_q || ends;
    balance_d = balance_q;
    th_high_d = th_high_q;
    th_low_d  = th_low_q;
    sum_mc_d  = sum_mc_q;
    sum_net_d = sum_net_q;
    fault_d   = fault_q || too_many != '0 || (cut_i && gathers && !start_i) ||
                (load_i && th_low_i > th_high_i);
    if (cyc_q < 10'(Parts)) begin
      sum_mc_d  = ((cyc_q == 10'd0) ? 13'd0 : sum_mc_q) + 13'(mc_read);
      sum_net_d = ((cyc_q == 10'd0) ? 13'd0 : sum_net_q) + 13'(net_read);
    end
    if (load_i) begin
      th_high_d = th_high_i;
      th_low_d  = th_low_i;
    end
    if (start_i) begin
      cyc_d     = 10'd0;
      later_d   = 1'b0;
      balance_d = balance_i;
      sum_mc_d  = 13'd0;
      sum_net_d = 13'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cyc_q     <= 10'd0;
      later_q   <= 1'b0;
      balance_q <= 1'b1;
      th_high_q <= 13'(Interval);
      th_low_q  <= 13'(Interval / 4);
      sum_mc_q  <= 13'd0;
      sum_net_q <= 13'd0;
      fault_q   <= 1'b0;
    end else begin
      cyc_q     <= cyc_d;
      later_q   <= later_d;
      balance_q <= balance_d;
      th_high_q <= th_high_d;
      th_low_q  <= th_low_d;
      sum_mc_q  <= sum_mc_d;
      sum_net_q <= sum_net_d;
      fault_q   <= fault_d;
    end
  end

  assign decide_o  = decide;
  assign part1_o   = !decide ? 2'd0 : reduce ? 2'd2 : increase ? 2'd1 : 2'd0;
  assign sum_mc_o  = sum_mc_q;
  assign sum_net_o = sum_net_q;
  assign fault_o   = fault_q;

endmodule
