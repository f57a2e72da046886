/* page_contacts.c: contacts of shapes, packed for a page. */
#include "page/page_bodies.h"

#include "page/base64.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 150000, BYTES = 16 };

/* ---- Reading ---- */

typedef ss_status (*visit_fn)(void *user, double dt, int count, const ss_contact *contacts);

static ss_status visit(const ss_cli_signals *s, const ss_cli_contacts *contacts, visit_fn each,
                       void *user)
{
    int most = 0;
    for (size_t i = 0; i < contacts->count; i++) {
        int n = ss_record_contact_count(s->record, contacts->rows[i]);
        most = n > most ? n : most;
    }
    void *memory;
    SS_TRY(ss_allocate(s->context, (size_t)most + 1, sizeof(ss_contact), &memory));
    ss_status status = SS_OK;
    for (size_t i = 0, k = 0; status == SS_OK && i < contacts->count; i++) {
        while (s->rows.index[k] != contacts->rows[i])
            k++;
        int n = ss_record_contact_count(s->record, contacts->rows[i]);
        status = ss_record_read_contacts(s->record, contacts->rows[i], memory);
        if (status == SS_OK)
            status = each(user, s->dt[k], n, memory);
    }
    ss_release(s->context, memory);
    return status;
}

/* ---- Which states ---- */

/* Every how many of the states that carry contacts. */
static size_t stride(const ss_cli_signals *s)
{
    size_t total = 0;
    for (size_t i = 0; i < s->rows.count; i++) {
        int n = ss_record_contact_count(s->record, s->rows.index[i]);
        total += n > 0 ? (size_t)n : 0;
    }
    return total / MOST_CONTACTS + 1;
}

static ss_status enclose(void *user, double dt, int count, const ss_contact *contacts)
{
    ss_cli_contacts *t = user;
    (void)dt;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            t->low[k] = fmin(t->low[k], contacts[i].x[k]);
            t->high[k] = fmax(t->high[k], contacts[i].x[k]);
        }
    return SS_OK;
}

ss_status ss_cli_contacts_choose(ss_cli_signals *signals, ss_cli_contacts *contacts)
{
    *contacts = (ss_cli_contacts){.low = {INFINITY, INFINITY, INFINITY},
                                  .high = {-INFINITY, -INFINITY, -INFINITY}};
    void *memory;
    size_t every = stride(signals), seen = 0;
    if (!ss_record_has_contacts(signals->record))
        return SS_OK;
    SS_TRY(ss_allocate(signals->context, signals->rows.count + 1, sizeof(size_t), &memory));
    contacts->rows = memory;
    for (size_t i = 0; i < signals->rows.count; i++)
        if (ss_record_contact_count(signals->record, signals->rows.index[i]) >= 0 &&
            seen++ % every == 0)
            contacts->rows[contacts->count++] = signals->rows.index[i];
    return visit(signals, contacts, enclose, contacts);
}

void ss_cli_contacts_release(const ss_cli_signals *signals, ss_cli_contacts *contacts)
{
    ss_release(signals->context, contacts->rows);
    contacts->rows = NULL;
}

/* ---- Writing ---- */

/* The largest component of any force, N. */
static double largest_force(double dt, int count, const ss_contact *contacts)
{
    double largest = 0;
    for (int i = 0; i < count && dt > 0; i++)
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(contacts[i].P[k]) / dt);
    return largest;
}

/* [contacts, largest component of a force] of each state. */
static ss_status describe(void *user, double dt, int count, const ss_contact *contacts)
{
    ss_cli_json *json = user;
    ss_cli_json_open(json, NULL, '[');
    ss_cli_json_number(json, NULL, count);
    ss_cli_json_short(json, NULL, largest_force(dt, count, contacts));
    ss_cli_json_close(json, ']');
    return SS_OK;
}

static void write_corner(ss_cli_json *json, const char *key, const double corner[3])
{
    ss_cli_json_open(json, key, '[');
    for (int k = 0; k < 3; k++)
        ss_cli_json_number(json, NULL, isfinite(corner[k]) ? corner[k] : 0);
    ss_cli_json_close(json, ']');
}

/* Coulomb's coefficient of the slip law of an element, 0 when it has none. */
static double friction_of(const ss_record *record, const char *element)
{
    char slip[1024], both[1024];
    snprintf(slip, sizeof slip, "%s.slip", element);
    snprintf(both, sizeof both, "%s.slip_spin", element);
    for (int i = 0; i < ss_record_law_count(record); i++) {
        ss_law_info law = ss_record_law(record, i);
        if (strcmp(law.name, slip) == 0 || strcmp(law.name, both) == 0)
            return law.friction;
    }
    return 0;
}

ss_status ss_cli_contacts_describe(const ss_cli_signals *signals, const ss_cli_contacts *contacts,
                                   ss_cli_json *json)
{
    const ss_record *record = signals->record;
    if (!ss_record_has_contacts(record))
        return SS_OK;
    ss_cli_json_open(json, "contacts", '{');
    ss_cli_json_open(json, "rows", '['); /* of the page */
    for (size_t i = 0, k = 0; i < contacts->count; i++) {
        while (signals->rows.index[k] != contacts->rows[i])
            k++;
        ss_cli_json_number(json, NULL, (double)k);
    }
    ss_cli_json_close(json, ']');
    ss_cli_json_open(json, "frames", '[');
    SS_TRY(visit(signals, contacts, describe, json));
    ss_cli_json_close(json, ']');
    write_corner(json, "low", contacts->low);
    write_corner(json, "high", contacts->high);
    ss_cli_json_open(json, "friction", '[');
    for (int i = 0; i < ss_record_element_count(record); i++)
        ss_cli_json_number(json, NULL, friction_of(record, ss_record_element_name(record, i)));
    ss_cli_json_close(json, ']');
    ss_cli_json_close(json, '}');
    return SS_OK;
}

typedef struct packer {
    const ss_record *record;
    const ss_cli_contacts *contacts;
    ss_cli_base64 base64;
} packer;

static void put16(unsigned char *bytes, int value)
{
    bytes[0] = (unsigned char)(value & 0xff);
    bytes[1] = (unsigned char)((value >> 8) & 0xff);
}

static void pack_one(packer *p, double unit, double dt, const ss_contact *c)
{
    unsigned char bytes[BYTES];
    bool fixed = ss_record_shape(p->record, c->b).system[0] == '\0';
    double side = fixed ? -1 : 1; /* what the world does to a body, never the other way round */
    for (int k = 0; k < 3; k++) {
        double width = p->contacts->high[k] - p->contacts->low[k];
        double share = width > 0 ? (c->x[k] - p->contacts->low[k]) / width : 0;
        double force = dt > 0 && unit > 0 ? side * c->P[k] / dt / unit : 0;
        put16(bytes + 2 * k, (int)lround(65535 * share));
        put16(bytes + 6 + 2 * k, (int)lround(32767 * force));
        bytes[12 + k] = (unsigned char)(signed char)lround(127 * side * c->n[k]);
    }
    int element = c->element < 15 ? c->element : 15;
    bytes[15] =
        (unsigned char)(c->closed | c->slips << 1 | c->spins << 2 | c->rolls << 3 | element << 4);
    ss_cli_base64_write(&p->base64, BYTES, bytes);
}

static ss_status pack(void *user, double dt, int count, const ss_contact *contacts)
{
    double unit = largest_force(dt, count, contacts);
    for (int i = 0; i < count; i++)
        pack_one(user, unit, dt, &contacts[i]);
    return SS_OK;
}

ss_status ss_cli_contacts_write(const ss_cli_signals *signals, const ss_cli_contacts *contacts,
                                FILE *out)
{
    packer p = {signals->record, contacts, {.out = out}};
    SS_TRY(visit(signals, contacts, pack, &p));
    ss_cli_base64_end(&p.base64);
    return SS_OK;
}
