/* builtin.h: the built-in kinds of sets, one file each. */
#ifndef SS_SET_BUILTIN_H
#define SS_SET_BUILTIN_H

#include <stickslip/set.h>

extern const ss_set_ops ss_set_type_free;
extern const ss_set_ops ss_set_type_half_line;
extern const ss_set_ops ss_set_type_negative_half_line;
extern const ss_set_ops ss_set_type_interval;
extern const ss_set_ops ss_set_type_disk;
extern const ss_set_ops ss_set_type_ellipse;
extern const ss_set_ops ss_set_type_ellipsoid;
extern const ss_set_ops ss_set_type_polygon;
extern const ss_set_ops ss_set_type_product;
extern const ss_set_ops ss_set_type_cone;

#endif
