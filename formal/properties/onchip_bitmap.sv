// SPDX-License-Identifier: Apache-2.0
// onchip_bitmap: one unit, any one, is followed: it is taken by the run of an allocation that holds it and
// freed by a free that holds it. A run that is given holds free units alone, so no unit is owned twice.
`include "frame.svh"

  localparam int unsigned Units = RegUnits + SmemUnits + L1Units;
  localparam int unsigned Words = RegUnits / WordBits;  // of the largest region, as the configurations are
  (* anyconst *) logic [11:0] u;
  logic [1:0]  u_region, addr_region;
  logic        owned, busy, refused, broken_pins, in_run, bad;
  logic        is_free;
  logic [1:0]  region;
  logic [11:0] count, first;
  logic [7:0]  age;
  function automatic [1:0] region_of(input [11:0] a);
    region_of = 32'(a) < RegUnits ? 2'd0 : 32'(a) < RegUnits + SmemUnits ? 2'd1 : 32'(a) < Units ? 2'd2 : 2'd3;
  endfunction
  function automatic [31:0] size_of(input [1:0] r);
    size_of = r == 2'd0 ? RegUnits : r == 2'd1 ? SmemUnits : r == 2'd2 ? L1Units : 0;
  endfunction
  function automatic [31:0] end_of(input [1:0] r);
    end_of = r == 2'd0 ? RegUnits : r == 2'd1 ? RegUnits + SmemUnits : r == 2'd2 ? Units : 0;
  endfunction
  assign u_region    = region_of(u);
  assign addr_region = region_of(addr_i);
  assign bad = count_i == 0 || (op_i == 1'b0 ? region_i == 2'd3
                                : addr_region == 2'd3 || 32'(addr_i) + 32'(count_i) > end_of(addr_region));
  logic [11:0] start;  // of the run that a done names
  assign start  = is_free ? first : addr_o;
  assign in_run = u >= start && 13'(u) < 13'(start) + 13'(count);
  always @(posedge clk_i) begin
    if (!rst_ni) {owned, busy, refused, broken_pins, age} <= '0;
    else begin
      if (done_o) begin
        busy <= 1'b0;
        if (in_run && busy && !refused && u_region != 2'd3) begin
          if (is_free) owned <= 1'b0;
          else if (found_o) owned <= 1'b1;
        end
      end
      age <= busy ? age + 8'd1 : 8'd1;
      if (valid_i && ready_o) begin
        busy    <= 1'b1;
        is_free <= op_i;
        region  <= region_i;
        count   <= count_i;
        first   <= addr_i;
        refused <= bad;
        age     <= 8'd1;
        if (bad) broken_pins <= 1'b1;
      end
    end
  end
  logic given, broken_free;
  assign given = done_o && busy && !is_free && found_o;
  // Whether the free under way names a unit that is free.
  assign broken_free = done_o && busy && is_free && !refused && in_run && !owned;
  logic faulty_before;  // the fault as the request under way was taken
  always @(posedge clk_i) if (!rst_ni) faulty_before <= 1'b0; else if (valid_i && ready_o) faulty_before <= fault_o;
  logic broken_frees;
  always @(posedge clk_i) if (!rst_ni) broken_frees <= 1'b0; else if (broken_free) broken_frees <= 1'b1;

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 10 | not_twice: a run that is given holds no unit that somebody owns
    if (given && in_run) not_twice: assert (!owned);
    // bounded 10 | inside: it lies in the region that was asked for, whole
    if (given) inside: assert (region_of(addr_o) == region && 32'(addr_o) + 32'(count) <= end_of(region));
    // bounded 10 | none_free: where no run is found of length 1, every unit of the region is owned
    if (done_o && busy && !is_free && !found_o && !refused && count == 1 && u_region == region && region != 2'd3)
      none_free: assert (owned);
    // bounded 10 | lowest: an allocation of one unit gives the lowest that is free
    if (given && count == 1 && u_region == region && u < addr_o) lowest: assert (owned);
    // bounded 10 | whole: a free that found all its units taken had them owned
    if (done_o && busy && is_free && found_o && in_run) whole: assert (owned);
    // bounded 10 | ready_told: ready but where a request is under way and not done
    ready_told: assert (ready_o == (!busy || done_o));
    // bounded 10 | done_once: done answers a request, once
    if (done_o) done_once: assert (busy);
    // bounded 10 | answered: within twice the words of the largest region plus 1 cycles
    if (busy) answered: assert (32'(age) <= 2 * Words + 1);
    // bounded 10 | masked: found and addr are 0 where they mean nothing
    masked: assert ((done_o || !found_o) && ((done_o && found_o && busy && !is_free) || addr_o == 0));
    // bounded 10 | refused_at_once: a request with bad pins is answered in the next cycle, not found, with the fault
    if (busy && refused) refused_at_once: assert (done_o && !found_o && fault_o);
    // bounded 10 | fault_set: a free of a unit that is free sets the fault
    if (broken_free || broken_frees || (broken_pins && !busy)) fault_set: assert (fault_o);
    if (was_ni) begin
      // induction 2 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // bounded 10 | fault_why: it comes with a refused request or during a free alone
      if (fault_o && !$past(fault_o)) fault_why: assert (busy && (refused || is_free));
    end
    // bounded 10 | fault_quiet: a free that found all its units taken has set no fault
    if (done_o && busy && is_free && found_o && !faulty_before) fault_quiet: assert (!fault_o);
    // cover 16 | given_seen: a run is given that holds the unit
    given_seen: cover (given && in_run && count == 2);
    // cover 24 | freed: the unit is freed
    freed: cover (done_o && busy && is_free && found_o && in_run && owned);
    // cover 24 | full_seen: an allocation finds nothing, the region being full
    full_seen: cover (done_o && busy && !is_free && !found_o && !refused && count == 1);
    // cover 16 | faulty: a unit that is free is freed
    faulty: cover (broken_free);
  end
endmodule
