/* terminal-stream.h: a stream whose text a terminal shows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdio.h>
#include <vte/vte.h>

G_BEGIN_DECLS

/* To be closed with fclose(), before @terminal goes. */
FILE *ph_terminal_stream_new (VteTerminal *terminal);

G_END_DECLS
