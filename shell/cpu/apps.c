/* SPDX-License-Identifier: Apache-2.0 */
/* Kayiran Table III; names as printed there. */
#include "shell/cpu/apps.h"

#include <string.h>

const wr_cpu_app wr_cpu_apps[WR_CPU_APPS] = {
    {"perlbench", 2},    {"povray", 2},    {"tonto", 2},    {"applu", 3},      {"calculix", 3},
    {"gcc", 3},          {"namd", 4},      {"barnes", 7},   {"gromacs", 7},    {"sjeng", 8},
    {"deallII", 10},     {"wrf", 13},      {"h264ref", 15}, {"cactus", 16},    {"gobmk", 16},
    {"bzip2", 31},       {"sjas", 40},     {"tpcw", 48},    {"Gems", 52},      {"hmmer", 70},
    {"astar", 71},       {"sjbb", 75},     {"swim", 100},   {"ocean", 106},    {"sphinx3", 120},
    {"libquantum", 125}, {"art", 136},     {"lbn", 140},    {"leslie3d", 142}, {"xalan", 146},
    {"milc", 250},       {"omnetpp", 258}, {"mcf", 498},    {"soplex", 1032},
};

const wr_cpu_app *wr_cpu_app_find(const char *name, size_t length)
{
    for (size_t i = 0; i < WR_CPU_APPS; i++) {
        if (strlen(wr_cpu_apps[i].name) == length &&
            strncmp(wr_cpu_apps[i].name, name, length) == 0) {
            return &wr_cpu_apps[i];
        }
    }
    return NULL;
}
