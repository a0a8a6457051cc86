// SPDX-License-Identifier: Apache-2.0
// issue_rate_controller: L1D miss queue with a sub-queue per kernel and a quota of requests per
// kernel and window.
//
//   valid ---> linked_queues ---> choice: two rotating priorities, urgent before limited ---> out
//                 | held             ^ may issue: credit_q > 0, or ls_q, or fifo_q
//                 v                  |
//           room: reserved < all   credit_q <--window_q-- quota_q + acc_q <-- min of two dividers
//
// The two quotients of a decision, NoC and DRAM, are worked out at once by two serial dividers of 12
// cycles each, and taken over in the 13th.
//
// Source: Lin-D 4.4.2, 4.5.1, Fig. 4.5, Fig. 4.6.
module issue_rate_controller #(
  parameter int unsigned Kernels   = 4,     // 2 to 4
  parameter int unsigned Depth     = 128,   // 4 to 128
  parameter int unsigned Reserve   = 8,     // Kernels x Reserve <= Depth
  parameter int unsigned Window    = 200,   // 4 to 255
  parameter int unsigned NocFlits  = 80,    // 1 to 255
  parameter int unsigned DramBytes = 1661   // 1 to 4095
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  logic [1:0]         kernel_i,
  input  logic               store_i,
  input  logic [7:0]         tag_i,
  input  logic               fifo_i,
  input  logic               out_ready_i,
  input  logic               cfg_i,
  input  logic [1:0]         cfg_kernel_i,
  input  logic               cfg_ls_i,
  input  logic [6:0]         cfg_nbw_i,
  input  logic [6:0]         cfg_dbw_i,
  input  logic [7:0]         cfg_n16_i,
  input  logic [7:0]         cfg_dreq_i,
  input  logic               clear_i,
  input  logic [1:0]         view_i,
  output logic [Kernels-1:0] room_o,
  output logic               out_valid_o,
  output logic [1:0]         out_kernel_o,
  output logic               out_store_o,
  output logic [7:0]         out_tag_o,
  output logic [Kernels-1:0] throttled_o,
  output logic               cfg_ready_o,
  output logic [11:0]        quota_o,
  output logic [7:0]         credit_o,
  output logic [11:0]        loads_o,
  output logic [11:0]        stores_o,
  output logic               fault_o
);

  if (Kernels < 2 || Kernels > 4 || Depth > 128 || Kernels * Reserve > Depth) begin : gen_bad_size
    $fatal(1, "issue_rate_controller: 2 to 4 kernels, Kernels x Reserve <= Depth <= 128");
  end
  if (Window < 4 || Window > 255) begin : gen_bad_window
    $fatal(1, "issue_rate_controller: a window has 4 to 255 cycles");
  end

  localparam logic [3:0] Present = 4'((1 << Kernels) - 1);

  logic [31:0] held_q;                 // of linked_queues
  logic [7:0]  total_q, total_d;       // held by all, and with what is kept for those that lack it
  logic [7:0]  reserved_q, reserved_d;
  logic [3:0]  ls_q, ls_d;
  logic [47:0] quota_q, quota_d;       // 12 bits a kernel
  logic [15:0] acc_q, acc_d;           // 4
  logic [31:0] credit_q, credit_d;     // 8
  logic [3:0]  funded_q, funded_d;     // credit_q is not 0, early in the cycle
  logic [47:0] loads_q, loads_d;       // 12
  logic [47:0] stores_q, stores_d;     // 12
  logic [7:0]  window_q, window_d;
  logic [1:0]  last_q, last_d;
  logic        fifo_q, fifo_d;
  logic        fault_q, fault_d;
  logic        busy_q, busy_d;         // a decision is being worked out, for this kernel:
  logic [1:0]  new_kernel_q, new_kernel_d;
  logic        new_ls_q, new_ls_d;

  // What each sub-queue holds and may do. reserved_q counts a sub-queue that holds less than Reserve as
  // if it held that, so it stays within Depth; only FIFO mode, which keeps nothing for others, passes it.
  logic [3:0] waits, may, urgent, above, lacks;  // more, less than Reserve
  always_comb begin
    for (int unsigned k = 0; k < 4; k++) begin
      above[k]  = held_q[8*k +: 8] > 8'(Reserve);
      lacks[k]  = held_q[8*k +: 8] < 8'(Reserve);
      urgent[k] = fifo_q || ls_q[k];
      may[k]    = waits[k] && (urgent[k] || funded_q[k]);
    end
  end
  for (genvar k = 0; k < Kernels; k++) begin : gen_room
    assign room_o[k] = fifo_q ? total_q != 8'(Depth) : lacks[k] || reserved_q != 8'(Depth);
  end
  assign throttled_o = waits[Kernels-1:0] & ~may[Kernels-1:0];

  // Choice: the first behind last_q, of the urgent ones if there are any.
  logic [3:0] candidates, behind;
  logic [3:0] chosen;  // one-hot, 0 where none may issue
  always_comb begin
    candidates = ((may & urgent) != 4'd0) ? may & urgent : may;
    for (int unsigned k = 0; k < 4; k++) behind[k] = candidates[k] && 2'(k) > last_q;
    if (behind == 4'd0) behind = candidates;
    chosen = behind & (~behind + 4'd1);
  end

  logic        known, push, pop;
  logic [1:0]  push_queue;
  logic [3:0]  grows;  // the sub-queue gets one beyond its Reserve, if none leaves
  logic        reserves, frees;
  logic [10:0] head;
  logic [Kernels*11-1:0] heads;
  assign known      = Present[kernel_i];
  assign push_queue = fifo_q ? 2'd0 : kernel_i;
  assign grows      = push ? (4'd1 << push_queue) & ~lacks : 4'd0;
  assign pop        = out_valid_o && out_ready_i;
  assign reserves   = grows != 4'd0;
  assign frees      = out_ready_i && (chosen & (above | grows)) != 4'd0;
  always_comb begin
    push = 1'b0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (valid_i && kernel_i == 2'(k)) push = room_o[k];
    end
  end

  linked_queues #(
    .Queues(Kernels),
    .Depth (Depth),
    .Width (11)
  ) u_queues (
    .clk_i,
    .rst_ni,
    .push_i      (push),
    .push_queue_i(push_queue),
    .push_data_i ({kernel_i, store_i, tag_i}),
    .pop_i       (chosen[Kernels-1:0] & {Kernels{out_ready_i}}),
    .head_data_o (heads),
    .some_o      (waits),
    .held_o      (held_q)
  );

  assign out_valid_o = may != 4'd0;
  assign {out_kernel_o, out_store_o, out_tag_o} = head;
  always_comb begin
    head = 11'd0;
    for (int unsigned k = 0; k < Kernels; k++) head = head | (heads[11*k +: 11] & {11{chosen[k]}});
  end

  // Decisions.
  logic        take_cfg, start, nbw_bad, dbw_bad, noc_busy, dram_busy, decided;
  logic [6:0]  nbw, dbw;
  logic [11:0] noc_quota, dram_quota, least, new_quota;
  assign take_cfg  = cfg_i && !busy_q;
  assign start     = take_cfg && Present[cfg_kernel_i];
  assign nbw_bad   = cfg_nbw_i > 7'd100;
  assign dbw_bad   = cfg_dbw_i > 7'd100;
  assign nbw       = nbw_bad ? 7'd100 : cfg_nbw_i;
  assign dbw       = dbw_bad ? 7'd100 : cfg_dbw_i;
  assign decided   = busy_q && !noc_busy && !dram_busy;
  assign least     = (noc_quota < dram_quota) ? noc_quota : dram_quota;
  assign new_quota = (least < 12'd16) ? 12'd16 : least;

  serial_divider #(
    .NumW (23),
    .DenW (15),
    .QuotW(12)
  ) u_noc (
    .clk_i,
    .rst_ni,
    .load_i(start),
    .num_i ({15'(8'(NocFlits) * 15'(nbw)), 8'd0}),
    .den_i (15'd100 * 15'(cfg_n16_i)),
    .busy_o(noc_busy),
    .quot_o(noc_quota)
  );

  serial_divider #(
    .NumW (23),
    .DenW (15),
    .QuotW(12)
  ) u_dram (
    .clk_i,
    .rst_ni,
    .load_i(start),
    .num_i ({19'(12'(DramBytes) * 19'(dbw)), 4'd0}),
    .den_i (15'd100 * 15'(cfg_dreq_i)),
    .busy_o(dram_busy),
    .quot_o(dram_quota)
  );

  logic window_ends;
  assign window_ends = window_q == 8'(Window - 1);

  logic [5*Kernels-1:0] parts;  // sixteenths gathered, with carry
  for (genvar k = 0; k < Kernels; k++) begin : gen_parts
    assign parts[5*k +: 5] = 5'(acc_q[4*k +: 4]) + 5'(quota_q[12*k +: 4]);
  end

  always_comb begin
    ls_d         = ls_q;
    quota_d      = quota_q;
    acc_d        = acc_q;
    credit_d     = credit_q;
    funded_d     = funded_q;
    loads_d      = clear_i ? 48'd0 : loads_q;
    stores_d     = clear_i ? 48'd0 : stores_q;
    window_d     = window_ends ? 8'd0 : window_q + 8'd1;
    total_d      = total_q + 8'(push) - 8'(pop);
    reserved_d   = reserved_q + 8'(reserves) - 8'(frees);
    last_d       = pop ? {chosen[3] || chosen[2], chosen[3] || chosen[1]} : last_q;
    fifo_d       = (total_q == 8'd0 && !push) ? fifo_i : fifo_q;
    fault_d      = fault_q || (valid_i && !known) ||
                   (take_cfg && (!Present[cfg_kernel_i] || nbw_bad || dbw_bad));
    busy_d       = start || (busy_q && !decided);
    new_kernel_d = start ? cfg_kernel_i : new_kernel_q;
    new_ls_d     = start ? cfg_ls_i : new_ls_q;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (window_ends) begin
        acc_d[4*k +: 4]    = parts[5*k +: 4];
        credit_d[8*k +: 8] = quota_q[12*k+4 +: 8];
        funded_d[k]        = quota_q[12*k+4 +: 8] != 8'd0 || parts[5*k+4];
        if (parts[5*k+4] && quota_q[12*k+4 +: 8] != 8'hff) begin
          credit_d[8*k +: 8] = quota_q[12*k+4 +: 8] + 8'd1;
        end
      end else if (out_ready_i && chosen[k] && !urgent[k]) begin
        credit_d[8*k +: 8] = credit_q[8*k +: 8] - 8'd1;
        funded_d[k]        = credit_q[8*k +: 8] != 8'd1;
      end
      if (pop && out_kernel_o == 2'(k)) begin
        if (out_store_o && stores_d[12*k +: 12] != 12'hfff) begin
          stores_d[12*k +: 12] = stores_d[12*k +: 12] + 12'd1;
        end
        if (!out_store_o && loads_d[12*k +: 12] != 12'hfff) begin
          loads_d[12*k +: 12] = loads_d[12*k +: 12] + 12'd1;
        end
      end
      if (decided && new_kernel_q == 2'(k)) begin
        ls_d[k]              = new_ls_q;
        quota_d[12*k +: 12]  = new_quota;
        acc_d[4*k +: 4]      = 4'd0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      total_q      <= 8'd0;
      reserved_q   <= 8'(Kernels * Reserve);
      ls_q         <= Present;
      quota_q      <= 48'd0;
      acc_q        <= 16'd0;
      credit_q     <= 32'd0;
      funded_q     <= 4'd0;
      loads_q      <= 48'd0;
      stores_q     <= 48'd0;
      window_q     <= 8'd0;
      last_q       <= 2'(Kernels - 1);
      fifo_q       <= 1'b0;
      fault_q      <= 1'b0;
      busy_q       <= 1'b0;
      new_kernel_q <= 2'd0;
      new_ls_q     <= 1'b0;
    end else begin
      total_q      <= total_d;
      reserved_q   <= reserved_d;
      ls_q         <= ls_d;
      quota_q      <= quota_d;
      acc_q        <= acc_d;
      credit_q     <= credit_d;
      funded_q     <= funded_d;
      loads_q      <= loads_d;
      stores_q     <= stores_d;
      window_q     <= window_d;
      last_q       <= last_d;
      fifo_q       <= fifo_d;
      fault_q      <= fault_d;
      busy_q       <= busy_d;
      new_kernel_q <= new_kernel_d;
      new_ls_q     <= new_ls_d;
    end
  end

  // What kernel view shows.
  always_comb begin
    quota_o  = 12'd0;
    credit_o = 8'd0;
    loads_o  = 12'd0;
    stores_o = 12'd0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (view_i == 2'(k)) begin
        quota_o  = quota_q[12*k +: 12];
        credit_o = credit_q[8*k +: 8];
        loads_o  = loads_q[12*k +: 12];
        stores_o = stores_q[12*k +: 12];
      end
    end
  end
  assign cfg_ready_o = !busy_q;
  assign fault_o     = fault_q;

endmodule
