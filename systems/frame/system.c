/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of systems: see system.h. */
#include "systems/frame/system.h"

#include "systems/ccbp/ccbp.h"
#include "systems/ccws/ccws.h"
#include "systems/drain/drain.h"
#include "systems/drf/drf.h"
#include "systems/duet/duet.h"
#include "systems/duplicates/duplicates.h"
#include "systems/dyncta/dyncta.h"
#include "systems/haws/haws.h"
#include "systems/locality/locality.h"
#include "systems/mascar/mascar.h"
#include "systems/miss_limit/miss_limit.h"
#include "systems/monitor/monitor.h"
#include "systems/owl/owl.h"
#include "systems/preemption/preemption.h"
#include "systems/preexecution/preexecution.h"
#include "systems/run_ahead/run_ahead.h"
#include "systems/sharing/sharing.h"
#include "systems/smk/smk.h"
#include "systems/spart/spart.h"
#include "systems/swl/swl.h"
#include "systems/throttle/throttle.h"
#include "systems/virtual_thread/virtual_thread.h"
#include "systems/warp_swap/warp_swap.h"

#include <string.h>

const wr_system_type *const *wr_system_types(size_t *count)
{
    static const wr_system_type *const all[] = {&wr_ccbp_type,         &wr_ccws_type,
                                                &wr_drain_type,        &wr_drf_type,
                                                &wr_duet_type,         &wr_duplicates_type,
                                                &wr_dyncta_type,       &wr_haws_type,
                                                &wr_locality_type,     &wr_mascar_type,
                                                &wr_miss_limit_type,   &wr_monitor_type,
                                                &wr_owl_type,          &wr_preemption_type,
                                                &wr_preexecution_type, &wr_run_ahead_type,
                                                &wr_sharing_type,      &wr_smk_type,
                                                &wr_spart_type,        &wr_swl_type,
                                                &wr_throttle_type,     &wr_virtual_thread_type,
                                                &wr_warp_swap_type};

    *count = sizeof all / sizeof all[0];
    return all;
}

const wr_system_type *wr_system_find(const char *name, size_t name_size)
{
    size_t count;
    const wr_system_type *const *all = wr_system_types(&count);

    for (size_t i = 0; i < count; i++) {
        if (strlen(all[i]->name) == name_size && memcmp(all[i]->name, name, name_size) == 0) {
            return all[i];
        }
    }
    return NULL;
}
