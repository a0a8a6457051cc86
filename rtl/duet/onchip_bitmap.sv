// SPDX-License-Identifier: Apache-2.0
// onchip_bitmap: one bit per 128 B unit, in rows of WordBits; one row is searched or written in a
// cycle.
//
//                 +------+   row_q   +------------+  hit, position
//   next word --> | rows | --------> | run_finder | ------> start_q, then the write pass
//                 +------+    ^      +------------+
//                    ^        | run_q: free units carried from the rows before
//                    '-- mask: the units of the run that lie in the row under word_q
//
// The rows are flip-flops because reset must free them all; else one write and one read port
// would do. A request walks its region's rows up to the hit, then the rows of the run.
//
// Source: Lin-D 3.6.6, Table 3.4.
module onchip_bitmap #(
  parameter int unsigned RegUnits  = 2048,
  parameter int unsigned SmemUnits = 768,
  parameter int unsigned L1Units   = 256,
  parameter int unsigned WordBits  = 64    // 8, 16, 32 or 64; divides the three above
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic        op_i,
  input  logic [1:0]  region_i,
  input  logic [11:0] count_i,
  input  logic [11:0] addr_i,
  output logic        ready_o,
  output logic        done_o,
  output logic        found_o,
  output logic [11:0] addr_o,
  output logic        fault_o
);

  localparam int unsigned Units = RegUnits + SmemUnits + L1Units;
  localparam int unsigned Words = Units / WordBits;
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned OffW  = $clog2(WordBits);
  localparam int unsigned Smem0 = RegUnits / WordBits;                // first word of region 1
  localparam int unsigned L10   = (RegUnits + SmemUnits) / WordBits;  // and of region 2

  localparam logic [1:0] Idle   = 2'd0;
  localparam logic [1:0] Search = 2'd1;
  localparam logic [1:0] Write  = 2'd2;

  if (WordBits < 8 || WordBits > 64 || (1 << OffW) != WordBits) begin : gen_bad_word
    $fatal(1, "onchip_bitmap: WordBits is 8, 16, 32 or 64");
  end
  if (RegUnits % WordBits != 0 || SmemUnits % WordBits != 0 || L1Units % WordBits != 0 ||
      RegUnits < 8 || SmemUnits < 8 || L1Units < 8 || Units > 3072) begin : gen_bad_units
    $fatal(1, "onchip_bitmap: regions are multiples of WordBits, 3,072 units in all");
  end

  logic [1:0]       phase_q, phase_d;
  logic             give_q, give_d;    // the request gives back
  logic [1:0]       region_q, region_d;
  logic             first_q, first_d;  // the first row of the run is written
  logic [WordW-1:0] word_q, word_d;
  logic [11:0]      run_q, run_d;
  logic [11:0]      left_q, left_d;
  logic [11:0]      start_q, start_d;
  logic             good_q, good_d;    // run found; nothing given back that was free
  logic             done_q, done_d;
  logic             fault_q, fault_d;

  logic [Words*WordBits-1:0] taken;

  // Rows are read a cycle ahead: the first one of a request as it is taken, then the one behind
  // word_q, which no write changes in that cycle. row_q is the row under word_q of a search and of a
  // giving back; the write behind a search goes back to where the run begins, and needs none.
  logic [WordBits-1:0] row_q, row_d;
  logic [WordW-1:0]    first_word, next_word, read_word;
  assign first_word = op_i               ? WordW'(addr_i >> OffW) :
                      (region_i == 2'd0) ? '0 :
                      (region_i == 2'd1) ? WordW'(Smem0) : WordW'(L10);
  assign next_word  = word_q + WordW'(1);
  assign read_word  = phase_q == Idle ? first_word : next_word;
  always_comb begin
    row_d = '0;
    for (int unsigned w = 0; w < Words; w++) begin
      if (read_word == WordW'(w)) row_d = row_d | taken[w*WordBits +: WordBits];
    end
  end

  // Request.
  logic        take, one_region, refused;
  logic [12:0] run_end;
  assign take    = valid_i && phase_q == Idle;
  assign run_end = 13'(addr_i) + 13'(count_i);
  assign one_region = run_end <= 13'(RegUnits) ||
                      (13'(addr_i) >= 13'(RegUnits) && run_end <= 13'(RegUnits + SmemUnits)) ||
                      (13'(addr_i) >= 13'(RegUnits + SmemUnits) && run_end <= 13'(Units));
  assign refused = count_i == 12'd0 || (op_i ? !one_region : region_i == 2'd3);

  // Search.
  logic            carry, fits, region_end;
  logic [OffW-1:0] pos;
  logic [11:0]     run_next, base, hit_addr;
  run_finder #(
    .WordBits(WordBits)
  ) u_finder (
    .free_i  (~row_q),
    .run_i   (run_q),
    .need_i  (left_q),
    .carry_o (carry),
    .inside_o(fits),
    .pos_o   (pos),
    .run_o   (run_next)
  );
  assign base       = 12'({word_q, {OffW{1'b0}}});
  assign hit_addr   = carry ? base - run_q : base + 12'(pos);
  assign region_end = word_q == ((region_q == 2'd0) ? WordW'(Smem0 - 1) :
                                 (region_q == 2'd1) ? WordW'(L10 - 1) : WordW'(Words - 1));

  // Write: units off to end_unit - 1 of this row, or to its end.
  logic [OffW-1:0]     off;
  logic [12:0]         end_unit;
  logic                run_ends, writing;
  logic [WordBits-1:0] mask;
  assign writing  = phase_q == Write;
  assign off      = first_q ? start_q[OffW-1:0] : '0;
  assign end_unit = 13'(off) + 13'(left_q);
  assign run_ends = end_unit <= 13'(WordBits);
  assign mask     = ({WordBits{1'b1}} << off) & ~({WordBits{1'b1}} << end_unit);

  for (genvar w = 0; w < Words; w++) begin : gen_row
    logic [WordBits-1:0] taken_q, taken_d;
    assign taken_d = (writing && word_q == WordW'(w))
                         ? (give_q ? taken_q & ~mask : taken_q | mask) : taken_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) taken_q <= '0;
      else         taken_q <= taken_d;
    end
    assign taken[w*WordBits +: WordBits] = taken_q;
  end

  always_comb begin
    phase_d  = phase_q;
    give_d   = give_q;
    region_d = region_q;
    first_d  = first_q;
    word_d   = word_q;
    run_d    = run_q;
    left_d   = left_q;
    start_d  = start_q;
    good_d   = good_q;
    done_d   = 1'b0;
    fault_d  = fault_q;
    unique case (phase_q)
      Search: begin
        if (carry || fits) begin
          phase_d = Write;
          first_d = 1'b1;
          good_d  = 1'b1;
          start_d = hit_addr;
          word_d  = WordW'(hit_addr >> OffW);
          run_d   = 12'd0;
        end else if (region_end) begin
          phase_d = Idle;
          done_d  = 1'b1;
          word_d  = '0;
          run_d   = 12'd0;
          left_d  = 12'd0;
        end else begin
          word_d = next_word;
          run_d  = run_next;
        end
      end
      Write: begin
        first_d = 1'b0;
        if (give_q && (mask & ~row_q) != '0) begin
          good_d  = 1'b0;
          fault_d = 1'b1;
        end
        if (run_ends) begin
          phase_d = Idle;
          done_d  = 1'b1;
          word_d  = '0;
          left_d  = 12'd0;
        end else begin
          word_d = next_word;
          left_d = 12'(end_unit - 13'(WordBits));
        end
      end
      default: begin
        if (take) begin
          give_d   = op_i;
          region_d = region_i;
          good_d   = op_i && !refused;
          if (refused) begin
            done_d  = 1'b1;
            fault_d = 1'b1;
          end else begin
            left_d  = count_i;
            start_d = addr_i;
            first_d = 1'b1;
            phase_d = op_i ? Write : Search;
            word_d  = first_word;
          end
        end
      end
    endcase
  end

  assign ready_o = phase_q == Idle;
  assign done_o  = done_q;
  assign found_o = done_q && good_q;
  assign addr_o  = (done_q && good_q && !give_q) ? start_q : 12'd0;
  assign fault_o = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q  <= Idle;
      give_q   <= 1'b0;
      region_q <= 2'd0;
      first_q  <= 1'b0;
      word_q   <= '0;
      run_q    <= 12'd0;
      left_q   <= 12'd0;
      start_q  <= 12'd0;
      good_q   <= 1'b0;
      done_q   <= 1'b0;
      fault_q  <= 1'b0;
      row_q    <= '0;
    end else begin
      phase_q  <= phase_d;
      give_q   <= give_d;
      region_q <= region_d;
      first_q  <= first_d;
      word_q   <= word_d;
      run_q    <= run_d;
      left_q   <= left_d;
      start_q  <= start_d;
      good_q   <= good_d;
      done_q   <= done_d;
      fault_q  <= fault_d;
      row_q    <= row_d;
    end
  end

endmodule
