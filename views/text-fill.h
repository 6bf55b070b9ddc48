/* text-fill.h: puts a long text into a buffer, or takes it away, piece by piece whenever there is nothing else to do.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _PhTextFill PhTextFill;

/* Lines @from to @end have been put in, without @end; @done: they were the last. */
typedef void (*PhTextFillFunc) (guint from, guint end, gboolean done, gpointer data);

/* The first lines are put into @buffer, which is empty, at once, and so is a short text as a whole. @text is borrowed. */
PhTextFill *ph_text_fill_new (GtkTextBuffer *buffer, const char *text, PhTextFillFunc filled, gpointer data);
void ph_text_fill_free (PhTextFill *fill); /* and stops */
gboolean ph_text_fill_is_done (PhTextFill *fill);

/* A buffer that nobody shows any more goes likewise. @buffer: (transfer full) */
void ph_text_drain (GtkTextBuffer *buffer);

G_END_DECLS
