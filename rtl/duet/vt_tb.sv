// SPDX-License-Identifier: Apache-2.0
// vt_tb: what the events of one cycle but take make of one TB of vt_status_table, in the order stall
// and wake, finish, launch; combinational. A free TB is inactive and its count is 63.
//
// What is to be known of the count comes from outside, so that it is found before it is known which
// event acts, and once for all TBs that would have the same count.
module vt_tb (
  input  logic       active_i,
  input  logic [5:0] count_i,
  input  logic [5:0] more_i,       // count + 1, looked at where it is below N
  input  logic [5:0] less_i,       // count - 1, looked at where it is neither 0 nor 63
  input  logic       free_i,       // count is 63
  input  logic       full_i,       // N
  input  logic       full_next_i,  // N - 1
  input  logic       none_i,       // 0
  input  logic       none_next_i,  // 1
  input  logic       stall_i,      // the events that name this TB
  input  logic       wake_i,
  input  logic       finish_i,
  input  logic       launch_i,
  input  logic       launch_active_i,
  input  logic       fits_i,       // its virtual warps lie below 128
  output logic       active_o,
  output logic [5:0] count_o,
  output logic       stalled_o,    // active, all of its warps wait
  output logic       ready_o,      // inactive, none of its warps waits
  output logic       bad_o         // an event does not fit
);

  localparam logic [5:0] Free = 6'd63;

  // A stall and a wake of the same active TB cancel each other.
  logic stalls, up, down, finishes, launches;
  assign stalls   = stall_i && active_i;
  assign up       = stalls && !wake_i && !full_i;
  assign down     = wake_i && !stalls && !free_i && !none_i;
  assign finishes = finish_i && active_i;
  assign launches = launch_i && fits_i && (finishes || free_i);

  assign active_o  = launches ? launch_active_i : active_i && !finishes;
  assign count_o   = launches ? 6'd0 : finishes ? Free : up ? more_i : down ? less_i : count_i;
  assign stalled_o = active_i && !finishes && (up ? full_next_i : full_i && !down);
  assign ready_o   = launches ? !launch_active_i : !active_i && (down ? none_next_i : none_i);
  assign bad_o     = (stall_i && !(stalls && (wake_i || up))) || (wake_i && !stalls && !down) ||
                     (finish_i && !finishes) || (launch_i && !launches);

endmodule
