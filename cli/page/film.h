/* film.h: the frames that the viewer leaves in its page → a film. */
#ifndef SS_CLI_PAGE_FILM_H
#define SS_CLI_PAGE_FILM_H

#include "commands/scratch.h"

/* Takes the frames from scratch->output and gives them to ffmpeg. False: a message was printed. */
bool ss_cli_film(const ss_cli_scratch *scratch, int frame_rate, const char *file);

#endif
