/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run: of its options, its launch files and its systems' texts. */
#ifndef WR_TOOLS_RUN_FILES_H
#define WR_TOOLS_RUN_FILES_H

#include "tools/run_options.h"

/* No output is an input or another output; false: said on standard error. jobs: of the options'
 * files, loaded; of_program: a module of the program's, which come later; NULL: none. */
bool wr_run_files_apart(const wr_run_options *o, const wr_job *jobs, const wr_module *of_program);

#endif
