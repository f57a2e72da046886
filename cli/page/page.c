/* page.c: writes a record as one HTML file that needs nothing else. */
#include "page/page.h"

#include "commands/paths.h"
#include "figures/lanes.h"
#include "page/page_bodies.h"
#include "page/page_scene.h"
#include "page/template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What the record says about itself ---- */

static void write_statistics(const ss_record *record, ss_cli_json *json)
{
    ss_statistics s = ss_record_statistics(record);
    ss_cli_json_open(json, "statistics", '{');
    ss_cli_json_number(json, "steps", (double)s.steps);
    ss_cli_json_number(json, "iterations", (double)s.iterations);
    ss_cli_json_number(json, "maxIterations", (double)s.max_iterations);
    ss_cli_json_number(json, "failures", (double)s.failures);
    ss_cli_json_number(json, "switches", (double)s.switches);
    ss_cli_json_number(json, "worstResidual", s.worst_residual);
    ss_cli_json_close(json, '}');
}

static void write_parameters(const ss_record *record, ss_cli_json *json)
{
    ss_cli_json_open(json, "parameters", '[');
    for (int i = 0; i < ss_record_parameter_count(record); i++) {
        ss_cli_json_open(json, NULL, '[');
        ss_cli_json_text(json, NULL, ss_record_parameter_name(record, i));
        ss_cli_json_number(json, NULL, ss_record_parameter_value(record, i));
        ss_cli_json_close(json, ']');
    }
    ss_cli_json_close(json, ']');
}

static void write_head(const ss_cli_page *page, ss_cli_json *json)
{
    const ss_record *record = page->record;
    const char *slash = strrchr(page->path, '/');
    ss_cli_json_text(json, "file", slash ? slash + 1 : page->path);
    ss_cli_json_text(json, "name", ss_record_scene_name(record));
    ss_cli_json_text(json, "description", page->scene ? ss_scene_description(page->scene) : "");
    ss_cli_json_text(json, "version", ss_record_version(record));
    ss_cli_json_text(json, "scene", ss_record_scene_text(record));
    ss_cli_json_text(json, "note", ss_record_note(record));
    ss_cli_json_bool(json, "finished", ss_record_finished(record));
    ss_cli_json_number(json, "states", (double)ss_record_length(record));
    ss_cli_json_bool(json, "trusted", ss_record_verdict(record).doubts == 0);
    ss_cli_json_text(json, "verdict", ss_record_verdict(record).text);
    write_parameters(record, json);
    write_statistics(record, json);
}

/* ---- Laws, their modes over time, and switches ---- */

/* [end, mode] of each stretch with one mode. */
static void write_lane(const ss_cli_lane *lane, ss_cli_json *json)
{
    ss_cli_json_open(json, "lane", '[');
    for (size_t i = 0; i < lane->count; i++) {
        if (i + 1 < lane->count && lane->mode[i + 1] == lane->mode[i])
            continue;
        ss_cli_json_open(json, NULL, '[');
        ss_cli_json_number(json, NULL, lane->t[i]);
        ss_cli_json_number(json, NULL, lane->mode[i]);
        ss_cli_json_close(json, ']');
    }
    ss_cli_json_close(json, ']');
}

/* The mode of a law at the chosen states. */
static ss_status read_mode(const ss_cli_signals *signals, const char *law, double *mode)
{
    char name[1024];
    size_t column;
    snprintf(name, sizeof name, "%s.mode", law);
    if (!ss_record_find_column(signals->record, name, &column))
        return ss_fail(signals->context, SS_INPUT, "the record has no column '%s'", name);
    const float *samples = ss_cli_signals_column(signals, column);
    for (size_t i = 0; i < signals->rows.count; i++)
        mode[i] = (double)samples[i];
    return SS_OK;
}

static ss_status write_law(ss_cli_signals *signals, int index, double *mode, ss_cli_json *json)
{
    ss_law_info law = ss_record_law(signals->record, index);
    ss_cli_lane lane;
    SS_TRY(read_mode(signals, law.name, mode));
    ss_cli_states states = {signals->rows.count, signals->t, signals->dt, mode};
    ss_status status = ss_cli_lane_merge(signals->context, signals->record, index, &states, &lane);
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_text(json, "name", law.name);
    ss_cli_json_text(json, "type", law.type);
    ss_cli_json_text(json, "constraint", law.words[0]);
    ss_cli_json_text(json, "impressed", law.words[1]);
    if (status == SS_OK)
        write_lane(&lane, json);
    ss_cli_json_close(json, '}');
    ss_cli_lane_release(signals->context, &lane);
    return status;
}

static ss_status write_laws(ss_cli_signals *signals, ss_cli_json *json)
{
    void *mode;
    ss_status status = SS_OK;
    SS_TRY(ss_allocate(signals->context, signals->rows.count + 1, sizeof(double), &mode));
    ss_cli_json_open(json, "laws", '[');
    for (int i = 0; status == SS_OK && i < ss_record_law_count(signals->record); i++)
        status = write_law(signals, i, mode, json);
    ss_cli_json_close(json, ']');
    ss_release(signals->context, mode);
    return status;
}

/* [time, law, 1 when it became a constraint, impulse] */
static void write_events(const ss_record *record, ss_cli_json *json)
{
    ss_cli_json_open(json, "events", '[');
    for (size_t i = 0; i < ss_record_event_count(record); i++) {
        ss_record_event event = ss_record_event_at(record, i);
        ss_cli_json_open(json, NULL, '[');
        ss_cli_json_number(json, NULL, event.t);
        ss_cli_json_number(json, NULL, event.index);
        ss_cli_json_number(json, NULL, event.constraint);
        ss_cli_json_number(json, NULL, (double)(float)event.P);
        ss_cli_json_close(json, ']');
    }
    ss_cli_json_close(json, ']');
}

/* ---- The page ---- */

static ss_status write_scene(const ss_cli_page *page, ss_cli_signals *signals, ss_cli_json *json)
{
    if (!page->scene)
        return SS_OK;
    SS_TRY(ss_cli_page_shapes(page->scene, signals, json));
    SS_TRY(ss_cli_page_plots(page->scene, signals, json));
    return ss_cli_page_expectations(page->scene, page->record, json);
}

static ss_status write_contacts(const ss_cli_signals *signals, const ss_cli_contacts *contacts,
                                FILE *out)
{
    if (contacts->count == 0)
        return SS_OK;
    fputs("<script type=\"text/plain\" id=\"contacts\">", out);
    SS_TRY(ss_cli_contacts_write(signals, contacts, out));
    fputs("</script>\n", out);
    return SS_OK;
}

static ss_status write_data(const ss_cli_page *page, ss_cli_signals *signals,
                            ss_cli_contacts *contacts, FILE *out)
{
    ss_cli_json json = {.out = out};
    SS_TRY(ss_cli_signals_add_columns(signals));
    fputs("<script type=\"application/json\" id=\"record\">", out);
    ss_cli_json_open(&json, NULL, '{');
    write_head(page, &json);
    SS_TRY(write_laws(signals, &json));
    write_events(page->record, &json);
    SS_TRY(write_scene(page, signals, &json));
    SS_TRY(ss_cli_page_bodies(signals, &json));
    SS_TRY(ss_cli_contacts_choose(signals, contacts));
    SS_TRY(ss_cli_contacts_describe(signals, contacts, &json));
    ss_cli_json_bool(&json, "coarse", signals->coarse);
    ss_cli_signals_write(signals, &json);
    ss_cli_json_number(&json, "rows", (double)signals->rows.count);
    ss_cli_json_close(&json, '}');
    fputs("</script>\n<script type=\"text/plain\" id=\"samples\">", out);
    ss_cli_signals_write_samples(signals, out);
    fputs("</script>\n", out);
    return write_contacts(signals, contacts, out);
}

static bool write_page(ss_cli_session *session, const ss_cli_page *page,
                       const ss_cli_template *template, FILE *out)
{
    ss_cli_signals signals;
    ss_cli_contacts contacts = {0};
    fwrite(template->text, 1, template->before, out);
    ss_status status = ss_cli_signals_begin(session->context, page->record, &signals);
    if (status == SS_OK)
        status = write_data(page, &signals, &contacts, out);
    ss_cli_contacts_release(&signals, &contacts);
    ss_cli_signals_release(&signals);
    fputs(template->text + template->before, out);
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}

static bool save(ss_cli_session *session, const ss_cli_page *page, const ss_cli_template *template,
                 const char *file)
{
    char part[SS_CLI_PATH + 16];
    FILE *out = ss_cli_open_beside(file, sizeof part, part);
    if (!out) {
        ss_cli_error("cannot create '%s': %s", file, strerror(errno));
        return false;
    }
    bool written = write_page(session, page, template, out);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    if (written && (failed || rename(part, file) != 0)) {
        ss_cli_error("cannot write '%s': %s", file, strerror(errno));
        written = false;
    }
    if (!written)
        unlink(part);
    return written;
}

bool ss_cli_page_write(ss_cli_session *session, const ss_cli_page *page, const char *file)
{
    ss_cli_template template;
    if (!ss_cli_template_read(&template))
        return false;
    bool saved = save(session, page, &template, file);
    free(template.text);
    return saved;
}
