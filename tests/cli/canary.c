/* canary.c: a plugin that leaves a file behind when it is loaded, for tests that it is not. */
#include <stickslip/model.h>

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void sing(void)
{
    const char *path = getenv("CANARY");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file)
        fclose(file);
}

SS_API ss_status ss_plugin(ss_context *context);
SS_API extern const char ss_plugin_version[];
const char ss_plugin_version[] = "2.1";

ss_status ss_plugin(ss_context *context)
{
    (void)context;
    return SS_OK;
}
