/* writer.c: texts that grow. */
#include "base/writer.h"

#include <stdio.h>
#include <string.h>

/* Memory for `more` characters and the NUL. */
static bool reserve(ss_writer *writer, size_t more)
{
    if (writer->status != SS_OK)
        return false;
    if (writer->length + more < writer->capacity)
        return true;
    size_t capacity = 2 * (writer->length + more) + 256;
    writer->status = SS_RESIZE(writer->context, capacity, &writer->text);
    if (writer->status == SS_OK)
        writer->capacity = capacity;
    return writer->status == SS_OK;
}

void ss_write_bytes(ss_writer *writer, const char *bytes, size_t count)
{
    if (!reserve(writer, count))
        return;
    memcpy(writer->text + writer->length, bytes, count);
    writer->length += count;
    writer->text[writer->length] = '\0';
}

void ss_write(ss_writer *writer, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && reserve(writer, (size_t)length)) {
        vsnprintf(writer->text + writer->length, (size_t)length + 1, format, again);
        writer->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void ss_write_quoted(ss_writer *writer, const char *text)
{
    ss_write_bytes(writer, "\"", 1);
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            ss_write(writer, "\\%c", c);
        else if (c == '\n')
            ss_write_bytes(writer, "\\n", 2);
        else if (c == '\t')
            ss_write_bytes(writer, "\\t", 2);
        else if (c < 0x20 || c == 0x7F)
            ss_write(writer, "\\u%04x", c);
        else
            ss_write_bytes(writer, p, 1);
    }
    ss_write_bytes(writer, "\"", 1);
}

ss_status ss_writer_finish(ss_writer *writer, char **text)
{
    ss_write_bytes(writer, "", 0);
    ss_status status = writer->status;
    if (status != SS_OK)
        ss_release(writer->context, writer->text);
    *text = status == SS_OK ? writer->text : NULL;
    *writer = (ss_writer){.context = writer->context, .status = status};
    return status;
}
