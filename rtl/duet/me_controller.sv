// SPDX-License-Identifier: Apache-2.0
// me_controller: how many TBs beyond the native limit an SM may hold.
//
// The bound is found with running sums, one TB a cycle. Each sum has one adder and one comparison:
//
//   warps_sum  + warps          <= WarpSlots | Warps         native | extra
//   mc + bound + 1              <= TbSlots   | Tbs
//   regs_sum   + regs | reduced <= RfLines                   not for extra TBs at warp level
//   smem_sum   + smem           <= SmemLines                 not for extra TBs at TB level
//   these two and metadata, together: <= all lines           extra only
//
// A second pass, with L1, begins only where the first placed nothing: the sums are still those of the
// native TBs, so nothing has to be restored.
//
// Source: Lin-D 3.6.4, 3.6.6.
module me_controller #(
  parameter int unsigned RfLines   = 2048,  // 1 to 2048
  parameter int unsigned SmemLines = 768,   // 1 to 1023
  parameter int unsigned L1Lines   = 256,   // 0 to 1023
  parameter int unsigned WarpSlots = 64,    // 1 to 128
  parameter int unsigned Warps     = 128,   // WarpSlots to 128
  parameter int unsigned TbSlots   = 32,    // 1 to 32
  parameter int unsigned Tbs       = 32,    // TbSlots to 32
  parameter int unsigned SatZero   = 0      // 0 or 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [5:0]  warps_i,
  input  logic [11:0] regs_i,
  input  logic [11:0] reduced_i,
  input  logic [9:0]  smem_i,
  input  logic [6:0]  meta_i,
  input  logic        valid_i,
  input  logic [1:0]  verdict_i,
  input  logic        l1_idle_i,
  input  logic        launch_i,
  input  logic        leave_i,
  output logic        busy_o,
  output logic [5:0]  mc_o,
  output logic [5:0]  bound_o,
  output logic        needs_l1_o,
  output logic [1:0]  level_o,
  output logic [5:0]  me_o,
  output logic        bypass_o,
  output logic        frozen_o,
  output logic [5:0]  tbs_o,
  output logic        allow_o,
  output logic        fault_o
);

  localparam logic [1:0] Never = 2'd0, Native = 2'd1, Extra = 2'd2, Done = 2'd3;
  localparam logic [1:0] Off = 2'd0, WarpLevel = 2'd1, TbLevel = 2'd2;
  localparam logic [1:0] Under = 2'd0, Saturated = 2'd2, NoClass = 2'd3;

  if (RfLines < 1 || RfLines > 2048 || SmemLines < 1 || SmemLines > 1023 || L1Lines > 1023) begin : gen_bad_lines
    $fatal(1, "me_controller: RfLines 1 to 2048, SmemLines 1 to 1023, L1Lines up to 1023");
  end
  if (WarpSlots < 1 || WarpSlots > Warps || Warps > 128 || TbSlots < 1 || TbSlots > Tbs || Tbs > 32) begin : gen_bad_slots
    $fatal(1, "me_controller: 1 <= WarpSlots <= Warps <= 128, 1 <= TbSlots <= Tbs <= 32");
  end

  // The kernel, as started.
  logic [5:0]  warps_q, warps_d;
  logic [11:0] regs_q, regs_d, reduced_q, reduced_d;
  logic [9:0]  smem_q, smem_d;
  logic [6:0]  meta_q, meta_d;
  // The search.
  logic [1:0]  phase_q, phase_d;
  logic        l1_q, l1_d, lim_reg_q, lim_reg_d, lim_smem_q, lim_smem_d;
  logic [5:0]  mc_q, mc_d, bound_q, bound_d;
  logic [7:0]  warps_sum_q, warps_sum_d;
  logic [11:0] regs_sum_q, regs_sum_d, smem_sum_q, smem_sum_d, meta_sum_q, meta_sum_d;
  // The policy.
  logic        seen_q, seen_d, frozen_q, frozen_d, bypass_q, bypass_d;
  logic [5:0]  me_q, me_d, safe_q, safe_d, tbs_q, tbs_d;
  logic        fault_q, fault_d;

  logic [1:0] level;
  always_comb begin
    level = WarpLevel;
    if (lim_smem_q) level = TbLevel;
    if ((lim_reg_q && lim_smem_q) || mc_q == 6'd0 || (phase_q != Extra && phase_q != Done)) level = Off;
  end

  // One TB more.
  logic        native, reduces, fits_warps, fits_tbs, fits_regs, fits_smem, fits_all, fits;
  logic [5:0]  tbs_next;
  logic [7:0]  warps_next;
  logic [12:0] regs_next, smem_next, meta_next;
  logic [13:0] all_next;
  assign native     = phase_q == Native;
  // As at warp level; where the level is off nothing fits, whatever the sums are.
  assign reduces    = !native && !lim_smem_q;
  assign tbs_next   = mc_q + bound_q + 6'd1;
  assign warps_next = warps_sum_q + 8'(warps_q);
  assign regs_next  = 13'(regs_sum_q) + (reduces ? 13'(reduced_q) : 13'(regs_q));
  assign smem_next  = 13'(smem_sum_q) + 13'(smem_q);
  assign meta_next  = 13'(meta_sum_q) + 13'(meta_q);
  assign all_next   = 14'(regs_next) + 14'(smem_next) + 14'(meta_next);

  assign fits_tbs   = tbs_next <= (native ? 6'(TbSlots) : 6'(Tbs));
  assign fits_warps = warps_next <= (native ? 8'(WarpSlots) : 8'(Warps));
  assign fits_regs  = regs_next <= 13'(RfLines);
  assign fits_smem  = smem_next <= 13'(SmemLines);
  assign fits_all   = all_next <= (l1_q ? 14'(RfLines + SmemLines + L1Lines) : 14'(RfLines + SmemLines));
  always_comb begin
    fits = fits_tbs && fits_warps;
    if (native || level == TbLevel)   fits = fits && fits_regs;
    if (native || level == WarpLevel) fits = fits && fits_smem;
    if (!native)                      fits = fits && fits_all && level != Off;
  end

  always_comb begin
    warps_d     = warps_q;
    regs_d      = regs_q;
    reduced_d   = reduced_q;
    smem_d      = smem_q;
    meta_d      = meta_q;
    phase_d     = phase_q;
    l1_d        = l1_q;
    lim_reg_d   = lim_reg_q;
    lim_smem_d  = lim_smem_q;
    mc_d        = mc_q;
    bound_d     = bound_q;
    warps_sum_d = warps_sum_q;
    regs_sum_d  = regs_sum_q;
    smem_sum_d  = smem_sum_q;
    meta_sum_d  = meta_sum_q;
    if (start_i) begin
      warps_d     = (warps_i == 6'd0) ? 6'd1 : warps_i;
      regs_d      = regs_i;
      reduced_d   = (reduced_i > regs_i) ? regs_i : reduced_i;
      smem_d      = smem_i;
      meta_d      = meta_i;
      phase_d     = Native;
      l1_d        = 1'b0;
      lim_reg_d   = 1'b0;
      lim_smem_d  = 1'b0;
      mc_d        = 6'd0;
      bound_d     = 6'd0;
      warps_sum_d = 8'd0;
      regs_sum_d  = 12'd0;
      smem_sum_d  = 12'd0;
      meta_sum_d  = 12'd0;
    end else if (busy_o && fits) begin
      warps_sum_d = warps_next;
      regs_sum_d  = regs_next[11:0];
      smem_sum_d  = smem_next[11:0];
      if (native) begin
        mc_d       = tbs_next;
      end else begin
        bound_d    = bound_q + 6'd1;
        meta_sum_d = meta_next[11:0];
      end
    end else if (native) begin
      phase_d    = Extra;
      lim_reg_d  = !fits_regs;
      lim_smem_d = !fits_smem;
    end else if (phase_q == Extra) begin
      if (bound_q == 6'd0 && !l1_q) l1_d    = 1'b1;
      else                          phase_d = Done;
    end
  end

  // A verdict moves ME.
  logic       verdict, saturated, needs_l1, unlocked;
  logic [5:0] usable;
  assign verdict   = valid_i && phase_q == Done && verdict_i != NoClass;
  assign saturated = verdict_i == Saturated;
  assign needs_l1  = phase_q == Done && l1_q && bound_q != 6'd0;
  assign unlocked  = !needs_l1 || bypass_q || (!seen_q && l1_idle_i);
  assign usable    = unlocked ? bound_q : 6'd0;

  always_comb begin
    seen_d   = seen_q;
    frozen_d = frozen_q;
    bypass_d = bypass_q;
    me_d     = me_q;
    safe_d   = safe_q;
    if (start_i) begin
      seen_d   = 1'b0;
      frozen_d = 1'b0;
      bypass_d = 1'b0;
      me_d     = 6'd0;
      safe_d   = 6'd0;
    end else if (verdict) begin
      seen_d = 1'b1;
      if (saturated) begin
        frozen_d = SatZero == 0;
        // At the first verdict ME is 0 already, and safe too.
        if (SatZero != 0)        me_d = 6'd0;
        else if (safe_q < me_q)  me_d = safe_q;
        else if (me_q != 6'd0)   me_d = me_q - 6'd1;
      end else if (!frozen_q) begin
        safe_d   = me_q;
        bypass_d = needs_l1 && unlocked;
        if (verdict_i == Under)  me_d = usable;
        else if (me_q < usable)  me_d = me_q + 6'd1;
      end
    end
  end

  // Resident TBs.
  logic launches, leaves;
  assign launches = launch_i && allow_o;
  assign leaves   = leave_i && tbs_q != 6'd0;

  always_comb begin
    tbs_d   = tbs_q + 6'(launches) - 6'(leaves);
    fault_d = fault_q || (launch_i && !allow_o) || (leave_i && tbs_q == 6'd0) || (valid_i && !verdict) ||
              (phase_q == Extra && phase_d == Done && mc_q == 6'd0);
    if (start_i) begin
      tbs_d   = 6'd0;
      fault_d = fault_q || tbs_q != 6'd0 || warps_i == 6'd0 || reduced_i > regs_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      warps_q     <= 6'd0;
      regs_q      <= 12'd0;
      reduced_q   <= 12'd0;
      smem_q      <= 10'd0;
      meta_q      <= 7'd0;
      phase_q     <= Never;
      l1_q        <= 1'b0;
      lim_reg_q   <= 1'b0;
      lim_smem_q  <= 1'b0;
      mc_q        <= 6'd0;
      bound_q     <= 6'd0;
      warps_sum_q <= 8'd0;
      regs_sum_q  <= 12'd0;
      smem_sum_q  <= 12'd0;
      meta_sum_q  <= 12'd0;
      seen_q      <= 1'b0;
      frozen_q    <= 1'b0;
      bypass_q    <= 1'b0;
      me_q        <= 6'd0;
      safe_q      <= 6'd0;
      tbs_q       <= 6'd0;
      fault_q     <= 1'b0;
    end else begin
      warps_q     <= warps_d;
      regs_q      <= regs_d;
      reduced_q   <= reduced_d;
      smem_q      <= smem_d;
      meta_q      <= meta_d;
      phase_q     <= phase_d;
      l1_q        <= l1_d;
      lim_reg_q   <= lim_reg_d;
      lim_smem_q  <= lim_smem_d;
      mc_q        <= mc_d;
      bound_q     <= bound_d;
      warps_sum_q <= warps_sum_d;
      regs_sum_q  <= regs_sum_d;
      smem_sum_q  <= smem_sum_d;
      meta_sum_q  <= meta_sum_d;
      seen_q      <= seen_d;
      frozen_q    <= frozen_d;
      bypass_q    <= bypass_d;
      me_q        <= me_d;
      safe_q      <= safe_d;
      tbs_q       <= tbs_d;
      fault_q     <= fault_d;
    end
  end

  assign busy_o     = native || phase_q == Extra;
  assign mc_o       = mc_q;
  assign bound_o    = bound_q;
  assign needs_l1_o = needs_l1;
  assign level_o    = level;
  assign me_o       = me_q;
  assign bypass_o   = bypass_q;
  assign frozen_o   = frozen_q;
  assign tbs_o      = tbs_q;
  assign allow_o    = phase_q == Done && tbs_q < mc_q + me_q;
  assign fault_o    = fault_q;

endmodule
