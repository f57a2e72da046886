/* xml.c: reads XML by libxml2, with what a stranger's file might do switched off. */
#include "import/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 16 * 1024 * 1024 };

/* Entities come with a document type; neither format has one. */
static void refuse_type(void *user, const xmlChar *name, const xmlChar *external,
                        const xmlChar *system)
{
    xmlParserCtxt *parser = user;
    bool *refused = parser->_private;
    (void)name, (void)external, (void)system;
    *refused = true;
    xmlStopParser(parser);
}

/* The parser's message without the line break behind it. */
static ss_status fail_parse(const ss_xml *xml, const xmlParserCtxt *parser)
{
    const xmlError *error = &parser->lastError;
    char text[256];
    snprintf(text, sizeof text, "%s", error->message ? error->message : "no XML");
    text[strcspn(text, "\n")] = '\0';
    return ss_fail_at(xml->context, SS_INPUT,
                      (ss_location){xml->file, error->line ? error->line : 1, 1},
                      "no XML that can be read: %s", text);
}

static ss_status parse(ss_xml *xml, const char *text, size_t length)
{
    bool refused = false;
    if (length == 0)
        return ss_fail_at(xml->context, SS_INPUT, (ss_location){xml->file, 1, 1},
                          "no XML that can be read: the file is empty");
    xmlParserCtxt *parser = xmlCreateMemoryParserCtxt(text, (int)length);
    if (!parser)
        return ss_fail(xml->context, SS_MEMORY, "no memory to read '%s'", xml->file);
    parser->_private = &refused;
    parser->sax->internalSubset = refuse_type;
    parser->sax->externalSubset = refuse_type;
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                  XML_PARSE_NOBLANKS | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES |
                                  XML_PARSE_NODICT);
    xmlParseDocument(parser);
    ss_status status = SS_OK;
    if (refused)
        status = ss_fail_at(xml->context, SS_INPUT, (ss_location){xml->file, 1, 1},
                            "it declares a document type (<!DOCTYPE), which is not read: it may "
                            "define entities and name other files");
    else if (!parser->wellFormed || !parser->myDoc || !xmlDocGetRootElement(parser->myDoc))
        status = fail_parse(xml, parser);
    if (status == SS_OK)
        xml->doc = parser->myDoc;
    else
        xmlFreeDoc(parser->myDoc);
    parser->myDoc = NULL;
    xmlFreeParserCtxt(parser);
    return status;
}

/* Every element knows its file, which stays so when it moves to another document. */
static void sign(xmlNode *node, const char *file)
{
    for (; node; node = node->next)
        if (node->type == XML_ELEMENT_NODE) {
            node->_private = (void *)file;
            sign(node->children, file);
        }
}

ss_status ss_xml_read(ss_context *context, const char *path, ss_location from, ss_xml *xml)
{
    char *text;
    size_t length;
    *xml = (ss_xml){.context = context};
    ss_status status = ss_file_read(context, path, LARGEST_FILE, &text, &length);
    if (status == SS_IO)
        ss_fail_at(context, SS_IO, from, "cannot read '%s': %s", path, ss_file_reason());
    if (status == SS_OK && length > LARGEST_FILE)
        status = ss_fail_at(context, SS_INPUT, from, "'%s' is larger than %d MB", path,
                            LARGEST_FILE / (1024 * 1024));
    if (status == SS_OK)
        status = ss_context_add_source(context, path, text, length, &xml->file);
    if (status == SS_OK)
        status = parse(xml, text, length);
    if (status == SS_OK)
        sign(xmlDocGetRootElement(xml->doc), xml->file);
    ss_release(context, text);
    return status;
}

void ss_xml_release(ss_xml *xml)
{
    if (xml->doc)
        xmlFreeDoc(xml->doc);
    xml->doc = NULL;
}

ss_location ss_xml_where(const ss_xml *xml, const xmlNode *node)
{
    long line = node ? xmlGetLineNo(node) : 1;
    const char *file = node && node->_private ? node->_private : xml->file;
    return (ss_location){file, line > 0 ? (int)line : 1, 1};
}

ss_status ss_xml_fail(const ss_xml *xml, const xmlNode *node, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ss_fail_at(xml->context, SS_INPUT, ss_xml_where(xml, node), "<%s>: %s",
                      (const char *)node->name, text);
}

bool ss_xml_is(const xmlNode *node, const char *name)
{
    return node && node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static xmlNode *element_from(xmlNode *node, const char *name)
{
    while (node && (node->type != XML_ELEMENT_NODE || (name && !ss_xml_is(node, name))))
        node = node->next;
    return node;
}

xmlNode *ss_xml_child(const xmlNode *node, const char *name)
{
    return node ? element_from(node->children, name) : NULL;
}

xmlNode *ss_xml_next(const xmlNode *node, const char *name)
{
    return element_from(node->next, name);
}

const char *ss_xml_get(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node ? node->properties : NULL; a; a = a->next)
        if (strcmp((const char *)a->name, name) == 0)
            return a->children && a->children->content ? (const char *)a->children->content : "";
    return NULL;
}

ss_status ss_xml_need(const ss_xml *xml, const xmlNode *node, const char *name, const char **value)
{
    *value = ss_xml_get(node, name);
    if (*value && (*value)[0])
        return SS_OK;
    return ss_xml_fail(xml, node, "the attribute '%s' is missing", name);
}

ss_status ss_xml_read_numbers(const ss_xml *xml, const xmlNode *node, const ss_xml_text *text,
                              int most, double *values, int *count)
{
    static const char blank[] = " \t\r\n";
    const char *at = text->value ? text->value + strspn(text->value, blank) : "";
    for (*count = 0; *at; at += strspn(at, blank)) {
        size_t length = strcspn(at, blank), plus = at[0] == '+';
        if (*count == most)
            return ss_xml_fail(xml, node, "'%s' has more than %d number%s", text->name, most,
                               most == 1 ? "" : "s");
        if (length > 255 || !ss_number_read(at + plus, length - plus, &values[*count]) ||
            !isfinite(values[*count]))
            return ss_xml_fail(xml, node, "'%s' wants numbers, not '%.*s'", text->name,
                               length > 40 ? 40 : (int)length, at);
        ++*count;
        at += length;
    }
    return SS_OK;
}

ss_status ss_xml_numbers(const ss_xml *xml, const xmlNode *node, const char *name, int count,
                         double *values, bool *given)
{
    double read[16];
    int n;
    SS_TRY(
        ss_xml_read_numbers(xml, node, &(ss_xml_text){name, ss_xml_get(node, name)}, 16, read, &n));
    if (given)
        *given = ss_xml_get(node, name) != NULL;
    if (!ss_xml_get(node, name))
        return SS_OK;
    if (n != count)
        return ss_xml_fail(xml, node, "'%s' wants %d number%s, not %d", name, count,
                           count == 1 ? "" : "s", n);
    memcpy(values, read, (size_t)count * sizeof *values);
    return SS_OK;
}
