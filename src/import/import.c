/* import.c: a file of another format becomes the text of a scene. */
#include "import/robot.h"

#include <string.h>

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), n = strlen(end);
    return length > n && strcmp(path + length - n, end) == 0;
}

bool ss_import_knows(const char *path)
{
    return path &&
           (ends_with(path, ".urdf") || ends_with(path, ".xml") || ends_with(path, ".mjcf"));
}

static ss_status read(ss_robot *robot, const ss_xml *xml)
{
    const xmlNode *root = xmlDocGetRootElement(xml->doc);
    if (ss_xml_is(root, "robot"))
        return ss_import_urdf(robot, xml);
    if (ss_xml_is(root, "mujoco"))
        return ss_import_mjcf(robot, xml);
    return ss_xml_fail(xml, root, "no robot: a URDF begins with <robot>, an MJCF with <mujoco>");
}

ss_status ss_import(ss_context *context, const char *path, const ss_import_options *options,
                    char **scene)
{
    static const ss_import_options no_options;
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    SS_GIVEN(context, scene);
    ss_robot robot;
    ss_xml xml;
    *scene = NULL;
    SS_TRY(ss_xml_read(context, path, (ss_location){0}, &xml));
    ss_status status = ss_robot_begin(context, path, options ? options : &no_options, &robot);
    if (status == SS_OK)
        status = read(&robot, &xml);
    if (status == SS_OK)
        status = ss_robot_write(&robot, scene);
    ss_robot_release(&robot);
    ss_xml_release(&xml);
    return status;
}
