// SPDX-License-Identifier: Apache-2.0
// vt_status_table: Virtual Thread's TB status table and map of warp slots to virtual warps.
//
//   per TB     {active_q, count_q}: its own little counter, with stall, wake, take, finish, launch;
//              stalled_q and ready_q follow it: all warps of an active one wait, none of an inactive
//   swap       two rotating searches, over the stalled and over the ready TBs
//   map        Slots x 7 bits; after a swap a walk rewrites one slot a cycle: a virtual warp that
//              lies from_q to from_q + N - 1 keeps its place in the TB and gets the new TB's base
//
// The events of a cycle act in the order take, stall and wake, finish, launch. Which TBs a take would
// change is known late, so what the others make of a TB is found for each of the three cases: it stays,
// leaves or comes.
//
// Source: Lin-D 3.6.8, Yoon et al. (ISCA 2016).
module vt_status_table #(
  parameter int unsigned Tbs   = 32,  // 1 to 32
  parameter int unsigned Slots = 64   // 1 to 64
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       cfg_i,
  input  logic [5:0] warps_i,
  input  logic       launch_i,
  input  logic [4:0] launch_tb_i,
  input  logic       launch_active_i,
  input  logic       finish_i,
  input  logic [4:0] finish_tb_i,
  input  logic       stall_i,
  input  logic [4:0] stall_tb_i,
  input  logic       wake_i,
  input  logic [4:0] wake_tb_i,
  input  logic       take_i,
  input  logic [5:0] out_bar_i,
  input  logic [5:0] in_bar_i,
  input  logic       map_write_i,
  input  logic [5:0] map_slot_i,
  input  logic [6:0] map_vwi_i,
  input  logic [5:0] look_slot_i,
  input  logic [4:0] look_tb_i,
  output logic       swap_valid_o,
  output logic [4:0] swap_out_o,
  output logic [4:0] swap_in_o,
  output logic       busy_o,
  output logic [6:0] look_vwi_o,
  output logic       look_active_o,
  output logic [5:0] look_count_o,
  output logic       fault_o
);

  localparam logic [5:0] Free     = 6'd63;
  localparam logic [5:0] LastSlot = 6'(Slots - 1);
  localparam logic [4:0] LastTb   = 5'(Tbs - 1);

  if (Tbs < 1 || Tbs > 32 || Slots < 1 || Slots > 64) begin : gen_bad_size
    $fatal(1, "vt_status_table: 1 <= Tbs <= 32, 1 <= Slots <= 64");
  end

  logic [Tbs-1:0]     active_q, active_d;
  logic [6*Tbs-1:0]   count_q, count_d;
  logic [Tbs-1:0]     stalled_q, stalled_d;
  logic [Tbs-1:0]     ready_q, ready_d;
  logic [7*Slots-1:0] vwi_q, vwi_d;
  logic [5:0]         warps_q, warps_d;
  logic               busy_q, busy_d;
  logic [5:0]         walk_q, walk_d;
  logic [6:0]         from_q, from_d;
  logic [6:0]         to_q, to_d;
  logic [4:0]         out_start_q, out_start_d;
  logic [4:0]         in_start_q, in_start_d;
  logic               fault_q, fault_d;

  // The first of each kind from its start on.
  logic           out_found, in_found, swap_valid, take;
  logic [4:0]     out_id, in_id;
  logic [Tbs-1:0] first_out, first_in;
  first_set #(.Bits(Tbs), .IdW(5)) u_out (
    .set_i(stalled_q), .from_i(out_start_q), .found_o(out_found), .id_o(out_id));
  first_set #(.Bits(Tbs), .IdW(5)) u_in (
    .set_i(ready_q), .from_i(in_start_q), .found_o(in_found), .id_o(in_id));
  for (genvar t = 0; t < Tbs; t++) begin : gen_first
    assign first_out[t] = out_id == 5'(t);
    assign first_in[t]  = in_id == 5'(t);
  end
  assign swap_valid   = !busy_q && out_found && in_found;
  assign take         = take_i && swap_valid && !cfg_i;
  assign swap_valid_o = swap_valid;
  assign swap_out_o   = swap_valid ? out_id : 5'd0;
  assign swap_in_o    = swap_valid ? in_id : 5'd0;
  assign busy_o       = busy_q;
  assign fault_o      = fault_q;

  // Of the one that leaves N - out_bar warps wait, of the one that comes in_bar; both 0 to N.
  logic       bad_out_bar, bad_in_bar, out_none, in_full;
  logic [5:0] out_count, out_less, in_count, in_less;
  assign bad_out_bar = out_bar_i > warps_q;
  assign bad_in_bar  = in_bar_i > warps_q;
  assign out_none    = out_bar_i >= warps_q;
  assign out_count   = out_none ? 6'd0 : warps_q - out_bar_i;
  assign out_less    = warps_q + ~out_bar_i;
  assign in_full     = in_bar_i >= warps_q;
  assign in_count    = in_full ? warps_q : in_bar_i;
  assign in_less     = in_full ? warps_q - 6'd1 : in_bar_i - 6'd1;

  // The TB status table. *_at: the TB that an event names, none where there is no such TB.
  logic [Tbs-1:0] stall_at, wake_at, finish_at, launch_at, bad_stay, bad_take;
  for (genvar t = 0; t < Tbs; t++) begin : gen_tb
    assign stall_at[t]  = stall_i && stall_tb_i == 5'(t);
    assign wake_at[t]   = wake_i && wake_tb_i == 5'(t);
    assign finish_at[t] = finish_i && finish_tb_i == 5'(t);
    assign launch_at[t] = launch_i && launch_tb_i == 5'(t);

    logic [8:0] stay, leave, come;  // active, count, stalled, ready
    logic       bad_leave, bad_come, fits;
    assign fits = 8'(warps_q) <= 8'(128 / (t + 1));
    logic [5:0] count;
    assign count = count_q[6*t +: 6];
    vt_tb u_stay (
      .active_i(active_q[t]), .count_i(count), .more_i(count + 6'd1), .less_i(count - 6'd1),
      .free_i(count == Free), .full_i(count == warps_q), .full_next_i(count + 6'd1 == warps_q),
      .none_i(count == 6'd0), .none_next_i(count == 6'd1),
      .stall_i(stall_at[t]), .wake_i(wake_at[t]), .finish_i(finish_at[t]), .launch_i(launch_at[t]),
      .launch_active_i, .fits_i(fits),
      .active_o(stay[8]), .count_o(stay[7:2]), .stalled_o(stay[1]), .ready_o(stay[0]),
      .bad_o(bad_stay[t]));
    vt_tb u_leave (
      .active_i(1'b0), .count_i(out_count), .more_i(6'd0), .less_i(out_less),
      .free_i(1'b0), .full_i(1'b0), .full_next_i(1'b0),
      .none_i(out_none), .none_next_i(out_bar_i + 6'd1 == warps_q),
      .stall_i(stall_at[t]), .wake_i(wake_at[t]), .finish_i(finish_at[t]), .launch_i(launch_at[t]),
      .launch_active_i, .fits_i(fits),
      .active_o(leave[8]), .count_o(leave[7:2]), .stalled_o(leave[1]), .ready_o(leave[0]),
      .bad_o(bad_leave));
    vt_tb u_come (
      .active_i(1'b1), .count_i(in_count), .more_i(in_bar_i + 6'd1), .less_i(in_less),
      .free_i(1'b0), .full_i(in_full), .full_next_i(in_bar_i + 6'd1 == warps_q),
      .none_i(in_bar_i == 6'd0), .none_next_i(1'b0),
      .stall_i(stall_at[t]), .wake_i(wake_at[t]), .finish_i(finish_at[t]), .launch_i(launch_at[t]),
      .launch_active_i, .fits_i(fits),
      .active_o(come[8]), .count_o(come[7:2]), .stalled_o(come[1]), .ready_o(come[0]),
      .bad_o(bad_come));
    assign bad_take[t] = first_out[t] ? bad_leave : first_in[t] ? bad_come : bad_stay[t];
    assign {active_d[t], count_d[6*t +: 6], stalled_d[t], ready_d[t]} =
        cfg_i ? {1'b0, Free, 2'b00} :
        (take && first_out[t]) ? leave : (take && first_in[t]) ? come : stay;
  end

  // The map and its walk.
  logic [6:0] walk_vwi, shift;
  logic       renames;
  assign shift = to_q - from_q;
  always_comb begin
    walk_vwi = 7'd0;
    for (int unsigned k = 0; k < Slots; k++) begin
      if (walk_q == 6'(k)) walk_vwi = vwi_q[7*k +: 7];
    end
  end
  assign renames = busy_q && walk_vwi >= from_q && 8'(walk_vwi) < 8'(from_q) + 8'(warps_q);
  for (genvar k = 0; k < Slots; k++) begin : gen_slot
    assign vwi_d[7*k +: 7] = (map_write_i && map_slot_i == 6'(k)) ? map_vwi_i :
                             (renames && walk_q == 6'(k)) ? walk_vwi + shift :
                             vwi_q[7*k +: 7];
  end

  always_comb begin
    look_vwi_o    = 7'd0;
    look_active_o = 1'b0;
    look_count_o  = Free;
    for (int unsigned k = 0; k < Slots; k++) begin
      if (look_slot_i == 6'(k)) look_vwi_o = vwi_q[7*k +: 7];
    end
    for (int unsigned t = 0; t < Tbs; t++) begin
      if (look_tb_i == 5'(t)) begin
        look_active_o = active_q[t];
        look_count_o  = count_q[6*t +: 6];
      end
    end
  end

  logic bad_cfg, bad_event;
  assign bad_cfg   = warps_i == 6'd0 || warps_i > 6'd32;
  assign bad_event =
      (take ? bad_take != '0 || bad_out_bar || bad_in_bar : bad_stay != '0 || take_i) ||
      (stall_i && stall_at == '0) || (wake_i && wake_at == '0) ||
      (finish_i && finish_at == '0) || (launch_i && launch_at == '0);

  always_comb begin
    warps_d     = warps_q;
    busy_d      = busy_q && walk_q != LastSlot;
    walk_d      = (busy_q && walk_q != LastSlot) ? walk_q + 6'd1 : 6'd0;
    from_d      = from_q;
    to_d        = to_q;
    out_start_d = out_start_q;
    in_start_d  = in_start_q;
    fault_d     = fault_q || (map_write_i && 7'(map_slot_i) >= 7'(Slots));
    if (cfg_i) begin
      warps_d     = bad_cfg ? 6'd32 : warps_i;
      busy_d      = 1'b0;
      walk_d      = 6'd0;
      out_start_d = 5'd0;
      in_start_d  = 5'd0;
      fault_d     = fault_d || bad_cfg;
    end else begin
      fault_d = fault_d || bad_event;
      if (take) begin
        busy_d      = 1'b1;
        from_d      = 7'(out_id) * 7'(warps_q);
        to_d        = 7'(in_id) * 7'(warps_q);
        out_start_d = out_id == LastTb ? 5'd0 : out_id + 5'd1;
        in_start_d  = in_id == LastTb ? 5'd0 : in_id + 5'd1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q    <= '0;
      count_q     <= {Tbs{Free}};
      stalled_q   <= '0;
      ready_q     <= '0;
      vwi_q       <= '0;
      warps_q     <= 6'd32;
      busy_q      <= 1'b0;
      walk_q      <= 6'd0;
      from_q      <= 7'd0;
      to_q        <= 7'd0;
      out_start_q <= 5'd0;
      in_start_q  <= 5'd0;
      fault_q     <= 1'b0;
    end else begin
      active_q    <= active_d;
      count_q     <= count_d;
      stalled_q   <= stalled_d;
      ready_q     <= ready_d;
      vwi_q       <= vwi_d;
      warps_q     <= warps_d;
      busy_q      <= busy_d;
      walk_q      <= walk_d;
      from_q      <= from_d;
      to_q        <= to_d;
      out_start_q <= out_start_d;
      in_start_q  <= in_start_d;
      fault_q     <= fault_d;
    end
  end

endmodule
