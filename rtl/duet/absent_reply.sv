// SPDX-License-Identifier: Apache-2.0
// absent_reply: where the data of a load go whose warp is switched out.
//
//   state_q: idle > find > read > kinds > sum > write > rest; where registers stay
//            idle > find > write; where the register is not kept kinds > drop
//
// Every output is a function of registers. line_q is in turn the line of the registers, that of the
// first write and that of the second; meta_q and point_q are what is asked next. The registers below
// the reply's are counted by kind with the answer and weighed in the cycle behind it: words of a kind
// are a power of two, so nothing is multiplied.
//
// Source: Lin-D 3.6.6, Fig. 3.9, where the paper is silent.
module absent_reply #(
  parameter int unsigned Regs = 63  // 1 to 63
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cfg_i,
  input  logic        move_i,
  input  logic [1:0]  group_i,
  input  logic        valid_i,
  input  logic [6:0]  warp_i,
  input  logic [5:0]  regno_i,
  input  logic        find_ack_i,
  input  logic        find_valid_i,
  input  logic [1:0]  find_state_i,
  input  logic [11:0] find_reg_i,
  input  logic [11:0] find_meta_i,
  input  logic        read_ack_i,
  input  logic [31:0] head_i,
  input  logic        kinds_ack_i,
  input  logic [62:0] kind_low_i,
  input  logic [62:0] kind_high_i,
  input  logic        write_ack_i,
  output logic [2:0]  state_o,
  output logic        find_o,
  output logic [6:0]  find_id_o,
  output logic        read_o,
  output logic [11:0] read_line_o,
  output logic        kinds_o,
  output logic [23:0] point_o,
  output logic        write_o,
  output logic [11:0] write_line_o,
  output logic [4:0]  write_word_o,
  output logic        last_o,
  output logic        fault_o
);

  localparam logic [2:0] StIdle = 3'd0, StFind = 3'd1, StRead = 3'd2, StKinds = 3'd3, StSum = 3'd4,
                         StWrite = 3'd5, StRest = 3'd6, StDrop = 3'd7;
  localparam logic [1:0] Absent = 2'd2;
  localparam logic [1:0] Lanes32 = 2'd2;

  if (Regs < 1 || Regs > 63) begin : gen_bad_size
    $fatal(1, "absent_reply: Regs is 1 to 63");
  end

  logic        move_q, move_d;
  logic [1:0]  group_q, group_d;
  logic [2:0]  state_q, state_d;
  logic [6:0]  warp_q;
  logic [5:0]  regno_q;
  logic [11:0] meta_q;
  logic [23:0] point_q;
  logic [5:0]  one_q, two_q, all_q;  // registers below, by kind
  logic [11:0] line_q, line_d;
  logic [4:0]  word_q, word_d;
  logic        fault_q, fault_d;

  // Registers below the reply's, of each kind. Which ones are below is known in read.
  logic [Regs-1:0] below_q, at, low, high;
  logic            whole, kept;
  for (genvar r = 0; r < Regs; r++) begin : gen_reg
    always_ff @(posedge clk_i) below_q[r] <= 6'(r) < regno_q;
  end
  assign at    = ~below_q & Regs'({below_q, 1'b1});
  assign low   = kind_low_i[Regs-1:0];
  assign high  = kind_high_i[Regs-1:0];
  assign whole = (at & low & high) != '0;
  assign kept  = (at & (low | high)) != '0;

  logic [62:0] below_one, below_two, below_all;
  logic [6:0]  one, two, all;
  always_comb begin
    below_one = '0;
    below_two = '0;
    below_all = '0;
    below_one[Regs-1:0] = below_q & low & ~high;
    below_two[Regs-1:0] = below_q & ~low & high;
    below_all[Regs-1:0] = below_q & low & high;
  end
  count_ones u_one (.set_i({1'b0, below_one}), .count_o(one));
  count_ones u_two (.set_i({1'b0, below_two}), .count_o(two));
  count_ones u_all (.set_i({1'b0, below_all}), .count_o(all));
  logic unused_count;  // at most 62
  assign unused_count = ^{one[6], two[6], all[6]};
  if (Regs < 63) begin : gen_unused
    logic unused_kinds;
    assign unused_kinds = ^{kind_low_i[62:Regs], kind_high_i[62:Regs]};
  end
  logic unused_head;
  assign unused_head = ^head_i[7:0];

  // Words before the reply's, beside those of whole registers: 4, 2 or 1 to a group's.
  logic [7:0]  ones;
  logic [9:0]  words;
  logic [11:0] next_line;
  assign ones      = 8'(one_q) + {1'b0, two_q, 1'b0};
  assign words     = (group_q == 2'd0) ? {ones, 2'b00} : (group_q == 2'd1) ? {1'b0, ones, 1'b0} :
                     {2'b00, ones};
  assign next_line = line_q + (state_q == StSum ? 12'(all_q) + 12'(words[9:5]) : 12'd1);

  logic idle, writes, takes;
  assign idle   = state_q == StIdle;
  assign writes = state_q == StWrite || state_q == StRest;
  assign takes  = idle && !cfg_i && valid_i;

  logic bad_ack, bad;
  assign bad_ack = (find_ack_i && state_q != StFind) || (read_ack_i && state_q != StRead) ||
                   (kinds_ack_i && state_q != StKinds) || (write_ack_i && !writes);

  always_comb begin
    state_d = state_q;
    line_d  = line_q;
    word_d  = word_q;
    bad     = 1'b0;
    unique case (state_q)
      StIdle: begin
        bad = 7'(regno_i) >= 7'(Regs);
        if (!bad) state_d = StFind;
      end
      StFind: if (find_ack_i) begin
        bad     = !find_valid_i || find_state_i != Absent;
        state_d = move_q ? StRead : StWrite;
        line_d  = move_q ? find_reg_i : find_reg_i + 12'(regno_q);
        word_d  = 5'd0;
      end
      StRead: if (read_ack_i) begin
        bad     = head_i[31:8] == 24'd0;
        state_d = StKinds;
      end
      StKinds: if (kinds_ack_i) begin
        bad     = kept && !whole;
        state_d = kept ? StSum : StDrop;
      end
      StSum: begin
        state_d = StWrite;
        line_d  = next_line;
        word_d  = words[4:0];
      end
      StDrop: state_d = StIdle;
      default: if (write_ack_i) begin
        state_d = (state_q == StWrite && word_q != 5'd0) ? StRest : StIdle;
        line_d  = next_line;
      end
    endcase
    if (bad || !valid_i || (idle && cfg_i)) state_d = StIdle;
    move_d  = (idle && cfg_i) ? move_i : move_q;
    group_d = !(idle && cfg_i) ? group_q : (group_i > Lanes32) ? Lanes32 : group_i;
    fault_d = fault_q || bad_ack || (cfg_i && (!idle || group_i > Lanes32)) ||
              (bad && valid_i && !(idle && cfg_i));
  end

  // Without reset: masked by the step.
  always_ff @(posedge clk_i) begin
    if (takes) begin
      warp_q <= warp_i;
      regno_q  <= regno_i;
    end
    if (state_q == StFind) meta_q <= find_meta_i;
    if (state_q == StRead) point_q <= head_i[31:8];
    {one_q, two_q, all_q} <= {one[5:0], two[5:0], all[5:0]};
    line_q <= line_d;
    word_q <= word_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      move_q  <= 1'b0;
      group_q <= 2'd0;
      state_q <= StIdle;
      fault_q <= 1'b0;
    end else begin
      move_q  <= move_d;
      group_q <= group_d;
      state_q <= state_d;
      fault_q <= fault_d;
    end
  end

  assign state_o      = state_q;
  assign find_o       = state_q == StFind;
  assign find_id_o    = find_o ? warp_q : 7'd0;
  assign read_o       = state_q == StRead;
  assign read_line_o  = read_o ? meta_q : 12'd0;
  assign kinds_o      = state_q == StKinds;
  assign point_o      = kinds_o ? point_q : 24'd0;
  assign write_o      = writes;
  assign write_line_o = writes ? line_q : 12'd0;
  assign write_word_o = writes ? word_q : 5'd0;
  assign last_o       = state_q == StRest || state_q == StDrop || (state_q == StWrite && word_q == 5'd0);
  assign fault_o      = fault_q;

endmodule
