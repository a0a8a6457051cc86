// SPDX-License-Identifier: Apache-2.0
// alloc_table: which TB, if any, owns one unit, any one, is followed through all replies; so is one TB, any
// one, of whom a lookup must give what was told when it was placed.
`include "frame.svh"

  localparam logic [2:0]  KernelMask = 3'(32'd7 >> (3 - KernelBits));
  localparam logic [15:0] TbMask     = 16'(32'hffff >> (16 - TbBits));
  (* anyconst *) logic [9:0]  u;
  (* anyconst *) logic [2:0]  k_any;
  (* anyconst *) logic [15:0] t_any;
  logic [2:0]  k;
  logic [15:0] t;
  assign k = k_any & KernelMask;
  assign t = t_any & TbMask;
  logic        busy, told, owned, there, placed, freed, mine, in_run, bad_pins, broken;
  logic [1:0]  op;
  logic [2:0]  kernel, old;
  logic [15:0] tb;
  logic [9:0]  start;
  logic [10:0] size;
  logic [6:0]  entries, places;
  logic [5:0]  count;
  logic [10:0] want;
  logic        took;
  assign took = valid_i && ready_o;
  assign told = rsp_valid_o && rsp_ready_i;
  // A TB gets its place with an ok done of alloc or with a place; it leaves with an ok done of free or a leave.
  assign placed = told && ((op == 2'd2 && rsp_kind_o == 2'd0 && rsp_ok_o) || rsp_kind_o == 2'd2);
  assign freed  = told && ((op == 2'd1 && rsp_kind_o == 2'd0 && rsp_ok_o) || rsp_kind_o == 2'd1);
  assign in_run = u >= rsp_start_o && 12'(u) < 12'(rsp_start_o) + 12'(rsp_size_o);
  assign mine   = rsp_tb_o == t && (rsp_kind_o == 2'd1 ? old : kernel) == k;
  assign bad_pins = (op_i >= 2'd2 && (size_i == 0 || 32'(size_i) > Units)) ||
                    (op_i == 2'd3 && (count_i == 0 || 32'(count_i) > Entries || ((old_i ^ kernel_i) & KernelMask) == 0));
  always @(posedge clk_i) begin
    if (!rst_ni) {busy, owned, there, entries, broken} <= '0;
    else begin
      if (took) begin
        busy   <= 1'b1;
        op     <= op_i;
        kernel <= kernel_i & KernelMask;
        old    <= old_i & KernelMask;
        tb     <= tb_i & TbMask;
        want   <= size_i;
        count  <= count_i;
        places <= '0;
        // A free of a TB that is not there, an allocation of one that is.
        if (bad_pins || ((kernel_i & KernelMask) == k && (tb_i & TbMask) == t &&
                         (op_i == 2'd1 ? !there : op_i == 2'd2 && there))) broken <= 1'b1;
      end
      if (told && rsp_kind_o == 2'd0) busy <= 1'b0;
      if (placed) begin
        entries <= entries + 7'd1;
        places  <= places + 7'd1;
        if (in_run) owned <= 1'b1;
        if (mine) begin
          there <= 1'b1;
          start <= rsp_start_o;
          size  <= rsp_size_o;
        end
      end
      if (freed) begin
        entries <= entries - 7'd1;
        if (in_run) owned <= 1'b0;
        if (mine) there <= 1'b0;
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 12 | not_twice: a TB is placed on units that nobody owns
    if (placed && in_run) not_twice: assert (!owned);
    // bounded 12 | inside: it has the units that were asked for, inside the memory
    if (placed) inside: assert (32'(rsp_start_o) + 32'(rsp_size_o) <= Units && rsp_size_o == want);
    // bounded 12 | lowest: a TB of one unit is placed on the lowest that is free
    if (placed && want == 1 && u < rsp_start_o) lowest: assert (owned);
    // bounded 12 | owner_leaves: a TB that leaves had its units
    if (freed && in_run) owner_leaves: assert (owned);
    // bounded 12 | found: a lookup gives what was told when the TB was placed, ok where it is there
    if (told && op == 2'd0 && mine) found: assert (rsp_kind_o == 2'd0 && rsp_ok_o == there &&
      (there ? rsp_start_o == start && rsp_size_o == size : rsp_start_o == 0 && rsp_size_o == 0));
    // bounded 12 | freed_found: so does a free
    if (freed && mine) freed_found: assert (there && rsp_start_o == start && rsp_size_o == size);
    // bounded 12 | leaves_old: a plan lets go TBs of the old kernel, and places new ones in order of number
    if (rsp_valid_o && rsp_kind_o != 2'd0) leaves_old: assert (op == 2'd3 && rsp_ok_o &&
      (rsp_kind_o == 2'd1 || rsp_tb_o == ((tb + 16'(places)) & TbMask)));
    // bounded 12 | all_placed: a plan that is ok has placed all its TBs
    if (told && op == 2'd3 && rsp_kind_o == 2'd0 && rsp_ok_o) all_placed: assert (places == 7'(count));
    // bounded 12 | used_exact: the entries in use are those placed and not freed
    if (!busy) used_exact: assert (7'(used_o) == entries);
    // bounded 12 | used_most: never more than there are
    used_most: assert (7'(used_o) <= 7'(Entries));
    // induction 2 | reply_busy: a reply answers an operation; idle exactly where none is under way
    reply_busy: assert (ready_o == !busy && (!rsp_valid_o || busy));
    // induction 2 | masked: without a reply its pins are 0
    if (!rsp_valid_o) masked: assert ({rsp_kind_o, rsp_ok_o, rsp_tb_o, rsp_start_o, rsp_size_o} == 0);
    if (was_ni) begin
      // induction 2 | stable: a reply holds until it is taken
      if ($past(rsp_valid_o && !rsp_ready_i)) stable: assert (rsp_valid_o && {rsp_kind_o, rsp_ok_o, rsp_tb_o,
        rsp_start_o, rsp_size_o} == $past({rsp_kind_o, rsp_ok_o, rsp_tb_o, rsp_start_o, rsp_size_o}));
      // induction 2 | at_once: lookup, free and what is refused are answered in the next cycle
      if ($past(took && (op_i <= 2'd1 || bad_pins))) at_once: assert (rsp_valid_o && rsp_kind_o == 2'd0);
      // induction 2 | refused: bad pins are answered not ok, with the fault
      if ($past(took && bad_pins)) refused: assert (rsp_valid_o && !rsp_ok_o && fault_o);
      // induction 2 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // induction 2 | fault_when: it comes with an operation that was taken
      if (fault_o && !$past(fault_o)) fault_when: assert ($past(took));
      // induction 2 | fault_lookup: a lookup is no fault
      if (fault_o && !$past(fault_o)) fault_lookup: assert ($past(op_i != 2'd0));
    end
    // bounded 12 | fault_set: a free of a TB that is not there, an alloc of one that is, and bad pins set it
    if (broken) fault_set: assert (fault_o);
    // cover 14 | owned_seen: a second TB lies behind a first
    owned_seen: cover (placed && entries == 1 && rsp_start_o != 0 && mine);
    // cover 20 | left: a plan has let a TB go and placed a new one
    left: cover (told && op == 2'd3 && rsp_kind_o == 2'd0 && rsp_ok_o && there && mine && !owned);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
  logic [4:0] waits;  // cycles without a reply since an operation was taken or a reply was
  always @(posedge clk_i) waits <= !rst_ni || took || told || !busy || rsp_valid_o ? 5'd0 : waits + 5'(waits != 5'd31);
  always @(posedge clk_i) if (rst_ni) begin
    // bounded 12 | answered: an alloc is answered 2 + Entries cycles behind its acceptance at the latest
    if (busy && op == 2'd2) answered: assert (32'(waits) <= Entries + 1);
  end
endmodule
