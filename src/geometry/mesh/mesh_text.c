/* mesh_text.c: words and numbers of the texts that meshes come in. */
#include "geometry/mesh/mesh_read.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void next_line(ss_mesh_text *text)
{
    text->at++;
    text->line_start = text->at;
    text->where.line++;
}

bool ss_mesh_word(ss_mesh_text *text, bool lines, ss_word *word)
{
    while (text->at < text->end && (is_blank(*text->at) || (lines && *text->at == '\n'))) {
        if (*text->at == '\n')
            next_line(text);
        else
            text->at++;
    }
    text->where.column = (int)(text->at - text->line_start) + 1;
    *word = (ss_word){text->at, 0, text->where};
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n')
        text->at++;
    word->length = (size_t)(text->at - word->begin);
    return word->length > 0;
}

bool ss_word_is(const ss_word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->begin, text, word->length) == 0;
}

void ss_mesh_skip_line(ss_mesh_text *text)
{
    while (text->at < text->end && *text->at != '\n')
        text->at++;
    if (text->at < text->end)
        next_line(text);
}

bool ss_word_number(const ss_word *word, double *number)
{
    char plain[64], local[96];
    if (word->length == 0 || word->length >= sizeof plain)
        return false;
    memcpy(plain, word->begin, word->length);
    plain[word->length] = '\0';
    if (strspn(plain, "+-.0123456789eE") != word->length)
        return false;
    char *dot = strchr(plain, '.');
    if (dot)
        *dot = '\0';
    snprintf(local, sizeof local, "%s%s%s", plain, dot ? localeconv()->decimal_point : "",
             dot ? dot + 1 : "");
    char *end;
    *number = strtod(local, &end);
    return end != local && *end == '\0' && isfinite(*number);
}

ss_status ss_mesh_numbers(ss_mesh_text *text, bool lines, const char *what, double numbers[3])
{
    for (int k = 0; k < 3; k++) {
        ss_word word;
        bool there = ss_mesh_word(text, lines, &word);
        if (!there || !ss_word_number(&word, &numbers[k]))
            return ss_fail_at(text->context, SS_INPUT, word.where,
                              "%s needs three finite numbers; number %d is '%.*s'", what, k + 1,
                              word.length < 40 ? (int)word.length : 40, word.begin);
    }
    return SS_OK;
}
