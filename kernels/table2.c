/* SPDX-License-Identifier: Apache-2.0 */
/* The rows are studies/lin_p/table_2.csv: kernels/CMakeLists.txt makes initialisers of its lines.
 */
#include "kernels/table2.h"

const wr_table2_row *wr_table2(size_t *count)
{
    static const wr_table2_row rows[] = {
#include "kernels/table2_rows.h"
    };

    *count = sizeof rows / sizeof rows[0];
    return rows;
}
