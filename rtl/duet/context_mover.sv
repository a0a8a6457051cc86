// SPDX-License-Identifier: Apache-2.0
// context_mover: moves what a switch moves, a line or row a cycle.
//
//   copy       lines, from home to away, back, or each to the other's place
//   registers  head > kinds_out > pack > point > kinds_in > sum > load > unpack > drain, those of its job
//
// Behind the part that asks the storage comes, a cycle later, what it has read: read_q, rest_q, back_q,
// head_q, load_q and take_q say what that is, whatever part is then at work. Registers that are left are
// searched from one end, which is the lower one of the warp that leaves and the upper one of that which
// comes; kinds travel with the numbers.
//
// Source: Lin-D 3.6.6, 3.6.7, Eq. 3.1 to 3.3.
module context_mover #(
  parameter int unsigned Regs    = 63,  // 1 to 63
  parameter int unsigned Lanes   = 32,  // 8, 16 or 32
  parameter int unsigned StLines = 2    // 1 to 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                cfg_i,
  input  logic                tb_i,
  input  logic [1:0]          group_i,
  input  logic [9:0]          lines_i,
  input  logic                go_i,
  input  logic                req_i,
  input  logic                meta_i,
  input  logic                out_i,
  input  logic                in_i,
  input  logic [11:0]         home_i,
  input  logic [11:0]         away_i,
  input  logic [23:0]         point_i,
  input  logic                kinds_ack_i,
  input  logic [62:0]         kind_low_i,
  input  logic [62:0]         kind_high_i,
  input  logic [Lanes*32-1:0] home_rdata_i,
  input  logic [Lanes*32-1:0] away_rdata_i,
  output logic [3:0]          state_o,
  output logic                ack_o,
  output logic                kinds_o,
  output logic [23:0]         kinds_point_o,
  output logic                home_rd_o,
  output logic [11:0]         home_raddr_o,
  output logic                home_wr_o,
  output logic [11:0]         home_waddr_o,
  output logic [1:0]          home_part_o,
  output logic [Lanes*32-1:0] home_wdata_o,
  output logic                away_rd_o,
  output logic                away_wr_o,
  output logic [11:0]         away_addr_o,
  output logic [Lanes*32-1:0] away_wdata_o,
  output logic                fault_o
);

  localparam int unsigned WordW  = $clog2(Lanes);
  localparam int unsigned PosW   = $clog2(Regs * Lanes + 1);  // of words of a context
  localparam int unsigned LineW  = PosW - WordW;
  localparam logic [3:0] StIdle = 4'd0, StCopy = 4'd1, StHead = 4'd2, StKindsOut = 4'd3, StPack = 4'd4,
                         StPoint = 4'd5, StKindsIn = 4'd6, StSum = 4'd7, StLoad = 4'd8, StUnpack = 4'd9,
                         StDrain = 4'd10;
  localparam logic [1:0] Whole = 2'd3;

  if (Regs < 1 || Regs > 63 || (Lanes != 8 && Lanes != 16 && Lanes != 32) || StLines < 1 || StLines > 4)
  begin : gen_bad_size
    $fatal(1, "context_mover: Regs is 1 to 63, Lanes 8, 16 or 32, StLines 1 to 4");
  end

  logic             tb_q, tb_d;
  logic [1:0]       group_q, group_d;
  logic [9:0]       lines_q, lines_d;
  logic [3:0]       state_q, state_d;
  logic             meta_q, meta_d, out_q, out_d, in_q, in_d;
  logic [11:0]      home_q, home_d, away_q, away_d;
  logic [9:0]       index_q, index_d, behind_q, behind_d;
  logic             fly_q, fly_d;
  logic             any_q, any_d;                  // a register has its turn: its number, kind and words
  logic [5:0]       turn_q, turn_d;
  logic [1:0]       turn_kind_q, turn_kind_d;
  logic [WordW:0]   turn_words_q, turn_words_d;
  logic [Regs-1:0]  left_q, left_d;                // unpack: those behind it
  logic [Regs-1:0]  low_q, low_d, high_q, high_d;  // kinds, of a warp that comes turned round
  logic [WordW:0]   read_words_q, read_words_d;
  logic [PosW-1:0]  pos_q, pos_d;
  logic [LineW-1:0] exchanged_q, exchanged_d, back_line_q, back_line_d;
  logic             read_q, read_d, rest_q, rest_d, back_q, back_d, head_q, head_d;
  logic [1:0]       read_kind_q, read_kind_d;
  logic [23:0]      point_q, point_d;
  logic             load_q, load_d, take_q, take_d, new_q, new_d, from_home_q, from_home_d;
  logic [5:0]       take_reg_q, take_reg_d, row_reg_q, row_reg_d, out_reg_q, out_reg_d;
  logic [1:0]       take_kind_q, take_kind_d;
  logic [WordW-1:0] take_word_q, take_word_d;
  logic             row_valid_q, row_valid_d, out_valid_q, out_valid_d;  // words of a register, its first lanes
  logic             fault_q, fault_d;

  logic idle, runs;
  assign idle = state_q == StIdle;
  assign runs = !idle && go_i;

  // Words of a uniform register; of a strided one there are twice as many.
  logic [2:0] groups;
  assign groups = group_q == 2'd0 ? 3'(Lanes / 8) : group_q == 2'd1 ? 3'(Lanes > 16 ? 2 : 1) : 3'd1;

  // The lowest register of those that are left. Of a warp that comes their order is turned round, so it
  // is the last one. Pack takes it from here; unpack, which asks for more, from turn_q, a cycle later.
  logic             mirror;
  logic [Regs-1:0]  told_low, told_high, above;  // above: behind the lowest
  logic [5:0]       turn_next;
  logic [1:0]       kind_next;
  logic [63:0]      live;
  logic [383:0]     tags;
  logic [127:0]     codes;
  assign mirror = state_q == StKindsIn;
  for (genvar r = 0; r < Regs; r++) begin : gen_told
    assign told_low[r]  = mirror ? kind_low_i[Regs-1-r] : kind_low_i[r];
    assign told_high[r] = mirror ? kind_high_i[Regs-1-r] : kind_high_i[r];
  end
  always_comb begin
    live  = 64'(left_q);
    tags  = '0;
    codes = '0;
    for (int unsigned r = 0; r < Regs; r++) begin
      tags[6*r +: 6]  = 6'(r);
      codes[2*r +: 2] = {high_q[r], low_q[r]};
    end
    for (int unsigned players = 64; players > 1; players = players / 2) begin
      for (int unsigned n = 0; n < players / 2; n++) begin
        tags[6*n +: 6]  = live[2*n] ? tags[12*n +: 6] : tags[12*n+6 +: 6];
        codes[2*n +: 2] = live[2*n] ? codes[4*n +: 2] : codes[4*n+2 +: 2];
        live[n]         = live[2*n] || live[2*n+1];
      end
    end
  end
  always_comb begin
    above = left_q << 1;
    for (int unsigned k = 0; k < 6; k++) above = above | (above << (1 << k));
  end
  assign turn_next = tags[5:0];
  assign kind_next = codes[1:0];

  // Registers of a warp that is told, by kind, and in the cycle behind their words: a power of two each.
  logic [63:0]     ones_set, twos_set, alls_set;
  logic [6:0]      ones, twos, alls;
  logic [5:0]      ones_q, twos_q, alls_q;
  logic            unused_count;  // at most 63
  logic [PosW-1:0] parts;         // of groups
  logic [PosW-1:0] part_words, sum;
  always_comb begin
    ones_set           = '0;
    twos_set           = '0;
    alls_set           = '0;
    ones_set[Regs-1:0] = kind_low_i[Regs-1:0] & ~kind_high_i[Regs-1:0];
    twos_set[Regs-1:0] = ~kind_low_i[Regs-1:0] & kind_high_i[Regs-1:0];
    alls_set[Regs-1:0] = kind_low_i[Regs-1:0] & kind_high_i[Regs-1:0];
  end
  count_ones u_ones (.set_i(ones_set), .count_o(ones));
  count_ones u_twos (.set_i(twos_set), .count_o(twos));
  count_ones u_alls (.set_i(alls_set), .count_o(alls));
  always_ff @(posedge clk_i) begin
    if (kinds_o && kinds_ack_i) begin
      ones_q <= ones[5:0];
      twos_q <= twos[5:0];
      alls_q <= alls[5:0];
    end
  end
  assign unused_count = ^{ones[6], twos[6], alls[6]};
  assign parts        = PosW'(ones_q) + PosW'({twos_q, 1'b0});
  assign part_words   = group_q == 2'd0 ? parts << $clog2(Lanes / 8) :
                        group_q == 2'd1 ? parts << $clog2(Lanes > 16 ? 2 : 1) : parts;
  assign sum          = part_words + (PosW'(alls_q) << WordW);

  // Words of the register whose turn comes.
  logic [WordW:0] words_next;
  assign words_next = kind_next == Whole ? (WordW+1)'(Lanes) : (kind_next[0] ? (WordW+1)'(groups) : '0) |
                                                               (kind_next[1] ? (WordW+1)'({groups, 1'b0}) : '0);

  // Pack: where the words of the row that has come end.
  logic [PosW-1:0]  put_end;
  logic             put_full, packs, line_written;
  logic [LineW-1:0] line;
  assign line         = pos_q[PosW-1:WordW];
  assign put_end      = pos_q + PosW'(read_words_q);
  assign put_full     = (WordW+1)'(pos_q[WordW-1:0]) + read_words_q >= (WordW+1)'(Lanes);
  assign packs        = runs && state_q == StPack && read_q;
  assign line_written = runs && ((state_q == StPack && read_q && put_full) || rest_q);

  // Unpack: the line where the words of the register begin whose turn it is.
  logic             loads, needs_line, asks_line, line_home;
  logic [PosW-1:0]  begins;
  logic [LineW-1:0] asked_line;
  assign loads      = pos_q[WordW-1:0] != '0;
  assign begins     = pos_q - PosW'(turn_words_q);
  assign needs_line = begins[PosW-1:WordW] != line;
  assign asked_line = state_q == StLoad ? line : begins[PosW-1:WordW];
  assign asks_line  = state_q == StLoad ? loads : any_q && needs_line;
  assign line_home  = asked_line < exchanged_q;

  // Copy.
  logic [9:0] copied;
  logic       copy_reads, copy_ends;
  assign copied     = meta_q ? 10'(StLines) : lines_q;
  assign copy_reads = index_q < copied && !(out_q && in_q && fly_q);
  assign copy_ends  = fly_q && index_q == copied;

  // The data path.
  logic [Lanes*32-1:0] window, packed_line, row;
  mover_words #(.Lanes(Lanes)) u_words (
    .clk_i, .rst_ni, .group_i(group_q), .home_i(home_rdata_i), .away_i(away_rdata_i),
    .pack_i(packs), .pack_kind_i(read_kind_q), .pack_word_i(pos_q[WordW-1:0]),
    .pack_full_i(put_full), .take_i(runs && (load_q || take_q)), .take_new_i(load_q || new_q),
    .take_home_i(from_home_q), .out_i(runs), .take_kind_i(take_kind_q), .take_word_i(take_word_q), .window_o(window),
    .line_o(packed_line), .row_o(row));

  // What the storage is asked for.
  logic        home_rd, home_wr, away_rd, away_wr;
  logic [11:0] home_roff, home_woff, away_off;
  always_comb begin
    home_rd   = 1'b0;
    home_wr   = back_q || out_valid_q;
    away_rd   = rest_q && in_q;
    away_wr   = rest_q;
    home_roff = 12'd0;
    home_woff = out_valid_q ? 12'(out_reg_q) : 12'(back_line_q);
    away_off  = 12'(line);
    unique case (state_q)
      StCopy: begin
        home_rd   = copy_reads && out_q;
        away_rd   = copy_reads && in_q;
        home_wr   = fly_q && in_q;
        away_wr   = fly_q && out_q;
        home_roff = meta_q ? 12'd0 : 12'(index_q);
        home_woff = meta_q ? 12'd0 : 12'(behind_q);
        away_off  = away_wr ? 12'(behind_q) : 12'(index_q);
      end
      StHead: begin
        away_rd  = 1'b1;
        away_off = 12'(lines_q);
      end
      StPack: begin
        home_rd   = live[0];
        home_roff = 12'(turn_next);
        away_wr   = read_q && put_full;
        away_rd   = away_wr && in_q;
      end
      StLoad, StUnpack: begin
        home_rd   = asks_line && line_home;
        away_rd   = asks_line && !line_home;
        home_roff = 12'(asked_line);
        away_off  = 12'(asked_line);
      end
      default: ;
    endcase
  end

  // All that is left to be written is written in this cycle.
  logic drained;
  assign drained = !(rest_q && in_q) && !row_valid_q;

  assign state_o       = state_q;
  assign ack_o         = runs && ((state_q == StCopy && copy_ends) || (state_q == StDrain && drained));
  assign kinds_o       = runs && (state_q == StKindsOut || state_q == StKindsIn);
  assign kinds_point_o = !kinds_o ? 24'd0 : state_q == StKindsOut ? point_i : point_q;
  assign home_rd_o     = runs && home_rd;
  assign home_wr_o     = runs && home_wr;
  assign away_rd_o     = runs && away_rd;
  assign away_wr_o     = runs && away_wr;
  assign home_raddr_o  = home_rd_o ? home_q + home_roff : 12'd0;
  assign home_waddr_o  = home_wr_o ? home_q + home_woff : 12'd0;
  assign home_part_o   = !(meta_q && state_q == StCopy) ? 2'd0 :
                         home_wr_o ? behind_q[1:0] : home_rd_o ? index_q[1:0] : 2'd0;
  assign away_addr_o   = (away_rd_o || away_wr_o) ? away_q + away_off : 12'd0;
  assign home_wdata_o  = !home_wr_o ? '0 : out_valid_q ? row : away_rdata_i;
  assign away_wdata_o  = !away_wr_o ? '0 : state_q == StCopy ? home_rdata_i : rest_q ? window : packed_line;
  assign fault_o       = fault_q;

  logic cfg_bad, job_bad, begins_job;
  assign cfg_bad    = group_i == 2'd3;
  assign job_bad    = !(out_i || in_i) || (!meta_i && tb_q && lines_q == 10'd0);
  assign begins_job = idle && !cfg_i && req_i && !job_bad;

  always_comb begin
    tb_d        = tb_q;
    group_d     = group_q;
    lines_d     = lines_q;
    state_d     = state_q;
    meta_d      = meta_q;
    out_d       = out_q;
    in_d        = in_q;
    home_d      = home_q;
    away_d      = away_q;
    index_d     = index_q;
    behind_d    = behind_q;
    fly_d       = fly_q;
    any_d         = any_q;
    turn_d        = turn_q;
    turn_kind_d   = turn_kind_q;
    turn_words_d  = turn_words_q;
    left_d = left_q;
    read_words_d  = read_words_q;
    low_d       = low_q;
    high_d      = high_q;
    pos_d       = pos_q;
    exchanged_d = exchanged_q;
    back_d      = back_q;
    back_line_d = back_line_q;
    read_d      = read_q;
    read_kind_d = read_kind_q;
    rest_d      = rest_q;
    head_d      = head_q;
    point_d     = point_q;
    load_d      = load_q;
    take_d      = take_q;
    new_d       = new_q;
    from_home_d = from_home_q;
    take_reg_d  = take_reg_q;
    take_kind_d = take_kind_q;
    take_word_d = take_word_q;
    row_valid_d = row_valid_q;
    out_valid_d = out_valid_q;
    out_reg_d   = out_reg_q;
    row_reg_d   = row_reg_q;
    fault_d     = fault_q || (cfg_i && !idle) || (kinds_ack_i && !kinds_o);

    if (idle) begin
      if (cfg_i) begin
        tb_d    = tb_i;
        group_d = cfg_bad ? 2'd2 : group_i;
        lines_d = lines_i;
        fault_d = fault_d || cfg_bad;
      end else if (req_i) begin
        fault_d = fault_d || job_bad;
      end
      if (begins_job) begin
        meta_d      = meta_i;
        out_d       = out_i;
        in_d        = in_i;
        home_d      = home_i;
        away_d      = away_i;
        index_d     = 10'd0;
        pos_d       = '0;
        exchanged_d = '0;
        state_d     = (meta_i || tb_q) ? StCopy : in_i ? StHead : point_i != 24'd0 ? StKindsOut : StDrain;
      end
    end else if (go_i) begin
      back_d      = 1'b0;
      row_valid_d = take_q;
      out_valid_d = row_valid_q;
      out_reg_d   = row_reg_q;
      row_reg_d   = take_reg_q;
      rest_d      = 1'b0;
      head_d      = 1'b0;
      load_d      = 1'b0;
      take_d      = 1'b0;
      read_d      = 1'b0;
      if (head_q) point_d = away_rdata_i[31:8];
      if (state_q == StPack || state_q == StSum || state_q == StUnpack) begin
        any_d        = live[0];
        turn_d       = turn_next;
        turn_kind_d  = kind_next;
        turn_words_d = words_next;
        left_d       = left_q & above;
      end
      if (line_written) begin
        back_d      = in_q;
        back_line_d = line;
        exchanged_d = exchanged_q + LineW'(in_q);
        fault_d     = fault_d || 10'(line) >= lines_q;
      end
      unique case (state_q)
        StCopy: begin
          fly_d = copy_reads;
          if (copy_reads) begin
            behind_d = index_q;
            index_d  = index_q + 10'd1;
          end
          if (copy_ends) state_d = StIdle;
        end
        StHead: begin
          head_d  = 1'b1;
          state_d = (out_q && point_i != 24'd0) ? StKindsOut : StPoint;
        end
        StKindsOut, StKindsIn: if (kinds_ack_i) begin
          low_d   = told_low;
          high_d  = told_high;
          left_d  = told_low | told_high;
          state_d = state_q == StKindsOut ? StPack : StSum;
        end
        StPack: begin
          if (read_q) pos_d = put_end;
          read_d       = live[0];
          read_kind_d  = kind_next;
          read_words_d = words_next;
          if (!live[0]) begin
            rest_d  = pos_d[WordW-1:0] != '0;
            state_d = (in_q && point_q != 24'd0) ? StKindsIn : StDrain;
          end
        end
        StPoint: state_d = away_rdata_i[31:8] != 24'd0 ? StKindsIn : StDrain;
        StSum: begin
          pos_d   = sum;
          state_d = StLoad;
        end
        StLoad: begin
          load_d      = loads;
          from_home_d = line_home;
          fault_d     = fault_d || 16'(pos_q) > (16'(lines_q) << WordW);
          state_d     = StUnpack;
        end
        StUnpack: begin
          take_d      = any_q;
          new_d       = needs_line;
          from_home_d = line_home;
          take_reg_d  = 6'(Regs - 1) - turn_q;
          take_kind_d = turn_kind_q;
          take_word_d = begins[WordW-1:0];
          if (any_q) pos_d = begins;
          else       state_d = StDrain;
        end
        default: if (drained) state_d = StIdle;  // StDrain
      endcase
    end
  end

  if (Regs < 63) begin : gen_unused
    logic unused_kinds;
    assign unused_kinds = ^{kind_low_i[62:Regs], kind_high_i[62:Regs]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tb_q        <= 1'b0;
      group_q     <= 2'd0;
      lines_q     <= 10'd0;
      state_q     <= StIdle;
      fly_q       <= 1'b0;
      rest_q      <= 1'b0;
      back_q      <= 1'b0;
      head_q      <= 1'b0;
      read_q      <= 1'b0;
      load_q      <= 1'b0;
      take_q      <= 1'b0;
      row_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
      fault_q     <= 1'b0;
    end else begin
      tb_q        <= tb_d;
      group_q     <= group_d;
      lines_q     <= lines_d;
      state_q     <= state_d;
      fly_q       <= fly_d;
      rest_q      <= rest_d;
      back_q      <= back_d;
      head_q      <= head_d;
      read_q      <= read_d;
      load_q      <= load_d;
      take_q      <= take_d;
      row_valid_q <= row_valid_d;
      out_valid_q <= out_valid_d;
      fault_q     <= fault_d;
    end
  end

  // Without reset: written before they count.
  always_ff @(posedge clk_i) begin
    meta_q      <= meta_d;
    out_q       <= out_d;
    in_q        <= in_d;
    home_q      <= home_d;
    away_q      <= away_d;
    index_q     <= index_d;
    behind_q    <= behind_d;
    any_q         <= any_d;
    turn_q        <= turn_d;
    turn_kind_q   <= turn_kind_d;
    turn_words_q  <= turn_words_d;
    left_q <= left_d;
    read_words_q  <= read_words_d;
    low_q       <= low_d;
    high_q      <= high_d;
    pos_q       <= pos_d;
    exchanged_q <= exchanged_d;
    back_line_q <= back_line_d;
    read_kind_q <= read_kind_d;
    point_q     <= point_d;
    new_q       <= new_d;
    from_home_q <= from_home_d;
    take_reg_q  <= take_reg_d;
    take_kind_q <= take_kind_d;
    take_word_q <= take_word_d;
    row_reg_q   <= row_reg_d;
    out_reg_q   <= out_reg_d;
  end

endmodule
