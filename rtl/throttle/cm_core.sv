// SPDX-License-Identifier: Apache-2.0
// cm_core: one GPU core's part of concurrency_manager: stall counter, nine moving averages, limit.
//
// The limit register serves both schemes. CM-CPU adds to it; CM-BAL sees it as one of nine levels and
// picks the neighbour. The averages of the level and of its neighbours come from one table, shifted by
// one place each way, with a level that is never valid at either end:
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
  logic [10:0] stall_q, stall_d;
  logic [8:0]  valid_q, valid_d;
  logic [1:0]  run_q, run_d;

  // Where the limit stands among the levels, one-hot.
  logic [8:0] here;
  always_comb begin
    unique case (limit_q)
      6'd1:    here = 9'h001;
      6'd2:    here = 9'h002;
      6'd3:    here = 9'h004;
      6'd4:    here = 9'h008;
      6'd6:    here = 9'h010;
      6'd8:    here = 9'h020;
      6'd16:   here = 9'h040;
      6'd24:   here = 9'h080;
      6'd48:   here = 9'h100;
      default: here = 9'h000;  // a limit of CM-CPU
    endcase
  end

  // The averages, masked to 0 where there is none.
  logic [Levels*11-1:0] avg;
  logic [10:0]          avg_new;
  logic                 learn;
  assign learn = decide_i && balance_i && !start_i;
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    logic [10:0] avg_q;
    // Without reset: masked until written.
    always_ff @(posedge clk_i) begin
      if (learn && here[l]) avg_q <= avg_new;
    end
    assign avg[11*l +: 11] = valid_q[l] ? avg_q : 11'd0;
  end

  logic [10:0] avg_here, avg_up, avg_low;
  logic        has_here, has_up, has_low;
  assign has_here = |(here & valid_q);
  assign has_up   = |(here & {1'b0, valid_q[8:1]});
  assign has_low  = |(here & {valid_q[7:0], 1'b0});
  logic [(Levels+2)*11-1:0] place;
  assign place = {11'd0, avg, 11'd0};
  always_comb begin
    avg_here = 11'd0;
    avg_up   = 11'd0;
    avg_low  = 11'd0;
    for (int unsigned l = 0; l < Levels; l++) begin
      if (here[l]) begin
        avg_low  = avg_low  | place[11*l +: 11];
        avg_here = avg_here | place[11*(l+1) +: 11];
        avg_up   = avg_up   | place[11*(l+2) +: 11];
      end
    end
  end

  // (old + 3 stall) / 4, or the stall itself.
  logic [12:0] weighted;
  assign weighted = 13'(avg_here) + {1'b0, stall_q, 1'b0} + 13'(stall_q);
  assign avg_new  = has_here ? 11'(weighted >> 2) : stall_q;

  // CM-BAL: one step up, one down, or none.
  logic better_up, worse_low, held, up, down;
  assign better_up = has_up && 12'(avg_new) > 12'(avg_up) + 12'(k_i);
  assign worse_low = has_low && 12'(avg_low) > 12'(avg_new) + 12'(k_i);
  always_comb begin
    up   = increase_i && !here[8];
    down = reduce_i && !here[0];
    if (better_up) begin
      up   = 1'b1;
      down = 1'b0;
    end else if (worse_low) begin
      down = 1'b0;
    end
    held = !up && !down;
    if (held && run_q == 2'd3) begin
      up   = limit_q < 6'd6;
      down = limit_q >= 6'd6;
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
  assign target = up ? {here[7:0], 1'b0} : down ? {1'b0, here[8:1]} : here;
  assign moved  = ({6{target[0]}} & 6'd1) | ({6{target[1]}} & 6'd2) | ({6{target[2]}} & 6'd3) |
                  ({6{target[3]}} & 6'd4) | ({6{target[4]}} & 6'd6) | ({6{target[5]}} & 6'd8) |
                  ({6{target[6]}} & 6'd16) | ({6{target[7]}} & 6'd24) | ({6{target[8]}} & MaxWarps);

  logic [11:0] stall_sum;
  assign stall_sum = (read_i ? 12'd0 : 12'(stall_q)) + 12'(stall_i);

  always_comb begin
    limit_d = limit_q;
    valid_d = valid_q;
    run_d   = run_q;
    stall_d = stall_sum[11] ? 11'h7ff : stall_sum[10:0];
    if (start_i) begin
      limit_d = MaxWarps;
      valid_d = 9'd0;
      run_d   = 2'd0;
      stall_d = 11'd0;
    end else if (decide_i && balance_i) begin
      limit_d = moved;
      valid_d = valid_q | here;
      run_d   = (up || down) ? 2'd0 : run_q + 2'd1;
    end else if (decide_i) begin
      limit_d = stepped;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      limit_q <= MaxWarps;
      stall_q <= 11'd0;
      valid_q <= 9'd0;
      run_q   <= 2'd0;
    end else begin
      limit_q <= limit_d;
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
