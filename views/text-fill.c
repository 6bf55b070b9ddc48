/* text-fill.c: inserts or removes a long text piece by piece in idle time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/text-fill.h"

#include <string.h>

#define AT_ONCE 1500 /* lines that are put in before anything is shown */
#define PIECE   100
#define SLICE   4000 /* µs */

struct _PhTextFill
{
  GtkTextBuffer *buffer; /* owned reference                  */
  const char *rest;      /* (nullable) borrowed; NULL: finished */
  guint line;            /* the next one                     */
  PhTextFillFunc filled;
  gpointer data;
  guint idle;
};

/* Returns the position after the next @n lines, or NULL. */
static const char *
skip_lines (const char *text, guint n)
{
  while (n-- > 0)
    {
      text = strchr (text, '\n');
      if (!text || !text[1])
        return NULL;
      text++;
    }
  return text;
}

static void
put (PhTextFill *self, guint n)
{
  const char *end = skip_lines (self->rest, n);
  const guint from = self->line;
  GtkTextIter iter;

  gtk_text_buffer_get_end_iter (self->buffer, &iter);
  gtk_text_buffer_insert (self->buffer, &iter, self->rest, end ? (int) (end - self->rest) : -1);
  /* The line after the last line break is still empty. */
  self->line = (guint) gtk_text_buffer_get_line_count (self->buffer) - (end ? 1 : 0);
  self->rest = end;
  self->filled (from, self->line, end == NULL, self->data);
}

static gboolean
put_more (gpointer data)
{
  PhTextFill *self = data;
  const gint64 start = g_get_monotonic_time ();

  while (self->rest && g_get_monotonic_time () < start + SLICE)
    put (self, PIECE);
  if (self->rest)
    return G_SOURCE_CONTINUE;
  self->idle = 0;
  return G_SOURCE_REMOVE;
}

PhTextFill *
ph_text_fill_new (GtkTextBuffer *buffer, const char *text, PhTextFillFunc filled, gpointer data)
{
  PhTextFill *self = g_new0 (PhTextFill, 1);

  *self = (PhTextFill) { .buffer = g_object_ref (buffer), .rest = text, .filled = filled, .data = data };
  put (self, AT_ONCE);
  if (self->rest)
    self->idle = g_idle_add (put_more, self);
  return self;
}

void
ph_text_fill_free (PhTextFill *self)
{
  g_clear_handle_id (&self->idle, g_source_remove);
  g_object_unref (self->buffer);
  g_free (self);
}

gboolean
ph_text_fill_is_done (PhTextFill *self)
{
  return self->rest == NULL;
}

static gboolean
drain (gpointer data)
{
  GtkTextBuffer *buffer = data;
  const gint64 start = g_get_monotonic_time ();
  int n = gtk_text_buffer_get_line_count (buffer);

  while (n > PIECE && g_get_monotonic_time () < start + SLICE)
    {
      GtkTextIter from, end;

      n -= PIECE;
      gtk_text_buffer_get_iter_at_line (buffer, &from, n);
      gtk_text_buffer_get_end_iter (buffer, &end);
      gtk_text_buffer_delete (buffer, &from, &end);
    }
  return n > PIECE ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void
ph_text_drain (GtkTextBuffer *buffer)
{
  g_idle_add_full (G_PRIORITY_LOW, drain, buffer, g_object_unref);
}
