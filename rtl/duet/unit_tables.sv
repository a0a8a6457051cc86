// SPDX-License-Identifier: Apache-2.0
// unit_tables: where everybody lies: the two context tables and the list of warp slots of duet_unit,
// and who has the tables.
//
// One command or look a cycle: the switch logic's, else the launcher's, else the machine's, else
// the scanner's. An answer is that of the cycle's look, whoever has it.
module unit_tables #(
  parameter int unsigned RegUnits  = 2048,
  parameter int unsigned SmemUnits = 768,
  parameter int unsigned Warps     = 128,
  parameter int unsigned Tbs       = 32,
  parameter int unsigned TbWarps   = 32,
  parameter int unsigned Slots     = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [5:0]  warps_i,  // N
  // The switch logic.
  input  logic        csl_req_i,
  input  logic [2:0]  csl_tab_op_i,
  input  logic [6:0]  csl_id_i,
  input  logic [4:0]  csl_index_i,
  input  logic        csl_all_i,
  input  logic [1:0]  csl_tab_state_i,
  input  logic [11:0] csl_reg_i,
  input  logic [11:0] csl_meta_i,
  input  logic        csl_take_i,
  input  logic        csl_within_i,
  input  logic        csl_give_i,
  input  logic        csl_pass_i,
  input  logic [5:0]  csl_slot_i,
  input  logic [6:0]  csl_slot_id_i,
  // The launcher.
  input  logic        lau_req_i,
  input  logic [2:0]  lau_tab_op_i,
  input  logic [6:0]  lau_id_i,
  input  logic        lau_all_i,
  input  logic [1:0]  lau_tab_state_i,
  input  logic [11:0] lau_reg_i,
  input  logic [11:0] lau_meta_i,
  input  logic        lau_claim_i,
  input  logic        lau_left_i,
  input  logic [5:0]  lau_slot_i,
  input  logic [6:0]  lau_warp_i,
  // The machine.
  input  logic        find_i,
  input  logic [6:0]  find_id_i,
  // The scanner.
  input  logic        scan_req_i,
  input  logic [2:0]  scan_tab_op_i,
  input  logic [6:0]  scan_id_i,
  input  logic [1:0]  scan_tab_state_i,
  input  logic        scan_barrier_i,
  input  logic [5:0]  scan_slot_i,
  input  logic [6:0]  group_first_i,
  input  logic [5:0]  group_count_i,
  // Who is served; the answers.
  output logic        csl_ack_o,
  output logic        lau_ack_o,
  output logic        find_ack_o,
  output logic        scan_ack_o,
  output logic        warp_valid_o,
  output logic        warp_present_o,
  output logic [1:0]  warp_state_o,
  output logic [11:0] warp_reg_o,
  output logic [11:0] warp_meta_o,
  output logic        tb_valid_o,
  output logic        tb_present_o,
  output logic        tb_whole_o,
  output logic [11:0] tb_addr_o,
  output logic        tb_free_o,
  output logic [4:0]  tb_free_id_o,
  output logic        group_stalled_o,
  output logic        group_ready_o,
  // The command of the table of warps.
  output logic [1:0]  entry_op_o,
  output logic [6:0]  entry_id_o,
  output logic [1:0]  entry_state_o,
  // Slots: what is claimed or passed on, and given; the warp of scan_slot; those that are free.
  output logic        claim_o,
  output logic [5:0]  claim_slot_o,
  output logic [6:0]  claim_id_o,
  output logic        give_o,
  output logic [5:0]  give_slot_o,
  output logic [6:0]  slot_id_o,
  output logic [6:0]  slots_free_o,
  output logic [5:0]  slot_next_o,
  output logic        fault_o
);

  localparam logic [2:0] TabWriteWarp  = 3'd1;  // of all who ask
  localparam logic [2:0] TabMoveTb     = 3'd3;  // of the switch logic
  localparam logic [2:0] TabAbsentTb   = 3'd4;
  localparam logic [2:0] TabPresentTb  = 3'd5;
  localparam logic [2:0] TabInsertWarp = 3'd3;  // of the launcher
  localparam logic [2:0] TabRemoveWarp = 3'd4;
  localparam logic [2:0] TabInsertTb   = 3'd5;
  localparam logic [2:0] TabRemoveTb   = 3'd6;

  localparam logic [1:0] WarpNone   = 2'd0;  // commands of warp_context_table
  localparam logic [1:0] WarpInsert = 2'd1;
  localparam logic [1:0] WarpUpdate = 2'd2;
  localparam logic [1:0] WarpRemove = 2'd3;
  localparam logic [2:0] TbNone     = 3'd0;  // of tb_context_table
  localparam logic [2:0] TbInsert   = 3'd1;
  localparam logic [2:0] TbRemove   = 3'd2;
  localparam logic [2:0] TbSet      = 3'd3;
  localparam logic [2:0] TbClear    = 3'd4;
  localparam logic [2:0] TbMove     = 3'd5;

  logic        wct_fault, tct_fault, slots_fault;
  logic        unused_look_barrier, unused_find, unused_group_any, unused_slot_valid;
  logic [6:0]  unused_find_id;
  logic [31:0] look_tb_mask;
  assign fault_o    = wct_fault || tct_fault || slots_fault;
  assign tb_whole_o = look_tb_mask == 32'd0;

  // Who has the tables: nobody while metadata move, so that a TB is switched whole, and nobody else
  // claims the slot that the switch logic takes.
  logic free;
  assign free       = !csl_req_i && !csl_within_i;
  assign csl_ack_o  = csl_req_i;
  assign lau_ack_o  = lau_req_i && free;
  assign find_ack_o = find_i && free && !lau_req_i;
  assign scan_ack_o = scan_req_i && free && !lau_req_i && !find_i;

  logic [31:0] all_warps;  // the lowest N bits
  assign all_warps = (warps_i >= 6'd32) ? 32'hffff_ffff : (32'd1 << warps_i[4:0]) - 32'd1;

  logic [6:0]  look_id;
  logic [3:0]  wct_fields;
  logic [11:0] wct_reg, wct_meta;
  logic [2:0]  tct_op;
  logic [4:0]  tct_id;
  logic [31:0] tct_mask;
  logic [11:0] tct_addr;
  always_comb begin
    look_id       = find_id_i;
    entry_op_o    = WarpNone;
    entry_id_o    = 7'd0;
    wct_fields    = 4'd7;
    entry_state_o = 2'd0;
    wct_reg       = 12'd0;
    wct_meta      = 12'd0;
    tct_op        = TbNone;
    tct_id        = 5'd0;
    tct_mask      = 32'd0;
    tct_addr      = 12'd0;
    if (csl_ack_o) begin
      look_id = csl_id_i;
      if (csl_tab_op_i == TabWriteWarp) begin
        entry_op_o    = WarpUpdate;
        entry_id_o    = csl_id_i;
        entry_state_o = csl_tab_state_i;
        wct_reg   = csl_reg_i;
        wct_meta  = csl_meta_i;
      end
      unique case (csl_tab_op_i)
        TabMoveTb:    tct_op = TbMove;
        TabAbsentTb:  tct_op = TbSet;
        TabPresentTb: tct_op = TbClear;
        default:      tct_op = TbNone;
      endcase
      tct_id   = csl_id_i[4:0];
      tct_mask = csl_all_i ? all_warps : 32'd1 << csl_index_i;
      tct_addr = csl_reg_i;
    end else if (lau_ack_o) begin
      look_id = lau_id_i;
      unique case (lau_tab_op_i)
        TabWriteWarp:  entry_op_o = WarpUpdate;
        TabInsertWarp: entry_op_o = WarpInsert;
        TabRemoveWarp: entry_op_o = WarpRemove;
        default:       entry_op_o = WarpNone;
      endcase
      if (entry_op_o != WarpNone) entry_id_o = lau_id_i;
      if (entry_op_o != WarpRemove) entry_state_o = lau_tab_state_i;
      wct_reg  = lau_reg_i;
      wct_meta = lau_meta_i;
      tct_op   = (lau_tab_op_i == TabInsertTb) ? TbInsert :
                 (lau_tab_op_i == TabRemoveTb) ? TbRemove : TbNone;
      tct_id   = lau_id_i[4:0];
      tct_mask = lau_all_i ? all_warps : 32'd0;
      tct_addr = lau_reg_i;
    end else if (scan_ack_o) begin
      look_id    = scan_id_i;
      wct_fields = 4'd9;
      if (scan_tab_op_i == TabWriteWarp) begin
        entry_op_o    = WarpUpdate;
        entry_id_o    = scan_id_i;
        entry_state_o = scan_tab_state_i;
      end
    end
  end

  // Slots: in a cycle at most one is claimed or passed on, and one given.
  logic claims;
  assign claims       = csl_take_i || lau_claim_i;
  assign claim_o      = claims || csl_pass_i;
  assign claim_slot_o = csl_take_i ? csl_slot_i : lau_claim_i ? lau_slot_i : csl_meta_i[5:0];
  assign claim_id_o   = csl_take_i ? csl_slot_id_i : lau_claim_i ? lau_warp_i : csl_id_i;
  assign give_o       = csl_give_i || lau_left_i;
  assign give_slot_o  = csl_give_i ? csl_slot_i : lau_slot_i;

  warp_context_table #(
    .Warps   (Warps),
    .RegUnits(RegUnits),
    .Slots   (Slots)
  ) u_wct (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .op_i            (entry_op_o),
    .id_i            (entry_id_o),
    .fields_i        (wct_fields),
    .state_i         (entry_state_o),
    .barrier_i       (scan_ack_o && scan_barrier_i),
    .reg_addr_i      (wct_reg),
    .meta_addr_i     (wct_meta),
    .look_id_i       (look_id),
    .find_state_i    (2'd0),
    .find_from_i     (7'd0),
    .group_first_i   (group_first_i),
    .group_count_i   (group_count_i),
    .look_valid_o    (warp_valid_o),
    .look_state_o    (warp_state_o),
    .look_barrier_o  (unused_look_barrier),
    .look_reg_addr_o (warp_reg_o),
    .look_meta_addr_o(warp_meta_o),
    .look_present_o  (warp_present_o),
    .find_found_o    (unused_find),
    .find_id_o       (unused_find_id),
    .group_any_o     (unused_group_any),
    .group_stalled_o (group_stalled_o),
    .group_ready_o   (group_ready_o),
    .fault_o         (wct_fault)
  );

  tb_context_table #(
    .Tbs      (Tbs),
    .TbWarps  (TbWarps),
    .SmemBase (RegUnits),
    .SmemUnits(SmemUnits)
  ) u_tct (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .op_i          (tct_op),
    .id_i          (tct_id),
    .mask_i        (tct_mask),
    .addr_i        (tct_addr),
    .look_id_i     (look_id[4:0]),
    .find_kind_i   (2'd0),
    .find_from_i   (5'd0),
    .look_valid_o  (tb_valid_o),
    .look_mask_o   (look_tb_mask),
    .look_addr_o   (tb_addr_o),
    .look_present_o(tb_present_o),
    .find_found_o  (tb_free_o),
    .find_id_o     (tb_free_id_o),
    .fault_o       (tct_fault)
  );

  warp_slots #(
    .Slots(Slots),
    .Warps(Warps)
  ) u_slots (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .claim_i     (claims),
    .claim_slot_i(claim_slot_o),
    .claim_id_i  (claim_id_o),
    .give_i      (give_o),
    .give_slot_i (give_slot_o),
    .pass_i      (csl_pass_i),
    .pass_slot_i (csl_meta_i[5:0]),
    .pass_id_i   (csl_id_i),
    .look_slot_i (scan_slot_i),
    .look_valid_o(unused_slot_valid),
    .look_id_o   (slot_id_o),
    .next_o      (slot_next_o),
    .free_o      (slots_free_o),
    .fault_o     (slots_fault)
  );

endmodule
