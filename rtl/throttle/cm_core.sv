// SPDX-License-Identifier: Apache-2.0
// cm_core: one GPU core's part of concurrency_manager: stall counter, nine moving averages, limit.
//
// The limit register serves both schemes. CM-CPU adds to it; to CM-BAL it is one of nine levels, which
// here_q has one-hot, and it picks the neighbour. CM-CPU leaves here_q where it is: the scheme changes
// only with start_i, which sets both. The averages of the level and of its neighbours come from one
// table, shifted by one place each way, with a level that is never valid at either end:
//
//   place   0   1   2   3   4   5   6   7    8    9    10
//   warps   -   1   2   3   4   6   8   16   24   48   -
//
// Source: Kayiran 4.1, 4.2, V.
module cm_core (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic        read_i,      // the stall counter is read and begins anew
  input  logic        decide_i,    // with read_i: limit and averages move
  input  logic        balance_i,   // CM-BAL
  input  logic        reduce_i,    // Part 1
  input  logic        increase_i,
  input  logic [7:0]  k_i,
  input  logic [1:0]  stall_i,     // 0 to 2
  input  logic [3:0]  level_i,     // average to show
  output logic [5:0]  limit_o,
  output logic [10:0] stall_o,
  output logic [1:0]  run_o,
  output logic [10:0] avg_o,       // 0 where it is not valid
  output logic        avg_valid_o
);

  localparam int unsigned Levels = 9;
  localparam logic [5:0] MaxWarps = 6'd48;

  logic [5:0]  limit_q, limit_d;
  logic [8:0]  here_q, here_d;
  logic [10:0] stall_q, stall_d;
  logic [8:0]  valid_q, valid_d;
  logic [1:0]  run_q, run_d;

  // The averages, masked to 0 where there is none.
  logic [Levels*11-1:0] avg;
  logic [10:0]          avg_new;
  logic                 learn;
  assign learn = decide_i && balance_i && !start_i;
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    logic [10:0] avg_q;
    // Without reset: masked until written.
    always_ff @(posedge clk_i) begin
      if (learn && here_q[l]) avg_q <= avg_new;
    end
    assign avg[11*l +: 11] = valid_q[l] ? avg_q : 11'd0;
  end

  logic [10:0] avg_here, avg_up, avg_low;
  logic        has_here, has_up, has_low;
  assign has_here = |(here_q & valid_q);
  assign has_up   = |(here_q & {1'b0, valid_q[8:1]});
  assign has_low  = |(here_q & {valid_q[7:0], 1'b0});
  logic [(Levels+2)*11-1:0] place;
  assign place = {11'd0, avg, 11'd0};
  always_comb begin
    avg_here = 11'd0;
    avg_up   = 11'd0;
    avg_low  = 11'd0;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (here_q[l]) begin
        avg_low  = avg_low  | place[11*l +: 11];
        avg_here = avg_here | place[11*(l+1) +: 11];
        avg_up   = avg_up   | place[11*(l+2) +: 11];
      end
    end
  end

  // (old + 3 stall) / 4, or the stall itself, which is (stall + 3 stall) / 4.
  logic [10:0] old;
  logic [14:0] thrice;
  assign old     = has_here ? avg_here : stall_q;
  assign thrice  = {3'b000, stall_q, 1'b0} + 15'(stall_q);
  assign avg_new = 11'((15'(old) + thrice) >> 2);

  // CM-BAL: one step up, one down, or none.
  // Four times everything, so that neither comparison waits for the new average:
  //   avg_new > avg_up + k   is   old + 3 stall - 4 k - 4 - 4 avg_up >= 0
  //   avg_low > avg_new + k  is   old + 3 stall + 4 k     - 4 avg_low < 0
  logic        better_up, below_up, worse_low, below_low, held, up, down;
  logic [14:0] less_k, more_k;
  assign less_k    = thrice - {5'd0, k_i, 2'b00} - 15'd4;
  assign more_k    = thrice + {5'd0, k_i, 2'b00};
  assign below_up  = 1'((less_k + 15'(old) - {2'b00, avg_up, 2'b00}) >> 14);  // the sign
  assign below_low = 1'((more_k + 15'(old) - {2'b00, avg_low, 2'b00}) >> 14);
  assign better_up = has_up && !below_up;
  assign worse_low = has_low && below_low;
  always_comb begin
    up   = increase_i && !here_q[8];
    down = reduce_i && !here_q[0];
    if (better_up) begin
      up   = 1'b1;
      down = 1'b0;
    end else if (worse_low) begin
      down = 1'b0;
    end
    held = !up && !down;
    if (held && run_q == 2'd3) begin
      up   = here_q[3:0] != 4'd0;  // below 6 warps
      down = here_q[3:0] == 4'd0;
    end
  end

  logic [5:0] stepped;  // CM-CPU
  always_comb begin
    stepped = limit_q;
    if (reduce_i) begin
      if (limit_q > 6'd8)      stepped = limit_q - 6'd2;
      else if (limit_q > 6'd1) stepped = limit_q - 6'd1;
    end else if (increase_i) begin
      if (limit_q < 6'd8)                 stepped = limit_q + 6'd1;
      else if (limit_q < MaxWarps - 6'd1) stepped = limit_q + 6'd2;
      else                                stepped = MaxWarps;
    end
  end

  logic [8:0] target;  // one-hot
  logic [5:0] moved;
  assign target = up ? {here_q[7:0], 1'b0} : down ? {1'b0, here_q[8:1]} : here_q;
  assign moved  = ({6{target[0]}} & 6'd1) | ({6{target[1]}} & 6'd2) | ({6{target[2]}} & 6'd3) |
                  ({6{target[3]}} & 6'd4) | ({6{target[4]}} & 6'd6) | ({6{target[5]}} & 6'd8) |
                  ({6{target[6]}} & 6'd16) | ({6{target[7]}} & 6'd24) | ({6{target[8]}} & MaxWarps);

  logic [11:0] stall_sum;
  assign stall_sum = (read_i ? 12'd0 : 12'(stall_q)) + 12'(stall_i);

  always_comb begin
    limit_d = limit_q;
    here_d  = here_q;
    valid_d = valid_q;
    run_d   = run_q;
    stall_d = stall_sum[11] ? 11'h7ff : stall_sum[10:0];
    if (start_i) begin
      limit_d = MaxWarps;
      here_d  = 9'h100;
      valid_d = 9'd0;
      run_d   = 2'd0;
      stall_d = 11'd0;
    end else if (decide_i && balance_i) begin
      limit_d = moved;
      here_d  = target;
      valid_d = valid_q | here_q;
      run_d   = (up || down) ? 2'd0 : run_q + 2'd1;
    end else if (decide_i) begin
      limit_d = stepped;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      limit_q <= MaxWarps;
      here_q  <= 9'h100;
      stall_q <= 11'd0;
      valid_q <= 9'd0;
      run_q   <= 2'd0;
    end else begin
      limit_q <= limit_d;
      here_q  <= here_d;
      stall_q <= stall_d;
      valid_q <= valid_d;
      run_q   <= run_d;
    end
  end

  always_comb begin
    avg_o       = 11'd0;
    avg_valid_o = 1'b0;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (level_i == 4'(l)) begin
        avg_o       = avg[11*l +: 11];
        avg_valid_o = valid_q[l];
      end
    end
  end

  assign limit_o = limit_q;
  assign stall_o = stall_q;
  assign run_o   = run_q;

endmodule
