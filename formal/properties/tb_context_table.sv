// SPDX-License-Identifier: Apache-2.0
// tb_context_table: the entry of one TB, any one, is followed through all commands; look up and find
// must agree with it.
// still look_id_i
`include "frame.svh"

  localparam logic [31:0] All = 32'hffff_ffff >> (32 - TbWarps);
  logic        there, exists, mine, fits, ok, present, own;
  logic [31:0] absent;
  logic [11:0] addr;
  assign exists  = 32'(look_id_i) < Tbs;
  assign mine    = id_i == look_id_i && exists;
  assign fits    = (mask_i & ~All) == 0;
  assign ok      = op_i == 3'd1 ? !there && fits : op_i == 3'd2 || op_i == 3'd5 ? there
                 : (op_i == 3'd3 || op_i == 3'd4) && there && fits;
  assign present = (32'(addr) >= SmemBase && 32'(addr) < SmemBase + SmemUnits) || addr == 12'hfff;
  assign own     = exists && (find_kind_i == 2'd0 ? !there : there && (find_kind_i == 2'd1
                 ? absent == 0 && present : find_kind_i == 2'd2 ? absent != 0 : !present));
  always @(posedge clk_i) begin
    if (!rst_ni) there <= 1'b0;
    else if (mine && ok) begin
      case (op_i)
        3'd1: begin there <= 1'b1; absent <= mask_i; addr <= addr_i; end
        3'd2: there <= 1'b0;
        3'd3: absent <= absent | mask_i;
        3'd4: absent <= absent & ~mask_i;
        default: addr <= addr_i;
      endcase
    end
  end
  function automatic [6:0] far(input [4:0] id);
    logic [6:0] from;
    from = 32'(find_from_i) < Tbs ? 7'(find_from_i) : 7'd0;
    far  = 7'(id) >= from ? 7'(id) - from : 7'(id) + 7'(Tbs) - from;
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | looked_up: an entry found is the one inserted, as changed since
    looked_up: assert (look_valid_o == there && look_mask_o == (there ? absent : 0) &&
                       look_addr_o == (there ? addr : 0) && look_present_o == (there && present));
    // induction 2 | find_some: an entry of the kind is found where there is one, the first from find_from
    if (own) find_some: assert (find_found_o && far(find_id_o) <= far(look_id_i));
    // induction 2 | find_right: what is found is of the kind
    if (find_found_o && find_id_o == look_id_i) find_right: assert (own);
    // induction 2 | find_none: nothing found shows 0
    if (!find_found_o) find_none: assert (find_id_o == 0);
    if (was_ni) begin
      // induction 2 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // induction 2 | fault_why: a command to this entry is a fault where it may not be, and only then
      if (!$past(fault_o) && $past(mine && op_i != 0)) fault_why: assert (fault_o == !$past(ok));
      // induction 2 | fault_id: a command to a TB that does not exist is a fault
      if ($past(op_i != 0 && 32'(id_i) >= Tbs)) fault_id: assert (fault_o);
      // induction 2 | fault_quiet: no command, no fault
      if (!$past(fault_o) && $past(op_i == 0)) fault_quiet: assert (!fault_o);
    end
    // cover 8 | partial_found: a TB with an absent warp is found
    partial_found: cover (find_found_o && find_kind_i == 2'd2);
    // cover 8 | spilled_seen: the shared memory of a TB has moved elsewhere
    spilled_seen: cover (there && !present && was_ni && $past(present && there));
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
