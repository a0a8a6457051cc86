// SPDX-License-Identifier: Apache-2.0
// l2_meter: what an L2 slice does for each kernel: accesses, lines fetched and written back, since they
// were read.
//
// Each kernel has three counters that stop at their most; two count sectors, four of a line, and show
// whole lines. The kernel that is read begins anew with what comes in the same cycle, so that nothing is
// lost between two reads but what makes no line.
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
  input  logic [2:0]  fetched_i,
  input  logic [2:0]  written_i,
  input  logic [1:0]  owner_i,
  input  logic        read_i,
  input  logic [1:0]  read_kernel_i,
  output logic [13:0] accesses_o,
  output logic [13:0] fetches_o,
  output logic [13:0] write_backs_o,
  output logic        fault_o
);

  if (Kernels < 1 || Kernels > 4 || Bits < 2 || Bits > 14) begin : gen_bad_size
    $fatal(1, "l2_meter: Kernels is 1 to 4, Bits 2 to 14");
  end

  localparam logic [2:0] There = 3'(Kernels);
  localparam logic [2:0] Sectors = 3'd4;
  localparam int unsigned Wide = Bits + 2;

  logic [4*Bits-1:0] accesses, fetches, write_backs;  // by kernel; lines
  logic              fault_q;

  logic [2:0] fetched, written;
  assign fetched = (fetched_i > Sectors) ? Sectors : fetched_i;
  assign written = (written_i > Sectors) ? Sectors : written_i;

  for (genvar k = 0; k < 4; k++) begin : gen_kernel
    if (k < Kernels) begin : gen_counts
      logic [Bits-1:0] access_q;
      logic [Wide-1:0] fetch_q, write_back_q;  // sectors
      logic            anew, hit, own;
      assign anew = read_i && read_kernel_i == 2'(k);
      assign hit  = access_i && kernel_i == 2'(k);
      assign own  = owner_i == 2'(k);

      // What is counted on from, and with what comes; the bit above says that it does not fit.
      logic [Bits-1:0] access_was;
      logic [Wide-1:0] fetch_was, write_back_was;
      logic [Wide:0]   fetch_more, write_back_more;
      assign access_was      = anew ? '0 : access_q;
      assign fetch_was       = anew ? '0 : fetch_q;
      assign write_back_was  = anew ? '0 : write_back_q;
      assign fetch_more      = {1'b0, fetch_was} + (hit ? (Wide + 1)'(fetched) : '0);
      assign write_back_more = {1'b0, write_back_was} + (own ? (Wide + 1)'(written) : '0);

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          access_q     <= '0;
          fetch_q      <= '0;
          write_back_q <= '0;
        end else begin
          access_q     <= access_was + Bits'(hit && access_was != '1);
          fetch_q      <= fetch_more[Wide] ? '1 : fetch_more[Wide-1:0];
          write_back_q <= write_back_more[Wide] ? '1 : write_back_more[Wide-1:0];
        end
      end

      assign accesses[k*Bits +: Bits]    = access_q;
      assign fetches[k*Bits +: Bits]     = fetch_q[Wide-1:2];
      assign write_backs[k*Bits +: Bits] = write_back_q[Wide-1:2];
    end else begin : gen_none
      assign accesses[k*Bits +: Bits]    = '0;
      assign fetches[k*Bits +: Bits]     = '0;
      assign write_backs[k*Bits +: Bits] = '0;
    end
  end

  assign accesses_o    = 14'(accesses[32'(read_kernel_i)*Bits +: Bits]);
  assign fetches_o     = 14'(fetches[32'(read_kernel_i)*Bits +: Bits]);
  assign write_backs_o = 14'(write_backs[32'(read_kernel_i)*Bits +: Bits]);
  assign fault_o       = fault_q;

  logic bad;
  assign bad = (access_i && {1'b0, kernel_i} >= There) || (fetched_i != 3'd0 && !access_i) || fetched_i > Sectors ||
               written_i > Sectors || (written_i != 3'd0 && {1'b0, owner_i} >= There) ||
               (read_i && {1'b0, read_kernel_i} >= There);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fault_q <= 1'b0;
    else fault_q <= fault_q || bad;
  end

endmodule
