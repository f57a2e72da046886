/* token.c: cuts a text into numbers, names and operators; decides what may be a name. */
#include "expression/token.h"

#include "base/context.h"
#include "expression/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SS_LONGEST_QUOTE = 77 }; /* bytes of a text in a message */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

int ss_count_characters(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += begins_character(text[i]);
    return count;
}

static ss_location place(const ss_text *text, size_t offset)
{
    ss_location where = text->where;
    size_t line = 0;
    for (size_t i = 0; i < offset; i++) {
        if (text->text[i] == '\n') {
            where.line++;
            where.column = 1;
            line = i + 1;
        }
    }
    where.column += ss_count_characters(text->text + line, offset - line);
    return where;
}

ss_status ss_text_fail(ss_context *context, ss_status status, const ss_text *text, size_t offset,
                       const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (text->where.line > 0)
        return ss_fail_at(context, status, place(text, offset), "%s", message);
    size_t shown = strlen(text->text);
    bool cut = shown > SS_LONGEST_QUOTE;
    shown = cut ? SS_LONGEST_QUOTE : shown;
    while (shown > 0 && !begins_character(text->text[shown]))
        shown--;
    return ss_fail(context, status, "in '%.*s%s', character %d: %s", (int)shown, text->text,
                   cut ? "..." : "", 1 + ss_count_characters(text->text, offset), message);
}

/* What somebody has probably typed for something else, e.g. "**" for "^". */
typedef struct mistake {
    const char *wrong, *right;
} mistake;

/* The mistake at the beginning of a text, or NULL. */
static const mistake *mistake_at(const char *text)
{
    static const mistake mistakes[] = {
        {"**", "^"}, {"<>", "!="}, {"=<", "<="}, {"=>", ">="}, {"−", "-"},   {"·", "*"},
        {"⋅", "*"},  {"×", "*"},   {"÷", "/"},   {"≤", "<="},  {"≥", ">="},  {"≠", "!="},
        {"²", "^2"}, {"³", "^3"},  {"’", "'"},   {"′", "'"},   {"∞", "inf"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (strncmp(text, mistakes[i].wrong, strlen(mistakes[i].wrong)) == 0)
            return &mistakes[i];
    return NULL;
}

bool ss_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Length of the name at the beginning of a text, 0 when there is none. */
static size_t name_length(const char *text)
{
    if (!ss_is_letter(*text) || mistake_at(text))
        return 0;
    size_t n = 1;
    while ((ss_is_letter(text[n]) || is_digit(text[n]) || text[n] == '.') &&
           !((unsigned char)text[n] >= 0x80 && mistake_at(text + n)))
        n++;
    return text[n] == '\'' ? n + 1 : n;
}

ss_status ss_name_check(ss_context *context, const ss_text *name)
{
    ss_operation function;
    const char *text = name->text ? name->text : "";
    if (name_length(text) == 0 || text[name_length(text)] != '\0')
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

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Length of a number without sign, 0 when there is none. */
static size_t number_length(const char *text)
{
    size_t n = digits(text);
    bool any = n > 0;
    if (text[n] == '.') {
        size_t fraction = digits(text + n + 1);
        any = any || fraction > 0;
        n += 1 + fraction;
    }
    if (!any)
        return 0;
    if (text[n] == 'e' || text[n] == 'E') {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        size_t exponent = digits(text + n + 1 + sign);
        n += exponent ? 1 + sign + exponent : 0;
    }
    return n;
}

/* Whether a number that became 0 was written as 0. */
static bool is_zero(const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
        if (text[i] >= '1' && text[i] <= '9')
            return false;
    return true;
}

static ss_status read_number(ss_context *context, const ss_text *text, ss_token *token)
{
    const char *start = text->text + token->start;
    if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
        return ss_text_fail(context, SS_INPUT, text, token->start,
                            "numbers are written in decimal, not as 0x…");
    if (token->length > SS_LONGEST_TOKEN)
        return ss_text_fail(context, SS_INPUT, text, token->start,
                            "a number has at most %d characters", (int)SS_LONGEST_TOKEN);
    if (start[token->length] == '.')
        return ss_text_fail(context, SS_INPUT, text, token->start + token->length,
                            "a second '.' in the number %.*s", (int)token->length, start);
    token->kind = SS_TOKEN_NUMBER;
    ss_number_read(start, token->length, &token->value);
    if (isinf(token->value) || (token->value == 0 && !is_zero(start, token->length)))
        return ss_text_fail(context, SS_INPUT, text, token->start,
                            "the number %.*s is out of range (about 1e-308 to 1e308)",
                            (int)token->length, start);
    return SS_OK;
}

static size_t operator_length(const char *text)
{
    static const char *const pairs[] = {"<=", ">=", "==", "!=", "&&", "||"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strncmp(text, pairs[i], 2) == 0)
            return 2;
    return *text && strchr("+-*/^<>!?:(),", *text) ? 1 : 0;
}

static ss_status fail_character(ss_context *context, const ss_text *text, size_t offset)
{
    const char *start = text->text + offset;
    const mistake *found = mistake_at(start);
    if (found)
        return ss_text_fail(context, SS_INPUT, text, offset,
                            "'%s' is not known; did you mean '%s'?", found->wrong, found->right);
    if (*start == '=' || *start == '&' || *start == '|')
        return ss_text_fail(context, SS_INPUT, text, offset,
                            "'%c' is not an operator; did you mean '%c%c'?", *start, *start,
                            *start);
    if (*start == '\'')
        return ss_text_fail(context, SS_INPUT, text, offset,
                            "one ' at the end of a name makes a velocity; it cannot stand here");
    if ((unsigned char)*start < 0x20 || *start == 0x7F)
        return ss_text_fail(context, SS_INPUT, text, offset, "unexpected control character 0x%02x",
                            (unsigned)*start);
    return ss_text_fail(context, SS_INPUT, text, offset, "unexpected character '%c'", *start);
}

ss_status ss_token_read(ss_context *context, const ss_text *text, size_t offset, ss_token *token)
{
    offset += strspn(text->text + offset, " \t\n\r");
    const char *start = text->text + offset;
    *token = (ss_token){.kind = SS_TOKEN_END, .start = offset};
    if (*start == '\0')
        return SS_OK;
    token->length = number_length(start);
    if (token->length > 0)
        return read_number(context, text, token);
    token->length = name_length(start);
    if (token->length > SS_LONGEST_TOKEN)
        return ss_text_fail(context, SS_INPUT, text, offset, "a name has at most %d characters",
                            (int)SS_LONGEST_TOKEN);
    token->kind = SS_TOKEN_NAME;
    if (token->length > 0)
        return SS_OK;
    token->kind = SS_TOKEN_OPERATOR;
    token->length = operator_length(start);
    if (token->length == 0 || mistake_at(start))
        return fail_character(context, text, offset);
    return SS_OK;
}

bool ss_token_is(const ss_text *text, const ss_token *token, const char *spelling)
{
    return token->kind == SS_TOKEN_OPERATOR && strlen(spelling) == token->length &&
           strncmp(text->text + token->start, spelling, token->length) == 0;
}

void ss_token_copy(const ss_text *text, const ss_token *token, char word[SS_LONGEST_TOKEN + 1])
{
    memcpy(word, text->text + token->start, token->length);
    word[token->length] = '\0';
}
