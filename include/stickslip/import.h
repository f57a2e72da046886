/* import.h: robots in other formats → scenes. URDF, and MJCF as far as it has a meaning here. docs/robots.md says what is read. */
#ifndef STICKSLIP_IMPORT_H
#define STICKSLIP_IMPORT_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_import_options {
    bool
        allow_outside; /* included files and meshes may be anywhere; default false: in the folder of the file or below */
    const char *
        folder; /* with its last slash, before the names of meshes in the scene: where the folder of the file is
                           for the scene; NULL or "": it is the scene's own */
} ss_import_options;

/* Whether a file is one that is imported, by the end of its name: .urdf, .xml, .mjcf. */
SS_API bool ss_import_knows(const char *path);
/* The scene that a file describes, as text in YAML. What has no meaning here is named in one warning of the context's
 * log; what is wrong fails with file:line. options may be NULL. Owned by the caller (ss_release). */
SS_API ss_status ss_import(ss_context *context, const char *path, const ss_import_options *options,
                           char **scene);

#ifdef __cplusplus
}
#endif
#endif
