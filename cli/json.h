/* json.h: JSON, as it may stand inside an HTML page. */
#ifndef SS_CLI_JSON_H
#define SS_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct ss_cli_json {
    FILE *out;
    bool comma; /* something stands before in the innermost object or list */
} ss_cli_json;

/* Members of an object have a key, items of a list have NULL. */
void ss_cli_json_open(ss_cli_json *json, const char *key, char bracket); /* '{' or '[' */
void ss_cli_json_close(ss_cli_json *json, char bracket);                 /* '}' or ']' */
void ss_cli_json_text(ss_cli_json *json, const char *key, const char *text);
/* Exact; null when the value is not finite. */
void ss_cli_json_number(ss_cli_json *json, const char *key, double value);
/* With six digits. */
void ss_cli_json_short(ss_cli_json *json, const char *key, double value);
void ss_cli_json_bool(ss_cli_json *json, const char *key, bool value);

#endif
