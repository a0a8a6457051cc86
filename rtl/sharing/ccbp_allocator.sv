// SPDX-License-Identifier: Apache-2.0
// ccbp_allocator: Algorithm 1 of Lin-D as a small sequencer around two tables, running sums and one
// serial divider.
//
//   Idle -start-> Kind x Kernels -> Pick -> Grow -> Read -> Check -fits-> Share -> Take
//                                    ^ ^                     |             ^        |  |
//                                    | +---- does not fit ---+             +- next -+  |
//                                    +---------------- dom_q written ------------------+
//
//   Pick   kernel with the lowest dom_q
//   Grow   is one more CTA needed? The tables at the tentative CTAs
//   Read   the other bandwidth in proportion goes to the divider; running sums plus the increment
//          against the limits; the kernel's own bandwidth is taken out of the sums
//   Check  waits for the divider; takes the step over or finishes the kernel; puts the kernel's new or
//          old bandwidth back into the sums
//   Share  256 x amount / (limit x prior) of a resource goes to the divider
//   Take   waits for the divider; meanwhile the amount of the next resource is multiplied out, a bit of
//          the CTAs a cycle; the largest share becomes dom_q
//
// A step adds at most one CTA, so the sums of registers, shared memory and threads grow by one need
// and no sum is worked out anew. For the same reason it needs no other table entries than that of the
// CTAs the kernel has, which is kept in now_q, and the next, at at_q.
//
// Source: Lin-D 4.5.2, Algorithm 1.
module ccbp_allocator #(
  parameter int unsigned Kernels   = 4,      // 2 to 4
  parameter int unsigned MaxCtas   = 32,     // 1 to 32
  parameter int unsigned Regs      = 65536,  // all four limits below 2^17
  parameter int unsigned Smem      = 98304,
  parameter int unsigned Threads   = 2048,
  parameter int unsigned Slots     = 32,
  parameter int unsigned LsPercent = 65
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        we_i,
  input  logic [2:0]  what_i,
  input  logic [1:0]  kernel_i,
  input  logic [5:0]  index_i,
  input  logic [16:0] value_i,
  input  logic        start_i,
  input  logic [3:0]  prior_i,
  input  logic [1:0]  view_i,
  output logic        busy_o,
  output logic        done_o,
  output logic [5:0]  cta_o,
  output logic [6:0]  nbw_o,
  output logic [6:0]  dbw_o,
  output logic [8:0]  dom_o,
  output logic [1:0]  kind_o,
  output logic [9:0]  steps_o,
  output logic        fault_o
);

  if (Kernels < 2 || Kernels > 4 || MaxCtas < 1 || MaxCtas > 32) begin : gen_bad_size
    $fatal(1, "ccbp_allocator: 2 to 4 kernels of 1 to 32 CTAs");
  end
  if (Regs > 131071 || Smem > 131071 || Threads > 131071 || Slots > 127) begin : gen_bad_limit
    $fatal(1, "ccbp_allocator: limits of 17 bits, 7 for slots");
  end

  localparam logic [2:0] WhatNbw = 3'd0, WhatDbw = 3'd1, WhatRegs = 3'd2, WhatSmem = 3'd3,
                         WhatThreads = 3'd4, WhatCtas = 3'd5, WhatType = 3'd6;
  localparam logic [1:0] KindLatency = 2'd0, KindNoc = 2'd1, KindDram = 2'd2, KindByRule = 2'd3;
  localparam logic [3:0] Present = 4'((1 << Kernels) - 1);
  localparam logic [1:0] LastKernel = 2'(Kernels - 1);

  typedef enum logic [2:0] {
    Idle, Kind, Pick, Grow, Read, Check, Share, Take
  } fsm_e;

  // Written by the driver.
  logic [67:0] regs_q, regs_d;        // needs of one CTA, 17 bits a kernel
  logic [67:0] smem_q, smem_d;
  logic [67:0] threads_q, threads_d;
  logic [23:0] ctas_q, ctas_d;        // 6
  logic [7:0]  type_q, type_d;        // 2

  // The allocation.
  fsm_e        fsm_q, fsm_d;
  logic        busy_q, done_q, done_d, fault_q, fault_d;
  logic [3:0]  prior_q, prior_d;
  logic [7:0]  kind_q, kind_d;        // 2
  logic [3:0]  unfinished_q, unfinished_d;
  logic [23:0] cta_q, cta_d;          // 6
  logic [27:0] nbw_q, nbw_d;          // 7
  logic [27:0] dbw_q, dbw_d;          // 7
  logic [35:0] dom_q, dom_d;          // 9
  logic [9:0]  steps_q, steps_d;
  logic [16:0] sum_regs_q, sum_regs_d, sum_smem_q, sum_smem_d, sum_threads_q, sum_threads_d;
  logic [6:0]  sum_ctas_q, sum_ctas_d, sum_nbw_q, sum_nbw_d, sum_dbw_q, sum_dbw_d;

  // Table entries of each kernel: which is read next (its most CTAs before its type is known), and
  // what it has with the CTAs that it has.
  logic [23:0] at_q, at_d;            // 6
  logic [55:0] now_q, now_d;          // 14

  // The step: kernel and its type, tentative CTAs and what the tables have for them, percents of its own
  // bandwidth; resource whose share is worked out.
  logic [1:0]  k_q, k_d, kind_t_q, kind_t_d;
  logic [5:0]  cta_t_q, cta_t_d;
  logic        grows_q, grows_d;      // by one CTA
  logic [6:0]  own_t_q, own_t_d, other_t_q, other_t_d, own_next_q, own_next_d;
  logic        room_q, room_d;        // all but the bandwidths fit
  logic [1:0]  res_q, res_d;          // CTA slots, registers, shared memory, threads
  logic [16:0] amount_q, amount_d;    // of the resource, that the kernel has
  logic [6:0]  times_q, times_d;      // CTAs still to be multiplied by, and a 1 behind them
  logic [8:0]  most_q, most_d;        // largest share so far

  // The tables: a memory without reset, read a cycle behind its address, which is that of the entry that the
  // next state looks at. A bit of each entry says that it was written since reset; one that was not, that
  // of no CTA, and that of more CTAs than the tables hold read as 0.
  localparam int unsigned IndexW  = (MaxCtas > 1) ? $clog2(MaxCtas) : 1;
  localparam int unsigned Entries = Kernels << IndexW;
  localparam int unsigned EntryW  = $clog2(Entries);
  logic [13:0]        table_q [Entries];
  logic [Entries-1:0] known_q;
  logic [EntryW-1:0]  read_q, read_d, write_entry;
  logic               held_q, held_d;  // the tables hold the entry that is read
  logic [5:0]         read_at;
  logic [6:0]         table_nbw, table_dbw, write_percent;
  logic               write_ok, write_nbw, write_dbw, write_new;
  assign read_at     = at_d[5'd6 * 5'(k_d) +: 6];
  assign read_d      = EntryW'({k_d, IndexW'(read_at - 6'd1)});
  assign held_d      = Present[k_d] && read_at != 6'd0 && read_at <= 6'(MaxCtas);
  assign write_entry = EntryW'({kernel_i, IndexW'(index_i - 6'd1)});
  assign write_nbw   = write_ok && what_i == WhatNbw && index_ok;
  assign write_dbw   = write_ok && what_i == WhatDbw && index_ok;
  assign write_new   = (write_nbw || write_dbw) && !known_q[write_entry];
  always_ff @(posedge clk_i) begin
    if (write_nbw || write_new) table_q[write_entry][6:0]  <= write_nbw ? write_percent : 7'd0;
    if (write_dbw || write_new) table_q[write_entry][13:7] <= write_dbw ? write_percent : 7'd0;
  end
  assign {table_dbw, table_nbw} = (held_q && known_q[read_q]) ? table_q[read_q] : 14'd0;

  // Writes.
  logic [6:0] pick_at;  // first bit of the written kernel's 17
  logic       percent_bad, ctas_bad, index_ok;
  assign write_ok      = we_i && !busy_q && Present[kernel_i];
  assign percent_bad   = value_i > 17'd100;
  assign index_ok      = index_i != 6'd0 && index_i <= 6'(MaxCtas);
  assign ctas_bad      = value_i > 17'(MaxCtas);
  assign write_percent = percent_bad ? 7'd100 : value_i[6:0];
  assign pick_at       = 7'd17 * 7'(kernel_i);
  logic write_bad;
  always_comb begin
    regs_d    = regs_q;
    smem_d    = smem_q;
    threads_d = threads_q;
    ctas_d    = ctas_q;
    type_d    = type_q;
    write_bad = we_i && !write_ok;
    if (write_ok) begin
      unique case (what_i)
        WhatNbw, WhatDbw: write_bad = percent_bad || !index_ok;
        WhatRegs:         regs_d[pick_at +: 17] = value_i;
        WhatSmem:         smem_d[pick_at +: 17] = value_i;
        WhatThreads:      threads_d[pick_at +: 17] = value_i;
        WhatCtas: begin
          ctas_d[5'd6 * 5'(kernel_i) +: 6] = ctas_bad ? 6'(MaxCtas) : value_i[5:0];
          write_bad                        = ctas_bad;
        end
        WhatType:         type_d[{kernel_i, 1'b0} +: 2] = value_i[1:0];
        default:          write_bad = 1'b1;
      endcase
    end
  end

  // The kernel of the step, and what it has.
  logic [1:0]  kind, written;
  logic [5:0]  cta, at, most_ctas;
  logic [6:0]  nbw, dbw, now_nbw, now_dbw;
  logic [16:0] need_regs, need_smem, need_threads;
  assign kind         = kind_q[{k_q, 1'b0} +: 2];
  assign written      = type_q[{k_q, 1'b0} +: 2];
  assign cta          = cta_q[5'd6 * 5'(k_q) +: 6];
  assign at           = at_q[5'd6 * 5'(k_q) +: 6];
  assign most_ctas    = ctas_q[5'd6 * 5'(k_q) +: 6];
  assign nbw          = nbw_q[5'd7 * 5'(k_q) +: 7];
  assign dbw          = dbw_q[5'd7 * 5'(k_q) +: 7];
  assign need_regs    = regs_q[7'd17 * 7'(k_q) +: 17];
  assign need_smem    = smem_q[7'd17 * 7'(k_q) +: 17];
  assign need_threads = threads_q[7'd17 * 7'(k_q) +: 17];

  assign {now_dbw, now_nbw} = now_q[6'd14 * 6'(k_q) +: 14];

  // Pick: lowest dom, lowest index among equals: of each pair, then of the two. A finished kernel is
  // above any share.
  logic [1:0]  picked, second_lower;
  logic        upper_lower;
  logic [39:0] key;  // 10
  logic [9:0]  lowest_0, lowest_1;
  for (genvar k = 0; k < 4; k++) begin : gen_key
    assign key[10*k +: 10] = {!unfinished_q[k], dom_q[9*k +: 9]};
  end
  assign second_lower[0] = key[19:10] < key[9:0];
  assign second_lower[1] = key[39:30] < key[29:20];
  assign lowest_0    = second_lower[0] ? key[19:10] : key[9:0];
  assign lowest_1    = second_lower[1] ? key[39:30] : key[29:20];
  assign upper_lower = lowest_1 < lowest_0;
  assign picked      = {upper_lower, second_lower[upper_lower]};

  // Grow: own bandwidth one percent up; a CTA more where the table stays below that.
  logic [6:0] own, own_now;
  assign own     = (kind == KindNoc) ? nbw : dbw;
  assign own_now = (kind == KindNoc) ? now_nbw : now_dbw;

  // Read: each sum with the increment. Check: the two of bandwidth.
  logic        fits;
  logic [17:0] new_regs, new_smem, new_threads;
  logic [9:0]  new_nbw, new_dbw;
  logic [7:0]  new_ctas;
  logic [8:0]  nbw_t, dbw_t, quot;
  assign new_regs    = 18'(sum_regs_q) + (grows_q ? 18'(need_regs) : 18'd0);
  assign new_smem    = 18'(sum_smem_q) + (grows_q ? 18'(need_smem) : 18'd0);
  assign new_threads = 18'(sum_threads_q) + (grows_q ? 18'(need_threads) : 18'd0);
  assign new_ctas    = 8'(sum_ctas_q) + 8'(grows_q);
  always_comb begin
    unique case (kind_t_q)
      KindNoc:  {nbw_t, dbw_t} = {9'(own_next_q), quot};
      KindDram: {nbw_t, dbw_t} = {quot, 9'(own_next_q)};
      default:  {nbw_t, dbw_t} = {9'(other_t_q), 9'(own_t_q)};
    endcase
  end
  assign new_nbw = 10'(sum_nbw_q) + 10'(nbw_t);
  assign new_dbw = 10'(sum_dbw_q) + 10'(dbw_t);
  assign fits    = room_q && new_nbw <= 10'd100 && new_dbw <= 10'd100;

  // The divider: widening in Read, a share in Share.
  logic        div_load, div_busy;
  logic [24:0] div_num;
  logic [20:0] div_den;
  logic [13:0] wide_num;
  logic [16:0] next_need, limit;
  assign wide_num = 14'(other_t_q) * 14'(own_next_q) + 14'(own_t_q[6:1]);
  always_comb begin
    unique case (res_q)
      2'd0:    {limit, next_need} = {17'(Slots), need_regs};
      2'd1:    {limit, next_need} = {17'(Regs), need_smem};
      2'd2:    {limit, next_need} = {17'(Smem), need_threads};
      default: {limit, next_need} = {17'(Threads), 17'd0};
    endcase
  end
  assign div_load = (fsm_q == Read && kind_t_q != KindLatency) || fsm_q == Share;
  always_comb begin
    if (fsm_q == Read) begin
      div_num = 25'(wide_num);
      div_den = 21'(own_t_q);
      // No own bandwidth in the table: the other one is 0 too.
      if (own_t_q == 7'd0) {div_num, div_den} = {25'd0, 21'd1};
    end else if (kind_t_q == KindLatency) begin
      div_num = {amount_q, 8'd0};
      div_den = 21'(limit) * 21'(prior_q);
    end else begin
      div_num = 25'({own_next_q, 8'd0});
      div_den = 21'd100;
    end
  end

  serial_divider #(
    .NumW (25),
    .DenW (21),
    .QuotW(9)
  ) u_divider (
    .clk_i,
    .rst_ni,
    .load_i(div_load),
    .num_i (div_num),
    .den_i (div_den),
    .busy_o(div_busy),
    .quot_o(quot)
  );

  logic [8:0] larger;
  assign larger = (quot > most_q) ? quot : most_q;

  always_comb begin
    fsm_d         = fsm_q;
    done_d        = done_q;
    fault_d       = fault_q || write_bad || (start_i && (busy_q || prior_i == 4'd0));
    prior_d       = prior_q;
    kind_d        = kind_q;
    unfinished_d  = unfinished_q;
    cta_d         = cta_q;
    nbw_d         = nbw_q;
    dbw_d         = dbw_q;
    dom_d         = dom_q;
    steps_d       = steps_q;
    sum_regs_d    = sum_regs_q;
    sum_smem_d    = sum_smem_q;
    sum_threads_d = sum_threads_q;
    sum_ctas_d    = sum_ctas_q;
    sum_nbw_d     = sum_nbw_q;
    sum_dbw_d     = sum_dbw_q;
    k_d           = k_q;
    cta_t_d       = cta_t_q;
    grows_d       = grows_q;
    at_d          = at_q;
    now_d         = now_q;
    kind_t_d      = kind_t_q;
    own_t_d       = own_t_q;
    other_t_d     = other_t_q;
    own_next_d    = own_next_q;
    room_d        = room_q;
    res_d         = res_q;
    amount_d      = amount_q;
    times_d       = times_q;
    most_d        = most_q;
    unique case (fsm_q)
      Idle: begin
        at_d = ctas_d;
        if (start_i) begin
          fsm_d         = Kind;
          done_d        = 1'b0;
          prior_d       = (prior_i == 4'd0) ? 4'd1 : prior_i;
          unfinished_d  = Present;
          cta_d         = 24'd0;
          nbw_d         = 28'd0;
          dbw_d         = 28'd0;
          dom_d         = 36'd0;
          now_d         = 56'd0;
          steps_d       = 10'd0;
          sum_regs_d    = 17'd0;
          sum_smem_d    = 17'd0;
          sum_threads_d = 17'd0;
          sum_ctas_d    = 7'd0;
          sum_nbw_d     = 7'd0;
          sum_dbw_d     = 7'd0;
          k_d           = 2'd0;
        end
      end
      Kind: begin
        if (written != KindByRule) begin
          kind_d[{k_q, 1'b0} +: 2] = written;
        end else if (table_nbw < 7'(LsPercent) && table_dbw < 7'(LsPercent)) begin
          kind_d[{k_q, 1'b0} +: 2] = KindLatency;
        end else begin
          kind_d[{k_q, 1'b0} +: 2] = (table_nbw >= table_dbw) ? KindNoc : KindDram;
        end
        at_d[5'd6 * 5'(k_q) +: 6] = 6'd1;
        k_d   = k_q + 2'd1;
        fsm_d = (k_q == LastKernel) ? Pick : Kind;
      end
      Pick: begin
        k_d    = picked;
        fsm_d  = Grow;
        if (unfinished_q == 4'd0) begin
          done_d = 1'b1;
          fsm_d  = Idle;
        end
      end
      Grow: begin
        kind_t_d   = kind;
        own_next_d = own + 7'd1;
        grows_d    = kind == KindLatency || own_now <= own;
        cta_t_d    = grows_d ? at : cta;
        if (kind == KindNoc) begin
          {other_t_d, own_t_d} = grows_d ? {table_dbw, table_nbw} : {now_dbw, now_nbw};
        end else begin
          {own_t_d, other_t_d} = grows_d ? {table_dbw, table_nbw} : {now_dbw, now_nbw};
        end
        fsm_d      = Read;
      end
      Read: begin
        room_d = cta_t_q <= most_ctas && new_regs <= 18'(Regs) && new_smem <= 18'(Smem) &&
                 new_threads <= 18'(Threads) && new_ctas <= 8'(Slots);
        sum_nbw_d = sum_nbw_q - nbw;
        sum_dbw_d = sum_dbw_q - dbw;
        fsm_d     = Check;
      end
      Check: if (!div_busy) begin
        steps_d  = steps_q + 10'd1;
        res_d    = 2'd0;
        amount_d = 17'(cta_t_q);
        most_d   = 9'd0;
        if (fits) begin
          cta_d[5'd6 * 5'(k_q) +: 6] = cta_t_q;
          at_d[5'd6 * 5'(k_q) +: 6]  = cta_t_q + 6'd1;
          now_d[6'd14 * 6'(k_q) +: 14] = (kind_t_q == KindNoc) ? {other_t_q, own_t_q} : {own_t_q, other_t_q};
          nbw_d[5'd7 * 5'(k_q) +: 7] = nbw_t[6:0];
          dbw_d[5'd7 * 5'(k_q) +: 7] = dbw_t[6:0];
          sum_regs_d                 = new_regs[16:0];
          sum_smem_d                 = new_smem[16:0];
          sum_threads_d              = new_threads[16:0];
          sum_ctas_d                 = new_ctas[6:0];
          sum_nbw_d                  = new_nbw[6:0];
          sum_dbw_d                  = new_dbw[6:0];
          fsm_d                      = Share;
        end else begin
          sum_nbw_d         = sum_nbw_q + nbw;
          sum_dbw_d         = sum_dbw_q + dbw;
          unfinished_d[k_q] = 1'b0;
          fsm_d             = Pick;
        end
      end
      Share: begin
        amount_d = 17'd0;
        times_d  = {cta_t_q, 1'b1};
        fsm_d    = Take;
      end
      Take: begin
        if (times_q[5:0] != 6'd0) begin  // 6 of the 10 cycles
          amount_d = {amount_q[15:0], 1'b0} + (times_q[6] ? next_need : 17'd0);
          times_d  = {times_q[5:0], 1'b0};
        end
        if (!div_busy) begin
          most_d = larger;
          res_d  = res_q + 2'd1;
          fsm_d  = Share;
          if (kind_t_q != KindLatency || res_q == 2'd3) begin
            dom_d[6'd9 * 6'(k_q) +: 9] = larger;
            fsm_d                      = Pick;
          end
        end
      end
      default: fsm_d = Idle;
    endcase
  end

  assign busy_q = fsm_q != Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      regs_q        <= 68'd0;
      smem_q        <= 68'd0;
      threads_q     <= 68'd0;
      ctas_q        <= 24'd0;
      type_q        <= 8'd0;
      fsm_q         <= Idle;
      done_q        <= 1'b0;
      fault_q       <= 1'b0;
      prior_q       <= 4'd1;
      kind_q        <= 8'd0;
      unfinished_q  <= 4'd0;
      cta_q         <= 24'd0;
      nbw_q         <= 28'd0;
      dbw_q         <= 28'd0;
      dom_q         <= 36'd0;
      steps_q       <= 10'd0;
      sum_regs_q    <= 17'd0;
      sum_smem_q    <= 17'd0;
      sum_threads_q <= 17'd0;
      sum_ctas_q    <= 7'd0;
      sum_nbw_q     <= 7'd0;
      sum_dbw_q     <= 7'd0;
      k_q           <= 2'd0;
      cta_t_q       <= 6'd0;
      grows_q       <= 1'b0;
      at_q          <= 24'd0;
      now_q         <= 56'd0;
      kind_t_q      <= 2'd0;
      own_t_q       <= 7'd0;
      other_t_q     <= 7'd0;
      own_next_q    <= 7'd0;
      room_q        <= 1'b0;
      amount_q      <= 17'd0;
      times_q       <= 7'd0;
      res_q         <= 2'd0;
      most_q        <= 9'd0;
      known_q       <= '0;
      read_q        <= '0;
      held_q        <= 1'b0;
    end else begin
      regs_q        <= regs_d;
      smem_q        <= smem_d;
      threads_q     <= threads_d;
      ctas_q        <= ctas_d;
      type_q        <= type_d;
      fsm_q         <= fsm_d;
      done_q        <= done_d;
      fault_q       <= fault_d;
      prior_q       <= prior_d;
      kind_q        <= kind_d;
      unfinished_q  <= unfinished_d;
      cta_q         <= cta_d;
      nbw_q         <= nbw_d;
      dbw_q         <= dbw_d;
      dom_q         <= dom_d;
      steps_q       <= steps_d;
      sum_regs_q    <= sum_regs_d;
      sum_smem_q    <= sum_smem_d;
      sum_threads_q <= sum_threads_d;
      sum_ctas_q    <= sum_ctas_d;
      sum_nbw_q     <= sum_nbw_d;
      sum_dbw_q     <= sum_dbw_d;
      k_q           <= k_d;
      cta_t_q       <= cta_t_d;
      grows_q       <= grows_d;
      at_q          <= at_d;
      now_q         <= now_d;
      kind_t_q      <= kind_t_d;
      own_t_q       <= own_t_d;
      other_t_q     <= other_t_d;
      own_next_q    <= own_next_d;
      room_q        <= room_d;
      amount_q      <= amount_d;
      times_q       <= times_d;
      res_q         <= res_d;
      most_q        <= most_d;
      read_q        <= read_d;
      held_q        <= held_d;
      if (write_new) known_q[write_entry] <= 1'b1;
    end
  end

  always_comb begin
    cta_o  = 6'd0;
    nbw_o  = 7'd0;
    dbw_o  = 7'd0;
    dom_o  = 9'd0;
    kind_o = 2'd0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (view_i == 2'(k)) begin
        cta_o  = cta_q[6*k +: 6];
        nbw_o  = nbw_q[7*k +: 7];
        dbw_o  = dbw_q[7*k +: 7];
        dom_o  = dom_q[9*k +: 9];
        kind_o = kind_q[2*k +: 2];
      end
    end
  end
  assign busy_o  = busy_q;
  assign done_o  = done_q;
  assign steps_o = steps_q;
  assign fault_o = fault_q;

endmodule
