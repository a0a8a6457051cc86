// SPDX-License-Identifier: Apache-2.0
// throughput_monitor: counts what the parts of a GPU deliver in a window of cycles, and classifies it.
//
// Counters run on from window to window. In the cycle behind a window (judge_q) they hold all of it:
// the comparators look at them, and each counter takes this cycle's events alone instead of adding
// them, so windows follow one another without a gap and without a copy of the counters.
//
//   events --> clip --> + --> counter_q --> product_less --> low, high, verdict
//                       ^        |               ^
//                       +- & ----+            cycles_q
//                          ~judge_q
//
// A percentage is a comparison of two products with constants, in lowest terms: below 60 % is
// 5 used < 3 possible. There is no divider and no multiplier of two variables.
//
// Source: Lin-D 3.4.1, 3.6.4, Table 3.3.
module throughput_monitor #(
  parameter int unsigned Warmup  = 10000,  // 0 to 65535
  parameter int unsigned Window  = 10000,  // 1 to 65535
  parameter int unsigned Sms     = 16,     // 1 to 32
  parameter int unsigned Scheds  = 4,      // 1 to 4
  parameter int unsigned Parts   = 16,     // 1 to 32
  parameter int unsigned Sustain = 60,     // 1 to 100
  parameter int unsigned DramSat = 70      // 1 to 100
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,
  input  logic       stop_i,
  input  logic       cut_i,
  input  logic [7:0] issued_i,
  input  logic [5:0] l1_i,
  input  logic [1:0] noc_cycles_i,
  input  logic [6:0] up_i,
  input  logic [6:0] down_i,
  input  logic [1:0] l2_cycles_i,
  input  logic [6:0] l2_i,
  input  logic [1:0] dram_cycles_i,
  input  logic [6:0] dram_i,
  output logic [1:0] state_o,
  output logic       valid_o,
  output logic [1:0] verdict_o,
  output logic [4:0] low_o,
  output logic [4:0] high_o,
  output logic       l1_idle_o,
  output logic       fault_o
);

  localparam logic [1:0] Idle = 2'd0, Warm = 2'd1, Measure = 2'd2;
  localparam logic [1:0] Under = 2'd0, Moderate = 2'd1, Saturated = 2'd2;

  // Each counter is just wide enough for a window of full use.
  localparam int unsigned Longest = (Warmup > Window) ? Warmup : Window;
  localparam int unsigned CycW    = $clog2(Longest + 1);
  localparam int unsigned IssueW  = $clog2(Sms * Scheds * Window + 1);
  localparam int unsigned L1W     = $clog2(Sms * Window + 1);
  localparam int unsigned UpW     = $clog2(3 * Sms * Window + 1);
  localparam int unsigned PartW   = $clog2(3 * Parts * Window + 1);
  localparam int unsigned TickW   = $clog2(3 * Window + 1);

  if (Warmup > 65535 || Window < 1 || Window > 65535) begin : gen_bad_cycles
    $fatal(1, "throughput_monitor: Warmup 0 to 65535, Window 1 to 65535");
  end
  if (Sms < 1 || Sms > 32 || Scheds < 1 || Scheds > 4 || Parts < 1 || Parts > 32) begin : gen_bad_size
    $fatal(1, "throughput_monitor: Sms and Parts 1 to 32, Scheds 1 to 4");
  end
  if (Sustain < 1 || Sustain > 100 || DramSat < 1 || DramSat > 100) begin : gen_bad_percent
    $fatal(1, "throughput_monitor: Sustain and DramSat 1 to 100");
  end

  logic [1:0]        state_q, state_d;
  logic              judge_q, judge_d;
  logic [CycW-1:0]   cycles_q, cycles_d;
  logic [IssueW-1:0] issued_q, issued_d;
  logic [L1W-1:0]    l1_q, l1_d;
  logic [UpW-1:0]    up_q, up_d;
  logic [PartW-1:0]  down_q, down_d, l2_q, l2_d, dram_q, dram_d;
  logic [TickW-1:0]  noc_cycles_q, noc_cycles_d, l2_cycles_q, l2_cycles_d;
  logic [TickW-1:0]  dram_cycles_q, dram_cycles_d;
  logic              valid_q, valid_d;
  logic [1:0]        verdict_q, verdict_d;
  logic [4:0]        low_q, low_d, high_q, high_d;
  logic              l1_idle_q, l1_idle_d;
  logic              fault_q, fault_d;

  // Events of this cycle, clipped to what each part can do.
  logic [6:0] up_most, part_noc_most, l2_most, dram_most;
  assign up_most       = 7'(noc_cycles_i) * 7'(Sms);
  assign part_noc_most = 7'(noc_cycles_i) * 7'(Parts);
  assign l2_most       = 7'(l2_cycles_i) * 7'(Parts);
  assign dram_most     = 7'(dram_cycles_i) * 7'(Parts);

  logic [5:0] over;
  assign over = {dram_i > dram_most, l2_i > l2_most, down_i > part_noc_most, up_i > up_most,
                 l1_i > 6'(Sms), issued_i > 8'(Sms * Scheds)};

  logic [IssueW-1:0] issued;
  logic [L1W-1:0]    l1;
  logic [UpW-1:0]    up;
  logic [PartW-1:0]  down, l2, dram;
  assign issued = over[0] ? IssueW'(Sms * Scheds) : IssueW'(issued_i);
  assign l1     = over[1] ? L1W'(Sms) : L1W'(l1_i);
  assign up     = over[2] ? UpW'(up_most) : UpW'(up_i);
  assign down   = over[3] ? PartW'(part_noc_most) : PartW'(down_i);
  assign l2     = over[4] ? PartW'(l2_most) : PartW'(l2_i);
  assign dram   = over[5] ? PartW'(dram_most) : PartW'(dram_i);

  // The window that has just ended, part by part, against its bounds. The network's are of 100 x the flits
  // that it sustains.
  logic [4:0] low, high;
  logic       l1_idle, low_up, low_down, high_up, high_down;
  product_less #(.XW(IssueW), .X(5), .YW(CycW), .Y(3 * Sms * Scheds)) u_low_issue (
    .x_i(issued_q), .y_i(cycles_q), .less_o(low[0])
  );
  product_less #(.XW(L1W), .X(5), .YW(CycW), .Y(3 * Sms)) u_low_l1 (
    .x_i(l1_q), .y_i(cycles_q), .less_o(low[1])
  );
  product_less #(.XW(UpW), .X(500), .YW(TickW), .Y(3 * Sms * Sustain)) u_low_up (
    .x_i(up_q), .y_i(noc_cycles_q), .less_o(low_up)
  );
  product_less #(.XW(PartW), .X(500), .YW(TickW), .Y(3 * Parts * Sustain)) u_low_down (
    .x_i(down_q), .y_i(noc_cycles_q), .less_o(low_down)
  );
  product_less #(.XW(PartW), .X(5), .YW(TickW), .Y(3 * Parts)) u_low_l2 (
    .x_i(l2_q), .y_i(l2_cycles_q), .less_o(low[3])
  );
  product_less #(.XW(PartW), .X(2), .YW(TickW), .Y(Parts)) u_low_dram (
    .x_i(dram_q), .y_i(dram_cycles_q), .less_o(low[4])
  );
  product_less #(.XW(CycW), .X(4 * Sms * Scheds), .YW(IssueW), .Y(5)) u_high_issue (
    .x_i(cycles_q), .y_i(issued_q), .less_o(high[0])
  );
  product_less #(.XW(CycW), .X(4 * Sms), .YW(L1W), .Y(5)) u_high_l1 (
    .x_i(cycles_q), .y_i(l1_q), .less_o(high[1])
  );
  product_less #(.XW(TickW), .X(9 * Sms * Sustain), .YW(UpW), .Y(1000)) u_high_up (
    .x_i(noc_cycles_q), .y_i(up_q), .less_o(high_up)
  );
  product_less #(.XW(TickW), .X(9 * Parts * Sustain), .YW(PartW), .Y(1000)) u_high_down (
    .x_i(noc_cycles_q), .y_i(down_q), .less_o(high_down)
  );
  product_less #(.XW(TickW), .X(4 * Parts), .YW(PartW), .Y(5)) u_high_l2 (
    .x_i(l2_cycles_q), .y_i(l2_q), .less_o(high[3])
  );
  product_less #(.XW(TickW), .X(Parts * DramSat), .YW(PartW), .Y(100)) u_high_dram (
    .x_i(dram_cycles_q), .y_i(dram_q), .less_o(high[4])
  );
  product_less #(.XW(L1W), .X(100), .YW(CycW), .Y(3 * Sms)) u_l1_idle (
    .x_i(l1_q), .y_i(cycles_q), .less_o(l1_idle)
  );
  assign low[2]  = low_up && low_down;
  assign high[2] = high_up || high_down;

  logic            runs, counts, ends;
  logic [CycW-1:0] cycles_next;
  assign runs        = state_q != Idle && !start_i && !stop_i;
  assign counts      = runs && state_q == Measure;
  assign cycles_next = (judge_q ? '0 : cycles_q) + CycW'(1);
  assign ends        = runs && (cut_i || cycles_next == ((state_q == Warm) ? CycW'(Warmup) : CycW'(Window)));

  always_comb begin
    state_d   = state_q;
    judge_d   = counts && ends;
    valid_d   = runs && judge_q;
    verdict_d = verdict_q;
    low_d     = low_q;
    high_d    = high_q;
    l1_idle_d = l1_idle_q;
    fault_d   = fault_q || (runs && over != 6'd0);
    if (start_i) begin
      state_d   = (Warmup == 0) ? Measure : Warm;
      verdict_d = Under;
      low_d     = 5'd0;
      high_d    = 5'd0;
      l1_idle_d = 1'b0;
    end else if (stop_i) begin
      state_d   = Idle;
    end else begin
      if (state_q == Warm && ends) state_d = Measure;
      if (judge_q) begin
        low_d     = low;
        high_d    = high;
        l1_idle_d = l1_idle;
        if (high != 5'd0)     verdict_d = Saturated;
        else if (low == 5'h1f) verdict_d = Under;
        else                   verdict_d = Moderate;
      end
    end
  end

  always_comb begin
    cycles_d      = '0;
    issued_d      = '0;
    l1_d          = '0;
    up_d          = '0;
    down_d        = '0;
    l2_d          = '0;
    dram_d        = '0;
    noc_cycles_d  = '0;
    l2_cycles_d   = '0;
    dram_cycles_d = '0;
    if (runs && !(state_q == Warm && ends)) cycles_d = cycles_next;
    if (counts) begin
      issued_d      = (judge_q ? '0 : issued_q) + issued;
      l1_d          = (judge_q ? '0 : l1_q) + l1;
      up_d          = (judge_q ? '0 : up_q) + up;
      down_d        = (judge_q ? '0 : down_q) + down;
      l2_d          = (judge_q ? '0 : l2_q) + l2;
      dram_d        = (judge_q ? '0 : dram_q) + dram;
      noc_cycles_d  = (judge_q ? '0 : noc_cycles_q) + TickW'(noc_cycles_i);
      l2_cycles_d   = (judge_q ? '0 : l2_cycles_q) + TickW'(l2_cycles_i);
      dram_cycles_d = (judge_q ? '0 : dram_cycles_q) + TickW'(dram_cycles_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= Idle;
      judge_q       <= 1'b0;
      cycles_q      <= '0;
      issued_q      <= '0;
      l1_q          <= '0;
      up_q          <= '0;
      down_q        <= '0;
      l2_q          <= '0;
      dram_q        <= '0;
      noc_cycles_q  <= '0;
      l2_cycles_q   <= '0;
      dram_cycles_q <= '0;
      valid_q       <= 1'b0;
      verdict_q     <= Under;
      low_q         <= 5'd0;
      high_q        <= 5'd0;
      l1_idle_q     <= 1'b0;
      fault_q       <= 1'b0;
    end else begin
      state_q       <= state_d;
      judge_q       <= judge_d;
      cycles_q      <= cycles_d;
      issued_q      <= issued_d;
      l1_q          <= l1_d;
      up_q          <= up_d;
      down_q        <= down_d;
      l2_q          <= l2_d;
      dram_q        <= dram_d;
      noc_cycles_q  <= noc_cycles_d;
      l2_cycles_q   <= l2_cycles_d;
      dram_cycles_q <= dram_cycles_d;
      valid_q       <= valid_d;
      verdict_q     <= verdict_d;
      low_q         <= low_d;
      high_q        <= high_d;
      l1_idle_q     <= l1_idle_d;
      fault_q       <= fault_d;
    end
  end

  assign state_o   = state_q;
  assign valid_o   = valid_q;
  assign verdict_o = verdict_q;
  assign low_o     = low_q;
  assign high_o    = high_q;
  assign l1_idle_o = l1_idle_q;
  assign fault_o   = fault_q;

endmodule
