/* picture.h: pictures and films of a page, drawn by Chromium without a screen. */
#ifndef SS_CLI_PAGE_PICTURE_H
#define SS_CLI_PAGE_PICTURE_H

#include "page/page.h"

/* What --png, --video, --at, --speed, --size and --stage ask for. False: a message was printed. */
bool ss_cli_picture(ss_cli_session *session, const ss_cli_page *page,
                    const ss_cli_arguments *arguments);

#endif
