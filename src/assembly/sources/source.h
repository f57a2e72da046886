/* source.h: what fills the rows of a step: the elements of the model, and contacts of its shapes. */
#ifndef SS_ASSEMBLY_SOURCES_SOURCE_H
#define SS_ASSEMBLY_SOURCES_SOURCE_H

#include "assembly/work.h"

typedef struct ss_row_source {
    /* Adds the rows of the active laws at the configuration, for a step dt that begins with u_B. Impulses that are known
     * beforehand are added to `impulse`; NULL: they do not act. */
    ss_status (*fill)(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                      double *impulse);
    /* The impulses of the last step as a first guess; B NULL: zero. */
    ss_status (*guess)(ss_work *work, const ss_state *B);
    /* Impulses, modes and energies of the solution, to the state at the end. */
    ss_status (*finish)(ss_work *work, double dt, const double *u_B, ss_state *E);
} ss_row_source;

extern const ss_row_source ss_source_elements, ss_source_contacts;

#endif
