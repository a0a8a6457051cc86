// SPDX-License-Identifier: Apache-2.0
// unit_switch: the switch logic of duet_unit with its queues: at level TB those of TBs, else those of
// warps.
module unit_switch #(
  parameter int unsigned StLines = 2,
  parameter int unsigned TbWarps = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cfg_i,
  input  logic [2:0]  limits_i,
  input  logic [5:0]  warps_i,
  input  logic [9:0]  lines_i,
  input  logic [9:0]  full_i,
  input  logic        use_l1_i,
  input  logic        stalled_push_i,
  input  logic        ready_push_i,
  input  logic [6:0]  push_id_i,
  input  logic        may_leave_i,
  input  logic        want_i,
  input  logic [6:0]  slots_free_i,
  input  logic [5:0]  slot_i,
  input  logic        tab_ack_i,
  input  logic [1:0]  tab_state_i,
  input  logic [11:0] tab_reg_i,
  input  logic [11:0] tab_meta_i,
  input  logic        mem_ack_i,
  input  logic        mem_found_i,
  input  logic [11:0] mem_addr_i,
  input  logic        move_ack_i,
  output logic        stalled_valid_o,
  output logic [6:0]  stalled_id_o,
  output logic        stalled_space_o,
  output logic        ready_valid_o,
  output logic [6:0]  ready_id_o,
  output logic        ready_space_o,
  output logic [1:0]  level_o,
  output logic [2:0]  op_o,
  output logic        stalled_pop_o,
  output logic        ready_pop_o,
  output logic        slot_take_o,
  output logic        slot_give_o,
  output logic [5:0]  slot_o,
  output logic [6:0]  slot_id_o,
  output logic        pass_o,   // a slot goes from who leaves to who comes
  output logic        split_o,  // the table of TBs is told that a warp is absent
  output logic        tab_req_o,
  output logic [2:0]  tab_op_o,
  output logic [6:0]  tab_id_o,
  output logic [4:0]  tab_index_o,
  output logic        tab_all_o,
  output logic [1:0]  tab_state_o,
  output logic [11:0] tab_reg_o,
  output logic [11:0] tab_meta_o,
  output logic        mem_req_o,
  output logic        mem_free_o,
  output logic [1:0]  mem_region_o,
  output logic [11:0] mem_count_o,
  output logic [11:0] mem_addr_o,
  output logic [6:0]  out_id_o,  // units of the last switch
  output logic [6:0]  in_id_o,
  output logic        away_o,    // the entry of moved_id says absent; running
  output logic        back_o,
  output logic [6:0]  moved_id_o,
  output logic [11:0] moved_row_o,
  output logic [11:0] moved_meta_o,
  output logic        move_o,
  output logic        move_meta_o,
  output logic        move_out_o,
  output logic        move_in_o,
  output logic [11:0] move_home_o,
  output logic [11:0] move_away_o,
  output logic        fault_o
);

  logic tbs_move;
  assign tbs_move = level_o == 2'd2;

  // The queues of the level.
  logic [1:0]  warp_space, warp_valid, tb_space, tb_valid;
  logic [13:0] warp_head;
  logic [9:0]  tb_head;
  assign stalled_valid_o = tbs_move ? tb_valid[0] : warp_valid[0];
  assign stalled_id_o    = tbs_move ? 7'(tb_head[4:0]) : warp_head[6:0];
  assign stalled_space_o = tbs_move ? tb_space[0] : warp_space[0];
  assign ready_valid_o   = tbs_move ? tb_valid[1] : warp_valid[1];
  assign ready_id_o      = tbs_move ? 7'(tb_head[9:5]) : warp_head[13:7];
  assign ready_space_o   = tbs_move ? tb_space[1] : warp_space[1];

  logic queues_fault, csl_fault;
  logic [3:0] state;
  switch_queues #(
    .WarpDepth(16),
    .TbDepth  (8)
  ) u_queues (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (cfg_i),
    .warp_push_i   (tbs_move ? 2'b00 : {ready_push_i, stalled_push_i}),
    .warp_push_id_i({push_id_i, push_id_i}),
    .warp_pop_i    (tbs_move ? 2'b00 : {ready_pop_o, stalled_pop_o}),
    .tb_push_i     (tbs_move ? {ready_push_i, stalled_push_i} : 2'b00),
    .tb_push_id_i  ({push_id_i[4:0], push_id_i[4:0]}),
    .tb_pop_i      (tbs_move ? {ready_pop_o, stalled_pop_o} : 2'b00),
    .warp_space_o  (warp_space),
    .warp_valid_o  (warp_valid),
    .warp_head_o   (warp_head),
    .tb_space_o    (tb_space),
    .tb_valid_o    (tb_valid),
    .tb_head_o     (tb_head),
    .fault_o       (queues_fault)
  );

  context_switch_logic #(
    .StLines(StLines),
    .TbWarps(TbWarps)
  ) u_csl (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .cfg_i          (cfg_i),
    .limits_i       (limits_i),
    .warps_i        (warps_i),
    .lines_i        (lines_i),
    .full_i         (full_i),
    .use_l1_i       (use_l1_i),
    .stalled_valid_i(stalled_valid_o),
    .stalled_id_i   (stalled_id_o),
    .may_leave_i    (may_leave_i),
    .ready_valid_i  (ready_valid_o),
    .ready_id_i     (ready_id_o),
    .want_i         (want_i),
    .slots_free_i   (slots_free_i),
    .slot_i         (slot_i),
    .tab_ack_i      (tab_ack_i),
    .tab_state_i    (tab_state_i),
    .tab_reg_i      (tab_reg_i),
    .tab_meta_i     (tab_meta_i),
    .mem_ack_i      (mem_ack_i),
    .mem_found_i    (mem_found_i),
    .mem_addr_i     (mem_addr_i),
    .move_ack_i     (move_ack_i),
    .level_o        (level_o),
    .op_o           (op_o),
    .state_o        (state),
    .stalled_pop_o  (stalled_pop_o),
    .ready_pop_o    (ready_pop_o),
    .slot_take_o    (slot_take_o),
    .slot_give_o    (slot_give_o),
    .slot_o         (slot_o),
    .slot_id_o      (slot_id_o),
    .tab_req_o      (tab_req_o),
    .tab_op_o       (tab_op_o),
    .tab_id_o       (tab_id_o),
    .tab_index_o    (tab_index_o),
    .tab_all_o      (tab_all_o),
    .tab_state_o    (tab_state_o),
    .tab_reg_o      (tab_reg_o),
    .tab_meta_o     (tab_meta_o),
    .mem_req_o      (mem_req_o),
    .mem_free_o     (mem_free_o),
    .mem_region_o   (mem_region_o),
    .mem_count_o    (mem_count_o),
    .mem_addr_o     (mem_addr_o),
    .move_o         (move_o),
    .move_meta_o    (move_meta_o),
    .move_out_o     (move_out_o),
    .move_in_o      (move_in_o),
    .move_home_o    (move_home_o),
    .move_away_o    (move_away_o),
    .fault_o        (csl_fault)
  );

  // What a command to the tables says of warps.
  localparam logic [2:0] OpExchange   = 3'd3;
  localparam logic [3:0] StWrOut      = 4'd8;
  localparam logic [3:0] StWrIn       = 4'd9;
  localparam logic [2:0] TabWriteWarp = 3'd1;
  localparam logic [2:0] TabAbsentTb  = 3'd4;
  localparam logic [1:0] Running      = 2'd0;
  localparam logic [1:0] Absent       = 2'd2;

  logic writes;
  assign writes       = tab_ack_i && tab_op_o == TabWriteWarp;
  assign pass_o       = writes && op_o == OpExchange && state == StWrIn;
  assign split_o      = tab_ack_i && tab_op_o == TabAbsentTb;
  assign away_o       = writes && state == StWrOut && tab_state_o == Absent;
  assign back_o       = writes && state == StWrIn && tab_state_o == Running;
  assign moved_id_o   = (away_o || back_o) ? tab_id_o : 7'd0;
  assign moved_row_o  = (away_o || back_o) ? tab_reg_o : 12'd0;
  assign moved_meta_o = (away_o || back_o) ? tab_meta_o : 12'd0;
  assign fault_o      = queues_fault || csl_fault;

  logic [6:0] out_id_q, out_id_d;
  logic [6:0] in_id_q, in_id_d;
  assign out_id_o = out_id_q;
  assign in_id_o  = in_id_q;
  assign out_id_d = stalled_pop_o ? stalled_id_o : out_id_q;
  assign in_id_d  = ready_pop_o ? ready_id_o : in_id_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_id_q <= 7'd0;
      in_id_q  <= 7'd0;
    end else begin
      out_id_q <= out_id_d;
      in_id_q  <= in_id_d;
    end
  end

endmodule
