/* SPDX-License-Identifier: Apache-2.0 */
/* What cmocka needs before its header, and a seed that can be given back. */
#ifndef WR_TESTS_HOST_TEST_SUPPORT_H
#define WR_TESTS_HOST_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
