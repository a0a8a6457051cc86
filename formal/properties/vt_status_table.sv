// SPDX-License-Identifier: Apache-2.0
// vt_status_table: state and count of one TB, any one, and the virtual warp of one slot, any one, are
// followed through all events.
// still look_tb_i
// still look_slot_i
`include "frame.svh"

  logic       exists, held, active, slot_there;
  logic [5:0] n, count;
  logic [6:0] vwi, walk;  // walk: 1 + slot whose turn it is, 0 where no renaming is under way
  logic [4:0] from, to;
  logic       stall, wake, take, out, in, act1, held3;
  logic [5:0] count1, count2;
  assign exists     = 32'(look_tb_i) < Tbs;
  assign slot_there = 32'(look_slot_i) < Slots;
  assign take = take_i && swap_valid_o;
  assign out  = take && swap_out_o == look_tb_i;
  assign in   = take && swap_in_o == look_tb_i;
  // In order: take, stall and wake, finish, launch.
  assign act1   = (active && !out) || in;
  assign count1 = out ? n - (out_bar_i > n ? n : out_bar_i) : in ? (in_bar_i > n ? n : in_bar_i) : count;
  assign stall  = stall_i && stall_tb_i == look_tb_i && held && act1;
  assign wake   = wake_i && wake_tb_i == look_tb_i && held;
  assign count2 = stall && wake ? count1 : stall && count1 < n ? count1 + 6'd1
                : wake && count1 != 0 ? count1 - 6'd1 : count1;
  assign held3  = held && !(finish_i && finish_tb_i == look_tb_i && act1);
  logic launches;
  assign launches = launch_i && launch_tb_i == look_tb_i && exists && !held3 &&
                    32'(launch_tb_i) * 32'(n) + 32'(n) <= 128;
  logic [13:0] low;
  logic [6:0]  moved;
  assign low   = 14'(from) * 14'(n);
  assign moved = 7'(14'(vwi) + (14'(to) - 14'(from)) * 14'(n));
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {held, active, count, vwi, walk} <= '0;
      n <= 6'd32;
    end else begin
      if (cfg_i) begin
        n <= warps_i == 0 || warps_i > 6'd32 ? 6'd32 : warps_i;
        {held, active} <= '0;
        walk <= '0;
      end else begin
        if (take) {from, to} <= {swap_out_o, swap_in_o};
        walk   <= take ? 7'd1 : walk == 7'(Slots) || walk == 0 ? 7'd0 : walk + 7'd1;
        held   <= held3 || launches;
        active <= launches ? launch_active_i : held3 && act1;
        count  <= launches ? 6'd0 : count2;
      end
      if (map_write_i && map_slot_i == look_slot_i && slot_there) vwi <= map_vwi_i;
      else if (walk == 7'(look_slot_i) + 7'd1 && 14'(vwi) >= low && 14'(vwi) < low + 14'(n)) vwi <= moved;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | looked_up: a TB is as its events have left it; free ones show count 63
    looked_up: assert (look_active_o == (held && active) && look_count_o == (held ? count : 6'd63));
    // pdr | count_most: never more warps wait than the TB has
    if (held) count_most: assert (look_count_o <= n);
    // bounded 9 | slot_map: a slot shows the virtual warp written last, renamed by the swaps since
    slot_map: assert (look_vwi_o == (slot_there ? vwi : 7'd0));
    // pdr | busy_exact: a renaming takes a cycle per slot, behind the take
    busy_exact: assert (busy_o == (walk != 0) && 32'(walk) <= Slots);
    // pdr | swap_out_right: who is to go is active and all of its warps wait
    if (swap_valid_o && swap_out_o == look_tb_i) swap_out_right: assert (held && active && count == n);
    // pdr | swap_in_right: who is to come is inactive and ready
    if (swap_valid_o && swap_in_o == look_tb_i) swap_in_right: assert (held && !active && count == 0);
    // pdr | no_swap_busy: no swap is proposed while warps are renamed
    if (busy_o) no_swap_busy: assert (!swap_valid_o);
    // pdr | masked: without a swap its pins are 0
    if (!swap_valid_o) masked: assert (swap_out_o == 0 && swap_in_o == 0);
    if (was_ni) begin
      // pdr | swap_holds: a proposed swap whose TB no event touches is proposed until it is taken
      if ($past(swap_valid_o && !take_i && !cfg_i && !stall_i && !wake_i && !finish_i && !launch_i))
        swap_holds: assert (swap_valid_o && swap_out_o == $past(swap_out_o) && swap_in_o == $past(swap_in_o));
      // pdr | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // pdr | fault_quiet: no event, no fault
      if (!$past(fault_o) && $past({cfg_i, launch_i, finish_i, stall_i, wake_i, take_i, map_write_i}) == 0)
        fault_quiet: assert (!fault_o);
      // pdr | fault_take: a take without a proposal is one
      if ($past(take_i && !swap_valid_o && !cfg_i)) fault_take: assert (fault_o);
      // pdr | fault_stall: so is a stall of a TB that is not active, or all of whose warps wait
      if ($past(stall_i && !cfg_i && !wake_i && !take_i && stall_tb_i == look_tb_i && !(held && active && count != n)))
        fault_stall: assert (fault_o);
      // pdr | fault_why: a stall alone that is allowed is none
      if (!$past(fault_o) && $past({cfg_i, launch_i, finish_i, wake_i, take_i, map_write_i}) == 0 &&
          $past(stall_i && stall_tb_i == look_tb_i && held && active && count != n)) fault_why: assert (!fault_o);
    end
    // cover 8 | swapped: the TB is switched out
    swapped: cover (was_ni && $past(out) && held && !active);
    // cover 8 | renamed: the slot's warp is renamed
    renamed: cover (was_ni && $past(walk == 7'(look_slot_i) + 7'd1 && !map_write_i) && vwi != $past(vwi));
    // cover 4 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
