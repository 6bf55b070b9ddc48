/* call-arguments.h: what a command takes out of its words: flags, options, sizes, and the usage error.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"

G_BEGIN_DECLS

/* A command that is asked whether it is open says so. */
gboolean ph_call_need_open (PhCall *call, GError **error);
gboolean ph_call_need_args (PhCall *call, guint min, guint max, GError **error);                     /* usage error otherwise */
gboolean ph_call_usage (PhCall *call, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4); /* FALSE */
/* Takes option "--limit N" or flag "--ahead" out of argv. */
gboolean ph_call_take_flag (PhCall *call, const char *name);
gboolean ph_call_take_option (PhCall *call, const char *name, char **value, GError **error);  /* value NULL: not given */
gboolean ph_call_take_number (PhCall *call, const char *name, double *value, GError **error); /* left alone: not given */

guint64 ph_call_parse_size (const char *text); /* bytes: "8G", "500M", "1e6"; 0: it is no size */

char **ph_split_words (const char *line, GError **error); /* quotes as in a shell, nothing else special */

G_END_DECLS
