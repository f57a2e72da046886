/* name.c: decides what may be a name. */
#include "expression/name.h"
#include "expression/operation.h"

#include <string.h>

const ss_mistake *ss_mistake_at(const char *text)
{
    static const ss_mistake mistakes[] = {
        {"**", "^"}, {"<>", "!="}, {"=<", "<="}, {"=>", ">="}, {"−", "-"},   {"·", "*"},
        {"⋅", "*"},  {"×", "*"},   {"÷", "/"},   {"≤", "<="},  {"≥", ">="},  {"≠", "!="},
        {"²", "^2"}, {"³", "^3"},  {"’", "'"},   {"′", "'"},   {"∞", "inf"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (strncmp(text, mistakes[i].wrong, strlen(mistakes[i].wrong)) == 0)
            return &mistakes[i];
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_inside(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.';
}

size_t ss_name_length(const char *text)
{
    if (!is_letter(*text) || ss_mistake_at(text))
        return 0;
    size_t n = 1;
    while (is_inside(text[n]) && !((unsigned char)text[n] >= 0x80 && ss_mistake_at(text + n)))
        n++;
    return text[n] == '\'' ? n + 1 : n;
}

ss_status ss_name_check(ss_context *context, const ss_text *name)
{
    ss_operation function;
    const char *text = name->text ? name->text : "";
    if (ss_name_length(text) == 0 || text[ss_name_length(text)] != '\0')
        return ss_fail_at(
            context, SS_INPUT, name->where,
            "'%s' is not a name: letters first, then letters, digits, _ and ., at the "
            "end perhaps '",
            text);
    if (ss_operation_find(text, &function))
        return ss_fail_at(context, SS_INPUT, name->where,
                          "'%s' is a function and cannot name anything else", text);
    if (strcmp(text, "pi") == 0 || strcmp(text, "inf") == 0)
        return ss_fail_at(context, SS_INPUT, name->where,
                          "'%s' is a constant and cannot name anything else", text);
    return SS_OK;
}
