/* reply-text.h: the text of a reply, and how it becomes what a terminal shows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/reply.h"

G_BEGIN_DECLS

/* Text of a reply. Styles are byte pairs that no UTF-8 text holds, turned into ANSI sequences (or nothing) when the reply is
 * done; control characters, which only a hostile file brings, are made visible then (core/escape.h). */
#define PH_STYLE_RESET \
  "\xff"               \
  "1"
#define PH_STYLE_BOLD \
  "\xff"              \
  "2"
#define PH_STYLE_DIM \
  "\xff"             \
  "3"
#define PH_STYLE_ADDED \
  "\xff"               \
  "4"
#define PH_STYLE_REMOVED \
  "\xff"                 \
  "5"
#define PH_STYLE_CHANGED \
  "\xff"                 \
  "6"
#define PH_STYLE_KEY \
  "\xff"             \
  "7"

void ph_reply_say (PhReply *reply, const char *format, ...) G_GNUC_PRINTF (2, 3);
void ph_reply_finish (PhReply *reply, gboolean colour);
void ph_reply_finish_text (PhReply *reply); /* only what is hostile in it */
/* Breaks lines that are wider than the terminal between words; tables fit already. */
void ph_reply_wrap (PhReply *reply);

G_END_DECLS
