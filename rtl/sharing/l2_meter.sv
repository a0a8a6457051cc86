// SPDX-License-Identifier: Apache-2.0
// l2_meter: what an L2 slice does for each kernel: accesses, misses, write-backs, since they were read.
//
// Each kernel has three counters that stop at their most. The kernel that is read begins anew with
// what comes in the same cycle, so that nothing is lost between two reads.
//
// Source: Lin-D 4.5.1, 4.5.2.
module l2_meter #(
  parameter int unsigned Kernels = 4,  // 1 to 4
  parameter int unsigned Bits    = 14  // 2 to 14
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        access_i,
  input  logic [1:0]  kernel_i,
  input  logic        miss_i,
  input  logic        write_back_i,
  input  logic [1:0]  owner_i,
  input  logic        read_i,
  input  logic [1:0]  read_kernel_i,
  output logic [13:0] accesses_o,
  output logic [13:0] misses_o,
  output logic [13:0] write_backs_o,
  output logic        fault_o
);

  if (Kernels < 1 || Kernels > 4 || Bits < 2 || Bits > 14) begin : gen_bad_size
    $fatal(1, "l2_meter: Kernels is 1 to 4, Bits 2 to 14");
  end

  localparam logic [2:0] There = 3'(Kernels);

  logic [4*Bits-1:0] accesses, misses, write_backs;  // by kernel
  logic              fault_q;

  for (genvar k = 0; k < 4; k++) begin : gen_kernel
    if (k < Kernels) begin : gen_counts
      logic [Bits-1:0] access_q, miss_q, write_back_q;
      logic            anew;
      assign anew = read_i && read_kernel_i == 2'(k);

      // What is counted on from, and one more where it is not at its most.
      logic [Bits-1:0] access_was, miss_was, write_back_was;
      assign access_was     = anew ? '0 : access_q;
      assign miss_was       = anew ? '0 : miss_q;
      assign write_back_was = anew ? '0 : write_back_q;

      logic access_one, miss_one, write_back_one;
      assign access_one     = access_i && kernel_i == 2'(k) && access_was != '1;
      assign miss_one       = access_i && miss_i && kernel_i == 2'(k) && miss_was != '1;
      assign write_back_one = write_back_i && owner_i == 2'(k) && write_back_was != '1;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          access_q     <= '0;
          miss_q       <= '0;
          write_back_q <= '0;
        end else begin
          access_q     <= access_was + Bits'(access_one);
          miss_q       <= miss_was + Bits'(miss_one);
          write_back_q <= write_back_was + Bits'(write_back_one);
        end
      end

      assign accesses[k*Bits +: Bits]    = access_q;
      assign misses[k*Bits +: Bits]      = miss_q;
      assign write_backs[k*Bits +: Bits] = write_back_q;
    end else begin : gen_none
      assign accesses[k*Bits +: Bits]    = '0;
      assign misses[k*Bits +: Bits]      = '0;
      assign write_backs[k*Bits +: Bits] = '0;
    end
  end

  assign accesses_o    = 14'(accesses[32'(read_kernel_i)*Bits +: Bits]);
  assign misses_o      = 14'(misses[32'(read_kernel_i)*Bits +: Bits]);
  assign write_backs_o = 14'(write_backs[32'(read_kernel_i)*Bits +: Bits]);
  assign fault_o       = fault_q;

  logic bad;
  assign bad = (access_i && {1'b0, kernel_i} >= There) || (miss_i && !access_i) ||
               (write_back_i && {1'b0, owner_i} >= There) || (read_i && {1'b0, read_kernel_i} >= There);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fault_q <= 1'b0;
    else fault_q <= fault_q || bad;
  end

endmodule
