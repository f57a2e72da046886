/* token.h: a text cut into numbers, names and operators. */
#ifndef SS_EXPRESSION_TOKEN_H
#define SS_EXPRESSION_TOKEN_H

#include <stickslip/options.h>

typedef enum ss_token_kind {
    SS_TOKEN_END,
    SS_TOKEN_NUMBER,
    SS_TOKEN_NAME,
    SS_TOKEN_OPERATOR, /* and punctuation */
} ss_token_kind;

typedef struct ss_token {
    ss_token_kind kind;
    size_t start, length; /* in bytes */
    double value;         /* of a number */
} ss_token;

/* Longest text and longest name or number in bytes. */
enum { SS_LONGEST_FORMULA = 65536, SS_LONGEST_TOKEN = 200 };

/* The token at or after `offset`. */
ss_status ss_token_read(ss_context *context, const ss_text *text, size_t offset, ss_token *token);
/* Whether the token is this operator. */
bool ss_token_is(const ss_text *text, const ss_token *token, const char *spelling);
/* What the token says. */
void ss_token_copy(const ss_text *text, const ss_token *token, char word[SS_LONGEST_TOKEN + 1]);

/* ASCII letters, _ and everything beyond ASCII. */
bool ss_is_letter(char c);
/* Columns count characters: the second and further bytes of a UTF-8 character do not. */
int ss_count_characters(const char *text, size_t bytes);

/* Fails unless the text is a name that can be given to a variable or a parameter. */
ss_status ss_name_check(ss_context *context, const ss_text *name);

/* Fails at an offset in a text: with its line and column, or with the text itself when it has no
 * place. */
ss_status ss_text_fail(ss_context *context, ss_status status, const ss_text *text, size_t offset,
                       const char *format, ...) SS_PRINTF(5, 6);

#endif
