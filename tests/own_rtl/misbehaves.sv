// SPDX-License-Identifier: Apache-2.0
// Block switch_queues, and whatever else $WR_MISBEHAVE asks for (misbehaves.c): one program that is
// bad in many ways, so that one object serves all of tests/own_rtl/misbehaves.sh.
module misbehaves #(
  parameter int unsigned WarpDepth = 16,
  parameter int unsigned TbDepth   = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic [1:0]  warp_push_i,
  input  logic [13:0] warp_push_id_i,
  input  logic [1:0]  warp_pop_i,
  input  logic [1:0]  tb_push_i,
  input  logic [9:0]  tb_push_id_i,
  input  logic [1:0]  tb_pop_i,
  output logic [1:0]  warp_space_o,
  output logic [1:0]  warp_valid_o,
  output logic [13:0] warp_head_o,
  output logic [1:0]  tb_space_o,
  output logic [1:0]  tb_valid_o,
  output logic [9:0]  tb_head_o,
  output logic        fault_o
);

  import "DPI-C" function int misbehave(input string how);
  import "DPI-C" function void misbehave_now(input int cycle);

  logic [1:0]  warp_space;
  logic        constant;
  logic [31:0] cycle_q, spin, rest;
  logic [3:0]  ring;
  logic        turns;

  switch_queues #(
    .WarpDepth(WarpDepth),
    .TbDepth  (TbDepth)
  ) u_sound (
    .warp_space_o(warp_space),
    .*
  );
  assign warp_space_o = constant ? 2'd0 : warp_space;

  initial begin
    constant = misbehave("constant") != 0;
    turns    = misbehave("settle") != 0;
    spin     = 0;
    while (misbehave("loop_at_0") != 0) spin = spin + 1;
  end

  final begin
    while (misbehave("final_loop") != 0) rest = rest + 1;
    if (misbehave("final_fatal") != 0) $fatal(1, "said by the RTL");
    assert (misbehave("final_assert") == 0) else $error("said by the RTL");
  end

  // Goes round as long as it turns.
  always_comb ring = turns && cycle_q > 5 ? ring + 4'd1 : 4'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= 0;
    end else begin
      cycle_q <= cycle_q + 1;
      misbehave_now(int'(cycle_q));
      if (misbehave("print") != 0) $display("%s", {4096{"x"}});
      if (cycle_q == 5) begin
        if (misbehave("finish") != 0) $finish;
        if (misbehave("stop") != 0) $stop;
        if (misbehave("fatal") != 0) $fatal(1, "said by the RTL");
        while (misbehave("loop") != 0) spin <= spin + {28'd0, ring};
      end
    end
  end

`ifdef WR_ELABORATE
  if (WarpDepth > 0) begin : gen_refused
    $error("a depth that is not built");
  end
`endif

endmodule
