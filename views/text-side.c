/* text-side.c: one of two texts side by side, or both in one, with its changes marked; for reading only.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/text-side.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "views/text-fill.h"

#define CONTEXT 3     /* lines around a change that are not left out                     */
#define MANY    2000  /* lines: taking them out of a buffer takes time                   */
#define PAGE    100   /* lines filled below the one to show                              */
#define LONG    20000 /* lines: a longer text has the colours of its changes only        */

typedef struct
{
  char sign;
  int number;
} Line;

struct _PhTextSide
{
  GtkWidget parent_instance;
  GtkWidget *scrolled;
  GtkSourceView *view;
  GtkSourceBuffer *buffer;
  GtkSourceGutterRenderer *numbers;
  GArray *lines;          /* (element-type Line) one a line of the buffer               */
  PhTextFill *fill;       /* (nullable) filling the buffer                              */
  const PhTextDiff *diff; /* (nullable) borrowed: shown                                 */
  PhSide which;
  gboolean changes_only;
  guint next_mark[2]; /* of the diff, of the lines before and after                 */
  int wanted;         /* the line to scroll to once it is inserted, -1: none        */
};

G_DEFINE_FINAL_TYPE (PhTextSide, ph_text_side, GTK_TYPE_WIDGET)

static guint line_clicked, filled;

char
ph_text_side_get_sign (PhTextSide *self, guint line)
{
  return line < self->lines->len ? g_array_index (self->lines, Line, line).sign : ' ';
}

/* --- the buffer ------------------------------------------------------------------------------------------------------ */

static void
set_background (PhTextSide *self, const char *tag, const char *property, const char *light, const char *dark)
{
  GtkTextTagTable *tags = gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (self->buffer));

  g_object_set (gtk_text_tag_table_lookup (tags, tag), property,
                adw_style_manager_get_dark (adw_style_manager_get_default ()) ? dark : light, NULL);
}

static void
follow_style (PhTextSide *self)
{
  const gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();

  gtk_source_buffer_set_style_scheme (self->buffer,
                                      gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark" : "Adwaita"));
  set_background (self, "added", "paragraph-background", "#dcf5e3", "#16341e");
  set_background (self, "removed", "paragraph-background", "#fbe1e2", "#43191d");
  set_background (self, "changed", "paragraph-background", "#fdf3d4", "#3a2f12");
  set_background (self, "filler", "paragraph-background", "#ebebed", "#2b2b30");
  set_background (self, "added-word", "background", "#a6e5b7", "#26693a");
  set_background (self, "removed-word", "background", "#f7b5b8", "#8a2a32");
}

static GtkSourceLanguage *
onnx_text_language (void)
{
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  static gsize once;

  if (g_once_init_enter (&once))
    {
      gtk_source_language_manager_append_search_path (manager, "resource:///org/peephole/Peephole/language-specs");
      g_once_init_leave (&once, 1);
    }
  return gtk_source_language_manager_get_language (manager, "onnx-text");
}

/* Makes the buffer, without a text yet. */
static void
make_buffer (PhTextSide *self)
{
  static const char *const tags[] = { "added", "removed", "changed", "filler", "added-word", "removed-word" };

  self->buffer = gtk_source_buffer_new (NULL);
  gtk_source_buffer_set_language (self->buffer, onnx_text_language ());
  gtk_source_buffer_set_highlight_matching_brackets (self->buffer, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++)
    gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), tags[i], NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "hidden", "invisible", TRUE, NULL);
  follow_style (self);
}

/* --- contents --------------------------------------------------------------------------------------------------- */

static void
list_lines (PhTextSide *self, const PhTextDiff *diff, PhSide which)
{
  static const char signs[] = { [PH_ROW_SAME] = ' ', [PH_ROW_CHANGED] = '~', [PH_ROW_ADDED] = '+', [PH_ROW_REMOVED] = '-' };

  g_array_set_size (self->lines, which == PH_SIDE_BOTH ? diff->signs->len : diff->rows->len);
  for (guint r = 0; r < diff->rows->len; r++)
    {
      const PhTextRow *row = &g_array_index (diff->rows, PhTextRow, r);

      if (which != PH_SIDE_BOTH)
        {
          const int number = which == PH_SIDE_BEFORE ? row->before : row->after;
          g_array_index (self->lines, Line, r) = (Line) { number < 0 ? '.' : signs[row->kind], number + 1 };
          continue;
        }
      if (row->above >= 0)
        g_array_index (self->lines, Line, row->above) = (Line) { '-', row->before + 1 };
      if (row->below >= 0)
        g_array_index (self->lines, Line, row->below) = (Line) { row->kind == PH_ROW_SAME ? ' ' : '+', row->after + 1 };
    }
}

static void
apply (PhTextSide *self, const char *tag, guint from, guint end)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter a, b;

  gtk_text_buffer_get_iter_at_line (buffer, &a, (int) from);
  if ((int) end >= gtk_text_buffer_get_line_count (buffer))
    gtk_text_buffer_get_end_iter (buffer, &b);
  else
    gtk_text_buffer_get_iter_at_line (buffer, &b, (int) end);
  gtk_text_buffer_apply_tag_by_name (buffer, tag, &a, &b);
}

/* Marks the lines from @first to before @last, just inserted. */
static void
mark_lines (PhTextSide *self, guint first, guint last)
{
  const guint n = self->lines->len;
  guint line = first;

  while (line > 0 && ph_text_side_get_sign (self, line - 1) == ph_text_side_get_sign (self, first))
    line--;
  while (line < last)
    {
      const char sign = ph_text_side_get_sign (self, line);
      guint end = line + 1;

      while (end < n && ph_text_side_get_sign (self, end) == sign)
        end++;
      if (sign != ' ')
        apply (self,
               sign == '+'   ? "added"
               : sign == '-' ? "removed"
               : sign == '~' ? "changed"
                             : "filler",
               MAX (line, first), MIN (end, last));
      else if (self->changes_only)
        {
          const guint from = MAX (first, line > 0 ? line + CONTEXT : 0), to = MIN (last, end < n ? end - MIN (end, CONTEXT) : n);
          if (from < to)
            apply (self, "hidden", from, to);
        }
      line = end;
    }
}

/* Marks changed words. Marks are in the order of their rows, and so are the lines of either side. */
static void
mark_words (PhTextSide *self, guint last)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GArray *marks = self->diff->marks;

  for (guint after = 0; after < 2; after++)
    for (guint *i = &self->next_mark[after]; *i < marks->len; (*i)++)
      {
        const PhTextMark *mark = &g_array_index (marks, PhTextMark, *i);
        const PhTextRow *row = &g_array_index (self->diff->rows, PhTextRow, mark->row);
        const int line = self->which != PH_SIDE_BOTH ? (int) mark->row : after ? row->below : row->above;
        GtkTextIter a, b;

        if (mark->after != (gboolean) after || self->which == (after ? PH_SIDE_BEFORE : PH_SIDE_AFTER))
          continue;
        if (line >= (int) last)
          break;
        gtk_text_buffer_get_iter_at_line_offset (buffer, &a, line, (int) mark->start);
        gtk_text_buffer_get_iter_at_line_offset (buffer, &b, line, (int) mark->end);
        gtk_text_buffer_apply_tag_by_name (buffer, after ? "added-word" : "removed-word", &a, &b);
      }
}

static void
size_gutter (PhTextSide *self)
{
  g_autofree char *widest = g_strdup_printf ("%u  +", MAX (self->lines->len, 100));
  int width;

  gtk_source_gutter_renderer_text_measure (GTK_SOURCE_GUTTER_RENDERER_TEXT (self->numbers), widest, &width, NULL);
  gtk_widget_set_size_request (GTK_WIDGET (self->numbers), width + 12, -1);
}

static void
on_filled (guint from, guint end, gboolean done, gpointer data)
{
  PhTextSide *self = data;

  /* A text view measures new lines when it is allocated, or otherwise while it is drawn; under load nothing happens in between, and the
   * drawn text has a size that its parents do not know. */
  gtk_widget_queue_resize (GTK_WIDGET (self->view));
  mark_lines (self, from, end);
  mark_words (self, end);
  if (self->wanted >= 0 && (done || self->wanted + PAGE < (int) end))
    {
      const int line = self->wanted;

      self->wanted = -1;
      ph_text_side_go_to_line (self, line);
      g_signal_emit (self, filled, 0);
    }
}

/* A long buffer is replaced rather than emptied, which would be slow. */
static void
clear_buffer (PhTextSide *self)
{
  if (gtk_text_buffer_get_line_count (GTK_TEXT_BUFFER (self->buffer)) < MANY)
    {
      gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), "", 0);
      return;
    }
  GtkSourceBuffer *old = self->buffer;
  make_buffer (self);
  gtk_text_view_set_buffer (GTK_TEXT_VIEW (self->view), GTK_TEXT_BUFFER (self->buffer));
  ph_text_drain (GTK_TEXT_BUFFER (old));
}

void
ph_text_side_show (PhTextSide *self, const PhTextDiff *diff, PhSide which, gboolean changes_only)
{
  GtkTextIter start;

  g_return_if_fail (PH_IS_TEXT_SIDE (self));
  g_clear_pointer (&self->fill, ph_text_fill_free);
  g_array_set_size (self->lines, 0);
  clear_buffer (self);
  gtk_widget_queue_resize (GTK_WIDGET (self->view));
  self->diff = diff;
  self->which = which;
  self->changes_only = changes_only;
  self->next_mark[0] = self->next_mark[1] = 0;
  self->wanted = -1;
  if (!diff)
    return;
  const GString *text = which == PH_SIDE_BOTH ? diff->both : which == PH_SIDE_BEFORE ? diff->before : diff->after;
  list_lines (self, diff, which);
  gtk_source_buffer_set_highlight_syntax (self->buffer, self->lines->len <= LONG);
  self->fill = ph_text_fill_new (GTK_TEXT_BUFFER (self->buffer), text->str, on_filled, self);
  size_gutter (self);
  gtk_text_buffer_get_start_iter (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
}

gboolean
ph_text_side_is_filling (PhTextSide *self)
{
  return self->fill && !ph_text_fill_is_done (self->fill);
}

static void
on_query_number (GtkSourceGutterRenderer *renderer, GtkSourceGutterLines *lines, guint line, PhTextSide *self)
{
  const char sign = ph_text_side_get_sign (self, line);
  const char *shown = sign == '-' ? "−" : sign == '.' || sign == ' ' ? " " : sign == '+' ? "+" : "~";
  g_autofree char *text = line < self->lines->len && sign != '.'
                              ? g_strdup_printf ("%d %s", g_array_index (self->lines, Line, line).number, shown)
                              : g_strdup (" ");

  gtk_source_gutter_renderer_text_set_text (GTK_SOURCE_GUTTER_RENDERER_TEXT (renderer), text, -1);
}

/* --- moving ---------------------------------------------------------------------------------------------------------- */

int
ph_text_side_get_line (PhTextSide *self)
{
  GtkTextIter iter;

  if (self->wanted >= 0)
    return self->wanted;
  gtk_text_buffer_get_iter_at_mark (GTK_TEXT_BUFFER (self->buffer), &iter,
                                    gtk_text_buffer_get_insert (GTK_TEXT_BUFFER (self->buffer)));
  return gtk_text_iter_get_line (&iter);
}

void
ph_text_side_go_to_line (PhTextSide *self, int line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter;

  self->wanted = -1;
  if (ph_text_side_is_filling (self) && line + PAGE >= gtk_text_buffer_get_line_count (buffer))
    {
      self->wanted = line;
      return;
    }
  gtk_text_buffer_get_iter_at_line (buffer, &iter, line);
  gtk_text_buffer_place_cursor (buffer, &iter);
  /* Scrolls to the mark rather than the iter, since the lines above may not have their heights yet. */
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer), 0, TRUE, 0, 0.3);
}

gboolean
ph_text_side_is_in_sight (PhTextSide *self)
{
  GtkTextIter iter;
  GdkRectangle seen, line;

  if (self->wanted >= 0)
    return TRUE;
  gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (self->buffer), &iter, ph_text_side_get_line (self));
  gtk_text_view_get_visible_rect (GTK_TEXT_VIEW (self->view), &seen);
  gtk_text_view_get_iter_location (GTK_TEXT_VIEW (self->view), &iter, &line);
  return line.y >= seen.y && line.y + line.height <= seen.y + seen.height;
}

gboolean
ph_text_side_go_to_change (PhTextSide *self, int direction)
{
  int n = (int) self->lines->len, line = ph_text_side_get_line (self);

  /* Leaves the change at the cursor, then goes to the next one and to its start. */
  while (line >= 0 && line < n && ph_text_side_get_sign (self, (guint) line) != ' ')
    line += direction;
  while (line >= 0 && line < n && ph_text_side_get_sign (self, (guint) line) == ' ')
    line += direction;
  if (line < 0 || line >= n)
    return FALSE;
  while (direction < 0 && line > 0 && ph_text_side_get_sign (self, (guint) line - 1) != ' ')
    line--;
  ph_text_side_go_to_line (self, line);
  return TRUE;
}

/* Handles clicks in the capture phase, because the view uses those it sees to select text. */
static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, PhTextSide *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter from, to;

  if (gtk_text_buffer_get_has_selection (buffer))
    return;
  gtk_text_buffer_get_iter_at_mark (buffer, &from, gtk_text_buffer_get_insert (buffer));
  gtk_text_iter_set_line_offset (&from, 0);
  to = from;
  if (!gtk_text_iter_ends_line (&to))
    gtk_text_iter_forward_to_line_end (&to);
  g_autofree char *line = gtk_text_buffer_get_text (buffer, &from, &to, FALSE);
  g_signal_emit (self, line_clicked, 0, line, ph_text_side_get_sign (self, (guint) gtk_text_iter_get_line (&from)) == '-');
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

void
ph_text_side_set_follower (PhTextSide *self, gboolean follower)
{
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scrolled), GTK_POLICY_AUTOMATIC,
                                  follower ? GTK_POLICY_EXTERNAL : GTK_POLICY_AUTOMATIC);
}

GtkAdjustment *
ph_text_side_get_vadjustment (PhTextSide *self)
{
  return gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
}

GtkAdjustment *
ph_text_side_get_hadjustment (PhTextSide *self)
{
  return gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
}

GtkTextBuffer *
ph_text_side_get_buffer (PhTextSide *self)
{
  return GTK_TEXT_BUFFER (self->buffer);
}

static void
ph_text_side_dispose (GObject *object)
{
  PhTextSide *self = PH_TEXT_SIDE (object);

  g_clear_pointer (&self->fill, ph_text_fill_free);
  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  if (self->buffer)
    ph_text_drain (GTK_TEXT_BUFFER (g_steal_pointer (&self->buffer)));
  G_OBJECT_CLASS (ph_text_side_parent_class)->dispose (object);
}

static void
ph_text_side_finalize (GObject *object)
{
  g_array_unref (PH_TEXT_SIDE (object)->lines);
  G_OBJECT_CLASS (ph_text_side_parent_class)->finalize (object);
}

static void
ph_text_side_class_init (PhTextSideClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_text_side_dispose;
  G_OBJECT_CLASS (klass)->finalize = ph_text_side_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
  line_clicked = g_signal_new ("line-clicked", PH_TYPE_TEXT_SIDE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                               G_TYPE_STRING, G_TYPE_BOOLEAN);
  filled = g_signal_new ("filled", PH_TYPE_TEXT_SIDE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ph_text_side_init (PhTextSide *self)
{
  self->lines = g_array_new (FALSE, TRUE, sizeof (Line));
  self->wanted = -1;
  make_buffer (self);
  self->view = GTK_SOURCE_VIEW (gtk_source_view_new_with_buffer (self->buffer));
  g_object_set (self->view, "editable", FALSE, "monospace", TRUE, "top-margin", 4, "left-margin", 6, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("The graph as ONNX text"), -1);
  self->numbers = gtk_source_gutter_renderer_text_new ();
  gtk_source_gutter_renderer_set_xpad (self->numbers, 6);
  gtk_source_gutter_renderer_set_xalign (self->numbers, 1);
  g_signal_connect (self->numbers, "query-data", G_CALLBACK (on_query_number), self);
  GtkSourceGutter *gutter = gtk_source_view_get_gutter (self->view, GTK_TEXT_WINDOW_LEFT);
  gtk_source_gutter_insert (gutter, self->numbers, 10);
  /* A gutter marks the line under the pointer, even if the pane has become so low that the line is not drawn, which raises a critical
   * (GtkSourceView 5.6). So the gutter gets no events; a click beside a line is handled as a click on it. */
  gtk_widget_set_can_target (GTK_WIDGET (gutter), FALSE);

  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (click));

  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), GTK_WIDGET (self->view));
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (follow_style), self, G_CONNECT_SWAPPED);
}
