/* page_scene.h: what a page takes from the scene: drawing, plots, expectations. */
#ifndef SS_CLI_PAGE_PAGE_SCENE_H
#define SS_CLI_PAGE_PAGE_SCENE_H

#include "page/page_signals.h"

ss_status ss_cli_page_shapes(const ss_scene *scene, ss_cli_signals *signals, ss_cli_json *json);
ss_status ss_cli_page_plots(const ss_scene *scene, ss_cli_signals *signals, ss_cli_json *json);
ss_status ss_cli_page_expectations(const ss_scene *scene, ss_record *record, ss_cli_json *json);

#endif
