/* reply.h: the answer to a line.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/preferences.h"

G_BEGIN_DECLS

/* What a line answered: the text for people and the object for scripts say the same. */
typedef struct
{
  char *command; /* the line                                                       */
  gboolean ok;
  GError *error;    /* (nullable) when not ok                                         */
  GString *text;    /* for people, may hold ANSI colours when the console has colour  */
  JsonObject *json; /* the members beside command, ok, error                          */
  gboolean quit;
  gboolean told; /* the text ends with what the error says (`N passed, N failed`)  */
  guint width;   /* columns of the terminal that tables are to fit; 0: nothing is cut */
  gboolean wide; /* nothing at all is cut, not even long cells                     */
  PhTables mode;
  GString *csv; /* (nullable) private: its tables, until the reply is done         */
} PhReply;

void ph_reply_free (PhReply *reply);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhReply, ph_reply_free)
char *ph_reply_to_json (PhReply *reply); /* one line, without the newline */

/* The message of what failed, for behind "error: ": its sentences broken between words, lines that it quotes as they are. (transfer full) */
char *ph_reply_error_text (const PhReply *reply);

#define PH_USAGE_FOLLOWS "; usage: " /* in a message of PH_ERROR_USAGE, before how the line is written */

/* What went wrong, for who clicked and wrote no line: without how it is written; NULL where nothing did or it was cancelled. @reply: (nullable).
 * @error: (nullable) why there is no reply. (transfer full) (nullable) */
char *ph_reply_problem (const PhReply *reply, const GError *error);

G_END_DECLS
