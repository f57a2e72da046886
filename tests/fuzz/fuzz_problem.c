/* fuzz_problem.c: any text as a problem. What is accepted can be solved for some iterations. */
#include "fuzz/input_file.h"
#include "rows/problem/problem.h"

#include <stickslip/stickslip.h>

enum { LARGEST = 20000 };

static void must(bool truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *context;
    ss_problem *problem;
    if (size > LARGEST || ss_context_create(NULL, &context) != SS_OK)
        return 0;
    input_file file = open_input(data, size);
    if (ss_problem_read(context, file.path, &problem) == SS_OK) {
        must(ss_problem_rows(problem) >= 0);
        ss_problem_destroy(problem);
    } else {
        must(ss_context_message(context)[0] != '\0');
    }
    close_input(&file);
    ss_context_destroy(context);
    return 0;
}
