// SPDX-License-Identifier: Apache-2.0
// context_restorer: each allocated or live register is written once, in ascending order; writes hold until
// they are taken; a warp of dead registers ends by itself.
`include "frame.svh"

  (* anyconst *) logic [5:0] r;
  logic        taken, broken, written, wanted, beyond;
  logic [6:0]  alloc;
  logic [63:0] live, below;
  for (genvar i = 0; i < 64; i++) begin : gen_live
    assign live[i] = pattern_vec_i[2*i +: 2] != 0;
  end
  assign taken  = start_i && !busy_o;
  assign alloc  = 32'(alloc_i) > Regs ? 7'(Regs) : alloc_i;
  assign beyond = (live >> alloc) != 0;
  assign below  = ~(64'hffff_ffff_ffff_ffff << alloc);
  logic last_known;
  logic [5:0] last;
  always @(posedge clk_i) begin
    if (!rst_ni) {broken, written, wanted, last_known} <= '0;
    else begin
      if (taken) begin
        wanted     <= live[r] || below[r];
        written    <= 1'b0;
        last_known <= 1'b0;
      end
      if (rf_req_o && rf_gnt_i) begin
        if (rf_index_o == r) written <= 1'b1;
        last_known <= 1'b1;
        last       <= rf_index_o;
      end
      if ((start_i && busy_o) || (taken && (pag_i == 2'd3 || 32'(alloc_i) > Regs || beyond)) ||
          (seg_valid_i && !seg_want_o)) broken <= 1'b1;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 12 | once: no register is written twice, and none that is neither live nor allocated
    if (rf_req_o && rf_index_o == r) once: assert (wanted && !written);
    // bounded 12 | ascending: registers are written in ascending order
    if (rf_req_o && last_known) ascending: assert (rf_index_o > last);
    // bounded 12 | complete: when a warp has been restored each of its registers has been written
    if (!busy_o && wanted) complete: assert (written);
    // bounded 12 | busy_req: writes come for a warp that is being restored
    if (rf_req_o || seg_want_o) busy_req: assert (busy_o);
    // bounded 12 | ready_want: segments are taken only where they are wanted
    if (seg_ready_o) ready_want: assert (seg_want_o);
    if (was_ni) begin
      // bounded 12 | stable: a write holds until it is taken
      if ($past(rf_req_o && !rf_gnt_i)) stable: assert (rf_req_o && rf_index_o == $past(rf_index_o) &&
                                                        rf_lane_o == $past(rf_lane_o));
      // bounded 12 | begins: a start with a register to restore is followed by busy
      if ($past(taken && (live != 0 || alloc != 0))) begins: assert (busy_o);
      // bounded 12 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
    end
    // bounded 12 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 11 | restored: a warp of one live and one dead register has been restored
    restored: cover (was_ni && $past(busy_o) && !busy_o && written && $past(rf_index_o) != r && $past(rf_req_o));
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
