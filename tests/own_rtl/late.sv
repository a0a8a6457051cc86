// SPDX-License-Identifier: Apache-2.0
// Block switch_queues with its outputs some cycles late, for tests/own_rtl/examples.sh.
module late #(
  parameter int unsigned WarpDepth = 16,
  parameter int unsigned TbDepth   = 8,
  parameter int unsigned Stages    = 2
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

  logic [32:0]           now;
  logic [33*Stages-1:0]  pipe_q;
  switch_queues #(
    .WarpDepth(WarpDepth),
    .TbDepth  (TbDepth)
  ) u_queues (
    .warp_space_o(now[1:0]),
    .warp_valid_o(now[3:2]),
    .warp_head_o (now[17:4]),
    .tb_space_o  (now[19:18]),
    .tb_valid_o  (now[21:20]),
    .tb_head_o   (now[31:22]),
    .fault_o     (now[32]),
    .*
  );
  always_ff @(posedge clk_i) pipe_q <= (33*Stages)'({pipe_q, now});
  assign {fault_o, tb_head_o, tb_valid_o, tb_space_o, warp_head_o, warp_valid_o, warp_space_o} =
      pipe_q[33*Stages-1 -: 33];

endmodule
