// SPDX-License-Identifier: Apache-2.0
// warp_slots: which warp slots are taken, and by which warps.
//
// A row decides for itself whether the claim, the give or the pass of this cycle is its own and may
// be; one that no row takes is a fault, out of range or not. The free slots are counted up and down,
// the lowest one is found by a tree.
//
// Source: Lin-D 3.6.5, 3.6.6, 3.6.8.
module warp_slots #(
  parameter int unsigned Slots = 64,  // 1 to 64
  parameter int unsigned Warps = 128  // 1 to 128
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       claim_i,
  input  logic [5:0] claim_slot_i,
  input  logic [6:0] claim_id_i,
  input  logic       give_i,
  input  logic [5:0] give_slot_i,
  input  logic       pass_i,
  input  logic [5:0] pass_slot_i,
  input  logic [6:0] pass_id_i,
  input  logic [5:0] look_slot_i,
  output logic       look_valid_o,
  output logic [6:0] look_id_o,
  output logic [5:0] next_o,
  output logic [6:0] free_o,
  output logic       fault_o
);

  localparam int unsigned IdxW = (Slots > 1) ? $clog2(Slots) : 1;

  if (Slots < 1 || Slots > 64 || Warps < 1 || Warps > 128) begin : gen_bad_size
    $fatal(1, "warp_slots: Slots is 1 to 64, Warps 1 to 128");
  end

  logic [Slots-1:0] taken_q, taken_d;
  logic [6:0]       free_q, free_d;
  logic             fault_q, fault_d;

  logic claim_ok, pass_ok;
  assign claim_ok = claim_i && 8'(claim_id_i) < 8'(Warps);
  assign pass_ok  = pass_i && 8'(pass_id_i) < 8'(Warps);

  logic [Slots-1:0]   claims, gives, passes;
  logic [7*Slots-1:0] warps;
  for (genvar i = 0; i < Slots; i++) begin : gen_row
    logic [6:0] warp_q;
    assign claims[i] = claim_ok && claim_slot_i == 6'(i) && !taken_q[i];
    assign gives[i]  = give_i && give_slot_i == 6'(i) && taken_q[i];
    assign passes[i] = pass_ok && pass_slot_i == 6'(i) && taken_q[i] && !gives[i];
    // Without reset: masked until the slot is taken.
    always_ff @(posedge clk_i) begin
      if (claims[i])      warp_q <= claim_id_i;
      else if (passes[i]) warp_q <= pass_id_i;
    end
    assign warps[7*i +: 7] = warp_q;
  end

  assign taken_d = (taken_q | claims) & ~gives;
  assign free_d  = free_q + 7'(gives != '0) - 7'(claims != '0);
  assign fault_d = fault_q || (claim_i && claims == '0) || (give_i && gives == '0) ||
                   (pass_i && passes == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
      free_q  <= 7'(Slots);
      fault_q <= 1'b0;
    end else begin
      taken_q <= taken_d;
      free_q  <= free_d;
      fault_q <= fault_d;
    end
  end

  logic            look_ok;
  logic [IdxW-1:0] look_idx;
  assign look_ok      = 7'(look_slot_i) < 7'(Slots);
  assign look_idx     = look_ok ? IdxW'(look_slot_i) : '0;
  assign look_valid_o = look_ok && taken_q[look_idx];
  assign look_id_o    = look_valid_o ? warps[7*look_idx +: 7] : 7'd0;

  logic unused_found;
  lowest_set #(
    .Bits(Slots),
    .IdW (6)
  ) u_next (
    .set_i  (~taken_q),
    .found_o(unused_found),
    .id_o   (next_o)
  );
  assign free_o  = free_q;
  assign fault_o = fault_q;

endmodule
