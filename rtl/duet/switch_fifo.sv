// SPDX-License-Identifier: Apache-2.0
// switch_fifo: one first-in first-out queue of switch_queues, a ring with one write and one read
// pointer and a count. space_o, valid_o and head_o come from state alone.
module switch_fifo #(
  parameter int unsigned Depth = 16,
  parameter int unsigned Width = 7
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  input  logic                         push_i,
  input  logic [Width-1:0]             data_i,
  input  logic                         pop_i,
  output logic                         space_o,
  output logic                         valid_o,
  output logic [Width-1:0]             head_o,
  output logic [$clog2(Depth+1)-1:0]   count_o
);

  localparam int unsigned PtrW   = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam logic [PtrW-1:0] Last = PtrW'(Depth - 1);

  logic [PtrW-1:0]   rd_q, rd_d;  // the oldest entry
  logic [PtrW-1:0]   wr;          // the entry behind the youngest
  logic [CountW-1:0] count_q, count_d;

  assign space_o = count_q != CountW'(Depth);
  assign valid_o = count_q != '0;
  assign count_o = count_q;

  logic do_push, do_pop;
  assign do_push = push_i && space_o && !clear_i;
  assign do_pop  = pop_i && valid_o && !clear_i;

  // The write pointer follows from the other two, so it is not kept.
  logic [CountW:0] sum;
  assign sum = (CountW+1)'(rd_q) + (CountW+1)'(count_q);
  assign wr  = (sum >= (CountW+1)'(Depth)) ? PtrW'(sum - (CountW+1)'(Depth)) : PtrW'(sum);

  logic [Depth*Width-1:0] entries;
  for (genvar e = 0; e < Depth; e++) begin : gen_entry
    logic [Width-1:0] entry_q;
    // Without reset: masked by the count until written.
    always_ff @(posedge clk_i) begin
      if (do_push && wr == PtrW'(e)) entry_q <= data_i;
    end
    assign entries[e*Width +: Width] = entry_q;
  end
  assign head_o = valid_o ? entries[rd_q*Width +: Width] : '0;

  always_comb begin
    rd_d    = rd_q;
    count_d = count_q + CountW'(do_push) - CountW'(do_pop);
    if (do_pop) rd_d = (rd_q == Last) ? '0 : rd_q + PtrW'(1);
    if (clear_i) begin
      rd_d    = '0;
      count_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q    <= '0;
      count_q <= '0;
    end else begin
      rd_q    <= rd_d;
      count_q <= count_d;
    end
  end

endmodule
