// SPDX-License-Identifier: Apache-2.0
// warp_quota: quota of instructions per warp scheduler and kernel.
//
//   alone_q, resident_q, most_q
//        | one multiplier, Kernels products a kernel        weight_q[k], sum_q
//        v
//   Idle -calc-> Multiply x Kernels^2 -> (Load, Wait 15) x 2 x Kernels -> Idle
//                                         | serial divider: Epoch x weight / sum = quota_q[k],
//                                         v                 quota / Schedulers   = share_q[k]
//   scheduler s: left_q[s, k] --issue: -1, refill: share_q[k]
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
  logic [63:0]  running_q, running_d, issued_q, issued_d;  // 16
  logic [13:0]  epoch_q, epoch_d;
  logic         busy_q, managed_q, managed_d, fault_q, fault_d;

  // The calculation.
  fsm_e         fsm_q, fsm_d;
  logic [1:0]   k_q, k_d;            // kernel
  logic [1:0]   j_q, j_d;            // factor of its weight
  logic         second_q, second_d;  // division by Schedulers
  logic [159:0] weight_q, weight_d;  // 40
  logic [41:0]  sum_q, sum_d;
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

  // The kernel of the calculation.
  logic [15:0] alone;
  logic [5:0]  resident, factor;
  logic [39:0] weight, product;
  always_comb begin
    alone    = alone_q[15:0];
    resident = resident_q[5:0];
    weight   = weight_q[39:0];
    factor   = most_q[5:0];
    for (int unsigned k = 1; k < Kernels; k++) begin
      if (k_q == 2'(k)) begin
        alone    = alone_q[16*k +: 16];
        resident = resident_q[6*k +: 6];
        weight   = weight_q[40*k +: 40];
      end
      if (j_q == 2'(k)) factor = most_q[6*k +: 6];
    end
    // In its own place a kernel multiplies x by s; in the others the product by another's t.
    if (j_q == 2'd0) weight = {24'd0, (alone == 16'd0) ? 16'd1 : alone};
    if (j_q == k_q) factor = resident;
    product = weight * 40'(factor);
  end

  logic        div_busy;
  logic [13:0] quot;

  serial_divider #(
    .NumW (54),
    .DenW (42),
    .QuotW(14)
  ) u_divider (
    .clk_i,
    .rst_ni,
    .load_i(fsm_q == Load),
    .num_i (second_q ? 54'(whole_q) : 54'(Epoch) * 54'(weight_q[8'd40 * 8'(k_q) +: 40])),
    .den_i (second_q ? 42'(Schedulers) : sum_q),
    .busy_o(div_busy),
    .quot_o(quot)
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
        sum_d    = 42'd0;
        if (calc_i) fsm_d = Multiply;
      end
      Multiply: begin
        weight_d[8'd40 * 8'(k_q) +: 40] = product;
        j_d                             = j_q + 2'd1;
        if (j_q == LastKernel) begin
          sum_d = sum_q + 42'(product);
          j_d   = 2'd0;
          k_d   = k_q + 2'd1;
          if (k_q == LastKernel) begin
            k_d   = 2'd0;
            fsm_d = Load;
          end
        end
      end
      Load: fsm_d = Wait;
      Wait: if (!div_busy) begin
        fsm_d    = Load;
        second_d = !second_q;
        if (!second_q) begin
          whole_d = (resident == 6'd0) ? 14'd0 : quot;
        end else begin
          quota_d[6'd14 * 6'(k_q) +: 14] = whole_q;
          share_d[6'd14 * 6'(k_q) +: 14] = (resident != 6'd0 && quot == 14'd0) ? 14'd1 : quot;
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
  logic [Schedulers-1:0] issue_ok;  // accepted
  assign epoch_ends   = epoch_q == 14'(Epoch - 1);
  assign resident_now = resident_i & Present;
  for (genvar s = 0; s < Schedulers; s++) begin : gen_scheduler
    logic [3:0] some;  // kernels that have something left
    logic [1:0] kernel;
    for (genvar k = 0; k < 4; k++) begin : gen_kernel
      assign some[k] = left_q[56*s+14*k +: 14] != 14'd0;
    end
    assign kernel            = issue_kernel_i[2*s +: 2];
    assign issue_ok[s]       = issue_i[s] && allow_o[4*s + 32'(kernel)];
    assign allow_o[4*s +: 4] = managed_q ? some & Present : Present;
    assign refill_o[s]       = managed_q && (epoch_ends || (resident_now != 4'd0 &&
                                                            (some & resident_now) == 4'd0));
    always_comb begin
      left_o[14*s +: 14] = 14'd0;
      for (int unsigned k = 0; k < Kernels; k++) begin
        if (view_i == 2'(k)) left_o[14*s +: 14] = left_q[56*s+14*k +: 14];
      end
    end
  end

  always_comb begin
    left_d = left_q;
    for (int unsigned s = 0; s < Schedulers; s++) begin
      for (int unsigned k = 0; k < Kernels; k++) begin
        if (managed_q && issue_ok[s] && issue_kernel_i[2*s +: 2] == 2'(k)) begin
          left_d[56*s+14*k +: 14] = left_q[56*s+14*k +: 14] - 14'd1;
        end
      end
      if (refill_o[s]) left_d[56*s +: 56] = share_q;
    end
  end

  // Epoch, and what each kernel issues in it.
  always_comb begin
    running_d = running_q;
    issued_d  = issued_q;
    for (int unsigned k = 0; k < Kernels; k++) begin
      for (int unsigned s = 0; s < Schedulers; s++) begin
        if (issue_ok[s] && issue_kernel_i[2*s +: 2] == 2'(k)) begin
          running_d[16*k +: 16] = running_d[16*k +: 16] + 16'd1;
        end
      end
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
      running_q  <= 64'd0;
      issued_q   <= 64'd0;
      epoch_q    <= 14'd0;
      managed_q  <= 1'b0;
      fault_q    <= 1'b0;
      fsm_q      <= Idle;
      k_q        <= 2'd0;
      j_q        <= 2'd0;
      second_q   <= 1'b0;
      weight_q   <= 160'd0;
      sum_q      <= 42'd0;
      whole_q    <= 14'd0;
    end else begin
      alone_q    <= alone_d;
      resident_q <= resident_d;
      most_q     <= most_d;
      quota_q    <= quota_d;
      share_q    <= share_d;
      left_q     <= left_d;
      running_q  <= running_d;
      issued_q   <= issued_d;
      epoch_q    <= epoch_d;
      managed_q  <= managed_d;
      fault_q    <= fault_d;
      fsm_q      <= fsm_d;
      k_q        <= k_d;
      j_q        <= j_d;
      second_q   <= second_d;
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
