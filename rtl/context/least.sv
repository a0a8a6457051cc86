// SPDX-License-Identifier: Apache-2.0
// least: which of some items has the least key, combinational; one-hot, 0 where no item takes part.
// Of equal keys the lowest item wins.
//
// All pairs of keys are compared at once, whoever takes part: who does may come late, and waits for
// no comparison. An item wins where it goes before all others that take part.
module least #(
  parameter int unsigned Items = 16,
  parameter int unsigned KeyW  = 16
) (
  input  logic [Items-1:0]      among_i,  // items that take part
  input  logic [Items*KeyW-1:0]  keys_i,
  output logic [Items-1:0]      least_o
);

  for (genvar a = 0; a < Items; a++) begin : gen_item
    logic [Items-1:0] ahead;  // bit b: a goes before b
    for (genvar b = 0; b < Items; b++) begin : gen_pair
      if (a < b) begin : gen_compare
        assign ahead[b] = keys_i[KeyW*a +: KeyW] <= keys_i[KeyW*b +: KeyW];
      end else if (a > b) begin : gen_other
        assign ahead[b] = !gen_item[b].ahead[a];
      end else begin : gen_self
        assign ahead[b] = 1'b1;
      end
    end
    assign least_o[a] = among_i[a] && (ahead | ~among_i) == '1;
  end

endmodule
