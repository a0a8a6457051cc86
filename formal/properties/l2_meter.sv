// SPDX-License-Identifier: Apache-2.0
// l2_meter: the counts of one kernel, any one that is looked at, rise by what comes for it, from what a read
// leaves, and stop at their most; breaking the protocol is a fault.
// still read_kernel_i
`include "frame.svh"

  localparam logic [13:0] Most = 14'((32'd1 << Bits) - 1);
  localparam logic [16:0] MostSectors = 17'((32'd4 << Bits) - 1);
  logic there, hit, mine;
  assign there = 32'(read_kernel_i) < Kernels;
  assign hit   = there && access_i && kernel_i == read_kernel_i;
  assign mine  = there && owner_i == read_kernel_i;
  // Sectors of the kernel, counted anew from the pins.
  logic [16:0] fetched, written;
  function automatic [16:0] sum(input [16:0] count, input anew, input [2:0] more);
    sum = (anew ? 17'd0 : count) + 17'(more > 3'd4 ? 3'd4 : more);
    if (sum > MostSectors) sum = MostSectors;
  endfunction
  always @(posedge clk_i) begin
    if (!rst_ni) {fetched, written} <= '0;
    else begin
      fetched <= sum(fetched, read_i && there, hit ? fetched_i : 3'd0);
      written <= sum(written, read_i && there, mine ? written_i : 3'd0);
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | bounds: a count is at most 2^Bits - 1
    bounds: assert (accesses_o <= Most && fetches_o <= Most && write_backs_o <= Most);
    // pdr | fetches: lines are a quarter of the sectors that came for the kernel since the last read
    if (there) fetches: assert (fetches_o == 14'(fetched >> 2));
    // pdr | write_backs: likewise of those written back
    if (there) write_backs: assert (write_backs_o == 14'(written >> 2));
    // pdr | nobody: a kernel that is not there has no counts
    if (!there) nobody: assert ({accesses_o, fetches_o, write_backs_o} == 0);
    if (was_ni) begin
      // pdr | accesses: each access of the kernel is counted once, a read leaves those of its own cycle
      accesses: assert (accesses_o == $past(read_i && there ? 14'(hit) :
                                            (hit && accesses_o != Most) ? accesses_o + 14'd1 : accesses_o));
      // pdr | faults: breaking the protocol is a fault, and nothing else is
      faults: assert (fault_o == $past(fault_o || (access_i && 32'(kernel_i) >= Kernels) ||
                                       (fetched_i != 0 && !access_i) || fetched_i > 3'd4 || written_i > 3'd4 ||
                                       (written_i != 0 && 32'(owner_i) >= Kernels) || (read_i && !there)));
    end else begin
      // pdr | reset: after reset everything is 0
      reset: assert ({accesses_o, fetches_o, write_backs_o, fault_o} == 0);
    end
    // cover 6 | full: a count of two or three bits is full
    full: cover (accesses_o == 14'd3);
    // cover 4 | taken: a read with a miss beside it
    taken: cover (read_i && hit && fetched_i != 0 && accesses_o != 0);
  end
endmodule
