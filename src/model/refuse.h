/* refuse.h: messages of an init function that does not like its parameters. */
#ifndef SS_MODEL_REFUSE_H
#define SS_MODEL_REFUSE_H

#include <stickslip/model.h>

/* Fails with SS_INPUT; the place and the name of the object stand in front of the message. A message that begins with a 'key'
 * is about that: its place is shown. */
ss_status ss_refuse(const ss_setup *setup, const char *format, ...) SS_PRINTF(2, 3);

/* Copies a list that must have `count` numbers. */
ss_status ss_read_numbers(const ss_setup *setup, const char *key, const ss_matrix *given, int count,
                          double *numbers);

#endif
