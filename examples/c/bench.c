/* SPDX-License-Identifier: Apache-2.0 */
/* One register through block reg_compressor: 100, 104, 108, ... comes out as base 100 and stride 4.
 * With an argument the RTL stands behind the pins and the model checks it, else the model alone. */
#include <stdio.h>
#include <warpref.h>

int main(int argc, char **argv)
{
    const wr_reg_compressor_cfg cfg = {.lanes = 32};
    wr_reg_compressor_in in = {.valid = true, .pag = WR_PAG_32, .ready = true};
    wr_reg_compressor_out out;
    wr_port_reg_compressor block;
    char why[400] = "";

    for (uint32_t lane = 0; lane < 32; lane++) {
        in.lane[lane] = 100 + 4 * lane;
    }
#ifdef BUG
    in.lane[7]++;
#endif
    if (!wr_reg_compressor_port_open(&block, argc > 1 ? WR_BACKEND_LOCKSTEP : WR_BACKEND_MODEL,
                                     &cfg, why, sizeof why)) {
        (void)fprintf(stderr, "%s: %s\n", argv[0], why);
        return 2;
    }
    do {
        wr_reg_compressor_port_eval(&block, &in, &out);
        wr_reg_compressor_port_tick(&block, &in);
        in.valid = false;
    } while (!out.valid);
    const wr_port_stats stats = wr_port_get_stats(&block.port);
    const bool good = out.pattern == WR_PATTERN_STRIDED && out.word[0] == 100 && out.word[1] == 4 &&
                      stats.mismatches == 0;
    printf("%s: pattern %d, words %d: %u %u; cycles %d, comparisons %d\n", good ? "PASS" : "FAIL",
           out.pattern, out.count, out.word[0], out.word[1], (int)stats.cycles,
           (int)stats.comparisons);
    wr_reg_compressor_port_close(&block);
    return good ? 0 : 1;
}
