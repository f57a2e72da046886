/* expectation.c: compares the expectations of a scene with a record. */
#include "commands/expectation.h"

#include <math.h>

ss_status ss_cli_compare(const ss_scene *scene, ss_record *record, int index,
                         ss_cli_comparison *comparison)
{
    comparison->expected = ss_scene_expectation(scene, index);
    SS_TRY(ss_scene_measure(scene, index, record, &comparison->measured));
    comparison->met =
        fabs(comparison->measured - comparison->expected.is) <= comparison->expected.within;
    return SS_OK;
}

void ss_cli_write_comparison(const ss_cli_comparison *comparison, ss_cli_json *json)
{
    const ss_expectation *expected = &comparison->expected;
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_text(json, "name", expected->name);
    ss_cli_json_text(json, "what", expected->what);
    ss_cli_json_text(json, "source", expected->source);
    ss_cli_json_number(json, "is", expected->is);
    ss_cli_json_number(json, "within", expected->within);
    ss_cli_json_number(json, "measured", comparison->measured);
    ss_cli_json_bool(json, "met", comparison->met);
    ss_cli_json_close(json, '}');
}
