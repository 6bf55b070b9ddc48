/* replace.h: a file that is written whole or not at all.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is written goes to a file without a name, which gets one when all of it is on the disk: a failure or a kill leaves
 * what was there before and nothing beside it. A link is followed: what it points to is replaced, and keeps its mode. What is
 * no regular file (a pipe, a device) is written to as it is. */
typedef struct
{
  char *path;      /* where it goes, links followed                    */
  char *temporary; /* (nullable) the name it has meanwhile             */
  int fd;
  gboolean direct; /* @fd is the file itself                           */
} PhReplace;

/* Errors are of G_FILE_ERROR: who asks puts the name before them. */
gboolean ph_replace_open (PhReplace *replace, const char *path, GError **error);
gboolean ph_replace_commit (PhReplace *replace, GError **error); /* clears it, also when it fails */
void ph_replace_abandon (PhReplace *replace);
gboolean ph_replace_contents (const char *path, gconstpointer data, gsize size, GError **error);

G_END_DECLS
