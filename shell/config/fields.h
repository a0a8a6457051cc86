/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a configuration: libcyaml's tables, each field named once. Loading, `--set` and
 * printing go by them.
 */
#ifndef WR_SHELL_CONFIG_FIELDS_H
#define WR_SHELL_CONFIG_FIELDS_H

#include <cyaml/cyaml.h>
#include <stdbool.h>

#include "shell/config/config.h"

extern const cyaml_schema_field_t wr_config_fields[];

/* Visits every field in file order; the visitor stops the walk by returning false. */
typedef bool (*wr_config_visit_fn)(void *arg, const char *path, int depth,
                                   const cyaml_schema_field_t *field, void *data);
bool wr_config_visit(wr_gpu_config *config, wr_config_visit_fn fn, void *arg);

#endif
