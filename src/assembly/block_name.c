/* block_name.c: blocks of a step's inclusion in words. */
#include "assembly/sources/contacts.h"

#include <stdio.h>

/* A law of one contact. */
static ss_name contact_name(const ss_work *work, const ss_contact *contact, int law)
{
    const ss_model *model = work->model;
    ss_name name;
    snprintf(name.text, sizeof name.text, "%s of %s and %s", model->laws[law].object.name,
             model->shapes[contact->a].object.name, model->shapes[contact->b].object.name);
    return name;
}

ss_name ss_work_block_name(const ss_work *work, int block)
{
    const struct ss_work_contacts *c = work->contacts;
    if (c && c->forms && block >= 0 && block < c->n) {
        const ss_contact *contact = &c->found[block];
        return contact_name(work, contact, work->table.elements[contact->element].laws[0]);
    }
    block -= c && c->forms ? c->n : 0; /* as ss_rows_residual counts */
    if (block < 0 || block >= work->inclusion.n_blocks)
        return (ss_name){"none"};
    int law = work->block_law[block];
    if (ss_element_rule(&work->table.elements[work->table.laws[law].element]))
        return contact_name(work, &c->found[c->block_contact[block]], law);
    ss_name name;
    snprintf(name.text, sizeof name.text, "%s", work->table.laws[law].object.name);
    return name;
}
