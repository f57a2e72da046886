/* builtin.h: the schemes of this folder. */
#ifndef SS_SCHEME_BUILTIN_H
#define SS_SCHEME_BUILTIN_H

#include <stickslip/scheme.h>

extern const ss_scheme_ops ss_moreau_ops;

#endif
