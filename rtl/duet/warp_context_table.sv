// SPDX-License-Identifier: Apache-2.0
// warp_context_table: valid, state, barrier bit and two addresses per warp.
//
// Valid, state and barrier bits are vectors, because the find and group ports look at all of them
// at once; the two addresses are rows behind one write and one read port. The state vector is
// decoded once into four one-hot planes, which all ports share.
//
// Source: Lin-D 3.6.5, 3.6.6, Fig. 3.9, Fig. 3.11a.
module warp_context_table #(
  parameter int unsigned Warps    = 128,   // 1 to 128
  parameter int unsigned RegUnits = 2048,  // 1 to 3,072
  parameter int unsigned Slots    = 64     // 1 to 128
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  op_i,
  input  logic [6:0]  id_i,
  input  logic [3:0]  fields_i,
  input  logic [1:0]  state_i,
  input  logic        barrier_i,
  input  logic [11:0] reg_addr_i,
  input  logic [11:0] meta_addr_i,
  input  logic [6:0]  look_id_i,
  input  logic [1:0]  find_state_i,
  input  logic [6:0]  find_from_i,
  input  logic [6:0]  group_first_i,
  input  logic [5:0]  group_count_i,
  output logic        look_valid_o,
  output logic [1:0]  look_state_o,
  output logic        look_barrier_o,
  output logic [11:0] look_reg_addr_o,
  output logic [11:0] look_meta_addr_o,
  output logic        look_present_o,
  output logic        find_found_o,
  output logic [6:0]  find_id_o,
  output logic        group_any_o,
  output logic        group_stalled_o,
  output logic        group_ready_o,
  output logic        fault_o
);

  localparam logic [1:0] OpNone   = 2'd0;
  localparam logic [1:0] OpInsert = 2'd1;
  localparam logic [1:0] OpUpdate = 2'd2;
  localparam logic [1:0] OpRemove = 2'd3;
  localparam logic [1:0] Running  = 2'd0;
  localparam logic [1:0] Stalled  = 2'd1;
  localparam logic [1:0] Absent   = 2'd2;
  localparam logic [1:0] Ready    = 2'd3;
  localparam logic [11:0] Slot0   = 12'hc00;
  localparam int unsigned IdxW    = (Warps > 1) ? $clog2(Warps) : 1;

  if (Warps < 1 || Warps > 128 || RegUnits < 1 || RegUnits > 3072 || Slots < 1 ||
      Slots > 128) begin : gen_bad_size
    $fatal(1, "warp_context_table: Warps and Slots are 1 to 128, RegUnits 1 to 3,072");
  end

  logic [Warps-1:0]   valid_q, valid_d;
  logic [2*Warps-1:0] state_q, state_d;
  logic [Warps-1:0]   barrier_q, barrier_d;
  logic               fault_q, fault_d;

  // Command: which entry, whether it may, which fields.
  logic            id_ok, hit, step_ok, ok, write;
  logic [IdxW-1:0] idx;
  logic [1:0]      old_state;
  logic [3:0]      enable;
  assign id_ok     = 8'(id_i) < 8'(Warps);
  assign idx       = id_ok ? IdxW'(id_i) : '0;
  assign hit       = id_ok && valid_q[idx];
  assign old_state = state_q[{idx, 1'b0} +: 2];
  always_comb begin
    unique case (old_state)
      Running: step_ok = state_i == Running || state_i == Stalled;
      Stalled: step_ok = state_i != Ready;
      Absent:  step_ok = state_i == Absent || state_i == Ready;
      default: step_ok = state_i == Ready || state_i == Running;
    endcase
  end
  always_comb begin
    unique case (op_i)
      OpInsert: ok = id_ok && !hit && (state_i == Running || state_i == Ready);
      OpUpdate: ok = hit && (step_ok || !fields_i[0]);
      OpRemove: ok = hit;
      default:  ok = 1'b1;
    endcase
  end
  assign write  = ok && (op_i == OpInsert || op_i == OpUpdate);
  assign enable = {4{write}} & (fields_i | {4{op_i == OpInsert}});

  always_comb begin
    valid_d   = valid_q;
    state_d   = state_q;
    barrier_d = barrier_q;
    if (write)                       valid_d[idx] = 1'b1;
    else if (ok && op_i == OpRemove) valid_d[idx] = 1'b0;
    if (enable[0]) state_d[{idx, 1'b0} +: 2] = state_i;
    if (enable[3]) barrier_d[idx] = barrier_i && op_i != OpInsert;
  end
  assign fault_d = fault_q || (op_i != OpNone && !ok);
  assign fault_o = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= '0;
      state_q   <= '0;
      barrier_q <= '0;
      fault_q   <= 1'b0;
    end else begin
      valid_q   <= valid_d;
      state_q   <= state_d;
      barrier_q <= barrier_d;
      fault_q   <= fault_d;
    end
  end

  logic [12*Warps-1:0] reg_addr, meta_addr;
  for (genvar w = 0; w < Warps; w++) begin : gen_row
    logic [11:0] reg_addr_q, meta_addr_q;
    // Without reset: masked until the entry is valid.
    always_ff @(posedge clk_i) begin
      if (enable[1] && idx == IdxW'(w)) reg_addr_q <= reg_addr_i;
      if (enable[2] && idx == IdxW'(w)) meta_addr_q <= meta_addr_i;
    end
    assign reg_addr[12*w +: 12]  = reg_addr_q;
    assign meta_addr[12*w +: 12] = meta_addr_q;
  end

  // Look up.
  logic            look_ok;
  logic [IdxW-1:0] look_idx;
  logic [11:0]     look_reg, look_meta;
  assign look_ok   = 8'(look_id_i) < 8'(Warps);
  assign look_idx  = look_ok ? IdxW'(look_id_i) : '0;
  assign look_reg  = reg_addr[12*look_idx +: 12];
  assign look_meta = meta_addr[12*look_idx +: 12];

  assign look_valid_o     = look_ok && valid_q[look_idx];
  assign look_state_o     = look_valid_o ? state_q[{look_idx, 1'b0} +: 2] : 2'd0;
  assign look_barrier_o   = look_valid_o && barrier_q[look_idx];
  assign look_reg_addr_o  = look_valid_o ? look_reg : 12'd0;
  assign look_meta_addr_o = look_valid_o ? look_meta : 12'd0;
  assign look_present_o   = look_valid_o && look_reg < 12'(RegUnits) && look_meta >= Slot0 &&
                            look_meta < Slot0 + 12'(Slots);

  // One-hot states of the valid entries.
  logic [Warps-1:0] is_running, is_stalled, is_absent, is_ready, of_state;
  for (genvar w = 0; w < Warps; w++) begin : gen_plane
    assign is_running[w] = valid_q[w] && state_q[2*w +: 2] == Running;
    assign is_stalled[w] = valid_q[w] && state_q[2*w +: 2] == Stalled;
    assign is_absent[w]  = valid_q[w] && state_q[2*w +: 2] == Absent;
    assign is_ready[w]   = valid_q[w] && state_q[2*w +: 2] == Ready;
  end

  // Find.
  always_comb begin
    unique case (find_state_i)
      Running: of_state = is_running;
      Stalled: of_state = is_stalled;
      Absent:  of_state = is_absent;
      default: of_state = is_ready;
    endcase
  end
  first_set #(
    .Bits(Warps),
    .IdW (7)
  ) u_find (
    .set_i  (of_state),
    .from_i (find_from_i),
    .found_o(find_found_o),
    .id_o   (find_id_o)
  );

  // Judge the group: any member that is not as asked spoils it.
  logic [Warps-1:0] group, members;
  assign group           = ~({Warps{1'b1}} << group_count_i) << group_first_i;
  assign members         = group & valid_q;
  assign group_any_o     = members != '0;
  assign group_stalled_o = group_any_o && (members & ~is_stalled) == '0;
  assign group_ready_o   = group_any_o && (members & ~is_ready & ~(is_absent & barrier_q)) == '0;

endmodule
