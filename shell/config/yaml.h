/* SPDX-License-Identifier: Apache-2.0 */
/* Strict YAML into C structs: libcyaml for the structure, libyaml's events for line numbers.
 *
 * libcyaml tells what is wrong with a file's shape, with a line; once a file is loaded it has
 * forgotten where a value stood. The line index keeps that, so that an error of meaning ("no
 * such buffer") names its line too. Building it also finds duplicate keys, which libcyaml takes.
 */
#ifndef WR_SHELL_CONFIG_YAML_H
#define WR_SHELL_CONFIG_YAML_H

#include <cyaml/cyaml.h>
#include <stdbool.h>

#include "shell/ptx/diag.h"

typedef struct wr_yaml_lines wr_yaml_lines;

/* Loads `file` by `schema` into newly allocated `*data` (free with wr_yaml_free) and builds its
 * line index (free with wr_yaml_lines_free). False with `diag` set on any fault. */
bool wr_yaml_load(const char *file, const cyaml_schema_value_t *schema, void **data,
                  wr_yaml_lines **lines, wr_diag *diag);
void wr_yaml_free(const cyaml_schema_value_t *schema, void *data);

/* Line of the value at a path such as "launches[0].args[2]"; of its nearest enclosing value
 * where the file leaves it out; 1 where nothing matches. */
unsigned wr_yaml_line(const wr_yaml_lines *lines, const char *path);
/* The file has a value at this path. */
bool wr_yaml_has(const wr_yaml_lines *lines, const char *path);
void wr_yaml_lines_free(wr_yaml_lines *lines);

#endif
