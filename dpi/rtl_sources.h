/* SPDX-License-Identifier: Apache-2.0 */
/* What RTL that is not ours is made of: files, folders to search, macros, parameters of its top.
 *
 * Filled option by option, or from file lists in the form that simulators share:
 *
 *   // and # begin a comment     "a name in quotes"    $NAME ${NAME} $(NAME)
 *   FILE...                    SystemVerilog; or C, C++, objects and archives for its DPI imports
 *   -v FILE                    the same
 *   -y DIR                     modules that no file has are looked for there, by their name
 *   +incdir+DIR+... -I DIR     `include
 *   +define+NAME=VALUE+... -D NAME=VALUE
 *   +libext+.sv+...            endings that -y tries (.sv and .v otherwise)
 *   -f LIST, -F LIST           another list
 *   -top NAME                  the module behind the pins
 *
 * A path in a list is relative to the folder of the list, else to the working folder.
 *
 * Invariant: paths are absolute and were there when they were added.
 */
#ifndef WR_DPI_RTL_SOURCES_H
#define WR_DPI_RTL_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wr_rtl_sources {
    char **args; /* of dpi/verilate.sh, but the first file */
    size_t count;
    char *first;  /* file; NULL: none yet */
    char *title;  /* the same as it was given, for messages */
    char *top;    /* module; NULL: the block's name */
    char *params; /* of it, beside the block's: ", .Name(value)" each; NULL: none */
} wr_rtl_sources;

/* Each adds one thing. False with one line in err, "LIST:LINE: ..." of a list. */
bool wr_sources_file(wr_rtl_sources *s, const char *path, char *err, size_t err_size);
bool wr_sources_dir(wr_rtl_sources *s, const char *path, char *err, size_t err_size);
bool wr_sources_include(wr_rtl_sources *s, const char *path, char *err, size_t err_size);
bool wr_sources_define(wr_rtl_sources *s, const char *text, char *err, size_t err_size);
bool wr_sources_param(wr_rtl_sources *s, const char *text, char *err, size_t err_size);
bool wr_sources_list(wr_rtl_sources *s, const char *path, char *err, size_t err_size);
bool wr_sources_top(wr_rtl_sources *s, const char *name, char *err, size_t err_size);

/* An argument as it is. */
bool wr_sources_arg(wr_rtl_sources *s, const char *arg, char *err, size_t err_size);

/* Whether `params` sets the one of this name. */
bool wr_sources_sets(const wr_rtl_sources *s, const char *param);

void wr_sources_free(wr_rtl_sources *s);

#endif
