// SPDX-License-Identifier: Apache-2.0
// shift_fifo: a queue whose entries move. The oldest is always entry 0, so reading takes no
// multiplexer and there are no pointers; each pop moves all entries down.
//
//        data --+-------+-------+
//               v       v       v      behind the youngest, counted after the pop
//   0 --> entry 2 --> entry 1 --> entry 0 --> head
//
// What is not held reads as 0: a pop draws a 0 in at the top, so head_o needs no mask.
module shift_fifo #(
  parameter int unsigned Depth = 16,
  parameter int unsigned Width = 7
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  output logic             space_o,
  output logic             valid_o,
  output logic [Width-1:0] head_o
);

  // held_q[e]: entry e holds something; the held ones are the lowest.
  logic [Depth-1:0]       held_q;
  logic [Depth*Width-1:0] entry_q;

  logic do_push, do_pop;
  assign space_o = !held_q[Depth-1];
  assign valid_o = held_q[0];
  assign head_o  = entry_q[0 +: Width];
  assign do_push = push_i && space_o;
  assign do_pop  = pop_i && valid_o;

  // As they stand behind the pop; then the push takes the lowest free place.
  logic [Depth-1:0]       held_down, held_d, place;
  logic [Depth*Width-1:0] entry_down, entry_d;
  assign held_down  = do_pop ? held_q >> 1 : held_q;
  assign entry_down = do_pop ? entry_q >> Width : entry_q;
  assign place      = do_push ? ~held_down & ((held_down << 1) | Depth'(1)) : '0;
  assign held_d     = clear_i ? '0 : held_down | place;
  for (genvar e = 0; e < Depth; e++) begin : gen_entry
    assign entry_d[Width*e +: Width] = clear_i ? '0
                                     : place[e] ? data_i : entry_down[Width*e +: Width];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q  <= '0;
      entry_q <= '0;
    end else begin
      held_q  <= held_d;
      entry_q <= entry_d;
    end
  end

endmodule
