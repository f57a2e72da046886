/* expect.h: the section `expect`: values of the motion that are known from elsewhere. */
#ifndef SS_SCENE_EXPECT_H
#define SS_SCENE_EXPECT_H

#include "scene/tree.h"

#include <stickslip/scene.h>

/* The n-th switch of a law to one of its modes. */
typedef struct ss_expect_event {
    int law; /* -1: no event */
    bool constraint;
    int number; /* from 1 */
} ss_expect_event;

typedef struct ss_expect {
    ss_expectation face;
    ss_text value; /* text NULL: the order of switches counts */
    double at;     /* s; beyond the end: the end */
    int over;      /* 0 at one moment, 1 least, 2 largest of all */
    ss_expect_event event, since;
    int n_order;
    const ss_expect_event *order;
} ss_expect;

const ss_key *ss_expect_keys(void);

ss_status ss_expect_read(ss_arena *arena, const ss_tree_entry *entry, const ss_model *model,
                         ss_expect *expect);
ss_status ss_expect_measure(ss_context *context, const ss_expect *expect, ss_record *record,
                            double *value);

#endif
