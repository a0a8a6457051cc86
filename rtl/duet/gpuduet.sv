// SPDX-License-Identifier: Apache-2.0
// gpuduet: all of GPUDuet in one SM, joined at the storage's one port.
//
//   duet_unit      says what moves, and where everybody lies
//   context_mover  moves it; while it does the port is its own
//   absent_reply   writes loads of warps that are away, while nothing moves
//
// The compiler's table of kinds answers the mover first. The clock is the port's: with two lines a
// cycle of the SM two cycles of the block are one of it.
//
// Source: Lin-D 3.6.1 to 3.6.6, Fig. 3.8 to 3.11.
module gpuduet #(
  parameter int unsigned RegUnits  = 2048,  // 8 to 2048, multiples of 8, together at most 3,072
  parameter int unsigned SmemUnits = 768,   // 8 to 1016
  parameter int unsigned L1Units   = 256,   // 8 to 1016
  parameter int unsigned Warps     = 128,   // Slots to 128
  parameter int unsigned Tbs       = 32,    // 1 to 32
  parameter int unsigned Slots     = 64,    // 1 to 64
  parameter int unsigned StLines   = 2,     // 1 to 4
  parameter int unsigned Regs      = 63     // 1 to 63
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,
  input  logic [2:0]       limits_i,
  input  logic [5:0]       warps_i,
  input  logic [9:0]       regs_i,
  input  logic [9:0]       lines_i,
  input  logic [11:0]      tb_regs_i,
  input  logic [11:0]      tb_reduced_i,
  input  logic [9:0]       smem_i,
  input  logic [6:0]       meta_i,
  input  logic [5:0]       most_i,
  input  logic             waiting_i,
  input  logic             placed_i,
  input  logic [4:0]       placed_tb_i,
  input  logic [31:0]      ended_i,
  input  logic             book_i,
  input  logic [31:0]      here_i,
  input  logic [5:0]       ask_slot_i,
  input  logic             place_ok_i,
  input  logic             valid_i,
  input  logic [1:0]       verdict_i,
  input  logic             l1_idle_i,
  input  logic [63:0]      memory_i,
  input  logic [63:0]      barrier_i,
  input  logic [63:0]      clear_i,
  input  logic [63:0]      done_i,
  input  logic [63:0]      woken_i,
  input  logic [Warps-1:0] free_i,
  input  logic [1:0]       group_i,
  input  logic             half_i,
  input  logic [23:0]      point_i,
  input  logic [1023:0]    home_rdata_i,
  input  logic [1023:0]    away_rdata_i,
  input  logic             kinds_ack_i,
  input  logic [62:0]      kind_low_i,
  input  logic [62:0]      kind_high_i,
  input  logic             reply_i,
  input  logic [6:0]       reply_warp_i,
  input  logic [5:0]       reply_reg_i,
  input  logic [31:0]      head_i,
  output logic [2:0]       state_o,
  output logic             extra_o,
  output logic [1:0]       level_o,
  output logic             searching_o,
  output logic [5:0]       mc_o,
  output logic [5:0]       bound_o,
  output logic [5:0]       me_o,
  output logic             bypass_o,
  output logic [5:0]       tbs_o,
  output logic [63:0]      hold_o,
  output logic [3:0]       job_o,
  output logic             place_o,
  output logic [1:0]       kind_o,
  output logic             ask_o,
  output logic [4:0]       tb_o,
  output logic [6:0]       warp_o,
  output logic [11:0]      row_o,
  output logic [11:0]      meta_o,
  output logic [11:0]      smem_o,
  output logic [5:0]       slot_o,
  output logic             enter_o,
  output logic             arrive_o,
  output logic             left_o,
  output logic             gone_o,
  output logic [2:0]       op_o,
  output logic [6:0]       out_id_o,
  output logic [6:0]       in_id_o,
  output logic             move_o,
  output logic             move_meta_o,
  output logic             move_out_o,
  output logic             move_in_o,
  output logic [11:0]      move_home_o,
  output logic [11:0]      move_away_o,
  output logic             away_o,
  output logic             back_o,
  output logic [6:0]       moved_id_o,
  output logic [11:0]      moved_row_o,
  output logic [11:0]      moved_meta_o,
  output logic [1:0]       entry_op_o,
  output logic [6:0]       entry_id_o,
  output logic [1:0]       entry_state_o,
  output logic [3:0]       mover_state_o,
  output logic             move_ack_o,
  output logic             home_rd_o,
  output logic             home_wr_o,
  output logic             away_rd_o,
  output logic             away_wr_o,
  output logic [1:0]       home_part_o,
  output logic [11:0]      home_raddr_o,
  output logic [11:0]      home_waddr_o,
  output logic [11:0]      away_addr_o,
  output logic [1023:0]    home_wdata_o,
  output logic [1023:0]    away_wdata_o,
  output logic [23:0]      kinds_point_o,
  output logic             kinds_o,
  output logic [2:0]       reply_state_o,
  output logic             read_o,
  output logic             write_o,
  output logic             last_o,
  output logic [4:0]       write_word_o,
  output logic [11:0]      read_line_o,
  output logic [11:0]      write_line_o,
  output logic             fault_o
);

  localparam logic [2:0] Tell = 3'd1;  // state_o
  localparam logic [1:0] LevelWarp = 2'd1, LevelTb = 2'd2;

  logic        phase_q;
  logic        begins, unit_fault;
  logic        find, find_ack, find_valid;
  logic [6:0]  find_id;
  logic [1:0]  find_state;
  logic [11:0] find_reg, find_meta;
  logic        mover_kinds, mover_fault;
  logic [23:0] mover_point;
  logic        reply_read, reply_kinds, reply_asks, reply_write, reply_last, reply_fault;
  logic [11:0] reply_read_line, reply_write_line;
  logic [23:0] reply_point;
  logic [4:0]  reply_write_word;

  assign begins = state_o == Tell;

  duet_unit #(
    .RegUnits (RegUnits),
    .SmemUnits(SmemUnits),
    .L1Units  (L1Units),
    .Warps    (Warps),
    .Tbs      (Tbs),
    .Slots    (Slots),
    .StLines  (StLines)
  ) u_unit (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .start_i      (start_i),
    .limits_i     (limits_i),
    .warps_i      (warps_i),
    .regs_i       (regs_i),
    .lines_i      (lines_i),
    .tb_regs_i    (tb_regs_i),
    .tb_reduced_i (tb_reduced_i),
    .smem_i       (smem_i),
    .meta_i       (meta_i),
    .most_i       (most_i),
    .waiting_i    (waiting_i),
    .placed_i     (placed_i),
    .placed_tb_i  (placed_tb_i),
    .ended_i      (ended_i),
    .book_i       (book_i),
    .here_i       (here_i),
    .ask_slot_i   (ask_slot_i),
    .place_ok_i   (place_ok_i),
    .valid_i      (valid_i),
    .verdict_i    (verdict_i),
    .l1_idle_i    (l1_idle_i),
    .memory_i     (memory_i),
    .barrier_i    (barrier_i),
    .clear_i      (clear_i),
    .done_i       (done_i),
    .woken_i      (woken_i),
    .free_i       (free_i),
    .move_ack_i   (move_ack_o),
    .find_i       (find),
    .find_id_i    (find_id),
    .state_o      (state_o),
    .extra_o      (extra_o),
    .level_o      (level_o),
    .searching_o  (searching_o),
    .mc_o         (mc_o),
    .bound_o      (bound_o),
    .me_o         (me_o),
    .bypass_o     (bypass_o),
    .tbs_o        (tbs_o),
    .hold_o       (hold_o),
    .job_o        (job_o),
    .place_o      (place_o),
    .kind_o       (kind_o),
    .ask_o        (ask_o),
    .tb_o         (tb_o),
    .warp_o       (warp_o),
    .row_o        (row_o),
    .meta_o       (meta_o),
    .smem_o       (smem_o),
    .slot_o       (slot_o),
    .enter_o      (enter_o),
    .arrive_o     (arrive_o),
    .left_o       (left_o),
    .gone_o       (gone_o),
    .op_o         (op_o),
    .out_id_o     (out_id_o),
    .in_id_o      (in_id_o),
    .move_o       (move_o),
    .move_meta_o  (move_meta_o),
    .move_out_o   (move_out_o),
    .move_in_o    (move_in_o),
    .move_home_o  (move_home_o),
    .move_away_o  (move_away_o),
    .away_o       (away_o),
    .back_o       (back_o),
    .moved_id_o   (moved_id_o),
    .moved_row_o  (moved_row_o),
    .moved_meta_o (moved_meta_o),
    .find_ack_o   (find_ack),
    .find_valid_o (find_valid),
    .find_state_o (find_state),
    .find_reg_o   (find_reg),
    .find_meta_o  (find_meta),
    .entry_op_o   (entry_op_o),
    .entry_id_o   (entry_id_o),
    .entry_state_o(entry_state_o),
    .fault_o      (unit_fault)
  );

  context_mover #(
    .Regs   (Regs),
    .Lanes  (32),
    .StLines(StLines)
  ) u_mover (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .cfg_i        (begins),
    .tb_i         (level_o == LevelTb),
    .group_i      (group_i),
    .lines_i      (lines_i),
    .go_i         (!half_i || !phase_q),
    .req_i        (move_o),
    .meta_i       (move_meta_o),
    .out_i        (move_out_o),
    .in_i         (move_in_o),
    .home_i       (move_home_o),
    .away_i       (move_away_o),
    .point_i      (point_i),
    .kinds_ack_i  (kinds_ack_i && !reply_asks),
    .kind_low_i   (kind_low_i),
    .kind_high_i  (kind_high_i),
    .home_rdata_i (home_rdata_i),
    .away_rdata_i (away_rdata_i),
    .state_o      (mover_state_o),
    .ack_o        (move_ack_o),
    .kinds_o      (mover_kinds),
    .kinds_point_o(mover_point),
    .home_rd_o    (home_rd_o),
    .home_raddr_o (home_raddr_o),
    .home_wr_o    (home_wr_o),
    .home_waddr_o (home_waddr_o),
    .home_part_o  (home_part_o),
    .home_wdata_o (home_wdata_o),
    .away_rd_o    (away_rd_o),
    .away_wr_o    (away_wr_o),
    .away_addr_o  (away_addr_o),
    .away_wdata_o (away_wdata_o),
    .fault_o      (mover_fault)
  );

  absent_reply #(
    .Regs(Regs)
  ) u_reply (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .cfg_i       (begins),
    .move_i      (level_o == LevelWarp && limits_i[0]),
    .group_i     (group_i),
    .valid_i     (reply_i),
    .warp_i      (reply_warp_i),
    .regno_i     (reply_reg_i),
    .find_ack_i  (find_ack),
    .find_valid_i(find_valid),
    .find_state_i(find_state),
    .find_reg_i  (find_reg),
    .find_meta_i (find_meta),
    .read_ack_i  (read_o),
    .head_i      (head_i),
    .kinds_ack_i (kinds_ack_i && reply_asks),
    .kind_low_i  (kind_low_i),
    .kind_high_i (kind_high_i),
    .write_ack_i (write_o),
    .state_o     (reply_state_o),
    .find_o      (find),
    .find_id_o   (find_id),
    .read_o      (reply_read),
    .read_line_o (reply_read_line),
    .kinds_o     (reply_kinds),
    .point_o     (reply_point),
    .write_o     (reply_write),
    .write_line_o(reply_write_line),
    .write_word_o(reply_write_word),
    .last_o      (reply_last),
    .fault_o     (reply_fault)
  );

  // The compiler's table: the mover asks first.
  assign reply_asks    = reply_kinds && !mover_kinds;
  assign kinds_o       = mover_kinds || reply_kinds;
  assign kinds_point_o = mover_kinds ? mover_point : reply_point;

  // The storage: the reply's while nothing moves.
  assign read_o       = reply_read && !move_o;
  assign read_line_o  = read_o ? reply_read_line : '0;
  assign write_o      = reply_write && !move_o && reply_i;
  assign write_line_o = write_o ? reply_write_line : '0;
  assign write_word_o = write_o ? reply_write_word : '0;
  assign last_o       = reply_last && reply_i && (write_o || !reply_write);

  assign fault_o = unit_fault || mover_fault || reply_fault;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= 1'b0;
    else phase_q <= begins || (phase_q ^ move_o);
  end

endmodule
