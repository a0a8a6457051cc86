// SPDX-License-Identifier: Apache-2.0
// ccbp_allocator: all kernels together stay inside the SM, and a step gives one kernel, the one of the lowest
// share, one CTA or one percent. Seen through one kernel, any one, of which is kept what it was told; asserts
// named inv_* say what the registers hold between steps. What the tables say is not looked at.
// still view_i
`include "frame.svh"

  (* hierconn *) wire [23:0] \dut.cta_q ;
  (* hierconn *) wire [27:0] \dut.nbw_q ;
  (* hierconn *) wire [27:0] \dut.dbw_q ;
  (* hierconn *) wire [35:0] \dut.dom_q ;
  (* hierconn *) wire [3:0]  \dut.unfinished_q ;
  (* hierconn *) wire [23:0] \dut.at_q ;
  (* hierconn *) wire [67:0] \dut.regs_q ;
  (* hierconn *) wire [67:0] \dut.smem_q ;
  (* hierconn *) wire [67:0] \dut.threads_q ;
  (* hierconn *) wire [16:0] \dut.sum_regs_q ;
  (* hierconn *) wire [16:0] \dut.sum_smem_q ;
  (* hierconn *) wire [16:0] \dut.sum_threads_q ;
  (* hierconn *) wire [6:0]  \dut.sum_ctas_q ;
  (* hierconn *) wire [6:0]  \dut.sum_nbw_q ;
  (* hierconn *) wire [6:0]  \dut.sum_dbw_q ;
  (* hierconn *) wire [2:0]  \dut.fsm_q ;
  (* hierconn *) wire [1:0]  \dut.k_q ;
  (* hierconn *) wire [7:0]  \dut.kind_q ;
  (* hierconn *) wire [1:0]  \dut.kind_t_q ;
  (* hierconn *) wire [5:0]  \dut.cta_t_q ;
  (* hierconn *) wire        \dut.grows_q ;
  (* hierconn *) wire [23:0] \dut.ctas_q ;
  (* hierconn *) wire [7:0]  \dut.type_q ;
  (* hierconn *) wire        \dut.room_q ;
  (* hierconn *) wire [6:0]  \dut.own_next_q ;
  (* hierconn *) wire [1:0]  \dut.res_q ;
  (* hierconn *) wire [3:0]  \dut.u_divider.left_q ;
  localparam logic [2:0] Idle = 3'd0, Kind = 3'd1, Pick = 3'd2, Grow = 3'd3, Read = 3'd4, Check = 3'd5,
                         Share = 3'd6, Take = 3'd7;

  logic        shown, writes, taken, broken, begun, bad;
  logic [5:0]  ctas, ctas_d;
  logic [6:0]  age, lasted;  // cycles since the last step
  logic [1:0]  written, written_d;
  assign shown     = 32'(view_i) < Kernels;
  assign writes    = we_i && !busy_o && kernel_i == view_i && shown;
  assign ctas_d    = !(writes && what_i == 3'd5) ? ctas : 32'(value_i) > MaxCtas ? 6'(MaxCtas) : value_i[5:0];
  assign written_d = writes && what_i == 3'd6 ? value_i[1:0] : written;
  assign taken     = start_i && !busy_o;
  always_comb begin
    unique case (what_i)
      3'd0, 3'd1:             bad = value_i > 17'd100 || index_i == 0 || 32'(index_i) > MaxCtas;
      3'd2, 3'd3, 3'd4, 3'd6: bad = 1'b0;
      3'd5:                   bad = 32'(value_i) > MaxCtas;
      default:                bad = 1'b1;
    endcase
  end
  always @(posedge clk_i) begin
    if (!rst_ni) {ctas, written, age, begun, broken} <= '0;
    else begin
      ctas    <= ctas_d;
      written <= written_d;
      if (taken) begun <= 1'b1;
      age <= lasted;
      if ((we_i && (busy_o || 32'(kernel_i) >= Kernels || bad)) || (start_i && (busy_o || prior_i == 0)))
        broken <= 1'b1;
    end
  end

  // What the CTAs of all kernels need of a resource: a term for each bit of a number of CTAs.
  function automatic [18:0] needed(input [67:0] needs);
    needed = 19'd0;
    for (int unsigned k = 0; k < Kernels; k++)
      for (int unsigned b = 0; b < 6; b++)
        if (\dut.cta_q [6*k + b]) needed = needed + (19'(needs[17*k +: 17]) << b);
  endfunction

  // All kernels together, and whether this one comes first among the unfinished.
  logic [7:0]  all_ctas;
  logic [8:0]  all_nbw, all_dbw;
  logic        first, changed, stopped, ran;
  logic [5:0]  was_cta;
  logic [6:0]  was_nbw, was_dbw;
  logic [9:0]  was_steps;
  logic        first_q, left_q;
  always_comb begin
    {all_ctas, all_nbw, all_dbw, first} = {8'd0, 9'd0, 9'd0, 1'b1};
    for (int unsigned k = 0; k < 4; k++) begin
      all_ctas = all_ctas + 8'(\dut.cta_q [6*k +: 6]);
      all_nbw  = all_nbw + 9'(\dut.nbw_q [7*k +: 7]);
      all_dbw  = all_dbw + 9'(\dut.dbw_q [7*k +: 7]);
      if (\dut.unfinished_q [k] && 2'(k) != view_i && (\dut.dom_q [9*k +: 9] < dom_o ||
          (\dut.dom_q [9*k +: 9] == dom_o && 2'(k) < view_i))) first = 1'b0;
    end
  end
  always @(posedge clk_i) begin
    {was_cta, was_nbw, was_dbw, was_steps} <= {cta_o, nbw_o, dbw_o, steps_o};
    first_q <= first;
    left_q  <= \dut.unfinished_q [view_i];
    ran     <= rst_ni && busy_o;
  end

  // The step, what the kernel of it has, and how long it may have lasted.
  logic [1:0] step_kind;
  logic [5:0] step_cta;
  logic [6:0] step_nbw, step_dbw, step_need, limit;
  logic       next_ok, none;
  assign step_need = 7'd17 * 7'(\dut.k_q );
  assign step_kind = \dut.kind_q [{\dut.k_q , 1'b0} +: 2];
  assign step_cta  = \dut.cta_q [5'd6 * 5'(\dut.k_q ) +: 6];
  assign step_nbw  = \dut.nbw_q [5'd7 * 5'(\dut.k_q ) +: 7];
  assign step_dbw  = \dut.dbw_q [5'd7 * 5'(\dut.k_q ) +: 7];
  assign none      = {\dut.cta_q , \dut.nbw_q , \dut.dbw_q } == 0;
  always_comb begin
    next_ok = 1'b1;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if ((\dut.fsm_q >= Pick || (\dut.fsm_q == Kind && 2'(k) < \dut.k_q )) &&
          \dut.at_q [6*k +: 6] != \dut.cta_q [6*k +: 6] + 6'd1) next_ok = 1'b0;
    end
    unique case (\dut.fsm_q )
      Kind:    limit = 7'(\dut.k_q );
      Pick:    limit = 7'd44;
      Grow:    limit = 7'd45;
      Read:    limit = 7'd46;
      Check:   limit = 7'd56 - 7'(\dut.u_divider.left_q );
      Share:   limit = 7'd11 * 7'(\dut.res_q );
      Take:    limit = 7'd11 * 7'(\dut.res_q ) + 7'd10 - 7'(\dut.u_divider.left_q );
      default: limit = 7'd0;
    endcase
  end
  assign changed = {was_cta, was_nbw, was_dbw} != {cta_o, nbw_o, dbw_o};
  assign lasted  = ran && busy_o && steps_o == was_steps ? age + 7'd1 : 7'd0;
  assign stopped = left_q && !\dut.unfinished_q [view_i];

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | inv_slots: all kernels together have no more CTAs than the SM has slots
    inv_slots: assert (32'(all_ctas) <= Slots);
    // induction 2 | inv_regs: nor more registers than it has
    if (busy_o) inv_regs: assert (19'(\dut.sum_regs_q ) == needed(\dut.regs_q ) && 32'(\dut.sum_regs_q ) <= Regs);
    // induction 2 | inv_smem: nor more shared memory than it has
    if (busy_o) inv_smem: assert (19'(\dut.sum_smem_q ) == needed(\dut.smem_q ) && 32'(\dut.sum_smem_q ) <= Smem);
    // induction 2 | inv_threads: nor more threads than it has
    if (busy_o) inv_threads: assert (19'(\dut.sum_threads_q ) == needed(\dut.threads_q ) && 32'(\dut.sum_threads_q ) <= Threads);
    // induction 2 | inv_noc: nor more than the whole NoC bandwidth
    inv_noc: assert (all_nbw <= 100);
    // induction 2 | inv_dram: nor more than the whole DRAM bandwidth
    inv_dram: assert (all_dbw <= 100);
    // induction 2 | inv_sums: the sums are those of all kernels, and in Check without the step's
    inv_sums: assert (8'(\dut.sum_ctas_q ) == all_ctas &&
      9'(\dut.sum_nbw_q ) + (\dut.fsm_q == Check ? 9'(step_nbw) : 9'd0) == all_nbw &&
      9'(\dut.sum_dbw_q ) + (\dut.fsm_q == Check ? 9'(step_dbw) : 9'd0) == all_dbw);
    // induction 2 | inv_step: the step is of a kernel that exists and may get more, and tries what it has or a CTA more
    if (\dut.fsm_q >= Grow) inv_step: assert (\dut.unfinished_q [\dut.k_q ] &&
      (\dut.fsm_q == Grow || (\dut.kind_t_q == step_kind &&
       \dut.cta_t_q == step_cta + 6'(\dut.grows_q && \dut.fsm_q <= Check))));
    // induction 2 | inv_own: and of what it wants a percent more
    if (\dut.fsm_q == Read || \dut.fsm_q == Check) inv_own: assert ((step_kind != 0 || \dut.grows_q ) &&
      \dut.own_next_q == (step_kind == 1 ? step_nbw : step_dbw) + 7'd1);
    // induction 2 | inv_place: a step that has room has a place for what its CTA needs
    if (\dut.fsm_q == Check && \dut.room_q && \dut.grows_q )
      inv_place: assert (18'(\dut.sum_regs_q ) + 18'(\dut.regs_q [step_need +: 17]) <= 18'(Regs) &&
        18'(\dut.sum_smem_q ) + 18'(\dut.smem_q [step_need +: 17]) <= 18'(Smem) &&
        18'(\dut.sum_threads_q ) + 18'(\dut.threads_q [step_need +: 17]) <= 18'(Threads));
    // induction 2 | inv_room: and a slot, and the kernel may have it
    if (\dut.fsm_q == Check && \dut.room_q ) inv_room: assert (32'(all_ctas) + 32'(\dut.grows_q ) <= Slots &&
      \dut.cta_t_q <= \dut.ctas_q [5'd6 * 5'(\dut.k_q ) +: 6]);
    // induction 2 | inv_first: and is the kernel's of the lowest share
    if (\dut.fsm_q >= Grow && \dut.k_q == view_i) inv_first: assert (first);
    // induction 2 | inv_told: what the kernel was told
    if (shown) inv_told: assert (\dut.ctas_q [6*view_i +: 6] == ctas && \dut.type_q [2*view_i +: 2] == written &&
      (\dut.fsm_q < Pick && !(\dut.fsm_q == Kind && view_i < \dut.k_q ) || written == 3 || kind_o == written));
    // induction 2 | inv_exist: no other kernel has a place in it
    inv_exist: assert ((\dut.unfinished_q >> Kernels) == 0 && 24'(\dut.cta_q >> 6*Kernels) == 0 &&
      28'(\dut.nbw_q >> 7*Kernels) == 0 && 28'(\dut.dbw_q >> 7*Kernels) == 0 &&
      (\dut.fsm_q != Kind || 32'(\dut.k_q ) < Kernels));
    // induction 2 | inv_at: what is read next of the tables is for one CTA more, once the types are known
    inv_at: assert (next_ok && (\dut.fsm_q != Kind || none));
    // induction 2 | inv_paced: how long each state may have waited
    inv_paced: assert (lasted <= limit && (\dut.fsm_q != Idle || lasted == 0) && \dut.u_divider.left_q <= 9 &&
      (\dut.fsm_q == Check || \dut.fsm_q == Take || \dut.u_divider.left_q == 0));
    // induction 2 | most: a kernel has no more CTAs than it may
    if (busy_o) most: assert (cta_o <= ctas);
    // induction 2 | kinds: by_rule has been decided
    kinds: assert (kind_o != 3);
    // induction 2 | as_written: a kind that was written holds
    if (busy_o && steps_o != 0 && shown && written != 3) as_written: assert (kind_o == written);
    // induction 2 | paced: steps follow within 57 cycles, a short one behind the longest
    paced: assert (lasted <= 7'd56);
    // induction 2 | inv_all: done when no kernel is left that may get more
    if (done_o) inv_all: assert (\dut.unfinished_q == 0);
    // induction 2 | masked: of a kernel that does not exist, all figures are 0
    if (!shown) masked: assert ({cta_o, nbw_o, dbw_o, dom_o, kind_o} == 0);
    // induction 2 | done_told: an allocation stands behind a start, and not while it is made
    if (busy_o || done_o) done_told: assert (begun && !(busy_o && done_o));
    if (was_ni) begin
      // induction 2 | one_step: a kernel's share changes by steps alone, by one CTA at most
      if (ran && changed) one_step: assert (steps_o == 10'($past(steps_o) + 10'd1) &&
                                            (cta_o == was_cta || cta_o == was_cta + 6'd1));
      // induction 2 | one_percent: a kernel that wants bandwidth gets one percent of it, one that does not, a CTA
      if (ran && changed) one_percent: assert (kind_o == 1 ? nbw_o == was_nbw + 7'd1 :
                                               kind_o == 2 ? dbw_o == was_dbw + 7'd1 : cta_o == was_cta + 6'd1);
      // induction 2 | inv_lowest: a step is the kernel's of the lowest share, of several the first
      if (ran && (changed || stopped)) inv_lowest: assert (left_q && first_q);
      // induction 2 | held: an allocation stays until the next start
      if ($past(!busy_o && !start_i)) held: assert (done_o == $past(done_o) && !changed && steps_o == $past(steps_o));
      // induction 2 | begins: a start clears
      if ($past(taken)) begins: assert (busy_o && !done_o && {cta_o, nbw_o, dbw_o, dom_o, steps_o} == 0);
      // induction 2 | ends: what was busy is busy or done
      if ($past(busy_o)) ends: assert (busy_o || done_o);
    end
    // induction 2 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 16 | granted: a kernel gets a CTA
    granted: cover (cta_o == 1 && busy_o);
    // cover 22 | widened: a kernel that wants NoC has its first percent
    widened: cover (kind_o == 1 && nbw_o == 1 && busy_o);
    // cover 24 | ended: an allocation is done
    ended: cover (done_o && begun && steps_o == Kernels);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
