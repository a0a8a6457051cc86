// SPDX-License-Identifier: Apache-2.0
// result_collection_unit: what one warp executed in hint mode.
//
// The entries are a ring between head_q and tail_q; validity is a bit per entry, so full and empty
// are the valid bits at tail and head. All entries that run compare their dst with each source at
// once.
//
//   entry   0   1   2   3   4   5   6   7
//           e   f   -   -   a   b   c   d      a oldest (head_q = 4), f youngest (tail_q = 2)
//
// Source: Gong 5.3.3, Fig. 5.6, 5.3.4, Fig. 5.8.
module result_collection_unit #(
  parameter int unsigned Depth = 8,  // 2 to 16
  parameter int unsigned Srcs  = 3   // 1 to 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              hint_i,
  input  logic              alloc_i,
  input  logic [8:0]        offset_i,
  input  logic [7:0]        dst_i,
  input  logic [7:0]        renamed_i,
  input  logic              control_i,
  input  logic [Srcs-1:0]   src_used_i,
  input  logic [Srcs*8-1:0] src_i,
  input  logic              done_i,
  input  logic [3:0]        done_id_i,
  input  logic              fetch_i,
  input  logic [31:0]       pc_i,
  input  logic [31:0]       base_i,
  output logic              full_o,
  output logic              empty_o,
  output logic [4:0]        count_o,
  output logic [3:0]        id_o,
  output logic              dep_o,
  output logic [2:0]        action_o,
  output logic [7:0]        copy_from_o,
  output logic [7:0]        copy_to_o,
  output logic              fault_o
);

  if (Depth < 2 || Depth > 16 || Srcs < 1 || Srcs > 4) begin : gen_bad_size
    $fatal(1, "result_collection_unit: Depth must be 2 to 16, Srcs 1 to 4");
  end

  localparam int unsigned IdW = $clog2(Depth);
  localparam logic [IdW-1:0] Last = IdW'(Depth - 1);

  localparam logic [2:0] Normal = 3'd0;
  localparam logic [2:0] Wait   = 3'd1;
  localparam logic [2:0] Skip   = 3'd2;
  localparam logic [2:0] Copy   = 3'd3;
  localparam logic [2:0] Branch = 3'd4;

  logic [Depth-1:0]   valid_q, valid_d;
  logic [Depth-1:0]   ready_q, ready_d;
  logic [Depth-1:0]   control_q, control_d;
  logic [Depth*9-1:0] offset_q, offset_d;
  logic [Depth*8-1:0] dst_q, dst_d;
  logic [Depth*8-1:0] renamed_q, renamed_d;
  logic [IdW-1:0]     head_q, head_d;
  logic [IdW-1:0]     tail_q, tail_d;
  logic               fault_q, fault_d;

  // Ends of the ring, one-hot beside the numbers, and the fields of the head.
  logic [Depth-1:0] at_head, at_tail, at_done;
  logic [8:0]       head_offset;
  logic [7:0]       head_dst, head_renamed;
  logic             full, empty, head_ready, head_control;
  for (genvar e = 0; e < Depth; e++) begin : gen_at
    assign at_head[e] = head_q == IdW'(e);
    assign at_tail[e] = tail_q == IdW'(e);
    assign at_done[e] = done_id_i == 4'(e);
  end
  always_comb begin
    head_offset  = 9'h0;
    head_dst     = 8'h0;
    head_renamed = 8'h0;
    for (int unsigned e = 0; e < Depth; e++) begin
      if (at_head[e] && valid_q[e]) begin
        head_offset  = head_offset | offset_q[9*e +: 9];
        head_dst     = head_dst | dst_q[8*e +: 8];
        head_renamed = head_renamed | renamed_q[8*e +: 8];
      end
    end
  end
  assign empty        = (valid_q & at_head) == '0;
  assign full         = (valid_q & at_tail) != '0;
  assign head_ready   = |(ready_q & at_head);
  assign head_control = |(control_q & at_head);

  // RAW check. An entry does not hold whether its dst is a scalar or a vector register, so the
  // youngest match may be another register than the source: every one that runs is waited for.
  logic [Depth-1:0] writes;
  logic [Srcs-1:0]  waits;
  assign writes = valid_q & ~control_q & ~ready_q;
  for (genvar i = 0; i < Srcs; i++) begin : gen_src
    logic [Depth-1:0] match;
    for (genvar e = 0; e < Depth; e++) begin : gen_match
      assign match[e] = writes[e] && dst_q[8*e +: 8] == src_i[8*i +: 8];
    end
    assign waits[i] = src_used_i[i] && match != '0;
  end
  logic dep;
  assign dep = hint_i && waits != '0;

  // In-order fetch against the head.
  logic       fits, hit;
  logic [2:0] action;
  is_sum u_fits (
    .a_i(base_i), .b_i({{23{head_offset[8]}}, head_offset}), .sum_i(pc_i), .is_o(fits));
  assign hit = !hint_i && !empty && fits;
  always_comb begin
    if (!hit)                          action = Normal;
    else if (!head_ready)              action = Wait;
    else if (head_control)             action = Branch;
    else if (head_renamed == head_dst) action = Skip;
    else                               action = Copy;
  end

  logic             alloc, pop, done_good;
  logic [Depth-1:0] running;
  assign alloc     = alloc_i && hint_i && !full && !clear_i;
  assign pop       = fetch_i && hit && head_ready && !clear_i;
  assign running   = valid_q & ~ready_q & at_done;
  assign done_good = running != '0;

  always_comb begin
    valid_d   = valid_q;
    ready_d   = ready_q;
    control_d = control_q;
    offset_d  = offset_q;
    dst_d     = dst_q;
    renamed_d = renamed_q;
    head_d    = head_q;
    tail_d    = tail_q;
    fault_d   = fault_q;
    for (int unsigned e = 0; e < Depth; e++) begin
      if (alloc && at_tail[e]) begin
        control_d[e]        = control_i;
        offset_d[9*e +: 9]  = offset_i;
        dst_d[8*e +: 8]     = dst_i;
        renamed_d[8*e +: 8] = renamed_i;
      end
    end
    if (clear_i) begin
      valid_d = '0;
      head_d  = '0;
      tail_d  = '0;
    end else begin
      fault_d = fault_q || (alloc_i && (!hint_i || full || dep)) || (done_i && !done_good) ||
                (fetch_i && hint_i);
      if (done_i) ready_d = ready_q | running;
      if (alloc) begin
        valid_d = valid_d | at_tail;
        ready_d = ready_d & ~at_tail;
        tail_d  = (tail_q == Last) ? '0 : tail_q + IdW'(1);
      end
      if (pop) begin
        valid_d = valid_d & ~at_head;
        head_d  = (head_q == Last) ? '0 : head_q + IdW'(1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= '0;
      ready_q   <= '0;
      control_q <= '0;
      offset_q  <= '0;
      dst_q     <= '0;
      renamed_q <= '0;
      head_q    <= '0;
      tail_q    <= '0;
      fault_q   <= 1'b0;
    end else begin
      valid_q   <= valid_d;
      ready_q   <= ready_d;
      control_q <= control_d;
      offset_q  <= offset_d;
      dst_q     <= dst_d;
      renamed_q <= renamed_d;
      head_q    <= head_d;
      tail_q    <= tail_d;
      fault_q   <= fault_d;
    end
  end

  always_comb begin
    count_o = 5'd0;
    for (int unsigned e = 0; e < Depth; e++) count_o = count_o + 5'(valid_q[e]);
  end
  assign full_o      = full;
  assign empty_o     = empty;
  assign id_o        = 4'(tail_q);
  assign dep_o       = dep;
  assign action_o    = action;
  assign copy_from_o = head_renamed;
  assign copy_to_o   = head_dst;
  assign fault_o     = fault_q;

endmodule
