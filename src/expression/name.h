/* name.h: what may be a name. */
#ifndef SS_EXPRESSION_NAME_H
#define SS_EXPRESSION_NAME_H

#include <stickslip/options.h>

/* Length of the name at the beginning of a text, 0 when there is none. */
size_t ss_name_length(const char *text);

/* What somebody has probably typed for something else, e.g. "**" for "^". */
typedef struct ss_mistake {
    const char *wrong;
    const char *right;
} ss_mistake;

/* The mistake at the beginning of a text, or NULL. */
const ss_mistake *ss_mistake_at(const char *text);

/* Fails unless the text is a name that can be given to a variable or a parameter. */
ss_status ss_name_check(ss_context *context, const ss_text *name);

#endif
