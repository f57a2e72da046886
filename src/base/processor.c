/* processor.c: finds out which kernels the processor can run. */
#include "base/processor.h"

#include <stdlib.h>
#include <string.h>

static ss_processor available(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return SS_PROCESSOR_V4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return SS_PROCESSOR_V3;
#endif
    return SS_PROCESSOR_V2;
}

ss_processor ss_processor_level(void)
{
    const char *wanted = getenv("STICKSLIP_PROCESSOR");
    ss_processor level = available();
    if (wanted && strcmp(wanted, "v2") == 0)
        return SS_PROCESSOR_V2;
    if (wanted && strcmp(wanted, "v3") == 0 && level > SS_PROCESSOR_V3)
        return SS_PROCESSOR_V3;
    return level;
}
