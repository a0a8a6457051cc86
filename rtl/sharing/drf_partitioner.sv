// SPDX-License-Identifier: Apache-2.0
// drf_partitioner: parts one SM among kernels by dominant resource fairness.
//
// Shares are integers over one denominator, the least common multiple of the four limits, so no
// divider and no rounding: a TB's share of a resource is demand x (Scale / limit), a product by a
// constant. With the default limits Scale is 6,144 and the constants are 3, 3, 8 and 192.
//
//   load --x constants, max--> share_q
//
//   in_q, ahead_q --> pick --+--grant--> left - demand, end_q + demand, rk_q + share_q, ahead_q
//   demand <= left? ---------+--drop---> in_q                              |              ^
//                                                                          +-- compare ---+
//
// A pick compares nothing: each pair of kernels keeps in ahead_q which of the two goes first, and what
// that will be if the pick gets its TB is compared while it is found out whether it fits. A start puts
// the lower index ahead everywhere: the first TB is its own, and one TB fits an empty SM.
//
// While TBs are dealt end_q holds what each kernel has taken; the layout adds the end of the kernel
// before it and so makes it the end of a range.
//
// Source: SMK 5.2, 5.3.2, Fig. 6 and 8, 6.7.
module drf_partitioner #(
  parameter int unsigned Kernels     = 4,     // 1 to 8
  parameter int unsigned RegLimit    = 2048,  // 1 to 4,096
  parameter int unsigned ThreadLimit = 2048,  // 1 to 4,096
  parameter int unsigned SmemLimit   = 768,   // 1 to 4,096
  parameter int unsigned TbLimit     = 32,    // 1 to 64
  parameter int unsigned TieRule     = 0      // among equal rK: 0 smaller per-TB share, 1 lowest index
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        load_i,
  input  logic [2:0]  kernel_i,
  input  logic [12:0] regs_i,
  input  logic [12:0] threads_i,
  input  logic [12:0] smem_i,
  input  logic        start_i,
  input  logic [7:0]  mask_i,
  input  logic [2:0]  read_i,
  output logic        busy_o,
  output logic        grant_o,
  output logic        drop_o,
  output logic [2:0]  pick_o,
  output logic        done_o,
  output logic [6:0]  tbs_o,
  output logic [12:0] reg_start_o,
  output logic [12:0] reg_end_o,
  output logic [12:0] thread_start_o,
  output logic [12:0] thread_end_o,
  output logic [12:0] smem_start_o,
  output logic [12:0] smem_end_o,
  output logic        fault_o
);

  if (Kernels < 1 || Kernels > 8) begin : gen_bad_kernels
    $fatal(1, "drf_partitioner: Kernels must be 1 to 8");
  end
  if (RegLimit < 1 || RegLimit > 4096 || ThreadLimit < 1 || ThreadLimit > 4096 || SmemLimit < 1 ||
      SmemLimit > 4096 || TbLimit < 1 || TbLimit > 64) begin : gen_bad_limit
    $fatal(1, "drf_partitioner: limits must be 1 to 4096, TbLimit 1 to 64");
  end
  if (TieRule > 1) begin : gen_bad_rule
    $fatal(1, "drf_partitioner: TieRule must be 0 or 1");
  end

  // Least common multiple; below 2^42 for four limits in range.
  function automatic [63:0] lcm(input [63:0] x, input [63:0] y);
    logic [63:0] a, b, t;
    a = x;
    b = y;
    for (int unsigned i = 0; i < 96; i++) begin  // more steps than Euclid's algorithm needs here
      if (b != 64'd0) begin
        t = a % b;
        a = b;
        b = t;
      end
    end
    lcm = x / a * y;
  endfunction

  localparam logic [63:0] Scale =
      lcm(lcm(64'(RegLimit), 64'(ThreadLimit)), lcm(64'(SmemLimit), 64'(TbLimit)));
  localparam int unsigned ShareW  = $clog2(Scale + 64'd1);
  localparam int unsigned RegW    = $clog2(RegLimit + 1);
  localparam int unsigned ThreadW = $clog2(ThreadLimit + 1);
  localparam int unsigned SmemW   = $clog2(SmemLimit + 1);
  localparam int unsigned TbW     = $clog2(TbLimit + 1);

  localparam logic [ShareW-1:0] RegUnit    = ShareW'(Scale / 64'(RegLimit));
  localparam logic [ShareW-1:0] ThreadUnit = ShareW'(Scale / 64'(ThreadLimit));
  localparam logic [ShareW-1:0] SmemUnit   = ShareW'(Scale / 64'(SmemLimit));
  localparam logic [ShareW-1:0] TbUnit     = ShareW'(Scale / 64'(TbLimit));

  localparam logic [1:0] Idle   = 2'd0;
  localparam logic [1:0] Deal   = 2'd1;
  localparam logic [1:0] Layout = 2'd2;

  logic [1:0]         phase_q, phase_d;
  logic [Kernels-1:0] in_q, in_d;        // kernels still in
  logic [2:0]         index_q, index_d;  // kernel that is laid out
  logic               done_q, done_d;
  logic               fault_q, fault_d;
  logic [RegW-1:0]    left_reg_q, left_reg_d;
  logic [ThreadW-1:0] left_thread_q, left_thread_d;
  logic [SmemW-1:0]   left_smem_q, left_smem_d;
  logic [TbW-1:0]     left_tb_q, left_tb_d;

  // A load: what is written, and which kernel's.
  logic               load;
  logic [Kernels-1:0] load_hot;
  logic               over_reg, over_thread, over_smem;
  logic [RegW-1:0]    new_reg;
  logic [ThreadW-1:0] new_thread;
  logic [SmemW-1:0]   new_smem;
  logic [ShareW-1:0]  new_share;
  assign load        = load_i && phase_q == Idle;
  assign load_hot    = Kernels'(8'd1 << kernel_i);
  assign over_reg    = regs_i > 13'(RegLimit);
  assign over_thread = threads_i > 13'(ThreadLimit);
  assign over_smem   = smem_i > 13'(SmemLimit);
  assign new_reg     = over_reg ? RegW'(RegLimit) : regs_i[RegW-1:0];
  assign new_thread  = over_thread ? ThreadW'(ThreadLimit) : threads_i[ThreadW-1:0];
  assign new_smem    = over_smem ? SmemW'(SmemLimit) : smem_i[SmemW-1:0];

  // Dominant share of one TB. All comparisons at once, so that they wait for the products alone. A
  // demand above its limit is taken as the limit, which is the whole.
  logic [ShareW-1:0] of_reg, of_thread, of_smem, of_either;
  logic              reg_most, smem_most, either_most;
  assign of_reg      = ShareW'(regs_i[RegW-1:0]) * RegUnit;
  assign of_thread   = ShareW'(threads_i[ThreadW-1:0]) * ThreadUnit;
  assign of_smem     = ShareW'(smem_i[SmemW-1:0]) * SmemUnit;
  assign reg_most    = of_reg >= of_thread;
  assign smem_most   = of_smem >= TbUnit;
  assign of_either   = reg_most ? of_reg : of_thread;
  assign either_most = reg_most ? of_reg >= of_smem && of_reg >= TbUnit :
                                  of_thread >= of_smem && of_thread >= TbUnit;
  always_comb begin
    new_share = either_most ? of_either : smem_most ? of_smem : TbUnit;
    if (over_reg || over_thread || over_smem) new_share = ShareW'(Scale);
  end

  // Per kernel: demand, share and counters.
  logic                       begin_deal, grant;
  logic [Kernels-1:0]         pick_hot, layout_hot, room;
  logic [Kernels*RegW-1:0]    demand_reg, reg_start, reg_end;
  logic [Kernels*ThreadW-1:0] demand_thread, thread_start, thread_end;
  logic [Kernels*SmemW-1:0]   demand_smem, smem_start, smem_end;
  logic [Kernels*TbW-1:0]     tbs;
  logic [Kernels*ShareW-1:0]  shares, rk_then;  // rk_then: if the pick gets its TB
  assign begin_deal = start_i && phase_q == Idle;
  assign layout_hot = (phase_q == Layout) ? Kernels'(8'd1 << index_q) : '0;

  for (genvar k = 0; k < Kernels; k++) begin : gen_kernel
    logic [RegW-1:0]    demand_reg_q, reg_start_q, reg_end_q, reg_before, reg_more;
    logic [ThreadW-1:0] demand_thread_q, thread_start_q, thread_end_q, thread_before, thread_more;
    logic [SmemW-1:0]   demand_smem_q, smem_start_q, smem_end_q, smem_before, smem_more;
    logic [TbW-1:0]     tbs_q;
    logic [ShareW-1:0]  share_q;
    logic [ShareW-1:0]  rk_q;  // dominant share of the TBs given
    logic               gets;

    if (k == 0) begin : gen_first
      assign reg_before    = '0;
      assign thread_before = '0;
      assign smem_before   = '0;
    end else begin : gen_next
      assign reg_before    = reg_end[(k-1)*RegW +: RegW];
      assign thread_before = thread_end[(k-1)*ThreadW +: ThreadW];
      assign smem_before   = smem_end[(k-1)*SmemW +: SmemW];
    end

    assign room[k] = demand_reg_q <= left_reg_q && demand_thread_q <= left_thread_q &&
                     demand_smem_q <= left_smem_q;
    assign gets    = grant && pick_hot[k];

    // One adder a resource: for a TB more, and for the end of the kernel before.
    assign reg_more    = layout_hot[k] ? reg_before : demand_reg_q;
    assign thread_more = layout_hot[k] ? thread_before : demand_thread_q;
    assign smem_more   = layout_hot[k] ? smem_before : demand_smem_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        demand_reg_q    <= '0;
        demand_thread_q <= '0;
        demand_smem_q   <= '0;
        share_q         <= TbUnit;
        tbs_q           <= '0;
        rk_q            <= '0;
        reg_start_q     <= '0;
        reg_end_q       <= '0;
        thread_start_q  <= '0;
        thread_end_q    <= '0;
        smem_start_q    <= '0;
        smem_end_q      <= '0;
      end else begin
        if (load && load_hot[k]) begin
          demand_reg_q    <= new_reg;
          demand_thread_q <= new_thread;
          demand_smem_q   <= new_smem;
          share_q         <= new_share;
        end
        if (layout_hot[k]) begin
          reg_start_q    <= reg_before;
          thread_start_q <= thread_before;
          smem_start_q   <= smem_before;
        end
        if (begin_deal) begin
          tbs_q        <= '0;
          rk_q         <= '0;
          reg_end_q    <= '0;
          thread_end_q <= '0;
          smem_end_q   <= '0;
        end else if (gets || layout_hot[k]) begin
          reg_end_q    <= reg_end_q + reg_more;
          thread_end_q <= thread_end_q + thread_more;
          smem_end_q   <= smem_end_q + smem_more;
        end
        if (gets) begin
          tbs_q <= tbs_q + TbW'(1);
          rk_q  <= rk_q + share_q;
        end
      end
    end

    assign demand_reg[k*RegW +: RegW]          = demand_reg_q;
    assign demand_thread[k*ThreadW +: ThreadW] = demand_thread_q;
    assign demand_smem[k*SmemW +: SmemW]       = demand_smem_q;
    assign tbs[k*TbW +: TbW]                   = tbs_q;
    assign shares[k*ShareW +: ShareW]          = share_q;
    assign rk_then[k*ShareW +: ShareW]         = pick_hot[k] ? rk_q + share_q : rk_q;
    assign reg_start[k*RegW +: RegW]           = reg_start_q;
    assign reg_end[k*RegW +: RegW]             = reg_end_q;
    assign thread_start[k*ThreadW +: ThreadW]  = thread_start_q;
    assign thread_end[k*ThreadW +: ThreadW]    = thread_end_q;
    assign smem_start[k*SmemW +: SmemW]        = smem_start_q;
    assign smem_end[k*SmemW +: SmemW]          = smem_end_q;
  end

  // Who goes first of kernels low < high: the lower rK; with TieRule 0 the smaller share among equal
  // ones; then the lower index. Bit Kernels x low + high, and its inverse at Kernels x high + low.
  logic [Kernels*Kernels-1:0] ahead;
  for (genvar low = 0; low < Kernels; low++) begin : gen_low
    for (genvar high = low + 1; high < Kernels; high++) begin : gen_high
      logic              ahead_q, ahead_d;
      logic [ShareW-1:0] rk_low, rk_high, share_low, share_high;
      assign rk_low     = rk_then[low*ShareW +: ShareW];
      assign rk_high    = rk_then[high*ShareW +: ShareW];
      assign share_low  = (TieRule == 0) ? shares[low*ShareW +: ShareW] : '0;
      assign share_high = (TieRule == 0) ? shares[high*ShareW +: ShareW] : '0;
      assign ahead_d    = {rk_low, share_low} <= {rk_high, share_high};
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni)         ahead_q <= 1'b1;
        else if (begin_deal) ahead_q <= 1'b1;
        else if (grant)      ahead_q <= ahead_d;
      end
      assign ahead[low*Kernels+high] = ahead_q;
      assign ahead[high*Kernels+low] = !ahead_q;
    end
    assign ahead[low*Kernels+low] = 1'b1;
  end

  // The pick: of those in, the one ahead of all others; and what a TB of it takes.
  logic [2:0]         pick;
  logic [RegW-1:0]    pick_reg;
  logic [ThreadW-1:0] pick_thread;
  logic [SmemW-1:0]   pick_smem;
  always_comb begin
    pick        = 3'd0;
    pick_reg    = '0;
    pick_thread = '0;
    pick_smem   = '0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      pick_hot[k] = in_q[k] && (ahead[k*Kernels +: Kernels] | ~in_q) == '1;
      pick        = pick | (3'(k) & {3{pick_hot[k]}});
      pick_reg    = pick_reg | (demand_reg[k*RegW +: RegW] & {RegW{pick_hot[k]}});
      pick_thread = pick_thread | (demand_thread[k*ThreadW +: ThreadW] & {ThreadW{pick_hot[k]}});
      pick_smem   = pick_smem | (demand_smem[k*SmemW +: SmemW] & {SmemW{pick_hot[k]}});
    end
  end

  logic picking, fits;
  assign picking = phase_q == Deal && in_q != '0;
  assign fits    = (pick_hot & room) != '0 && left_tb_q != '0;
  assign grant   = picking && fits;

  assign busy_o  = phase_q != Idle;
  assign grant_o = grant;
  assign drop_o  = picking && !fits;
  assign pick_o  = picking ? pick : 3'd0;
  assign done_o  = done_q;
  assign fault_o = fault_q;

  // The counters of one kernel.
  always_comb begin
    tbs_o          = '0;
    reg_start_o    = '0;
    reg_end_o      = '0;
    thread_start_o = '0;
    thread_end_o   = '0;
    smem_start_o   = '0;
    smem_end_o     = '0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (done_q && read_i == 3'(k)) begin
        tbs_o          = 7'(tbs[k*TbW +: TbW]);
        reg_start_o    = 13'(reg_start[k*RegW +: RegW]);
        reg_end_o      = 13'(reg_end[k*RegW +: RegW]);
        thread_start_o = 13'(thread_start[k*ThreadW +: ThreadW]);
        thread_end_o   = 13'(thread_end[k*ThreadW +: ThreadW]);
        smem_start_o   = 13'(smem_start[k*SmemW +: SmemW]);
        smem_end_o     = 13'(smem_end[k*SmemW +: SmemW]);
      end
    end
  end

  always_comb begin
    phase_d       = phase_q;
    in_d          = in_q;
    index_d       = index_q;
    done_d        = done_q;
    fault_d       = fault_q;
    left_reg_d    = left_reg_q;
    left_thread_d = left_thread_q;
    left_smem_d   = left_smem_q;
    left_tb_d     = left_tb_q;
    if (load_i && (phase_q != Idle || load_hot == '0 || over_reg || over_thread || over_smem)) begin
      fault_d = 1'b1;
    end
    if (start_i && phase_q != Idle) fault_d = 1'b1;
    unique case (phase_q)
      Deal: begin
        if (!picking) begin
          phase_d = Layout;
        end else if (fits) begin
          left_reg_d    = left_reg_q - pick_reg;
          left_thread_d = left_thread_q - pick_thread;
          left_smem_d   = left_smem_q - pick_smem;
          left_tb_d     = left_tb_q - TbW'(1);
        end else begin
          in_d = in_q & ~pick_hot;
        end
      end
      Layout: begin
        if (index_q == 3'(Kernels - 1)) begin
          phase_d = Idle;
          index_d = 3'd0;
          done_d  = 1'b1;
        end else begin
          index_d = index_q + 3'd1;
        end
      end
      default: if (start_i) begin
        phase_d       = Deal;
        in_d          = mask_i[Kernels-1:0];
        done_d        = 1'b0;
        left_reg_d    = RegW'(RegLimit);
        left_thread_d = ThreadW'(ThreadLimit);
        left_smem_d   = SmemW'(SmemLimit);
        left_tb_d     = TbW'(TbLimit);
      end
    endcase
  end

  logic unused_mask;  // bits of kernels that are not there
  assign unused_mask = ^mask_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q       <= Idle;
      in_q          <= '0;
      index_q       <= 3'd0;
      done_q        <= 1'b0;
      fault_q       <= 1'b0;
      left_reg_q    <= '0;
      left_thread_q <= '0;
      left_smem_q   <= '0;
      left_tb_q     <= '0;
    end else begin
      phase_q       <= phase_d;
      in_q          <= in_d;
      index_q       <= index_d;
      done_q        <= done_d;
      fault_q       <= fault_d;
      left_reg_q    <= left_reg_d;
      left_thread_q <= left_thread_d;
      left_smem_q   <= left_smem_d;
      left_tb_q     <= left_tb_d;
    end
  end

endmodule
