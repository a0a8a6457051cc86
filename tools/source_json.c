/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/source_json.h"

void wr_source_json(cJSON *item, const wr_kernel *kernel, uint32_t line)
{
    char place[WR_SOURCE_TEXT];
    cJSON_AddNumberToObject(item, "line", line);
    if (wr_source_find(kernel->sources, line) != NULL) {
        wr_source_text(kernel->sources, line, place, sizeof place);
        cJSON_AddStringToObject(item, "source", place);
    }
}
