// SPDX-License-Identifier: Apache-2.0
// launcher_tables: what a step of tb_launcher asks of the tables; the pins are those of its tab_*.
module launcher_tables (
  input  logic [4:0]  state_i,
  input  logic        native_i,
  input  logic        extra_i,
  input  logic [4:0]  tb_i,
  input  logic [6:0]  warp_i,
  input  logic        has_slot_i,  // the warp has slot_i
  input  logic [5:0]  slot_i,
  input  logic [11:0] smem_i,
  input  logic [11:0] row_i,
  input  logic [11:0] meta_i,      // of an extra TB
  output logic        req_o,
  output logic [2:0]  op_o,
  output logic [6:0]  id_o,
  output logic        all_o,
  output logic [1:0]  state_o,
  output logic [11:0] reg_o,
  output logic [11:0] meta_o
);

  localparam logic [4:0] StAddTb = 5'd3, StAddWarp = 5'd6, StLook = 5'd10, StTell = 5'd11,
                         StCheck = 5'd12, StCheckTb = 5'd13, StRead = 5'd14, StDrop = 5'd15,
                         StReadTb = 5'd18, StDropTb = 5'd19;
  localparam logic [2:0] TabReadWarp = 3'd0, TabWriteWarp = 3'd1, TabReadTb = 3'd2,
                         TabInsertWarp = 3'd3, TabRemoveWarp = 3'd4, TabInsertTb = 3'd5,
                         TabRemoveTb = 3'd6;
  localparam logic [1:0] Running = 2'd0, Ready = 2'd3;
  localparam logic [5:0] SlotPage = 6'b110000;  // bits 11:6 of 0xC00 to 0xC3F
  localparam logic [11:0] Nowhere = 12'hfff;

  always_comb begin
    req_o = 1'b1;
    op_o  = TabReadWarp;
    id_o  = warp_i;
    unique case (state_i)
      StAddTb: begin
        op_o = TabInsertTb;
        id_o = 7'(tb_i);
      end
      StAddWarp: op_o = TabInsertWarp;
      StTell: begin
        req_o = native_i;
        op_o  = native_i ? TabWriteWarp : TabReadWarp;
        id_o  = native_i ? warp_i : 7'd0;
      end
      StCheckTb, StReadTb: begin
        op_o = TabReadTb;
        id_o = 7'(tb_i);
      end
      StDrop: op_o = TabRemoveWarp;
      StDropTb: begin
        op_o = TabRemoveTb;
        id_o = 7'(tb_i);
      end
      StLook, StCheck, StRead: ;
      default: begin
        req_o = 1'b0;
        id_o  = 7'd0;
      end
    endcase
  end

  always_comb begin
    all_o   = 1'b0;
    state_o = Running;
    reg_o   = 12'd0;
    meta_o  = 12'd0;
    if (state_i == StAddTb) begin
      all_o = extra_i;
      reg_o = smem_i;
    end else if (state_i == StAddWarp || (state_i == StTell && native_i)) begin
      state_o = has_slot_i ? Running : Ready;
      reg_o   = row_i;
      meta_o  = has_slot_i ? {SlotPage, slot_i} :
                extra_i ? meta_i : Nowhere;
    end
  end

endmodule
