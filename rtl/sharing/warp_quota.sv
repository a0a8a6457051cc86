// SPDX-License-Identifier: Apache-2.0
// warp_quota: quota of instructions per warp scheduler and kernel.
//
//   alone_q, resident_q, most_q
//        | part_q x factor_q, Kernels products a kernel     weight_q[k], sum_q
//        v
//   Idle -calc-> Multiply x Kernels^2 -> (Load, Wait 15) x 2 x Kernels -> Idle
//                                         | serial scaler: Epoch x weight / sum = quota_q[k],
//                                         v                quota x 1 / Schedulers = share_q[k]
//   scheduler s: left_q[s, k] --issue: -1, refill: share_q[k]
//
// weight_q is a ring: a weight comes in at the top and is added to the sum a cycle later; when the last
// is in, that of kernel 0 is at the bottom, and it turns on with each kernel.
//
// Source: SMK 5.4.
module warp_quota #(
  parameter int unsigned Kernels    = 4,     // 2 to 4
  parameter int unsigned Schedulers = 4,     // 1 to 4
  parameter int unsigned Epoch      = 10000  // 4 to 16383
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     we_i,
  input  logic [1:0]               what_i,
  input  logic [1:0]               kernel_i,
  input  logic [15:0]              value_i,
  input  logic                     calc_i,
  input  logic [Schedulers-1:0]    issue_i,
  input  logic [Schedulers*2-1:0]  issue_kernel_i,
  input  logic [3:0]               resident_i,
  input  logic [1:0]               view_i,
  output logic                     busy_o,
  output logic                     managed_o,
  output logic [Schedulers*4-1:0]  allow_o,
  output logic [Schedulers-1:0]    refill_o,
  output logic                     epoch_end_o,
  output logic [13:0]              quota_o,
  output logic [13:0]              share_o,
  output logic [Schedulers*14-1:0] left_o,
  output logic [15:0]              issued_o,
  output logic                     fault_o
);

  if (Kernels < 2 || Kernels > 4 || Schedulers < 1 || Schedulers > 4) begin : gen_bad_size
    $fatal(1, "warp_quota: 2 to 4 kernels, 1 to 4 schedulers");
  end
  if (Epoch < 4 || Epoch > 16383) begin : gen_bad_epoch
    $fatal(1, "warp_quota: an epoch has 4 to 16,383 cycles");
  end

  localparam logic [1:0] WhatAlone = 2'd0, WhatResident = 2'd1, WhatMost = 2'd2;
  localparam logic [3:0] Present    = 4'((1 << Kernels) - 1);
  localparam logic [1:0] LastKernel = 2'(Kernels - 1);
  localparam int unsigned WeightW = 16 + 6 * Kernels;  // x, and s or t of each kernel
  localparam int unsigned SumW    = WeightW + 2;

  typedef enum logic [1:0] {
    Idle, Multiply, Load, Wait
  } fsm_e;

  // Written by the driver: x, s and t of each kernel.
  logic [63:0] alone_q, alone_d;        // 16 bits
  logic [23:0] resident_q, resident_d;  // 6
  logic [23:0] most_q, most_d;          // 6

  logic [55:0]  quota_q, quota_d;  // 14 bits a kernel
  logic [55:0]  share_q, share_d;  // 14
  logic [223:0] left_q, left_d;    // 14 bits, element 4 s + k
  logic [15:0]  may_q, may_d;      // element is allowed: its left_q is not 0, or nothing is managed
  logic [63:0]  running_q, running_d, issued_q, issued_d;  // 16
  logic [13:0]  epoch_q, epoch_d;
  logic         busy_q, managed_q, managed_d, fault_q, fault_d;

  // The calculation.
  fsm_e         fsm_q, fsm_d;
  logic [1:0]   k_q, k_d;            // kernel
  logic [1:0]   j_q, j_d;            // factor of its weight
  logic         second_q, second_d;  // division by Schedulers
  logic [WeightW-1:0] part_q, part_d;  // product so far; then what the scaler scales by
  logic [5:0]   factor_q, factor_d;
  logic [Kernels*WeightW-1:0] weight_q, weight_d;
  logic [SumW-1:0] sum_q, sum_d;
  logic [13:0]  whole_q, whole_d;    // quota of the kernel, until its share is known too

  // Writes.
  logic write_ok, most_bad;
  assign write_ok = we_i && !busy_q && Present[kernel_i];
  assign most_bad = value_i[5:0] == 6'd0;
  always_comb begin
    alone_d    = alone_q;
    resident_d = resident_q;
    most_d     = most_q;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (write_ok && kernel_i == 2'(k)) begin
        if (what_i == WhatAlone)    alone_d[16*k +: 16]   = value_i;
        if (what_i == WhatResident) resident_d[6*k +: 6]  = value_i[5:0];
        if (what_i == WhatMost)     most_d[6*k +: 6]      = most_bad ? 6'd1 : value_i[5:0];
      end
    end
  end

  // The kernel of the calculation; and of the next cycle x and factor, which may just be written. In its
  // own place a kernel multiplies x by s; in the others the product by another's t.
  logic [15:0] alone;
  logic [5:0]  resident;
  logic [WeightW-1:0] product;
  always_comb begin
    resident = resident_q[5:0];
    alone    = alone_d[15:0];
    factor_d = most_d[5:0];
    for (int unsigned k = 1; k < Kernels; k++) begin
      if (k_q == 2'(k)) resident = resident_q[6*k +: 6];
      if (k_d == 2'(k)) alone    = alone_d[16*k +: 16];
      if (j_d == 2'(k)) factor_d = most_d[6*k +: 6];
    end
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (j_d == 2'(k) && k_d == 2'(k)) factor_d = resident_d[6*k +: 6];
    end
  end
  assign product = part_q * WeightW'(factor_q);

  logic        div_busy, more;
  logic [13:0] quot;

  always_comb begin
    part_d = product;
    if (fsm_q == Idle || j_q == LastKernel) part_d = (alone == 16'd0) ? WeightW'(1) : WeightW'(alone);
    if (fsm_q == Load || fsm_q == Wait) begin
      part_d = '0;
      if (more) part_d = second_q ? WeightW'(1) : weight_q[WeightW-1:0];
    end
  end

  serial_scaler #(
    .TimesW(14),
    .PartW (WeightW),
    .WholeW(SumW)
  ) u_scaler (
    .clk_i,
    .rst_ni,
    .load_i (fsm_q == Load),
    .times_i(second_q ? whole_q : 14'(Epoch)),
    .more_i (part_q),
    .whole_i(second_q ? SumW'(Schedulers) : sum_q),
    .next_o (more),
    .busy_o (div_busy),
    .quot_o (quot)
  );

  always_comb begin
    fsm_d     = fsm_q;
    k_d       = k_q;
    j_d       = j_q;
    second_d  = second_q;
    weight_d  = weight_q;
    sum_d     = sum_q;
    whole_d   = whole_q;
    quota_d   = quota_q;
    share_d   = share_q;
    managed_d = managed_q;
    unique case (fsm_q)
      Idle: begin
        k_d      = 2'd0;
        j_d      = 2'd0;
        second_d = 1'b0;
        sum_d    = '0;
        if (calc_i) fsm_d = Multiply;
      end
      Multiply: begin
        j_d = j_q + 2'd1;
        if (j_q == 2'd0 && k_q != 2'd0) sum_d = sum_q + SumW'(weight_q[Kernels*WeightW-1 -: WeightW]);
        if (j_q == LastKernel) begin
          weight_d = {product, weight_q[Kernels*WeightW-1:WeightW]};
          j_d      = 2'd0;
          k_d      = k_q + 2'd1;
          if (k_q == LastKernel) begin
            k_d   = 2'd0;
            fsm_d = Load;
          end
        end
      end
      Load: begin
        if (k_q == 2'd0 && !second_q) sum_d = sum_q + SumW'(weight_q[Kernels*WeightW-1 -: WeightW]);
        fsm_d = Wait;
      end
      Wait: if (!div_busy) begin
        fsm_d    = Load;
        second_d = !second_q;
        if (!second_q) begin
          whole_d = (resident == 6'd0) ? 14'd0 : quot;
        end else begin
          quota_d[6'd14 * 6'(k_q) +: 14] = whole_q;
          share_d[6'd14 * 6'(k_q) +: 14] = (resident != 6'd0 && quot == 14'd0) ? 14'd1 : quot;
          weight_d                       = {weight_q[WeightW-1:0], weight_q[Kernels*WeightW-1:WeightW]};
          k_d                            = k_q + 2'd1;
          if (k_q == LastKernel) begin
            fsm_d     = Idle;
            managed_d = 1'b1;
          end
        end
      end
      default: fsm_d = Idle;
    endcase
  end

  // Schedulers.
  logic                  epoch_ends;
  logic [3:0]            resident_now;
  logic [Schedulers*4-1:0] took;    // scheduler s has issued from kernel k, at 4 s + k
  logic [Schedulers-1:0] issue_ok;
  assign epoch_ends   = epoch_q == 14'(Epoch - 1);
  assign resident_now = resident_i & Present;
  for (genvar s = 0; s < Schedulers; s++) begin : gen_scheduler
    for (genvar k = 0; k < 4; k++) begin : gen_kernel
      assign took[4*s+k] = issue_i[s] && issue_kernel_i[2*s +: 2] == 2'(k) && allow_o[4*s+k];
    end
    assign issue_ok[s]       = took[4*s +: 4] != 4'd0;
    assign allow_o[4*s +: 4] = may_q[4*s +: 4];
    assign refill_o[s]       = managed_q && (epoch_ends || (resident_now != 4'd0 &&
                                                            (may_q[4*s +: 4] & resident_now) == 4'd0));
    always_comb begin
      left_o[14*s +: 14] = 14'd0;
      for (int unsigned k = 0; k < Kernels; k++) begin
        if (view_i == 2'(k)) left_o[14*s +: 14] = left_q[56*s+14*k +: 14];
      end
    end
  end

  always_comb begin
    left_d = left_q;
    may_d  = (managed_d && !managed_q) ? 16'd0 : may_q;
    for (int unsigned s = 0; s < Schedulers; s++) begin
      for (int unsigned k = 0; k < Kernels; k++) begin
        if (managed_q && took[4*s+k]) begin
          left_d[56*s+14*k +: 14] = left_q[56*s+14*k +: 14] - 14'd1;
          may_d[4*s+k]            = left_q[56*s+14*k +: 14] != 14'd1;
        end
        if (refill_o[s]) begin
          left_d[56*s+14*k +: 14] = share_q[14*k +: 14];
          may_d[4*s+k]            = share_q[14*k +: 14] != 14'd0;
        end
      end
    end
  end

  // Epoch, and what each kernel issues in it.
  logic [2:0] issues;  // of one kernel
  always_comb begin
    running_d = running_q;
    issued_d  = issued_q;
    issues    = 3'd0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      issues = 3'd0;
      for (int unsigned s = 0; s < Schedulers; s++) issues = issues + 3'(took[4*s+k]);
      running_d[16*k +: 16] = running_q[16*k +: 16] + 16'(issues);
    end
    epoch_d = epoch_q + 14'd1;
    if (epoch_ends) begin
      epoch_d   = 14'd0;
      issued_d  = running_d;
      running_d = 64'd0;
    end
  end

  assign busy_q  = fsm_q != Idle;
  assign fault_d = fault_q || (issue_i & ~issue_ok) != '0 || (calc_i && busy_q) ||
                   (we_i && (!write_ok || what_i == 2'd3 || (what_i == WhatMost && most_bad)));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      alone_q    <= 64'd0;
      resident_q <= 24'd0;
      most_q     <= {4{6'd1}};
      quota_q    <= 56'd0;
      share_q    <= 56'd0;
      left_q     <= 224'd0;
      may_q      <= {4{Present}};
      running_q  <= 64'd0;
      issued_q   <= 64'd0;
      epoch_q    <= 14'd0;
      managed_q  <= 1'b0;
      fault_q    <= 1'b0;
      fsm_q      <= Idle;
      k_q        <= 2'd0;
      j_q        <= 2'd0;
      second_q   <= 1'b0;
      part_q     <= '0;
      factor_q   <= 6'd0;
      weight_q   <= '0;
      sum_q      <= '0;
      whole_q    <= 14'd0;
    end else begin
      alone_q    <= alone_d;
      resident_q <= resident_d;
      most_q     <= most_d;
      quota_q    <= quota_d;
      share_q    <= share_d;
      left_q     <= left_d;
      may_q      <= may_d;
      running_q  <= running_d;
      issued_q   <= issued_d;
      epoch_q    <= epoch_d;
      managed_q  <= managed_d;
      fault_q    <= fault_d;
      fsm_q      <= fsm_d;
      k_q        <= k_d;
      j_q        <= j_d;
      second_q   <= second_d;
      part_q     <= part_d;
      factor_q   <= factor_d;
      weight_q   <= weight_d;
      sum_q      <= sum_d;
      whole_q    <= whole_d;
    end
  end

  always_comb begin
    quota_o  = 14'd0;
    share_o  = 14'd0;
    issued_o = 16'd0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (view_i == 2'(k)) begin
        quota_o  = quota_q[14*k +: 14];
        share_o  = share_q[14*k +: 14];
        issued_o = issued_q[16*k +: 16];
      end
    end
  end
  assign busy_o      = busy_q;
  assign managed_o   = managed_q;
  assign epoch_end_o = epoch_ends;
  assign fault_o     = fault_q;

endmodule
