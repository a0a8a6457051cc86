// SPDX-License-Identifier: Apache-2.0
// linked_queues: up to four FIFOs that share one memory, linked entry by entry.
//
//   head_q[1] -> [entry 5] -> [entry 0] -> [entry 9] <- tail_q[1]
//                  next_q[5] = 0, next_q[0] = 9
//
// An entry that no FIFO holds has its bit in free_q. One push and one pop a cycle, of the same FIFO
// or of two. The caller pushes only where an entry is free and pops only a FIFO that holds one.
module linked_queues #(
  parameter int unsigned Queues = 4,   // 2 to 4
  parameter int unsigned Depth  = 16,  // 2 to 128, all FIFOs together
  parameter int unsigned Width  = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [1:0]       push_queue_i,
  input  logic [Width-1:0] push_data_i,
  input  logic             pop_i,
  input  logic [1:0]       pop_queue_i,
  output logic [Width-1:0] head_data_o,  // oldest entry of pop_queue_i; without meaning if empty
  output logic [31:0]      held_o        // entries of each FIFO, 8 bits each
);

  localparam int unsigned SlotW = $clog2(Depth);

  logic [Width-1:0]   data_q [Depth];  // without reset: read only where a FIFO holds the entry
  logic [SlotW-1:0]   next_q [Depth];
  logic [Depth-1:0]   free_q, free_d;
  logic [4*SlotW-1:0] head_q, head_d;
  logic [4*SlotW-1:0] tail_q, tail_d;
  logic [31:0]        held_q, held_d;

  logic [SlotW-1:0] slot;      // lowest free entry
  logic [SlotW-1:0] pop_slot;
  logic [SlotW-1:0] push_tail;
  always_comb begin
    slot = '0;
    for (int unsigned e = Depth; e > 0; e--) begin
      if (free_q[e-1]) slot = SlotW'(e - 1);
    end
    pop_slot  = head_q[0 +: SlotW];
    push_tail = tail_q[0 +: SlotW];
    for (int unsigned q = 1; q < Queues; q++) begin
      if (pop_queue_i == 2'(q)) pop_slot = head_q[q*SlotW +: SlotW];
      if (push_queue_i == 2'(q)) push_tail = tail_q[q*SlotW +: SlotW];
    end
  end
  logic [SlotW-1:0]  next_slot;  // behind the one that is popped
  logic [Queues-1:0] push, pop;
  for (genvar q = 0; q < Queues; q++) begin : gen_select
    assign push[q] = push_i && push_queue_i == 2'(q);
    assign pop[q]  = pop_i && pop_queue_i == 2'(q);
  end
  logic push_behind;  // behind an entry
  always_comb begin
    push_behind = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (push[q] && held_q[q*8 +: 8] != 8'd0) push_behind = 1'b1;
    end
  end
  assign next_slot   = next_q[pop_slot];
  assign head_data_o = data_q[pop_slot];
  assign held_o      = held_q;

  always_comb begin
    free_d = free_q;
    head_d = head_q;
    tail_d = tail_q;
    held_d = held_q;
    if (pop_i) free_d[pop_slot] = 1'b1;
    if (push_i) free_d[slot] = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (push[q]) tail_d[q*SlotW +: SlotW] = slot;
      if (push[q] && held_q[q*8 +: 8] == 8'(pop[q])) head_d[q*SlotW +: SlotW] = slot;
      else if (pop[q])                               head_d[q*SlotW +: SlotW] = next_slot;
      held_d[q*8 +: 8] = held_q[q*8 +: 8] + 8'(push[q]) - 8'(pop[q]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) data_q[slot] <= push_data_i;
    // The tail of an empty FIFO is an old one, whose entry another FIFO may hold by now.
    if (push_behind) next_q[push_tail] <= slot;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q <= '1;
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
    end else begin
      free_q <= free_d;
      head_q <= head_d;
      tail_q <= tail_d;
      held_q <= held_d;
    end
  end

endmodule
