/* operation.c: every operation with its arity, its name and its value. */
#include "expression/operation.h"

#include <string.h>

typedef struct operation {
    int arity;
    bool commutative;
    const char *name;
} operation;

static const operation operations[SS_OP_COUNT] = {
#define X(code, arity, commutative, name, value) [SS_OP_##code] = {arity, commutative, name},
    SS_OPERATION_LIST(X)
#undef X
};

int ss_operation_arity(ss_operation op)
{
    return operations[op].arity;
}

bool ss_operation_commutes(ss_operation op)
{
    return operations[op].commutative;
}

const char *ss_operation_name(ss_operation op)
{
    return operations[op].name;
}

bool ss_operation_find(const char *name, ss_operation *op)
{
    for (int i = 0; i < SS_OP_COUNT; i++) {
        if (operations[i].name && strcmp(operations[i].name, name) == 0) {
            *op = (ss_operation)i;
            return true;
        }
    }
    return false;
}

double ss_operation_value(ss_operation op, double x, double y, double z)
{
    switch (op) {
#define X(code, arity, commutative, name, value) \
    case SS_OP_##code:                           \
        return value;
        SS_OPERATION_LIST(X)
#undef X
    case SS_OP_CONSTANT:
    case SS_OP_VARIABLE:
    case SS_OP_COUNT:
        break;
    }
    return NAN;
}
