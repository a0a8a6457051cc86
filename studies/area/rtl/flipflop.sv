// SPDX-License-Identifier: Apache-2.0
// flipflop: two flip-flops in a row and nothing between them, Width times. Its longest path is what any stage
// of a pipeline pays (clock to output, and setup), its area that of 2 x Width flip-flops.
module flipflop #(
  parameter int unsigned Width = 16,
  parameter bit          Reset = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  logic [Width-1:0] first_q, second_q;
  if (Reset) begin : gen_reset
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        first_q  <= '0;
        second_q <= '0;
      end else begin
        first_q  <= d_i;
        second_q <= first_q;
      end
    end
  end else begin : gen_plain
    logic unused;
    assign unused = rst_ni;
    always_ff @(posedge clk_i) begin
      first_q  <= d_i;
      second_q <= first_q;
    end
  end
  assign q_o = second_q;

endmodule
