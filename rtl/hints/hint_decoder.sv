// SPDX-License-Identifier: Apache-2.0
// hint_decoder: front end of hint mode for one warp.
//
// One adder makes the fetch PC from the stall PC (base_q) and the held offset (next_q); next_q is 0
// whenever there is no chain, so the same adder gives the stall point in every other mode. What is
// accepted goes into one output register; it can be refilled in the cycle in which it is taken.
//
//   hint_i      23   22                    18 17       9  8   7      0
//   format 1  [ v | reserved                | offset    | r | dst    ]
//   format 2  [ v | type | not-taken offset 21:11 | taken offset 10:0 ]
//
// With narrower offsets a field keeps its lowest bits and the rest of it is reserved. Whether a
// distance is in reach is a test of sign bits: all from OffsetW - 1 up are alike, and it is not 0.
//
// Source: Gong 5.3.1, 5.3.3, 5.3.4.
module hint_decoder #(
  parameter int unsigned OffsetW     = 9,   // 3 to 9
  parameter int unsigned BranchW     = 11,  // OffsetW to 11
  parameter int unsigned SpecialBase = 240  // 1 to 256
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        stall_i,
  input  logic        resume_i,
  input  logic        redirect_i,
  input  logic        valid_i,
  input  logic [31:0] pc_i,
  input  logic [23:0] hint_i,
  input  logic        branch_i,
  input  logic        taken_i,
  input  logic        not_taken_i,
  input  logic [7:0]  dst_i,
  input  logic        rcu_empty_i,
  input  logic        rcu_full_i,
  input  logic        take_i,
  output logic        ready_o,
  output logic [1:0]  mode_o,
  output logic [31:0] base_o,
  output logic [31:0] fetch_pc_o,
  output logic        issue_o,
  output logic [8:0]  offset_o,
  output logic [7:0]  dst_o,
  output logic [7:0]  renamed_o,
  output logic        control_o,
  output logic [10:0] taken_offset_o,
  output logic [10:0] not_taken_offset_o,
  output logic        fault_o
);

  if (OffsetW < 3 || OffsetW > 9 || BranchW < OffsetW || BranchW > 11) begin : gen_bad_width
    $fatal(1, "hint_decoder: 3 <= OffsetW <= 9 and OffsetW <= BranchW <= 11");
  end
  if (SpecialBase < 1 || SpecialBase > 256) begin : gen_bad_special
    $fatal(1, "hint_decoder: SpecialBase must be 1 to 256");
  end

  localparam logic [1:0] InOrder = 2'd0;
  localparam logic [1:0] Hint    = 2'd1;
  localparam logic [1:0] Wait    = 2'd2;

  logic [1:0]  mode_q, mode_d;
  logic [31:0] base_q, base_d;            // stall PC
  logic [8:0]  next_q, next_d;            // next instruction of the chain, from base; 0 without one
  logic        issue_q, issue_d;          // the registers below hold an instruction
  logic [8:0]  own_q, own_d;              // its distance from base
  logic [7:0]  dst_q, dst_d;
  logic [7:0]  renamed_q, renamed_d;
  logic        control_q, control_d;
  logic [10:0] taken_q, taken_d;
  logic [10:0] not_taken_q, not_taken_d;
  logic        fault_q, fault_d;

  // Formats.
  logic [8:0]  offset_1;
  logic [10:0] offset_taken, offset_not_taken;
  logic        reserved_1, reserved_2, direct;
  assign offset_1         = {{(10-OffsetW){hint_i[8+OffsetW]}}, hint_i[9 +: OffsetW-1]};
  assign offset_taken     = {{(12-BranchW){hint_i[BranchW-1]}}, hint_i[0 +: BranchW-1]};
  assign direct           = hint_i[22];
  assign offset_not_taken = direct ? 11'h0
                                   : {{(12-BranchW){hint_i[10+BranchW]}}, hint_i[11 +: BranchW-1]};
  assign reserved_1       = (hint_i[22:9] >> OffsetW) != 14'h0;
  assign reserved_2       = (hint_i[10:0] >> BranchW) != 11'h0 ||
                            (direct ? hint_i[21:11] : hint_i[21:11] >> BranchW) != 11'h0;

  // Renaming: refused for a special code and for a register that would become itself.
  logic rename, rename_bad, renames;
  assign rename     = hint_i[8];
  assign rename_bad = {1'b0, dst_i} >= 9'(SpecialBase) || {1'b0, hint_i[7:0]} >= 9'(SpecialBase) ||
                      hint_i[7:0] == dst_i;
  assign renames    = rename && !rename_bad;

  // Where the chain goes: 12 bits of distance, and whether the bits above agree with its sign.
  logic [31:0] fetch_pc, jump, reach;
  logic [11:0] distance;
  logic        far, in_reach;
  assign reach    = {{23{next_q[8]}}, next_q};
  assign fetch_pc = base_q + reach;
  assign jump     = pc_i - base_q;
  always_comb begin
    far = 1'b0;
    if (redirect_i) begin
      distance = jump[11:0];
      far      = jump[31:12] != {20{jump[11]}};
    end else if (!branch_i) begin
      distance = {{3{offset_1[8]}}, offset_1};
    end else if (direct || taken_i) begin
      distance = {offset_taken[10], offset_taken};
    end else if (not_taken_i) begin
      distance = {offset_not_taken[10], offset_not_taken};
    end else begin
      distance = 12'h0;
    end
  end
  assign in_reach = !far && distance != 12'h0 &&
                    distance[11:OffsetW-1] == {(13-OffsetW){distance[11]}};

  logic fits;
  is_sum u_fits (.a_i(base_q), .b_i(reach), .sum_i(pc_i), .is_o(fits));

  // Handshakes.
  logic hinting, ready, accept, good, bad_hint;
  assign hinting  = mode_q == Hint;
  assign ready    = hinting && !resume_i && !rcu_full_i && !redirect_i && (!issue_q || take_i);
  assign accept   = ready && valid_i;
  assign good     = accept && fits && hint_i[23];
  assign bad_hint = branch_i ? reserved_2 || (!direct && !taken_i && !not_taken_i)
                             : reserved_1 || (rename ? rename_bad : hint_i[7:0] != dst_i);

  always_comb begin
    mode_d      = mode_q;
    base_d      = base_q;
    next_d      = next_q;
    issue_d     = issue_q;
    own_d       = own_q;
    dst_d       = dst_q;
    renamed_d   = renamed_q;
    control_d   = control_q;
    taken_d     = taken_q;
    not_taken_d = not_taken_q;
    fault_d     = fault_q || (take_i && (!issue_q || rcu_full_i)) ||
                  (stall_i && mode_q != InOrder) || (redirect_i && !hinting) ||
                  (accept && !good) || (good && bad_hint);

    // The chain.
    if (resume_i) begin
      mode_d = InOrder;
      next_d = 9'h0;
    end else if (mode_q == InOrder) begin
      if (stall_i && rcu_empty_i && hint_i[23] && offset_1 != 9'h0) begin
        mode_d  = Hint;
        base_d  = pc_i;
        next_d  = offset_1;
        fault_d = fault_q || take_i || redirect_i || reserved_1;
      end
    end else if (hinting && (rcu_full_i || redirect_i || accept)) begin
      if (!rcu_full_i && (redirect_i || good) && in_reach) begin
        next_d = distance[8:0];
      end else begin
        mode_d = Wait;
        next_d = 9'h0;
      end
    end

    // The instruction at the output.
    if (resume_i || rcu_full_i || take_i) issue_d = 1'b0;
    if (good) begin
      issue_d     = 1'b1;
      own_d       = next_q;
      dst_d       = branch_i ? 8'h0 : dst_i;
      renamed_d   = branch_i ? 8'h0 : renames ? hint_i[7:0] : dst_i;
      control_d   = branch_i;
      taken_d     = branch_i ? offset_taken : 11'h0;
      not_taken_d = branch_i ? offset_not_taken : 11'h0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q      <= InOrder;
      base_q      <= 32'h0;
      next_q      <= 9'h0;
      issue_q     <= 1'b0;
      own_q       <= 9'h0;
      dst_q       <= 8'h0;
      renamed_q   <= 8'h0;
      control_q   <= 1'b0;
      taken_q     <= 11'h0;
      not_taken_q <= 11'h0;
      fault_q     <= 1'b0;
    end else begin
      mode_q      <= mode_d;
      base_q      <= base_d;
      next_q      <= next_d;
      issue_q     <= issue_d;
      own_q       <= own_d;
      dst_q       <= dst_d;
      renamed_q   <= renamed_d;
      control_q   <= control_d;
      taken_q     <= taken_d;
      not_taken_q <= not_taken_d;
      fault_q     <= fault_d;
    end
  end

  assign ready_o            = ready;
  assign mode_o             = mode_q;
  assign base_o             = base_q;
  assign fetch_pc_o         = fetch_pc;
  assign issue_o            = issue_q;
  assign offset_o           = issue_q ? own_q : 9'h0;
  assign dst_o              = issue_q ? dst_q : 8'h0;
  assign renamed_o          = issue_q ? renamed_q : 8'h0;
  assign control_o          = issue_q && control_q;
  assign taken_offset_o     = issue_q ? taken_q : 11'h0;
  assign not_taken_offset_o = issue_q ? not_taken_q : 11'h0;
  assign fault_o            = fault_q;

endmodule
