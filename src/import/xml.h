/* xml.h: XML documents of strangers: no document types, no entities of their own, no other files, limited in size. */
#ifndef SS_IMPORT_XML_H
#define SS_IMPORT_XML_H

#include "base/arena.h"
#include "base/context.h"

#include <libxml/tree.h>

/* A document, and where its messages point. */
typedef struct ss_xml {
    ss_context *context;
    const char *file; /* kept by the context */
    xmlDoc *doc;
} ss_xml;

/* Reads a file; `from` is the place that asked for it (line 0: nobody). */
ss_status ss_xml_read(ss_context *context, const char *path, ss_location from, ss_xml *xml);
void ss_xml_release(ss_xml *xml);

ss_location ss_xml_where(const ss_xml *xml, const xmlNode *node);
/* Fails with SS_INPUT at an element. */
ss_status ss_xml_fail(const ss_xml *xml, const xmlNode *node, const char *format, ...)
    SS_PRINTF(3, 4);

bool ss_xml_is(const xmlNode *node, const char *name);
/* The first child element, or the next one behind; NULL: none. name NULL: any. */
xmlNode *ss_xml_child(const xmlNode *node, const char *name);
xmlNode *ss_xml_next(const xmlNode *node, const char *name);
/* The value of an attribute, as long as the document lives; NULL: it is not there. */
const char *ss_xml_get(const xmlNode *node, const char *name);
/* The same, which must be there. */
ss_status ss_xml_need(const ss_xml *xml, const xmlNode *node, const char *name, const char **value);
/* Exactly `count` numbers, finite; *given (may be NULL): whether the attribute is there; else `values` stay. */
ss_status ss_xml_numbers(const ss_xml *xml, const xmlNode *node, const char *name, int count,
                         double *values, bool *given);
/* Up to `most` numbers of the value of an attribute (NULL: none). */
typedef struct ss_xml_text {
    const char *name, *value;
} ss_xml_text;
ss_status ss_xml_read_numbers(const ss_xml *xml, const xmlNode *node, const ss_xml_text *text,
                              int most, double *values, int *count);

#endif
