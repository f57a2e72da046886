/* test.h: cmocka and the headers that it needs before it. */
#ifndef SS_TESTS_SUPPORT_TEST_H
#define SS_TESTS_SUPPORT_TEST_H

/* clang-format off: cmocka.h needs those before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/* clang-format on */

#endif
