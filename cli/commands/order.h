/* order.h: the order of a method from its errors. */
#ifndef SS_CLI_COMMANDS_ORDER_H
#define SS_CLI_COMMANDS_ORDER_H

#include <stddef.h>

typedef struct ss_cli_error_at {
    double h, error; /* step, |error| */
} ss_cli_error_at;

/* Errors are taken as C (h^p - h_ref^p), h_ref being the step of the run that they refer to, 0 for
 * an exact reference: compared with a run of finite step, plain slopes would be too steep. */

/* p of two errors; NaN when no p fits. */
double ss_cli_order_between(ss_cli_error_at a, ss_cli_error_at b, double h_ref);
/* p of the best fit of log error by least squares; NaN when there are less than two errors. */
double ss_cli_order_fit(size_t count, const ss_cli_error_at *errors, double h_ref);

#endif
