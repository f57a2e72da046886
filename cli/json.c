/* json.c: writes JSON that may stand inside an HTML page. */
#include "json.h"

#include <math.h>
#include <stdlib.h>

/* '<' is spelled out, so that no text can end the script element it stands in. */
static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == '<' || *c == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void begin(ss_cli_json *json, const char *key)
{
    if (json->comma)
        fputc(',', json->out);
    if (key) {
        quote(json->out, key);
        fputc(':', json->out);
    }
    json->comma = true;
}

void ss_cli_json_open(ss_cli_json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->out);
    json->comma = false;
}

void ss_cli_json_close(ss_cli_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->comma = true;
}

void ss_cli_json_text(ss_cli_json *json, const char *key, const char *text)
{
    begin(json, key);
    quote(json->out, text);
}

/* As few digits as give the same number again. */
void ss_cli_json_number(ss_cli_json *json, const char *key, double value)
{
    char text[32] = "null";
    begin(json, key);
    for (int digits = 6; isfinite(value) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, json->out);
}

void ss_cli_json_short(ss_cli_json *json, const char *key, double value)
{
    begin(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.6g", value);
    else
        fputs("null", json->out);
}

void ss_cli_json_bool(ss_cli_json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}
