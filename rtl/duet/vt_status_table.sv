// SPDX-License-Identifier: Apache-2.0
// vt_status_table: Virtual Thread's TB status table and map of warp slots to virtual warps.
//
//   per TB     {active_q, count_q}: its own little counter, with stall, wake, take, finish, launch
//   swap       two rotating searches, over the stalled active TBs and over the ready inactive ones
//   map        Slots x 7 bits; after a swap a walk rewrites one slot a cycle: a virtual warp that
//              lies from_q to from_q + N - 1 keeps its place in the TB and gets the new TB's base
//
// The events of a cycle act in the order take, stall and wake, finish, launch; each TB's next value is
// one chain in that order.
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
  logic [7*Slots-1:0] vwi_q, vwi_d;
  logic [5:0]         warps_q, warps_d;
  logic               busy_q, busy_d;
  logic [5:0]         walk_q, walk_d;
  logic [6:0]         from_q, from_d;
  logic [6:0]         to_q, to_d;
  logic [4:0]         out_start_q, out_start_d;
  logic [4:0]         in_start_q, in_start_d;
  logic               fault_q, fault_d;

  // Candidates, and the first of each from its start on: those at or behind the start first.
  logic [Tbs-1:0] stalled, ready;
  logic [4:0]     out_first, out_low, in_first, in_low;
  logic           out_above, out_any, in_above, in_any;
  for (genvar t = 0; t < Tbs; t++) begin : gen_candidate
    assign stalled[t] = active_q[t] && count_q[6*t +: 6] == warps_q;
    assign ready[t]   = !active_q[t] && count_q[6*t +: 6] == 6'd0;
  end
  always_comb begin
    out_first = 5'd0;
    out_low   = 5'd0;
    out_above = 1'b0;
    out_any   = 1'b0;
    in_first  = 5'd0;
    in_low    = 5'd0;
    in_above  = 1'b0;
    in_any    = 1'b0;
    for (int unsigned i = 0; i < Tbs; i++) begin  // the highest first: the lowest one stays
      if (stalled[Tbs-1-i]) begin
        out_any = 1'b1;
        out_low = 5'(Tbs-1-i);
        if (5'(Tbs-1-i) >= out_start_q) begin
          out_above = 1'b1;
          out_first = 5'(Tbs-1-i);
        end
      end
      if (ready[Tbs-1-i]) begin
        in_any = 1'b1;
        in_low = 5'(Tbs-1-i);
        if (5'(Tbs-1-i) >= in_start_q) begin
          in_above = 1'b1;
          in_first = 5'(Tbs-1-i);
        end
      end
    end
  end

  logic       swap_valid, take;
  logic [4:0] swap_out, swap_in;
  assign swap_valid   = !busy_q && out_any && in_any;
  assign swap_out     = !swap_valid ? 5'd0 : out_above ? out_first : out_low;
  assign swap_in      = !swap_valid ? 5'd0 : in_above ? in_first : in_low;
  assign take         = take_i && swap_valid && !cfg_i;
  assign swap_valid_o = swap_valid;
  assign swap_out_o   = swap_out;
  assign swap_in_o    = swap_in;
  assign busy_o       = busy_q;
  assign fault_o      = fault_q;

  logic [5:0] out_bar, in_bar;
  assign out_bar = out_bar_i > warps_q ? warps_q : out_bar_i;
  assign in_bar  = in_bar_i > warps_q ? warps_q : in_bar_i;

  // The TB status table. *_at: the TB that an event acts on, none where it fits none.
  logic [Tbs-1:0] cancel_at, stall_at, wake_at, finish_at, launch_at;
  logic           same;
  assign same = stall_i && wake_i && stall_tb_i == wake_tb_i;
  for (genvar t = 0; t < Tbs; t++) begin : gen_tb
    logic       active_1, active_2, hit_out, hit_in;
    logic [5:0] count_1, count_2, count_3;
    logic [10:0] last_vwi;
    assign hit_out  = take && swap_out == 5'(t);
    assign hit_in   = take && swap_in == 5'(t);
    assign active_1 = (active_q[t] || hit_in) && !hit_out;
    assign count_1  = hit_out ? warps_q - out_bar : hit_in ? in_bar : count_q[6*t +: 6];

    assign cancel_at[t] = same && stall_tb_i == 5'(t) && active_1;
    assign stall_at[t]  = stall_i && stall_tb_i == 5'(t) && active_1 && count_1 != warps_q;
    assign wake_at[t]   = wake_i && wake_tb_i == 5'(t) && count_1 != Free && count_1 != 6'd0;
    assign count_2      = cancel_at[t] ? count_1 :
                          count_1 + 6'(stall_at[t]) - 6'(wake_at[t]);

    assign finish_at[t]  = finish_i && finish_tb_i == 5'(t) && active_1;
    assign active_2   = active_1 && !finish_at[t];
    assign count_3    = finish_at[t] ? Free : count_2;

    assign last_vwi     = 11'(t + 1) * 11'(warps_q);
    assign launch_at[t] = launch_i && launch_tb_i == 5'(t) && count_3 == Free &&
                          last_vwi <= 11'd128;
    assign active_d[t]        = !cfg_i && (launch_at[t] ? launch_active_i : active_2);
    assign count_d[6*t +: 6]  = cfg_i ? Free : launch_at[t] ? 6'd0 : count_3;
  end

  // The map and its walk.
  logic [6:0] walk_vwi;
  logic       renames;
  always_comb begin
    walk_vwi = 7'd0;
    for (int unsigned k = 0; k < Slots; k++) begin
      if (walk_q == 6'(k)) walk_vwi = vwi_q[7*k +: 7];
    end
  end
  assign renames = busy_q && walk_vwi >= from_q && 8'(walk_vwi) < 8'(from_q) + 8'(warps_q);
  for (genvar k = 0; k < Slots; k++) begin : gen_slot
    assign vwi_d[7*k +: 7] = (map_write_i && map_slot_i == 6'(k)) ? map_vwi_i :
                             (renames && walk_q == 6'(k)) ? walk_vwi - from_q + to_q :
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

  logic bad_cfg, bad_event, cancels;
  assign bad_cfg   = warps_i == 6'd0 || warps_i > 6'd32;
  assign cancels   = |cancel_at;
  assign bad_event =
      (take_i && !swap_valid) || (take && (out_bar_i > warps_q || in_bar_i > warps_q)) ||
      (stall_i && !cancels && stall_at == '0) || (wake_i && !cancels && wake_at == '0) ||
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
        from_d      = 7'(swap_out) * 7'(warps_q);
        to_d        = 7'(swap_in) * 7'(warps_q);
        out_start_d = swap_out == LastTb ? 5'd0 : swap_out + 5'd1;
        in_start_d  = swap_in == LastTb ? 5'd0 : swap_in + 5'd1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q    <= '0;
      count_q     <= {Tbs{Free}};
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
