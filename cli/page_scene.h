/* page_scene.h: what a page takes from the scene: drawing, plots, expectations. */
#ifndef STICKSLIP_CLI_PAGE_SCENE_H
#define STICKSLIP_CLI_PAGE_SCENE_H

#include "page_signals.h"

ss_status ss_cli_page_shapes(const ss_scene *scene, ss_cli_signals *signals, ss_cli_json *json);
ss_status ss_cli_page_plots(const ss_scene *scene, ss_cli_signals *signals, ss_cli_json *json);
ss_status ss_cli_page_expectations(const ss_scene *scene, ss_record *record, ss_cli_json *json);

#endif
