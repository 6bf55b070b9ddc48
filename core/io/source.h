/* source.h: a file that is being read: where it is, its bytes, and where its parts were written.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/error.h"
#include "core/tensor/file.h"

G_BEGIN_DECLS

/* The line of a text that was asked for last: where it begins, and its number from 1. Zeros: none yet. */
typedef struct
{
  const char *start;
  guint number;
} PhTextLine;

const char *ph_text_line_after (const char *at, const char *end); /* where the next line begins; @end: there is none */
/* Line and column, both from 1, of @at in the text from @begin. Where places are asked for in order, each line is counted once. */
void ph_text_place (PhTextLine *last, const char *begin, const char *at, guint *line, guint *column);

typedef struct
{
  const char *path;          /* for messages                                                        */
  char *whole;               /* (nullable) owned: @path, where a part of the file was asked for behind it */
  const char *part;          /* (nullable) that part: "1/0" of "trace.log/1/0"                     */
  char *folder;              /* (nullable) where files that belong to it may be                     */
  GBytes *bytes;             /* (nullable) all of it, or                                            */
  PhFile *disk;              /* (nullable) the file: read in parts                                  */
  GHashTable *beside;        /* name -> PhFile: what was opened in its folder                       */
  GCancellable *cancellable; /* (nullable)                                                          */
  GPtrArray *parts;          /* (nullable) owned (element-type char*) what can stand behind the file: its modules */
  GPtrArray *problems;       /* (nullable) (element-type char*): what does not prevent opening      */
  GHashTable *places;        /* (nullable) any part of it -> its line and column                    */
  gboolean is_made_up;       /* the text was made out of a file of another form, whose lines say nothing */
} PhSource;

void ph_source_init (PhSource *source, const char *path, GPtrArray *problems);
void ph_source_clear (PhSource *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhSource, ph_source_clear)

/* All its bytes, read where they are on disk. (transfer full) */
GBytes *ph_source_dup_bytes (PhSource *source, GError **error);
/* The file that the model names for what @what says, kept in source->beside. A model may come from anywhere, so it may name files of
 * its own folder and below only: no absolute path, no "..", no link that leads out. (nullable) (transfer none) */
PhFile *ph_source_open_beside (PhSource *source, const char *location, gconstpointer part, const char *what, GError **error);
void ph_source_problem (PhSource *source, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* @part, the address of whatever the reader makes of it, begins there; both from 1. */
void ph_source_mark (PhSource *source, gconstpointer part, guint line, guint column);
gboolean ph_source_find (PhSource *source, gconstpointer part, guint *line, guint *column);
/* Both set @error to "path[:line:column]: message" and return FALSE. At a place what is there is PH_ERROR_INVALID; @part: (nullable). */
gboolean ph_source_fail_at (PhSource *source, GError **error, guint line, guint column, const char *format, ...)
    G_GNUC_PRINTF (5, 6);
gboolean ph_source_fail (PhSource *source, GError **error, PhError code, gconstpointer part, const char *format, ...)
    G_GNUC_PRINTF (5, 6);

G_END_DECLS
