// SPDX-License-Identifier: Apache-2.0
// tb_compressor: what is common to one logical register of all warps of a thread block.
//
// Each result is compared as it comes, so that the class stands with the last one:
//
//   result --> base, stride per group --+--> buffers, written at fill_q
//                                       |
//              first group: base_0, stride_0 (word 0 of the buffers)
//              group before: prev_q, for group 0 of a later result
//                                       +--> stride is 0, equals stride_0;
//                                            base equals base_0, equals the one before + step
//                                            -> four sticky bits of the register
//
// step = stride_0 x PAG. base_0 and stride_0 are the first result's own while it comes, word 0 of
// the buffers behind it. A group that the PAG does not have passes every comparison. After a random
// result the bits mean nothing, and nothing looks at them.
//
// Source: Lin-P III.C, Fig. 11.
module tb_compressor #(
  parameter int unsigned Words   = 8,  // 2 to 16, even
  parameter int unsigned Entries = 32  // Words / 2 to 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic                last_i,
  input  logic [1:0]          pag_i,
  input  logic [1:0]          pattern_i,
  input  logic [Words*32-1:0] word_i,
  input  logic                ready_i,
  output logic                ready_o,
  output logic                valid_o,
  output logic [2:0]          tb_class_o,
  output logic [1:0]          count_o,
  output logic [63:0]         word_o,
  output logic                last_o,
  output logic                fault_o
);

  localparam int unsigned Groups = Words / 2;  // of a result at PAG 8
  localparam int unsigned FillW  = $clog2(Entries + 1);
  localparam int unsigned PosW   = (Entries > 1) ? $clog2(Entries) : 1;

  localparam logic [1:0] Dead    = 2'b00;
  localparam logic [1:0] Random  = 2'b10;
  localparam logic [1:0] Strided = 2'b11;

  localparam logic [2:0] ClassLocalUniform  = 3'd1;
  localparam logic [2:0] ClassRandom        = 3'd2;
  localparam logic [2:0] ClassLocalStrided  = 3'd3;
  localparam logic [2:0] ClassBypass        = 3'd4;
  localparam logic [2:0] ClassGlobalUniform = 3'd5;
  localparam logic [2:0] ClassGlobalStrided = 3'd6;

  if (Words < 2 || Words > 16 || Words % 2 != 0) begin : gen_bad_words
    $fatal(1, "tb_compressor: Words must be even, 2 to 16");
  end
  if (Entries < Words / 2 || Entries > 64) begin : gen_bad_entries
    $fatal(1, "tb_compressor: Entries must be Words / 2 to 64");
  end

  logic              emit_q, emit_d;      // beats leave
  logic              over_q, over_d;      // more groups than Entries
  logic              random_q, random_d;  // a result was random
  logic              slope_q, slope_d;    // a stride was not 0
  logic              stray_q, stray_d;    // a stride differed from stride_0
  logic              vary_q, vary_d;      // a base differed from base_0
  logic              jump_q, jump_d;      // a base was not the one before + step
  logic [1:0]        pag_q, pag_d;
  logic [FillW-1:0]  fill_q, fill_d;      // groups counted
  logic [PosW-1:0]   pos_q, pos_d;        // beat at the output
  logic [31:0]       prev_q, prev_d;      // base of the last group
  logic              fault_q, fault_d;

  logic [Entries*32-1:0] bases, strides;  // the buffers

  // The result at the pins.
  logic       first, take, is_random, is_strided, fits;
  logic [1:0] pag_in, pag;
  logic [3:0] count;  // its groups
  assign first      = fill_q == '0;
  assign take       = valid_i && !emit_q;
  assign is_random  = pattern_i == Random || pattern_i == Dead;
  assign is_strided = pattern_i == Strided;
  assign pag_in     = (pag_i == 2'd3) ? 2'd2 : pag_i;
  assign pag        = first ? pag_in : pag_q;
  always_comb begin
    unique case (pag)
      2'd0:    count = 4'(Groups);
      2'd1:    count = 4'((Groups + 1) / 2);
      default: count = 4'((Groups + 3) / 4);
    endcase
  end
  assign fits = 8'(fill_q) + 8'(count) <= 8'(Entries);

  // c = a + b, without a carry from bit to bit: a + b - c - 1 has all bits 1, and of the two words
  // that a carry-save adder makes of it each is the complement of the other.
  function automatic logic is_sum(input logic [31:0] c, input logic [31:0] a, input logic [31:0] b);
    logic [31:0] n, carry;
    n = ~c;
    carry = ((a & b) | (a & n) | (b & n)) << 1;
    is_sum = (a ^ b ^ n) == ~carry;
  endfunction

  // Its groups, and how they compare.
  logic [Groups*32-1:0] base, stride;
  logic [Groups-1:0]    has, slopes, strays, varies, jumps;
  logic [31:0]          base_0, stride_0, step, last_base;
  assign base_0   = first ? base[31:0] : bases[31:0];
  assign stride_0 = first ? stride[31:0] : strides[31:0];
  always_comb begin
    unique case (pag)
      2'd0:    step = {stride_0[28:0], 3'b0};
      2'd1:    step = {stride_0[27:0], 4'b0};
      default: step = {stride_0[26:0], 5'b0};
    endcase
  end
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    assign has[g]              = count > 4'(g);
    assign base[32*g +: 32]    = is_strided ? word_i[64*g +: 32] : word_i[32*g +: 32];
    assign stride[32*g +: 32]  = is_strided ? word_i[64*g+32 +: 32] : 32'h0;
    assign slopes[g]     = has[g] && stride[32*g +: 32] != 32'h0;
    assign strays[g]     = has[g] && stride[32*g +: 32] != stride_0;
    assign varies[g]     = has[g] && base[32*g +: 32] != base_0;
    if (g == 0) begin : gen_first
      assign jumps[g] = !first && !is_sum(base[31:0], prev_q, step);
    end else begin : gen_next
      assign jumps[g] = has[g] && !is_sum(base[32*g +: 32], base[32*(g-1) +: 32], step);
    end
  end
  always_comb begin
    last_base = base[31:0];
    for (int unsigned g = 1; g < Groups; g++) begin
      if (has[g]) last_base = base[32*g +: 32];
    end
  end

  // The buffers. Nothing behind fill_q is looked at, nor any word of a random register: so there is
  // no reset, and all groups are written there, without a look at how many the result has.
  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    logic        write;
    logic [31:0] base_d, base_q, stride_d, stride_q;
    always_comb begin
      write    = 1'b0;
      base_d   = 32'h0;
      stride_d = 32'h0;
      for (int unsigned g = 0; g < Groups; g++) begin
        if (g <= e && fill_q == FillW'(e - g)) begin
          write    = take;
          base_d   = base_d | base[32*g +: 32];
          stride_d = stride_d | stride[32*g +: 32];
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (write) begin
        base_q   <= base_d;
        stride_q <= stride_d;
      end
    end
    assign bases[32*e +: 32]   = base_q;
    assign strides[32*e +: 32] = stride_q;
  end

  // The beat at the output.
  logic [2:0] class_of;
  logic       local_class, last_beat;
  always_comb begin
    if (over_q)                    class_of = ClassBypass;
    else if (random_q)             class_of = ClassRandom;
    else if (!slope_q)             class_of = vary_q ? ClassLocalUniform : ClassGlobalUniform;
    else if (stray_q || jump_q)    class_of = ClassLocalStrided;
    else                           class_of = ClassGlobalStrided;
  end
  assign local_class = class_of == ClassLocalUniform || class_of == ClassLocalStrided;
  assign last_beat   = !local_class || 8'(pos_q) + 8'd1 == 8'(fill_q);

  logic [31:0] out_base, out_stride;
  always_comb begin
    out_base   = bases[31:0];
    out_stride = strides[31:0];
    for (int unsigned e = 1; e < Entries; e++) begin
      if (pos_q == PosW'(e)) begin
        out_base   = bases[32*e +: 32];
        out_stride = strides[32*e +: 32];
      end
    end
  end

  assign ready_o = !emit_q;
  assign valid_o = emit_q;
  assign tb_class_o = emit_q ? class_of : 3'd0;
  assign last_o  = emit_q && last_beat;
  assign fault_o = fault_q;
  always_comb begin
    count_o = 2'd0;
    word_o  = 64'h0;
    if (emit_q && !over_q && !random_q) begin
      count_o = slope_q ? 2'd2 : 2'd1;
      word_o  = {slope_q ? out_stride : 32'h0, out_base};
    end
  end

  always_comb begin
    emit_d   = emit_q;
    over_d   = over_q;
    random_d = random_q;
    slope_d  = slope_q;
    stray_d  = stray_q;
    vary_d   = vary_q;
    jump_d   = jump_q;
    pag_d    = pag_q;
    fill_d   = fill_q;
    pos_d    = pos_q;
    prev_d   = prev_q;
    fault_d  = fault_q;
    if (take) begin
      emit_d  = last_i;
      pag_d   = pag;
      fault_d = fault_q || pag_i == 2'd3 || pag_in != pag || pattern_i == Dead;
      if (fits) begin
        fill_d   = fill_q + FillW'(count);
        random_d = random_q || is_random;
        slope_d  = slope_q || slopes != '0;
        stray_d  = stray_q || strays != '0;
        vary_d   = vary_q || varies != '0;
        jump_d   = jump_q || jumps != '0;
        prev_d   = last_base;
      end else begin
        over_d = 1'b1;
      end
    end else if (emit_q && ready_i) begin
      if (last_beat) begin
        emit_d   = 1'b0;
        over_d   = 1'b0;
        random_d = 1'b0;
        slope_d  = 1'b0;
        stray_d  = 1'b0;
        vary_d   = 1'b0;
        jump_d   = 1'b0;
        fill_d   = '0;
        pos_d    = '0;
      end else begin
        pos_d = pos_q + PosW'(1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      emit_q   <= 1'b0;
      over_q   <= 1'b0;
      random_q <= 1'b0;
      slope_q  <= 1'b0;
      stray_q  <= 1'b0;
      vary_q   <= 1'b0;
      jump_q   <= 1'b0;
      pag_q    <= 2'd0;
      fill_q   <= '0;
      pos_q    <= '0;
      prev_q   <= 32'h0;
      fault_q  <= 1'b0;
    end else begin
      emit_q   <= emit_d;
      over_q   <= over_d;
      random_q <= random_d;
      slope_q  <= slope_d;
      stray_q  <= stray_d;
      vary_q   <= vary_d;
      jump_q   <= jump_d;
      pag_q    <= pag_d;
      fill_q   <= fill_d;
      pos_q    <= pos_d;
      prev_q   <= prev_d;
      fault_q  <= fault_d;
    end
  end

endmodule
