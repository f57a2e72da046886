/* status.c: the words of a status, and the version. */
#include <stickslip/base.h>

#define SS_TEXT_(x) #x
#define SS_TEXT(x)  SS_TEXT_(x)

const char *ss_version(void)
{
    return SS_TEXT(SS_VERSION_MAJOR) "." SS_TEXT(SS_VERSION_MINOR) "." SS_TEXT(SS_VERSION_PATCH);
}

const char *ss_status_name(ss_status status)
{
    switch (status) {
#define X(code, words) \
    case code:         \
        return words;
        SS_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}
