// SPDX-License-Identifier: Apache-2.0
// The bench beside the RTL under test: read with -F. WR_DUT_switch_queues is the module that the checker
// is bound to; of the block's registers it has fault_q under the same name, and lacks the others.
+define+WR_DUT_switch_queues=switch_queues_shift
+define+WR_NO_warp_count_q
+define+WR_NO_tb_count_q
tb.sv
