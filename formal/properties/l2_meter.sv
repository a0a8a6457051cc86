// SPDX-License-Identifier: Apache-2.0
// l2_meter: the counts of one kernel, any one that is looked at, rise by what comes for it, from what a read
// leaves, and stop at their most; breaking the protocol is a fault.
// still read_kernel_i
`include "frame.svh"

  localparam logic [13:0] Most = 14'((32'd1 << Bits) - 1);
  logic there, hit, missed, back;
  assign there  = 32'(read_kernel_i) < Kernels;
  assign hit    = there && access_i && kernel_i == read_kernel_i;
  assign missed = hit && miss_i;
  assign back   = there && write_back_i && owner_i == read_kernel_i;
  function automatic [13:0] more(input [13:0] count, input anew, input one);
    more = anew ? 14'(one) : (one && count != Most) ? count + 14'd1 : count;
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | bounds: a count is at most 2^Bits - 1, and misses are at most accesses
    bounds: assert (accesses_o <= Most && misses_o <= accesses_o && write_backs_o <= Most);
    // pdr | nobody: a kernel that is not there has no counts
    if (!there) nobody: assert ({accesses_o, misses_o, write_backs_o} == 0);
    if (was_ni) begin
      // pdr | accesses: each access of the kernel is counted once, a read leaves those of its own cycle
      accesses: assert (accesses_o == $past(more(accesses_o, read_i && there, hit)));
      // pdr | misses: and each miss
      misses: assert (misses_o == $past(more(misses_o, read_i && there, missed)));
      // pdr | write_backs: and each write-back of its lines
      write_backs: assert (write_backs_o == $past(more(write_backs_o, read_i && there, back)));
      // pdr | faults: breaking the protocol is a fault, and nothing else is
      faults: assert (fault_o == $past(fault_o || (access_i && 32'(kernel_i) >= Kernels) || (miss_i && !access_i) ||
                                       (write_back_i && 32'(owner_i) >= Kernels) || (read_i && !there)));
    end else begin
      // pdr | reset: after reset everything is 0
      reset: assert ({accesses_o, misses_o, write_backs_o, fault_o} == 0);
    end
    // cover 6 | full: a count of two or three bits is full
    full: cover (accesses_o == 14'd3);
    // cover 4 | taken: a read with a miss beside it
    taken: cover (read_i && missed && accesses_o != 0);
  end
endmodule
