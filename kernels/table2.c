/* SPDX-License-Identifier: Apache-2.0 */
/* Lin-P Table II, typed from the paper. */
#include "kernels/table2.h"

const wr_table2_row *wr_table2(size_t *count)
{
    static const wr_table2_row rows[] = {
        {"backprop_layerforward", "BP_1", 8, 6, 13, 1128, "warp"},
        {"backprop_adjust_weights", "BP_2", 8, 6, 18, 40, "warp, reg"},
        {"bfs_kernel1", "BFS_1", 16, 3, 7, 44, "warp"},
        {"bfs_kernel2", "BFS_2", 16, 3, 4, 36, "warp"},
        {"btree_findrangek", "BT_1", 8, 6, 10, 48, "warp"},
        {"btree_findk", "BT_2", 8, 6, 9, 60, "warp"},
        {"cfd_initialize", "CFD_1", 6, 8, 6, 32, "warp"},
        {"cfd_step_factor", "CFD_2", 6, 8, 8, 48, "warp, TB"},
        {"cfd_compute_flux", "CFD_3", 6, 4, 39, 36, "reg"},
        {"dwt2d_copy_components", "DWT_1", 8, 6, 4, 804, "warp"},
        {"dwt2d_fdwt53", "DWT_2", 6, 5, 32, 8668, "reg, smem"},
        {"heartwall", "HW_1", 8, 4, 23, 11888, "smem"},
        {"hotspot", "HS_1", 8, 4, 31, 3144, "reg"},
        {"hybridsort_histogram1024", "HG_1", 3, 3, 10, 12324, "smem"},
        {"kmeans_invert_mapping", "KM_1", 8, 6, 9, 32, "warp"},
        {"leukocyte_gicov", "LK_1", 6, 8, 18, 24, "warp, TB"},
        {"lud_diagonal", "LUD_1", 1, 8, 8, 2076, "TB"},
        {"lud_perimeter", "LUD_2", 1, 8, 16, 3104, "TB"},
        {"lud_internal", "LUD_3", 8, 6, 9, 1056, "warp"},
        {"srad_reduce", "SR_1", 16, 3, 14, 4132, "warp"},
        {"srad_main", "SR_2", 16, 3, 16, 128, "warp"},
        {"pathfinder_dynproc", "PF_1", 8, 6, 12, 2096, "warp"},
        {"streamcluster_pgain", "SC_1", 16, 3, 8, 56, "warp"},
    };

    *count = sizeof rows / sizeof rows[0];
    return rows;
}
