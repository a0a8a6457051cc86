// SPDX-License-Identifier: Apache-2.0
// context_mover: what is asked of the storage follows from the part of the job; lines that are copied, and
// registers that are packed and put back, are counted here anew, each once, in the order of the page.
//
// What a job was told is kept here. `left` are the registers that are still to be read (out) or written (in),
// `line` the lines of the context that are written, `turn` the cycles of a copy.
`include "frame.svh"

  localparam logic [3:0] Idle = 4'd0, Copy = 4'd1, Head = 4'd2, KindsOut = 4'd3, Pack = 4'd4, Point = 4'd5,
                         KindsIn = 4'd6, Sum = 4'd7, Load = 4'd8, Unpack = 4'd9, Drain = 4'd10;
  localparam int unsigned PosW = $clog2(Regs * Lanes + 1), WordW = $clog2(Lanes);
  (* hierconn *) wire \dut.meta_q ;
  (* hierconn *) wire \dut.out_q ;
  (* hierconn *) wire \dut.in_q ;
  (* hierconn *) wire \dut.tb_q ;
  (* hierconn *) wire [9:0] \dut.lines_q ;
  (* hierconn *) wire [11:0] \dut.home_q ;
  (* hierconn *) wire [11:0] \dut.away_q ;
  (* hierconn *) wire \dut.fly_q ;
  (* hierconn *) wire \dut.read_q ;
  (* hierconn *) wire \dut.rest_q ;
  (* hierconn *) wire \dut.back_q ;
  (* hierconn *) wire \dut.head_q ;
  (* hierconn *) wire \dut.load_q ;
  (* hierconn *) wire \dut.take_q ;
  (* hierconn *) wire \dut.any_q ;
  (* hierconn *) wire \dut.row_valid_q ;
  (* hierconn *) wire [5:0] \dut.turn_q ;
  (* hierconn *) wire [5:0] \dut.take_reg_q ;
  (* hierconn *) wire [5:0] \dut.row_reg_q ;
  (* hierconn *) wire [9:0] \dut.index_q ;
  (* hierconn *) wire [9:0] \dut.behind_q ;
  (* hierconn *) wire [23:0] \dut.point_q ;
  (* hierconn *) wire [Regs-1:0] \dut.left_q ;
  (* hierconn *) wire [PosW-1:0] \dut.pos_q ;
  (* hierconn *) wire [PosW-WordW-1:0] \dut.exchanged_q ;
  (* hierconn *) wire [PosW-WordW-1:0] \dut.back_line_q ;

  // What was told.
  logic            tb, meta, out, in, broken;
  logic [1:0]      group;
  logic [9:0]      lines;
  logic [11:0]     home, away;
  logic [Regs-1:0] low, high;
  logic            taken;
  assign taken = state_o == Idle && !cfg_i && req_i && (out_i || in_i) && (meta_i || !tb || lines != 0);

  // Of a copy.
  logic [10:0] turn, turns;
  logic [9:0]  copied, reads, writes;  // the line that is read, and written, in this turn
  logic        both, alternates;
  assign both       = out && in;
  assign copied     = meta ? 10'(StLines) : lines;
  assign turns      = both ? {copied, 1'b0} - 11'd1 : {1'b0, copied};  // that come before the last
  assign alternates = both && turn[0];
  assign reads      = both ? turn[10:1] : turn[9:0];
  assign writes     = both ? turn[10:1] : turn[9:0] - 10'd1;

  // Of registers.
  logic [Regs-1:0] left, lowest, highest, upside, top;
  logic [5:0]      low_reg, high_reg;
  logic [9:0]      line, exchanged, back_line;
  logic            back, headed, coming, rows;
  logic [23:0]     point;
  assign rows   = state_o == Unpack || state_o == Drain;
  assign lowest = left & (~left + 1'b1);
  always_comb begin
    for (int r = 0; r < Regs; r++) upside[r] = left[Regs-1-r];
    top = upside & (~upside + 1'b1);
    low_reg  = 6'd0;
    high_reg = 6'd0;
    for (int r = 0; r < Regs; r++) begin
      highest[r] = top[Regs-1-r];
      if (lowest[r]) low_reg = low_reg | 6'(r);
      if (top[Regs-1-r]) high_reg = high_reg | 6'(r);
    end
  end
  logic [15:0] words;
  logic [5:0]  ones, twos, alls;
  always_comb begin
    {ones, twos, alls} = '0;
    for (int r = 0; r < Regs; r++) begin
      ones = ones + 6'(low[r] && !high[r]);
      twos = twos + 6'(!low[r] && high[r]);
      alls = alls + 6'(low[r] && high[r]);
    end
    words = ((16'(ones) + (16'(twos) << 1)) * 16'(Lanes >> 3 >> group == 0 ? 1 : Lanes >> 3 >> group)) +
            (16'(alls) << WordW);
  end

  logic put;  // a line of the warp that leaves
  assign put = away_wr_o && state_o != Copy;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {tb, group, lines, broken}                    <= '0;
      {turn, line, exchanged, back, headed, coming} <= '0;
    end else begin
      if (state_o == Idle && cfg_i) begin
        tb    <= tb_i;
        group <= group_i == 2'd3 ? 2'd2 : group_i;
        lines <= lines_i;
      end
      if ((cfg_i && (state_o != Idle || group_i == 2'd3)) || (kinds_ack_i && !kinds_o) ||
          (state_o == Idle && !cfg_i && req_i && !taken) || (put && line >= lines) ||
          (state_o == Load && go_i && words > 16'(lines) << WordW)) broken <= 1'b1;
      if (state_o == Idle) begin
        {meta, out, in, home, away}                  <= {meta_i, out_i, in_i, home_i, away_i};
        {turn, line, exchanged, back, headed, coming} <= '0;
      end else if (go_i) begin
        turn   <= turn + 11'd1;
        headed <= state_o == Head;
        if (headed) point <= away_rdata_i[31:8];
        if (kinds_o && kinds_ack_i) begin
          {low, high} <= {kind_low_i[Regs-1:0], kind_high_i[Regs-1:0]};
          left        <= kind_low_i[Regs-1:0] | kind_high_i[Regs-1:0];
          coming      <= state_o == KindsIn;
        end
        if (state_o == Pack) left <= left & ~lowest;
        if (coming && rows && home_wr_o) left <= left & ~highest;
        back      <= put && in;
        back_line <= line;
        line      <= line + 10'(put);
        exchanged <= exchanged + 10'(put && in);
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 1 | asks: which part asks for what
    asks: assert (kinds_o == (go_i && (state_o == KindsOut || state_o == KindsIn)) && (!ack_o || state_o == Copy || state_o == Drain) &&
                  (!home_rd_o || state_o == Copy || state_o == Pack || state_o == Load || state_o == Unpack) &&
                  (state_o != Head || away_rd_o == go_i));
    // pdr | masked: what is not asked for is 0
    masked: assert ((home_rd_o || home_raddr_o == 0) && (home_wr_o || {home_waddr_o, home_wdata_o} == 0) &&
                    (away_rd_o || away_wr_o || away_addr_o == 0) && (away_wr_o || away_wdata_o == 0) &&
                    (kinds_o || kinds_point_o == 0) && ((home_part_o == 0) || (meta && state_o == Copy)));
    // induction 1 | idles: with go 0, and without a job, nothing is asked for
    if (!go_i || state_o == Idle) idles: assert ({ack_o, kinds_o, home_rd_o, home_wr_o, away_rd_o, away_wr_o} == 0);

    // induction 1 | inv_parts: what is under way from the cycle before, and in which parts
    inv_parts: assert (state_o <= Drain && (state_o == Copy || !\dut.fly_q ) && (state_o == Unpack || !\dut.take_q ) &&
      (state_o == Unpack || state_o == Drain || !\dut.row_valid_q ) && (state_o == KindsIn || state_o == Drain || !\dut.rest_q ) &&
      (state_o == Pack || state_o == KindsIn || state_o == Sum || state_o == Drain || !\dut.back_q ));
    // induction 1 | inv_told: a launch and a job are as they were told
    inv_told: assert ({tb, lines} == {\dut.tb_q , \dut.lines_q } && (state_o == Idle ||
      {meta, out, in, home, away} == {\dut.meta_q , \dut.out_q , \dut.in_q , \dut.home_q , \dut.away_q }));
    // induction 1 | inv_copy: a copy has lines and a way; its turns, and the lines that are next
    if (state_o == Copy) inv_copy: assert ((out || in) && copied != 0 && turn <= turns && \dut.fly_q == (both ? turn[0] : turn != 0) &&
      \dut.index_q == (both ? turn[10:1] + 10'(turn[0]) : turn[9:0]) && (!\dut.fly_q || \dut.behind_q == writes));
    // induction 1 | copy_takes: a copy of n lines takes n + 1 cycles with go, or 2 n where units change places
    if (state_o == Copy && go_i) copy_takes: assert (ack_o == (turn == turns));
    // induction 1 | copy_reads: a line is read in each turn but the last, or in every other one, from where the unit is
    if (state_o == Copy && go_i) copy_reads: assert (
      home_rd_o == (out && !alternates && turn < turns + 11'(both)) && (!home_rd_o || home_raddr_o == home + (meta ? 12'd0 : 12'(reads))) &&
      away_rd_o == (in && !alternates && turn < turns + 11'(both)) && (!away_rd_o || away_addr_o == away + 12'(reads)));
    // induction 1 | copy_writes: it is written in the next one, to the other place
    if (state_o == Copy && go_i) copy_writes: assert (
      home_wr_o == (in && (both ? turn[0] : turn != 0)) && (!home_wr_o || home_waddr_o == home + (meta ? 12'd0 : 12'(writes))) &&
      away_wr_o == (out && (both ? turn[0] : turn != 0)) && (!away_wr_o || away_addr_o == away + 12'(writes)));
    // pdr | copy_words: and is what was read
    if (state_o == Copy) copy_words: assert ((!home_wr_o || home_wdata_o == away_rdata_i) && (!away_wr_o || away_wdata_o == home_rdata_i));
    // induction 1 | copy_parts: metadata lie in one place of home, a part for each line
    if (state_o == Copy && meta && go_i) copy_parts: assert (
      home_part_o == (home_wr_o ? writes[1:0] : home_rd_o ? reads[1:0] : 2'd0));

    // pdr | exchanges: a line of registers is written with a read of what it held where both move, and in no other job
    exchanges: assert (!(away_rd_o && away_wr_o) || (both && state_o != Copy));
    // pdr | exchanges_all: and each line where both move
    if (put && both) exchanges_all: assert (away_rd_o);
    // pdr | comes_back: what line k held is written in the next cycle with go, to row k
    if (state_o != Copy && go_i && back) comes_back: assert (home_wr_o && home_waddr_o == home + 12'(back_line) && home_wdata_o == away_rdata_i);
    // pdr | writes_rows: but for that rows are written by unpack alone
    if (state_o != Copy && home_wr_o && !back) writes_rows: assert (coming && rows);
    // pdr | packs: pack reads each register that is kept, once, in ascending order, and no other
    if (state_o == Pack && go_i) packs: assert (home_rd_o == (left != 0) && (!home_rd_o || home_raddr_o == home + 12'(low_reg)));
    // pdr | packs_all: and goes on while one is left
    if (was_ni && $past(state_o == Pack)) packs_all: assert (state_o == Pack || $past(left == 0));
    // pdr | fills: lines are written in ascending order from away on, and none is left out
    if (put) fills: assert (away_addr_o == away + 12'(line));
    // pdr | unpacks: rows are written in descending order, each that is kept once, and no other
    if (coming && rows && home_wr_o) unpacks: assert (left != 0 && home_waddr_o == home + 12'(high_reg));
    // pdr | unpacks_all: with the end of the job none is left
    if (coming && ack_o) unpacks_all: assert (home_wr_o ? left == highest : left == 0);
    // pdr | looks: a line of the warp that comes is read from a row where it was exchanged, else from its context
    if (state_o == Load || state_o == Unpack) looks: assert ((!home_rd_o || 12'(home_raddr_o - home) < 12'(exchanged)) &&
      (!away_rd_o || 12'(away_addr_o - away) >= 12'(exchanged)));
    // bounded 24 | apart: home is never read and written at one address in a cycle
    apart: assert (!(home_rd_o && home_wr_o) || home_raddr_o != home_waddr_o);
    // pdr | asks_for: whose kinds are asked for: in kinds_out of pin point, else of the head
    asks_for: assert (!kinds_o || kinds_point_o == (state_o == KindsOut ? point_i : point));
    // pdr | fault_exact: set from the cycle behind the first fault that the page names, and for no other reason
    fault_exact: assert (fault_o == broken);

    if (was_ni) begin
      // pdr | begins: a job begins where none is under way and no figures come, with the part that is its first
      if ($past(state_o == Idle)) begins: assert (state_o == ($past(!taken) ? Idle : $past(meta_i || tb) ? Copy : $past(in_i) ? Head :
        $past(point_i != 0) ? KindsOut : Drain));
      // induction 2 | ends: it ends with ack and not before
      if ($past(state_o != Idle)) ends: assert ((state_o == Idle) == $past(ack_o));
      // induction 2 | waits: with go 0 the part lasts
      if ($past(state_o != Idle && !go_i)) waits: assert (state_o == $past(state_o));
      // induction 2 | inv_waits: and nothing else changes either
      if ($past(state_o != Idle && !go_i)) inv_waits: assert ($stable({\dut.pos_q , \dut.left_q , \dut.index_q , \dut.behind_q ,
        \dut.point_q , \dut.exchanged_q , \dut.back_line_q , \dut.turn_q , \dut.take_reg_q , \dut.row_reg_q , \dut.fly_q , \dut.read_q ,
        \dut.rest_q , \dut.back_q , \dut.head_q , \dut.load_q , \dut.take_q , \dut.any_q , \dut.row_valid_q }));
      // induction 2 | asks_on: kinds are asked for until their ack
      if ($past((state_o == KindsOut || state_o == KindsIn) && !(go_i && kinds_ack_i))) asks_on: assert (state_o == $past(state_o));
    end
    // cover 12 | changed: two lines and two change places
    changed: cover (state_o == Copy && both && ack_o && copied == 10'd2 && !fault_o);
    // cover 12 | exchanged_line: a line is exchanged in pack
    exchanged_line: cover (state_o == Pack && away_rd_o && away_wr_o && lines == 10'd1 && !fault_o);
    // cover 14 | exchanged_rest: one that is not full is, in drain
    exchanged_rest: cover (state_o == Drain && away_rd_o && away_wr_o && lines == 10'd1 && !fault_o);
    // cover 16 | from_row: a line of the warp that comes is read from a row
    from_row: cover (state_o == Unpack && home_rd_o && !fault_o);
    // cover 16 | whole_way: two warps have changed places, each with two registers
    whole_way: cover (coming && ack_o && exchanged == 10'd2 && !fault_o);
    // cover 16 | read_beside: a row is read while another is written
    read_beside: cover (state_o == Unpack && home_rd_o && home_wr_o && !fault_o);
    // cover 8 | wrapped: lines pass the last address
    wrapped: cover (state_o == Copy && away_rd_o && away_addr_o < away);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
