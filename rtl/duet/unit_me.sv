// SPDX-License-Identifier: Apache-2.0
// unit_me: the ME controller of duet_unit, and what it has still to be told: the start of a launch
// (once no TB of the one before is left), TBs that the dispatcher has placed and that have ended, one
// a cycle, and a verdict (once nobody leans on ME as it is).
module unit_me #(
  parameter int unsigned RegUnits  = 2048,
  parameter int unsigned SmemUnits = 768,
  parameter int unsigned L1Units   = 256,
  parameter int unsigned Warps     = 128,
  parameter int unsigned Tbs       = 32,
  parameter int unsigned Slots     = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        begins_i,     // a launch
  input  logic [5:0]  warps_i,
  input  logic [11:0] tb_regs_i,
  input  logic [11:0] tb_reduced_i,
  input  logic [9:0]  smem_i,
  input  logic [6:0]  meta_i,
  input  logic [5:0]  most_i,
  input  logic        native_i,     // the dispatcher places TBs
  input  logic        placed_i,
  input  logic [31:0] ended_i,
  input  logic        valid_i,      // a verdict
  input  logic [1:0]  verdict_i,
  input  logic        l1_idle_i,
  input  logic        launching_i,  // the launcher leans on what is allowed
  input  logic        launch_i,
  input  logic        leave_i,
  output logic        placed_o,     // placed_i counts
  output logic        settled_o,    // nothing has, and it does not search
  output logic        told_o,       // no TB of the dispatcher has
  output logic        allow_o,
  output logic        keep_o,
  output logic        busy_o,
  output logic [5:0]  mc_o,
  output logic [5:0]  bound_o,
  output logic [5:0]  me_o,
  output logic        bypass_o,
  output logic [5:0]  tbs_o,
  output logic        fault_o
);

  logic       due_q, due_d;
  logic [5:0] launches_q, launches_d;
  logic [5:0] leaves_q, leaves_d;
  logic       valid_q, valid_d;
  logic [1:0] verdict_q, verdict_d;
  logic       l1_idle_q, l1_idle_d;
  logic       fault_q, fault_d;

  logic me_allow, me_fault, unused_needs_l1, unused_frozen;
  logic listens, some, leaves, places, takes;
  assign listens   = !due_q && !busy_o;
  assign some      = tbs_o != 6'd0;
  assign placed_o  = placed_i && native_i && launches_q < 6'd32;
  assign leaves    = listens && leaves_q != 6'd0 && some;
  assign places    = listens && launches_q != 6'd0 && (leaves_q == 6'd0 || me_allow);
  assign told_o    = launches_q == 6'd0 && leaves_q == 6'd0;
  assign settled_o = listens && told_o;
  assign takes     = valid_q && settled_o && !launching_i;

  logic [1:0] unused_level;
  me_controller #(
    .RfLines  (RegUnits),
    .SmemLines(SmemUnits),
    .L1Lines  (L1Units),
    .WarpSlots(Slots),
    .Warps    (Warps),
    .TbSlots  (Tbs),
    .Tbs      (Tbs),
    .SatZero  (0)
  ) u_me (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .start_i   (due_q && !some),
    .warps_i   (warps_i),
    .regs_i    (tb_regs_i),
    .reduced_i (tb_reduced_i),
    .smem_i    (smem_i),
    .meta_i    (meta_i),
    .valid_i   (takes),
    .verdict_i (verdict_q),
    .l1_idle_i (l1_idle_q),
    .launch_i  (!due_q && (launch_i || places)),
    .leave_i   (due_q ? some : leave_i || leaves),
    .busy_o    (busy_o),
    .mc_o      (mc_o),
    .bound_o   (bound_o),
    .needs_l1_o(unused_needs_l1),
    .level_o   (unused_level),
    .me_o      (me_o),
    .bypass_o  (bypass_o),
    .frozen_o  (unused_frozen),
    .tbs_o     (tbs_o),
    .allow_o   (me_allow),
    .fault_o   (me_fault)
  );

  // As many TBs as ME and the machine allow.
  logic [6:0] by_me, by_most;
  assign by_me   = 7'(mc_o) + 7'(me_o);
  assign by_most = 7'(mc_o) + 7'(most_i);
  assign allow_o = me_allow && 7'(tbs_o) < by_me && 7'(tbs_o) < by_most;
  assign keep_o  = 7'(tbs_o) <= by_me && 7'(tbs_o) <= by_most;

  logic [6:0] ended, sum;
  always_comb begin
    ended = 7'd0;
    for (int unsigned t = 0; t < 32; t++) ended = ended + 7'(ended_i[t] && native_i);
    sum = 7'(leaves_q) + ended - 7'(leaves);
  end

  assign fault_o = fault_q || me_fault;

  always_comb begin
    due_d      = begins_i || (due_q && some);
    launches_d = begins_i ? 6'd0 : launches_q + 6'(placed_o) - 6'(places);
    leaves_d   = begins_i ? 6'd0 : sum[6] ? 6'd63 : sum[5:0];
    valid_d    = valid_i || (valid_q && !begins_i && !takes);
    verdict_d  = valid_i ? verdict_i : verdict_q;
    l1_idle_d  = valid_i ? l1_idle_i : l1_idle_q;
    fault_d    = fault_q || (placed_i && !placed_o) || (sum[6] && !begins_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      due_q      <= 1'b0;
      launches_q <= 6'd0;
      leaves_q   <= 6'd0;
      valid_q    <= 1'b0;
      verdict_q  <= 2'd0;
      l1_idle_q  <= 1'b0;
      fault_q    <= 1'b0;
    end else begin
      due_q      <= due_d;
      launches_q <= launches_d;
      leaves_q   <= leaves_d;
      valid_q    <= valid_d;
      verdict_q  <= verdict_d;
      l1_idle_q  <= l1_idle_d;
      fault_q    <= fault_d;
    end
  end

endmodule
