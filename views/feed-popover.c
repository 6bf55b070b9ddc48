/* feed-popover.c: an entry for the argument of `feed`: a number, a tensor, random with a seed, or a file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/feed-popover.h"

#include <glib/gi18n.h>

#include "core/scene/short-type.h"
#include "core/tensor/tensor.h"
#include "views/access-names.h"
#include "views/context-menu.h"

#define SHORT 16 /* elements of a value that can be edited */

typedef struct
{
  PhConsole *console;
  char *input;
  GtkWidget *popover, *entry, *message;
} Feed;

static void
feed_free (Feed *feed)
{
  g_object_unref (feed->console);
  g_free (feed->input);
  g_free (feed);
}

static void
on_fed (GObject *console, GAsyncResult *result, gpointer data)
{
  g_autoptr (GtkWidget) popover = data;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);
  Feed *feed = g_object_get_data (G_OBJECT (popover), "feed");

  if (!gtk_widget_get_parent (popover))
    return;
  if (!reply || reply->ok)
    {
      gtk_popover_popdown (GTK_POPOVER (popover));
      return;
    }
  g_autofree char *problem = ph_reply_problem (reply, NULL);
  gtk_widget_add_css_class (feed->entry, "error");
  gtk_label_set_text (GTK_LABEL (feed->message), problem ? problem : "");
  gtk_widget_set_visible (feed->message, problem != NULL);
}

static void
on_activate (GtkEntry *entry, Feed *feed)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));

  if (!*text)
    return;
  g_autofree char *name = g_shell_quote (feed->input), *line = g_strdup_printf ("feed %s %s", name, text);
  gtk_widget_remove_css_class (feed->entry, "error");
  ph_console_run_async (feed->console, line, on_fed, g_object_ref (feed->popover));
}

const char *
ph_feed_example (const PhType *type)
{
  if (!type || !type->has_rank || type->rank > 0)
    return _ ("2.5, or [[1, 2], [3, 4]]");
  return ph_dtype_is_float (type->dtype) ? "2.5" : type->dtype == PH_BOOL ? "true" : "3";
}

char *
ph_feed_text (PhTensor *tensor)
{
  g_autofree char *text = tensor && ph_tensor_count (tensor) <= SHORT ? ph_tensor_to_string (tensor, SHORT) : NULL;
  char *start = text ? strchr (text, '{') : NULL, *end = text ? strrchr (text, '}') : NULL;

  if (!start || !end || ph_tensor_rank (tensor) > 1)
    return NULL;
  *end = '\0';
  return ph_tensor_rank (tensor) == 0 ? g_strdup (start + 1) : g_strdup_printf ("[%s]", start + 1);
}

static void
show (GtkWidget *widget, const GdkRectangle *at, PhConsole *console, const PhValue *input)
{
  g_autofree char *now = ph_feed_text (
      g_hash_table_lookup (ph_document_get_feeds (ph_console_get_document (console)), input->name));
  g_autofree char *type = ph_type_to_shown (input->type), *title = g_strdup_printf ("%s: %s", input->name, type);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *label = gtk_label_new (title), *hint = gtk_label_new (NULL);
  Feed *feed = g_new (Feed, 1);

  *feed = (Feed) { g_object_ref (console), g_strdup (input->name), gtk_popover_new (), gtk_entry_new (), gtk_label_new (NULL) };
  g_object_set_data_full (G_OBJECT (feed->popover), "feed", feed, (GDestroyNotify) feed_free);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  gtk_entry_set_placeholder_text (GTK_ENTRY (feed->entry), ph_feed_example (input->type));
  gtk_editable_set_text (GTK_EDITABLE (feed->entry), now ? now : "");
  ph_access_set_name (feed->entry, "%s", _ ("Values"));
  gtk_label_set_text (GTK_LABEL (hint), _ ("or “random 7”, a .npy or .pb file, “none”"));
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_widget_add_css_class (hint, "dim-label");
  gtk_widget_add_css_class (hint, "caption");
  gtk_label_set_wrap (GTK_LABEL (feed->message), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (feed->message), 36);
  gtk_label_set_xalign (GTK_LABEL (feed->message), 0);
  gtk_widget_add_css_class (feed->message, "error");
  gtk_widget_set_visible (feed->message, FALSE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), feed->entry);
  gtk_box_append (GTK_BOX (box), hint);
  gtk_box_append (GTK_BOX (box), feed->message);
  gtk_popover_set_child (GTK_POPOVER (feed->popover), box);
  g_signal_connect (feed->entry, "activate", G_CALLBACK (on_activate), feed);
  ph_access_set_name (feed->popover, _ ("Values for %s"), input->name);
  ph_context_popover_show (feed->popover, widget, at);
  gtk_widget_grab_focus (feed->entry);
}

static void
on_activated (PhGraphCanvas *canvas, guint id, PhConsole *console)
{
  PhModel *model = ph_document_get_model (ph_console_get_document (console));
  const PhValue *value = model ? ph_model_find_value (model, id) : NULL;
  GtkWidget *around = gtk_widget_get_parent (GTK_WIDGET (canvas));
  graphene_rect_t rect;
  double x, y;

  if (!value || !value->is_input || !ph_graph_canvas_node_rect (canvas, id, &rect))
    return;
  gtk_widget_translate_coordinates (GTK_WIDGET (canvas), around, rect.origin.x, rect.origin.y, &x, &y);
  show (around, &(GdkRectangle) { (int) x, (int) y, (int) rect.size.width, (int) rect.size.height }, console, value);
}

void
ph_feed_popover_attach (PhGraphCanvas *canvas, PhConsole *console)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (canvas) && PH_IS_CONSOLE (console));
  g_signal_connect_object (canvas, "node-activated", G_CALLBACK (on_activated), console, 0);
}
