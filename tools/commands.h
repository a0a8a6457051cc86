/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of warpref. Each takes the command line from its own name on and returns the
 * exit status: 0 all held, 1 a check or comparison failed, 2 bad usage or bad input. */
#ifndef WR_TOOLS_COMMANDS_H
#define WR_TOOLS_COMMANDS_H

int wr_cmd_run(int argc, char **argv);
int wr_cmd_checkpoint(int argc, char **argv);
int wr_cmd_compile(int argc, char **argv);
int wr_cmd_config(int argc, char **argv);
int wr_cmd_schema(int argc, char **argv);
int wr_cmd_blocks(int argc, char **argv);
int wr_cmd_systems(int argc, char **argv);
int wr_cmd_network(int argc, char **argv);
int wr_cmd_occupancy(int argc, char **argv);
int wr_cmd_cosim(int argc, char **argv);
int wr_cmd_vectors(int argc, char **argv);
int wr_cmd_replay(int argc, char **argv);
/* What the CUDA runtime of a program starts (cuda/wire.h): no command for people. */
int wr_cmd_device(int argc, char **argv);

#endif
