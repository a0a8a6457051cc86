// SPDX-License-Identifier: Apache-2.0
// rename_table: the latest renaming of each register of one warp in hint mode.
//
// Two content-addressed tables, scalar and vector. Every port compares with all entries at once;
// at most one entry matches, so a read is an AND-OR. An entry whose halves are equal is empty, which
// takes no valid bit: reading such an entry would give the register itself, as no match does.
//
//   table = { entry Entries-1, ..., entry 0 }     entry = { register 15:8, renamed 7:0 }
//
// The two classes are two instances of one loop: each entry of each table sees whether update or drop
// is of its class, finds it, and whether it is the first empty one.
//
// Source: Gong 5.3.3, 5.3.6.
module rename_table #(
  parameter int unsigned Entries = 8,  // 2 to 16
  parameter int unsigned Reads   = 3   // 1 to 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               update_i,
  input  logic               update_vec_i,
  input  logic [7:0]         update_reg_i,
  input  logic [7:0]         update_to_i,
  input  logic               drop_i,
  input  logic               drop_vec_i,
  input  logic [7:0]         drop_reg_i,
  input  logic [7:0]         drop_from_i,
  input  logic [Reads-1:0]   read_vec_i,
  input  logic [Reads*8-1:0] read_reg_i,
  output logic [Reads*8-1:0] mapped_o,
  output logic [Reads-1:0]   renamed_o,
  output logic [4:0]         scalar_count_o,
  output logic [4:0]         vector_count_o,
  output logic               fault_o
);

  if (Entries < 2 || Entries > 16 || Reads < 1 || Reads > 4) begin : gen_bad_size
    $fatal(1, "rename_table: Entries must be 2 to 16, Reads 1 to 4");
  end

  logic [Entries*16-1:0] scalar_q, scalar_d;
  logic [Entries*16-1:0] vector_q, vector_d;
  logic                  fault_q, fault_d;

  // Both tables in a row, scalar first.
  logic [2*Entries*16-1:0] table_all, table_next;
  logic [2*Entries-1:0]    held;
  assign table_all = {vector_q, scalar_q};
  for (genvar e = 0; e < 2 * Entries; e++) begin : gen_held
    assign held[e] = table_all[16*e+8 +: 8] != table_all[16*e +: 8];
  end

  // Update and drop, per class.
  logic [1:0] no_room;
  for (genvar c = 0; c < 2; c++) begin : gen_class
    logic               update, is_new;
    logic [Entries-1:0] hit_update, first_empty, empty;
    assign update      = update_i && update_vec_i == 1'(c) && !clear_i;
    assign is_new      = update && hit_update == '0 && update_to_i != update_reg_i;
    assign empty       = ~held[c*Entries +: Entries];
    assign first_empty = empty & (~empty + Entries'(1));
    assign no_room[c]  = is_new && empty == '0;
    for (genvar e = 0; e < Entries; e++) begin : gen_entry
      logic [15:0] now;
      logic        write, freed;
      assign now           = table_all[16*(c*Entries+e) +: 16];
      assign hit_update[e] = held[c*Entries+e] && now[15:8] == update_reg_i;
      assign write         = (update && hit_update[e]) || (is_new && first_empty[e]);
      assign freed         = drop_i && drop_vec_i == 1'(c) && held[c*Entries+e] &&
                             now == {drop_reg_i, drop_from_i};
      assign table_next[16*(c*Entries+e) +: 16] = clear_i ? 16'h0
                                                : write   ? {update_reg_i, update_to_i}
                                                : freed   ? {drop_reg_i, drop_reg_i}
                                                          : now;
    end
  end
  assign {vector_d, scalar_d} = table_next;
  assign fault_d              = fault_q || no_room != 2'b00;

  // Reads.
  for (genvar i = 0; i < Reads; i++) begin : gen_read
    logic [Entries*16-1:0] view;
    logic [Entries-1:0]    held_view;
    logic [7:0]            found;
    logic                  hit;
    assign view      = read_vec_i[i] ? vector_q : scalar_q;
    assign held_view = read_vec_i[i] ? held[Entries +: Entries] : held[0 +: Entries];
    always_comb begin
      found = 8'h0;
      hit   = 1'b0;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (held_view[e] && view[16*e+8 +: 8] == read_reg_i[8*i +: 8]) begin
          found = found | view[16*e +: 8];
          hit   = 1'b1;
        end
      end
    end
    assign mapped_o[8*i +: 8] = hit ? found : read_reg_i[8*i +: 8];
    assign renamed_o[i]       = hit;
  end

  always_comb begin
    scalar_count_o = 5'd0;
    vector_count_o = 5'd0;
    for (int unsigned e = 0; e < Entries; e++) begin
      scalar_count_o = scalar_count_o + 5'(held[e]);
      vector_count_o = vector_count_o + 5'(held[Entries+e]);
    end
  end
  assign fault_o = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scalar_q <= '0;
      vector_q <= '0;
      fault_q  <= 1'b0;
    end else begin
      scalar_q <= scalar_d;
      vector_q <= vector_d;
      fault_q  <= fault_d;
    end
  end

endmodule
