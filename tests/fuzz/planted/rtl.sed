# SPDX-License-Identifier: Apache-2.0
# switch_queues.sv: a fault without a cause, behind five warps that were pushed into queue 0 right
# after each other and end in 10, 5, 3, 12, 6. A run of 50,000 random cycles has about one chance in
# forty; each step is a line of its own.
/^endmodule/i\
  logic [2:0] step_q, step_d;\
  always_comb begin\
    step_d = step_q;\
    if (warp_push_i[0] && warp_space_o[0] && !clear_i) begin\
      if (step_q == 3'd0) begin\
        step_d = 3'd0;\
        if (warp_push_id_i[3:0] == 4'd10) step_d = 3'd1;\
      end\
      if (step_q == 3'd1) begin\
        step_d = 3'd0;\
        if (warp_push_id_i[3:0] == 4'd5) step_d = 3'd2;\
      end\
      if (step_q == 3'd2) begin\
        step_d = 3'd0;\
        if (warp_push_id_i[3:0] == 4'd3) step_d = 3'd3;\
      end\
      if (step_q == 3'd3) begin\
        step_d = 3'd0;\
        if (warp_push_id_i[3:0] == 4'd12) step_d = 3'd4;\
      end\
      if (step_q == 3'd4) begin\
        step_d = 3'd0;\
        if (warp_push_id_i[3:0] == 4'd6) step_d = 3'd5;\
      end\
    end\
  end\
  always_ff @(posedge clk_i or negedge rst_ni) begin\
    if (!rst_ni) step_q <= 3'd0;\
    else         step_q <= step_d;\
  end
s/assign fault_o = fault_q;/assign fault_o = fault_q || step_q == 3'd5;/
