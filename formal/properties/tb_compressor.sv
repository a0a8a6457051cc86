// SPDX-License-Identifier: Apache-2.0
// tb_compressor: base and stride of one group of a register, any group, are followed from the result that
// brings them to the beats, which must rebuild them.
`include "frame.svh"

  (* anyconst *) logic [6:0] g;  // number of the group in the register
  logic        emitting, took, beat, random, over, first, broken, dead, mine;
  logic [1:0]  pag, pag_now;
  logic [6:0]  width, fits, groups, beats;
  logic [31:0] base, stride;
  logic [6:0]  local_g;
  assign took     = valid_i && ready_o;
  assign beat     = valid_o && ready_i;
  assign pag_now  = !first ? pag : pag_i == 2'd3 ? 2'd2 : pag_i;
  assign width    = pag_now == 2'd0 ? 7'((Words + 1) / 2) : pag_now == 2'd1 ? 7'((Words + 3) / 4) : 7'((Words + 7) / 8);
  assign fits     = groups + width;
  assign local_g  = g - groups;
  assign mine     = g >= groups && g < fits && local_g < width;
  assign dead     = pattern_i == 2'd0 || pattern_i == 2'd2;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {emitting, random, over, broken, groups, beats} <= '0;
      first <= 1'b1;
    end else begin
      if (took) begin
        first <= 1'b0;
        pag   <= pag_now;
        if (pag_i == 2'd3 || pattern_i == 0 || (!first && (pag_i == 2'd3 ? 2'd2 : pag_i) != pag)) broken <= 1'b1;
        if (dead) random <= 1'b1;
        if (over || 32'(fits) > Entries) over <= 1'b1;
        else groups <= fits;
        if (mine && !dead) begin
          base   <= pattern_i == 2'd1 ? word_i[32*local_g +: 32] : word_i[64*local_g +: 32];
          stride <= pattern_i == 2'd1 ? 32'd0 : word_i[64*local_g+32 +: 32];
        end
        if (last_i) emitting <= 1'b1;
      end
      if (beat) beats <= beats + 7'd1;
      if (beat && last_o) begin
        {emitting, random, over, groups, beats} <= '0;
        first <= 1'b1;
      end
    end
  end
  logic [31:0] lanes;  // of a group
  assign lanes = pag == 2'd0 ? 32'd8 : pag == 2'd1 ? 32'd16 : 32'd32;
  // What group g is under a global class: its base is this many steps from the first.
  logic [31:0] step;
  assign step = word_o[63:32] * lanes * 32'(g);

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | ready_exact: a result is taken while none is being given
    ready_exact: assert (ready_o == !emitting && valid_o == emitting);
    // pdr | bypass: more groups than entries are told, before all else
    if (valid_o) bypass: assert ((tb_class_o == 3'd4) == over);
    // pdr | random_told: so is a result that was random
    if (valid_o && !over) random_told: assert ((tb_class_o == 3'd2) == random);
    // bounded 6 | local_base: a local class gives each group its base and stride, in order
    if (valid_o && beats == g && g < groups && (tb_class_o == 3'd1 || tb_class_o == 3'd3))
      local_base: assert (word_o[31:0] == base && word_o[63:32] == (tb_class_o == 3'd3 ? stride : 32'd0) &&
                          (tb_class_o == 3'd3 || stride == 0));
    // bounded 6 | global_uniform: a global uniform register is its one base in every group
    if (valid_o && tb_class_o == 3'd5 && g < groups)
      global_uniform: assert (base == word_o[31:0] && stride == 0 && word_o[63:32] == 0);
    // bounded 4 | global_strided: of a global strided one, base and stride rebuild every group
    if (valid_o && tb_class_o == 3'd6 && g < groups)
      global_strided: assert (stride == word_o[63:32] && base == word_o[31:0] + step);
    // pdr | beats_exact: a local class has a beat for each group, another one beat
    if (valid_o) beats_exact: assert (last_o == (!(tb_class_o == 3'd1 || tb_class_o == 3'd3) || beats + 7'd1 == groups));
    // pdr | count_exact: words in use, by class
    if (valid_o) count_exact: assert (count_o == (tb_class_o == 3'd1 || tb_class_o == 3'd5 ? 2'd1 :
                                                  tb_class_o == 3'd3 || tb_class_o == 3'd6 ? 2'd2 : 2'd0));
    // pdr | class_valid: the class is one of those that the page names
    if (valid_o) class_valid: assert (tb_class_o != 0 && tb_class_o != 3'd7);
    // pdr | masked: without a beat its pins are 0
    if (!valid_o) masked: assert ({tb_class_o, count_o, word_o, last_o} == 0);
    if (was_ni) begin
      // pdr | stable: a beat holds until it is taken
      if ($past(valid_o && !ready_i)) stable: assert (valid_o && {tb_class_o, count_o, word_o, last_o} ==
                                                      $past({tb_class_o, count_o, word_o, last_o}));
      // pdr | class_same: all beats of a register have its class
      if ($past(valid_o && ready_i && !last_o)) class_same: assert (tb_class_o == $past(tb_class_o));
    end
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 8 | strided_seen: a register is global strided over two results
    strided_seen: cover (valid_o && tb_class_o == 3'd6 && groups >= 2 && g == 1);
    // cover 8 | local_seen: a register is local strided over two results, at its second beat
    local_seen: cover (valid_o && tb_class_o == 3'd3 && beats == 1 && g == 1);
    // cover 8 | uniform_seen: a register is global uniform
    uniform_seen: cover (valid_o && tb_class_o == 3'd5 && groups >= 2);
    // cover 10 | bypassed: a register has more groups than entries
    bypassed: cover (valid_o && tb_class_o == 3'd4);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
