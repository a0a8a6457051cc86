// SPDX-License-Identifier: Apache-2.0
// bandwidth_converter: a request's flits and bytes, and the bandwidth of so many CTAs, by one divider.
//
//   Idle -cost---> Load -> Noc -> Dram ----------------------------------> Idle
//        -sample-> Load -> Noc -> Dram -> EntryNoc -> EntryDram -+-------> Idle
//                                            ^                   | last one
//                                            +-------------------+
//
//   Load                 the operands of the first division are in their registers: it begins
//   Noc, Dram            the quotient is there after 8 cycles and taken in the 9th, and the next begins
//   EntryNoc, EntryDram  likewise; the entry stands at the outputs in the cycle in which it is taken
//
// A quotient of 8 bits is all ones where it does not fit, which is what is wanted of costs and more than
// a percentage needs. base_* is the sample before, from which the entries rise to the one that is
// worked on; it becomes that one with the last entry.
//
// Source: Lin-D 4.5.1, 4.5.2; the equations are ours.
module bandwidth_converter #(
  parameter int unsigned Kernels    = 4,     // 2 to 4
  parameter int unsigned MaxCtas    = 32,    // 1 to 32
  parameter int unsigned Units      = 50,    // 1 to 255
  parameter int unsigned NocFlits   = 80,    // 1 to 255
  parameter int unsigned DramBytes  = 1661,  // 1 to 4095
  parameter int unsigned LoadFlits  = 5,     // 1 to 15
  parameter int unsigned StoreFlits = 1,     // 1 to 15
  parameter int unsigned LineBytes  = 128    // 1 to 255
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        req_i,
  input  logic [1:0]  op_i,
  input  logic [1:0]  kernel_i,
  input  logic [13:0] a_i,
  input  logic [13:0] b_i,
  input  logic [13:0] c_i,
  input  logic [1:0]  view_i,
  output logic        ready_o,
  output logic        we_o,
  output logic        what_o,
  output logic [1:0]  out_kernel_o,
  output logic [5:0]  index_o,
  output logic [6:0]  value_o,
  output logic [7:0]  n16_o,
  output logic [7:0]  dreq_o,
  output logic        fault_o
);

  if (Kernels < 2 || Kernels > 4 || MaxCtas < 1 || MaxCtas > 32) begin : gen_bad_size
    $fatal(1, "bandwidth_converter: 2 to 4 kernels of 1 to 32 CTAs");
  end
  if (Units > 255 || NocFlits > 255 || DramBytes > 4095) begin : gen_bad_supply
    $fatal(1, "bandwidth_converter: 255 units of 255 flits and 4095 bytes at most");
  end
  if (LoadFlits > 15 || StoreFlits > 15 || LineBytes > 255) begin : gen_bad_cost
    $fatal(1, "bandwidth_converter: replies of 15 flits and lines of 255 bytes at most");
  end

  localparam logic [3:0]  Present  = 4'((1 << Kernels) - 1);
  localparam logic [19:0] AllFlits = 20'(NocFlits * Units);
  localparam logic [19:0] AllBytes = 20'(DramBytes * Units);
  localparam logic [1:0]  Requests = 2'd0, Slice = 2'd1, Sample = 2'd3;

  typedef enum logic [2:0] {
    Idle, Load, Noc, Dram, EntryNoc, EntryDram
  } fsm_e;

  logic [63:0] loads_q, loads_d;        // 16 bits a kernel
  logic [63:0] stores_q, stores_d;      // 16
  logic [71:0] accesses_q, accesses_d;  // 18
  logic [75:0] lines_q, lines_d;        // 19
  logic [31:0] n16_q, n16_d;            // 8
  logic [31:0] dreq_q, dreq_d;          // 8
  logic        fault_q, fault_d;

  fsm_e        state_q, state_d;
  logic        samples_q, samples_d;    // the operation is a sample
  logic [1:0]  kernel_q, kernel_d;
  logic [11:0] l_q, l_d;                // its loads, stores, CTAs
  logic [11:0] s_q, s_d;
  logic [5:0]  ctas_q, ctas_d;
  logic [5:0]  base_ctas_q, base_ctas_d;
  logic [6:0]  base_nbw_q, base_nbw_d, base_dbw_q, base_dbw_d;
  logic [6:0]  nbw_q, nbw_d, dbw_q, dbw_d;  // of this sample
  logic [5:0]  step_q, step_d;              // entry, from base_ctas_q on

  // What is offered.
  logic take, bad;
  assign take = req_i && state_q == Idle;
  assign bad  = !Present[kernel_i] ||
                (op_i == Sample && (kernel_i != kernel_q || c_i[5:0] == 6'd0 || 32'(c_i[5:0]) > MaxCtas ||
                                    c_i[5:0] < base_ctas_q));

  // Sums of the kernel that is offered, with what is offered.
  logic [16:0] more_loads, more_stores;
  logic [18:0] more_accesses;
  logic [19:0] more_lines;
  assign more_loads    = 17'(loads_q[16*kernel_i +: 16]) + 17'(a_i[11:0]);
  assign more_stores   = 17'(stores_q[16*kernel_i +: 16]) + 17'(b_i[11:0]);
  assign more_accesses = 19'(accesses_q[18*kernel_i +: 18]) + 19'(a_i);
  assign more_lines    = 20'(lines_q[19*kernel_i +: 19]) + 20'(b_i) + 20'(c_i);

  // Sums and costs of the kernel that is worked on.
  logic [15:0] loads, stores;
  logic [17:0] accesses;
  logic [18:0] lines;
  logic [16:0] requests;
  assign loads    = loads_q[16*kernel_q +: 16];
  assign stores   = stores_q[16*kernel_q +: 16];
  assign accesses = accesses_q[18*kernel_q +: 18];
  assign lines    = lines_q[19*kernel_q +: 19];
  assign requests = 17'(loads) + 17'(stores);

  // Flits of the counts that are worked on: of the sums, or of the sample; and bytes of the sample.
  logic [15:0] some_loads, some_stores;
  logic [12:0] sent;
  logic [20:0] flits, bytes;
  assign some_loads  = samples_q ? 16'(l_q) : loads;
  assign some_stores = samples_q ? 16'(s_q) : stores;
  assign sent        = 13'(l_q) + 13'(s_q);
  assign flits       = 21'(4'(LoadFlits)) * 21'(some_loads) + 21'(4'(StoreFlits)) * 21'(some_stores);
  assign bytes       = 21'(sent) * 21'(dreq_q[8*kernel_q +: 8]);

  logic        load, busy, done, last;
  logic [27:0] num;
  logic [19:0] den;
  logic [7:0]  quot;
  logic [5:0]  gap;
  logic [6:0]  rise;    // of the entries that are worked on next
  logic [5:0]  place;   // of that entry
  logic [6:0]  percent;
  assign done    = !busy;
  assign gap     = ctas_q - base_ctas_q;
  assign last    = step_q == gap;
  assign percent = (quot > 8'd100) ? 7'd100 : quot[6:0];
  assign rise    = (state_q == EntryNoc) ? dbw_q - base_dbw_q : nbw_q - base_nbw_q;
  assign place   = (state_q == EntryDram) ? step_q + 6'd1 : step_q;

  always_comb begin
    load = 1'b0;
    num  = 28'd0;
    den  = 20'd0;
    unique case (state_q)
      Load: begin
        load = 1'b1;
        num  = samples_q ? 28'd100 * 28'(flits) : {3'd0, flits, 4'd0};
        den  = samples_q ? AllFlits : 20'(requests);
      end
      Noc: begin
        load = done;
        num  = samples_q ? 28'd100 * 28'(bytes) : 28'(8'(LineBytes)) * 28'(lines);
        den  = samples_q ? AllBytes : 20'(accesses);
      end
      Dram, EntryNoc, EntryDram: begin
        load = done && (state_q == EntryNoc || (samples_q && !(state_q == EntryDram && last)));
        num  = 28'(13'(rise) * 13'(place));
        den  = 20'(gap);
      end
      default: ;
    endcase
  end

  serial_divider #(
    .NumW (28),
    .DenW (20),
    .QuotW(8)
  ) u_divider (
    .clk_i,
    .rst_ni,
    .load_i(load),
    .num_i (num),
    .den_i (den),
    .busy_o(busy),
    .quot_o(quot)
  );

  always_comb begin
    loads_d     = loads_q;
    stores_d    = stores_q;
    accesses_d  = accesses_q;
    lines_d     = lines_q;
    n16_d       = n16_q;
    dreq_d      = dreq_q;
    fault_d     = fault_q || (take && bad);
    state_d     = state_q;
    samples_d   = samples_q;
    kernel_d    = kernel_q;
    l_d         = l_q;
    s_d         = s_q;
    ctas_d      = ctas_q;
    base_ctas_d = base_ctas_q;
    base_nbw_d  = base_nbw_q;
    base_dbw_d  = base_dbw_q;
    nbw_d       = nbw_q;
    dbw_d       = dbw_q;
    step_d      = step_q;
    unique case (state_q)
      Idle: begin
        if (take && !bad && op_i == Requests) begin
          loads_d[16*kernel_i +: 16]  = more_loads[16] ? '1 : more_loads[15:0];
          stores_d[16*kernel_i +: 16] = more_stores[16] ? '1 : more_stores[15:0];
        end
        if (take && !bad && op_i == Slice) begin
          accesses_d[18*kernel_i +: 18] = more_accesses[18] ? '1 : more_accesses[17:0];
          lines_d[19*kernel_i +: 19]    = more_lines[19] ? '1 : more_lines[18:0];
        end
        if (take && !bad && op_i[1]) begin
          state_d   = Load;
          samples_d = op_i == Sample;
          kernel_d  = kernel_i;
          l_d       = a_i[11:0];
          s_d       = b_i[11:0];
          ctas_d    = c_i[5:0];
          step_d    = 6'd1;
          if (op_i == Sample && c_i[5:0] == base_ctas_q) base_ctas_d = base_ctas_q - 6'd1;
        end
      end
      Load: state_d = Noc;
      Noc: if (done) begin
        state_d = Dram;
        nbw_d   = (percent > base_nbw_q) ? percent : base_nbw_q;
        if (!samples_q && requests != 17'd0) n16_d[8*kernel_q +: 8] = quot;
      end
      Dram: if (done) begin
        state_d = samples_q ? EntryNoc : Idle;
        dbw_d   = (percent > base_dbw_q) ? percent : base_dbw_q;
        if (!samples_q) begin
          if (accesses != 18'd0) dreq_d[8*kernel_q +: 8] = quot;
          loads_d[16*kernel_q +: 16]    = '0;
          stores_d[16*kernel_q +: 16]   = '0;
          accesses_d[18*kernel_q +: 18] = '0;
          lines_d[19*kernel_q +: 19]    = '0;
          base_ctas_d                   = '0;
          base_nbw_d                    = '0;
          base_dbw_d                    = '0;
        end
      end
      EntryNoc: if (done) state_d = EntryDram;
      EntryDram: if (done) begin
        state_d = last ? Idle : EntryNoc;
        step_d  = step_q + 6'd1;
        if (last) begin
          base_ctas_d = ctas_q;
          base_nbw_d  = nbw_q;
          base_dbw_d  = dbw_q;
        end
      end
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loads_q     <= '0;
      stores_q    <= '0;
      accesses_q  <= '0;
      lines_q     <= '0;
      n16_q       <= '0;
      dreq_q      <= '0;
      fault_q     <= 1'b0;
      state_q     <= Idle;
      samples_q   <= 1'b0;
      kernel_q    <= '0;
      l_q         <= '0;
      s_q         <= '0;
      ctas_q      <= '0;
      base_ctas_q <= '0;
      base_nbw_q  <= '0;
      base_dbw_q  <= '0;
      nbw_q       <= '0;
      dbw_q       <= '0;
      step_q      <= '0;
    end else begin
      loads_q     <= loads_d;
      stores_q    <= stores_d;
      accesses_q  <= accesses_d;
      lines_q     <= lines_d;
      n16_q       <= n16_d;
      dreq_q      <= dreq_d;
      fault_q     <= fault_d;
      state_q     <= state_d;
      samples_q   <= samples_d;
      kernel_q    <= kernel_d;
      l_q         <= l_d;
      s_q         <= s_d;
      ctas_q      <= ctas_d;
      base_ctas_q <= base_ctas_d;
      base_nbw_q  <= base_nbw_d;
      base_dbw_q  <= base_dbw_d;
      nbw_q       <= nbw_d;
      dbw_q       <= dbw_d;
      step_q      <= step_d;
    end
  end

  assign ready_o      = state_q == Idle;
  assign we_o         = done && (state_q == EntryNoc || state_q == EntryDram);
  assign what_o       = we_o && state_q == EntryDram;
  assign out_kernel_o = we_o ? kernel_q : 2'd0;
  assign index_o      = we_o ? base_ctas_q + step_q : 6'd0;
  assign value_o      = we_o ? ((state_q == EntryDram) ? base_dbw_q : base_nbw_q) + quot[6:0] : 7'd0;
  assign n16_o        = n16_q[8*view_i +: 8];
  assign dreq_o       = dreq_q[8*view_i +: 8];
  assign fault_o      = fault_q;

endmodule
