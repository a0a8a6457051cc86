// SPDX-License-Identifier: Apache-2.0
// linked_queues: up to four FIFOs that share one memory. The two oldest entries of each stand in
// registers, the others in the memory, linked entry by entry.
//
//   first_q[1], second_q[1] <- head_q[1] -> [entry 5] -> [entry 0] -> [entry 9] <- tail_q[1]
//                                             next_q[5] = 0, next_q[0] = 9
//
// So all heads are seen at once, and who is popped may be known late in the cycle: a pop moves second_q
// to first_q, and the cycle behind it fetches the next from the memory (refill_q). A FIFO of held_q
// entries has held_q - 2 in the memory, one more where it waits for its refill.
//
// Entries that were fetched and not taken again are linked from idle_q on, as those of a FIFO are; fresh_q
// counts the ones that were ever taken. A push takes the entry that is fetched in its cycle, else one that
// was never taken, else that of idle_q: so one read and one write of the links a cycle are enough.
//
// One push and one pop a cycle, of the same FIFO or of two. The caller pushes only where fewer than Depth
// are held, and pops only a FIFO that holds one.
module linked_queues #(
  parameter int unsigned Queues = 4,   // 2 to 4
  parameter int unsigned Depth  = 16,  // 3 to 128, all FIFOs together
  parameter int unsigned Width  = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    push_i,
  input  logic [1:0]              push_queue_i,
  input  logic [Width-1:0]        push_data_i,
  input  logic [Queues-1:0]       pop_i,       // bit q: of FIFO q
  output logic [Queues*Width-1:0] head_data_o, // oldest entry of each; without meaning if empty
  output logic [3:0]              some_o,      // held_o is not 0, early in the cycle
  output logic [31:0]             held_o       // entries of each FIFO, 8 bits each
);

  // Full, one FIFO has two in registers, or one with a refill to come, which still stands in the memory.
  localparam int unsigned Slots  = Depth - 1;
  localparam int unsigned SlotW  = $clog2(Slots);
  localparam int unsigned FreshW = $clog2(Slots + 1);

  logic [Width-1:0]   data_q [Slots];  // without reset: read only where a FIFO holds the entry
  logic [SlotW-1:0]   next_q [Slots];
  logic [SlotW-1:0]   idle_q, idle_d;
  logic [FreshW-1:0]  fresh_q, fresh_d;
  logic [4*SlotW-1:0] head_q, head_d;
  logic [4*SlotW-1:0] tail_q, tail_d;
  logic [31:0]        held_q, held_d;
  logic [3:0]         refill_q, refill_d, some_q, some_d;

  logic             refill, fresh;
  logic [SlotW-1:0] slot;        // that a push takes
  logic [SlotW-1:0] read_slot;
  logic [SlotW-1:0] fetch_slot;  // of the FIFO that waits for its refill
  logic [SlotW-1:0] push_tail;
  always_comb begin
    fetch_slot = '0;
    push_tail  = tail_q[0 +: SlotW];
    for (int unsigned q = 0; q < Queues; q++) begin
      if (refill_q[q]) fetch_slot = fetch_slot | head_q[q*SlotW +: SlotW];
      if (push_queue_i == 2'(q)) push_tail = tail_q[q*SlotW +: SlotW];
    end
  end

  assign refill    = refill_q != 4'd0;
  assign fresh     = fresh_q != FreshW'(Slots);
  assign read_slot = refill ? fetch_slot : idle_q;
  assign slot      = (!refill && fresh) ? SlotW'(fresh_q) : read_slot;

  logic [SlotW-1:0] next_slot;   // behind the one that is read
  logic [Width-1:0] fetched;
  assign next_slot = next_q[read_slot];
  assign fetched   = data_q[read_slot];

  logic [3:0] push, below_2, below_3;
  logic       to_memory, push_behind;  // behind an entry of the memory
  for (genvar q = 0; q < 4; q++) begin : gen_select
    assign push[q]    = push_i && push_queue_i == 2'(q);
    assign below_2[q] = held_q[8*q+1 +: 7] == 7'd0;
    assign below_3[q] = below_2[q] || held_q[8*q +: 8] == 8'd2;
  end
  assign to_memory   = (push & ~below_2) != 4'd0;
  assign push_behind = (push & ~below_3) != 4'd0;

  logic [SlotW-1:0] link_slot;
  assign link_slot = to_memory ? push_tail : fetch_slot;

  always_comb begin
    idle_d  = idle_q;
    fresh_d = fresh_q;
    if (refill && !to_memory) idle_d = fetch_slot;
    if (to_memory && !refill) begin
      if (fresh) fresh_d = fresh_q + FreshW'(1);
      else       idle_d  = next_slot;
    end
  end

  for (genvar q = 0; q < 4; q++) begin : gen_queue
    if (q < Queues) begin : gen_on
      logic [Width-1:0] first_q, second_q, second;  // without reset: held_q says what counts
      assign second = refill_q[q] ? fetched : second_q;
      always_ff @(posedge clk_i) begin
        if (pop_i[q] && !below_2[q])     first_q <= second;
        else if (pop_i[q] || !some_q[q]) first_q <= push_data_i;
        second_q <= below_2[q] ? push_data_i : second;
      end
      always_comb begin
        head_d[q*SlotW +: SlotW] = head_q[q*SlotW +: SlotW];
        tail_d[q*SlotW +: SlotW] = push[q] ? slot : tail_q[q*SlotW +: SlotW];
        if (push[q] && below_3[q]) head_d[q*SlotW +: SlotW] = slot;
        else if (refill_q[q])      head_d[q*SlotW +: SlotW] = next_slot;
        held_d[8*q +: 8] = held_q[8*q +: 8] + 8'(push[q]) - 8'(pop_i[q]);
        some_d[q]        = push[q] || (some_q[q] && !(below_2[q] && pop_i[q]));
        refill_d[q]      = pop_i[q] && (!below_3[q] || (!below_2[q] && push[q]));
      end
      assign head_data_o[q*Width +: Width] = first_q;
    end else begin : gen_off
      assign head_d[q*SlotW +: SlotW] = '0;
      assign tail_d[q*SlotW +: SlotW] = '0;
      assign held_d[8*q +: 8]         = 8'd0;
      assign some_d[q]                = 1'b0;
      assign refill_d[q]              = 1'b0;
    end
  end
  assign some_o = some_q;
  assign held_o = held_q;

  always_ff @(posedge clk_i) begin
    if (to_memory) data_q[slot] <= push_data_i;
    // The tail of an empty list is an old one, whose entry another FIFO may hold by now.
    if (push_behind || (refill && !to_memory)) next_q[link_slot] <= to_memory ? slot : idle_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_q   <= '0;
      fresh_q  <= '0;
      head_q   <= '0;
      tail_q   <= '0;
      held_q   <= '0;
      refill_q <= '0;
      some_q   <= '0;
    end else begin
      idle_q   <= idle_d;
      fresh_q  <= fresh_d;
      head_q   <= head_d;
      tail_q   <= tail_d;
      held_q   <= held_d;
      refill_q <= refill_d;
      some_q   <= some_d;
    end
  end

endmodule
