/* plots.c: draws the plots that a scene declares. */
#include "figures/plots.h"

#include "commands/report.h"
#include "figures/figure.h"

#include <math.h>
#include <unistd.h>

void ss_cli_miss_gnuplot(void)
{
    ss_cli_error("plots are not drawn: gnuplot is not installed (Debian: apt install gnuplot-nox)");
}

static ss_cli_drawing draw_one(ss_cli_session *session, ss_record *record, const ss_plot *plot,
                               const ss_cli_drawn *drawn)
{
    char name[256], ending[8], file[SS_CLI_PATH];
    ss_cli_file_name(plot->name, sizeof name, name);
    snprintf(ending, sizeof ending, ".%s", drawn->format);
    if (!ss_cli_join(drawn->folder, name, ending, sizeof file, file))
        return SS_CLI_NOT_DRAWN;
    return ss_cli_draw(session, record, plot, (ss_cli_range){-INFINITY, INFINITY}, file);
}

ss_cli_drawn ss_cli_draw_scene_plots(ss_cli_session *session, const ss_scene *scene,
                                     ss_record *record, const char *path, const char *format)
{
    ss_cli_drawn drawn = {.wanted = ss_scene_plot_count(scene), .format = format};
    ss_cli_stem(path, sizeof drawn.folder, drawn.folder);
    if (drawn.wanted == 0 || !ss_cli_make_folder(drawn.folder))
        return drawn;
    for (int i = 0; i < drawn.wanted && !drawn.no_gnuplot; i++) {
        ss_plot plot = ss_scene_plot(scene, i);
        ss_cli_drawing drawing = draw_one(session, record, &plot, &drawn);
        drawn.count += drawing == SS_CLI_DRAWN;
        drawn.no_gnuplot = drawing == SS_CLI_NO_GNUPLOT;
    }
    if (drawn.no_gnuplot)
        ss_cli_miss_gnuplot();
    if (drawn.count == 0)
        rmdir(drawn.folder); /* only when it is empty */
    return drawn;
}

void ss_cli_print_drawn(const ss_cli_drawn *drawn)
{
    if (drawn->count > 0)
        ss_cli_print_line("plots", "%d in %s/", drawn->count, drawn->folder);
    if (drawn->count < drawn->wanted)
        ss_cli_print_line(drawn->count > 0 ? "" : "plots", "%d not drawn",
                          drawn->wanted - drawn->count);
}
