/* frames.c: whatever is drawn has its place, in busy moments too. GTK warns of what has none, and does not draw it; a warning ends the test.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gtksourceview/gtksource.h>

#include "tests/ui/driver.h"
#include "views/text-side.h"
#include "views/whole-layout.h"

/* A frame comes before anything else is done, as with the pointer in motion: GTK measures new texts in quieter moments. */
static void
paint_at_once (GtkWidget *widget)
{
  gtk_widget_queue_draw (widget);
  gdk_frame_clock_request_phase (gtk_widget_get_frame_clock (widget), GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS);
  driver_pause (0.03);
}

/* --- a window that lays out what scrolls as a whole ---------------------------------------------------------------------- */

#define TYPE_FRAME (frame_get_type ())
G_DECLARE_FINAL_TYPE (Frame, frame, TEST, FRAME, GtkWindow)

struct _Frame
{
  GtkWindow parent_instance;
};

G_DEFINE_FINAL_TYPE (Frame, frame, GTK_TYPE_WINDOW)

static void
frame_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ph_whole_layout (widget);
  GTK_WIDGET_CLASS (frame_parent_class)->size_allocate (widget, width, height, baseline);
}

static void
frame_class_init (FrameClass *klass)
{
  GTK_WIDGET_CLASS (klass)->size_allocate = frame_size_allocate;
}

static void
frame_init (Frame *self)
{
}

/* A scrollbar comes while the text is given its place, and the box around it keeps its own. */
static void
test_scrollbar_in_layout (void)
{
  GtkWidget *window = g_object_new (TYPE_FRAME, "default-width", 300, "default-height", 200, NULL);
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *title = gtk_label_new ("one");
  GtkWidget *pane = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scrolled = gtk_scrolled_window_new (), *text = gtk_text_view_new ();
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (text));

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), text);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_paned_set_start_child (GTK_PANED (pane), box);
  gtk_paned_set_end_child (GTK_PANED (pane), gtk_label_new ("beside"));
  gtk_box_append (GTK_BOX (column), title);
  gtk_box_append (GTK_BOX (column), pane);
  gtk_window_set_child (GTK_WINDOW (window), column);
  gtk_window_present (GTK_WINDOW (window));
  driver_pause (0.1);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (GString) lines = g_string_new (NULL);
      for (int l = 0; l < 40 && i % 2 == 0; l++)
        g_string_append (lines, "a line that is longer than the window is wide\n");
      gtk_text_buffer_set_text (buffer, lines->str, -1);
      gtk_widget_queue_allocate (text);
      gtk_label_set_text (GTK_LABEL (title), i % 2 == 0 ? "a title of another size" : "one");
      paint_at_once (window);
    }
  gtk_window_destroy (GTK_WINDOW (window));
  driver_settle ();
}

/* --- texts ------------------------------------------------------------------------------------------------------------------ */

static void
check_tag (GtkTextTag *tag, gpointer n_coloured)
{
  static const char *const sized[] = { "weight-set", "style-set", "scale-set",         "size-set",
                                       "family-set", "rise-set",  "letter-spacing-set" };
  gboolean coloured, set;

  g_object_get (tag, "foreground-set", &coloured, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sized); i++)
    {
      g_object_get (tag, sized[i], &set, NULL);
      if (set)
        g_error ("A tag of the text sets %s", sized[i]);
    }
  *(guint *) n_coloured += coloured;
}

/* Letters are coloured while they are drawn: that may not change their size. */
static void
test_highlighting_has_no_size (void)
{
  const char *text
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y)\n{\n  y = Cast <to: int = 1> (x)  # one\n}\n";
  g_autoptr (PhTextSide) side = g_object_ref_sink (g_object_new (PH_TYPE_TEXT_SIDE, NULL));
  g_autoptr (PhTextDiff) diff = ph_text_diff_new (text, text);
  GtkTextBuffer *buffer = ph_text_side_get_buffer (side);
  GtkTextIter start, end;
  guint n_coloured = 0;

  ph_text_side_show (side, diff, PH_SIDE_BOTH, FALSE);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_source_buffer_ensure_highlight (GTK_SOURCE_BUFFER (buffer), &start, &end);
  gtk_text_tag_table_foreach (gtk_text_buffer_get_tag_table (buffer), check_tag, &n_coloured);
  g_assert_cmpuint (n_coloured, >=, 5);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/frames/scrollbar-in-layout", test_scrollbar_in_layout);
  g_test_add_func ("/frames/highlighting-has-no-size", test_highlighting_has_no_size);
  return driver_main ();
}
