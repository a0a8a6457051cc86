// SPDX-License-Identifier: Apache-2.0
// issue_rate_controller: one request, any one, is followed through its sub-queue; held entries are counted
// per kernel from the pins; the credit of one kernel, any one, against its quota.
// still view_i
`include "frame.svh"

  (* anyseq *) logic pick;
  logic        mode, taken, left, watch, broken, exists, store, mine_left;
  logic [7:0]  tag;
  logic [1:0]  kernel, queue, in_queue, out_queue;
  logic [7:0]  held0, held1, held2, held3, total, ahead, mine;
  logic [3:0]  pending;  // cycles since a decision was taken
  logic        decides;
  assign exists    = 32'(kernel_i) < Kernels;
  assign taken     = valid_i && exists && room_o[kernel_i];
  assign left      = out_valid_o && out_ready_i;
  assign in_queue  = mode ? 2'd0 : kernel_i;
  assign out_queue = mode ? 2'd0 : out_kernel_o;
  assign total     = held0 + held1 + held2 + held3;
  function automatic [7:0] of(input [1:0] k);
    of = k == 2'd0 ? held0 : k == 2'd1 ? held1 : k == 2'd2 ? held2 : held3;
  endfunction
  // What the kernels but the one shown still lack of their reserve.
  logic [31:0] all_held, all_lacks;
  assign all_held = {held3, held2, held1, held0};
  for (genvar k = 0; k < 4; k++) begin : gen_lacks
    assign all_lacks[8*k +: 8] = k < Kernels && view_i != 2'(k) && 32'(all_held[8*k +: 8]) < Reserve
                                 ? 8'(Reserve) - all_held[8*k +: 8] : 8'd0;
  end
  assign mine = watch ? of(queue) : 8'd0;
  always @(posedge clk_i) begin
    if (!rst_ni) {mode, watch, broken, held0, held1, held2, held3, decides, pending} <= '0;
    else begin
      held0 <= held0 + 8'(taken && in_queue == 2'd0) - 8'(left && out_queue == 2'd0);
      held1 <= held1 + 8'(taken && in_queue == 2'd1) - 8'(left && out_queue == 2'd1);
      held2 <= held2 + 8'(taken && in_queue == 2'd2) - 8'(left && out_queue == 2'd2);
      held3 <= held3 + 8'(taken && in_queue == 2'd3) - 8'(left && out_queue == 2'd3);
      if (total == 0 && !taken) mode <= fifo_i;
      if ((valid_i && !exists) || (cfg_i && cfg_ready_o && (32'(cfg_kernel_i) >= Kernels || cfg_nbw_i > 7'd100 ||
          cfg_dbw_i > 7'd100))) broken <= 1'b1;
      if (cfg_i && cfg_ready_o && 32'(cfg_kernel_i) < Kernels) {decides, pending} <= {1'b1, 4'd1};
      else if (decides) {decides, pending} <= {pending != 4'd13, pending + 4'd1};
      if (!watch && pick && taken) begin
        watch  <= 1'b1;
        queue  <= in_queue;
        kernel <= kernel_i;
        store  <= store_i;
        tag    <= tag_i;
        ahead  <= of(in_queue) - 8'(left && out_queue == in_queue);
      end else if (watch && left && out_queue == queue) begin
        if (ahead == 0) watch <= 1'b0;
        else            ahead <= ahead - 8'd1;
      end
    end
  end
  assign mine_left = left && out_kernel_o == view_i;
  logic [7:0] view_lacks;
  assign view_lacks = all_lacks[7:0] + all_lacks[15:8] + all_lacks[23:16] + all_lacks[31:24];
  logic shown;
  assign shown = 32'(view_i) < Kernels;

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 9 | not_over: never more than the depth is held
    not_over: assert (32'(total) <= Depth);
    // bounded 9 | room_exact: a request is taken where more is free than the others lack of their reserve
    if (shown) room_exact: assert (room_o[view_i] == (mode ? 32'(total) < Depth
                                   : 32'(Depth) - 32'(total) > 32'(view_lacks)));
    // bounded 9 | not_lost: the watched request stands in its sub-queue
    if (watch) not_lost: assert (ahead < mine);
    // bounded 9 | order: it comes out when all before it have left, with its kernel, kind and tag
    if (watch && ahead == 0 && out_valid_o && out_queue == queue)
      order: assert (out_kernel_o == kernel && out_store_o == store && out_tag_o == tag);
    // bounded 9 | from_held: what stands at the output is held
    if (out_valid_o) from_held: assert (of(out_queue) != 0);
    // bounded 9 | throttled_exact: a request waits at the output, or its sub-queue is throttled
    if (total != 0) throttled_exact: assert (out_valid_o || throttled_o != 0);
    // pdr | masked: without a request the other pins are 0
    if (!out_valid_o) masked: assert (out_kernel_o == 0 && !out_store_o && out_tag_o == 0);
    // pdr | decision: another decision is taken after exactly 13 cycles
    decision: assert (cfg_ready_o == !decides && pending <= 4'd14);
    // pdr | unseen: a kernel that does not exist shows 0
    if (!shown) unseen: assert (quota_o == 0 && credit_o == 0 && loads_o == 0 && stores_o == 0);
    if (was_ni) begin
      // bounded 18 | credit_spent: credit goes down by 1 with a request that leaves, is filled, or stays at 0
      if (shown && credit_o != $past(credit_o)) credit_spent: assert (credit_o == $past(credit_o) - 8'd1 &&
        $past(credit_o) != 0 && $past(mine_left) || credit_o == 8'($past(quota_o) >> 4) ||
        9'(credit_o) == 9'($past(quota_o) >> 4) + 9'd1);
      // induction 2 | counted: a request that leaves is counted once, by its kind, up to 4095
      if (shown && !$past(clear_i)) counted: assert (
        loads_o == $past(loads_o) + 12'($past(mine_left && !out_store_o && loads_o != 12'hfff)) &&
        stores_o == $past(stores_o) + 12'($past(mine_left && out_store_o && stores_o != 12'hfff)));
      // induction 2 | quota_least: a quota that is set lets one request a window through
      if (shown && quota_o != $past(quota_o)) quota_least: assert (quota_o >= 12'd16);
    end
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 9 | out_last: the watched request leaves from behind another
    out_last: cover (watch && ahead == 0 && left && out_queue == queue && $past(ahead == 1));
    // cover 9 | full_seen: the queue is full
    full_seen: cover (32'(total) == Depth);
    // cover 40 | throttled_seen: a sub-queue is throttled
    throttled_seen: cover (throttled_o != 0);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
