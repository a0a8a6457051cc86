# SPDX-License-Identifier: Apache-2.0
# switch_queues.sv: no fault where all four queues are popped while they are empty. The stimulus never
# pops more than one empty queue before the first fault, so random traffic cannot see it.
s/^  assign fault_d = fault_q \|\| \(!clear_i/  logic odd;\
  assign odd = {warp_pop_i, tb_pop_i, warp_valid_o, tb_valid_o} == 8'hf0;\
  assign fault_d = fault_q || (!clear_i \&\& !odd/
