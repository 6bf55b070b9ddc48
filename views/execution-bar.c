/* execution-bar.c: the last node of a run and its results, and buttons to the next node, the next iteration, and back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/execution-bar.h"

#include <glib/gi18n.h>

#include "core/document/adjoint.h"
#include "views/access-names.h"
#include "views/tooltip.h"

struct _PhExecutionBar
{
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkLabel *title;
  GtkWidget *buttons[6];
  PhConsole *console; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PhExecutionBar, ph_execution_bar, GTK_TYPE_WIDGET)

enum
{
  START,
  BACK,
  NEXT,
  TURN,
  END,
  STOP
};

/* clang-format off */
static const struct { const char *line, *icon, *tooltip; } ways[] = {
  [START] = { "exec start", "go-first-symbolic", N_ ("Before the first node") },
  [BACK] = { "exec back", "go-previous-symbolic", N_ ("A node back (,)") },
  [NEXT] = { "exec next", "go-next-symbolic", N_ ("The next node (.)") },
  [TURN] = { "exec turn", "view-refresh-symbolic", N_ ("The next turn of the loop") },
  [END] = { "exec end", "go-last-symbolic", N_ ("To the end") },
  [STOP] = { "exec stop", "window-close-symbolic", N_ ("Stop walking through the run") },
};
/* clang-format on */

static void
on_clicked (GtkButton *button, PhExecutionBar *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (self->buttons[i] == GTK_WIDGET (button) && self->console)
      ph_console_run_async (self->console, ways[i].line, NULL, NULL);
}

/* "3 of 5: Sin sin_1 = -0.959, turn 2" (transfer full) */
static char *
describe (const PhExecution *execution, guint at, PhModel *model)
{
  const PhExecutionEvent *event = at > 0 ? execution->events->pdata[at - 1] : NULL;
  GString *text = g_string_new (NULL);

  if (!event)
    {
      g_string_printf (text, ngettext ("%u node to run", "%u nodes to run", execution->events->len), execution->events->len);
      return g_string_free (text, FALSE);
    }
  g_string_printf (text, _ ("%u of %u: %s %s"), at, execution->events->len, event->op_type,
                   g_str_equal (event->name, event->op_type) ? "" : event->name);
  g_strchomp (text->str);
  text->len = strlen (text->str);
  if (event->n_outputs > 0 && event->tensors[0])
    {
      g_autofree char *value = ph_adjoint_text (event->tensors[0], ph_type_of_tensor (event->tensors[0]));
      g_string_append_printf (text, " = %s", value);
    }
  if (ph_execution_turn (execution, at - 1, model) > 0)
    g_string_append_printf (text, _ (", turn %u"), ph_execution_turn (execution, at - 1, model));
  return g_string_free (text, FALSE);
}

static void
update (PhExecutionBar *self)
{
  guint at;
  PhExecution *execution = ph_document_get_execution (ph_console_get_document (self->console), &at);
  gboolean bodies = FALSE;

  gtk_revealer_set_reveal_child (self->revealer, execution != NULL);
  if (!execution)
    return;
  g_autofree char *text = describe (execution, at, ph_document_get_model (ph_console_get_document (self->console)));
  gtk_label_set_text (self->title, text);
  for (guint i = at; i < execution->events->len && !bodies; i++)
    bodies = ((PhExecutionEvent *) execution->events->pdata[i])->depth > 0;
  gtk_widget_set_sensitive (self->buttons[START], at > 0);
  gtk_widget_set_sensitive (self->buttons[BACK], at > 0);
  gtk_widget_set_sensitive (self->buttons[NEXT], at < execution->events->len);
  gtk_widget_set_sensitive (self->buttons[TURN], bodies);
  gtk_widget_set_sensitive (self->buttons[END], at < execution->events->len);
}

void
ph_execution_bar_set_console (PhExecutionBar *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_EXECUTION_BAR (self) && !self->console);
  self->console = g_object_ref (console);
  g_signal_connect_object (ph_console_get_document (console), "execution-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

static void
ph_execution_bar_dispose (GObject *object)
{
  PhExecutionBar *self = PH_EXECUTION_BAR (object);

  g_clear_object (&self->console);
  g_clear_pointer ((GtkWidget **) &self->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (ph_execution_bar_parent_class)->dispose (object);
}

static void
ph_execution_bar_class_init (PhExecutionBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_execution_bar_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
ph_execution_bar_init (PhExecutionBar *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->revealer = GTK_REVEALER (gtk_revealer_new ());
  self->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->title, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (self->title), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "numeric");
  gtk_widget_add_css_class (box, "part-bar");
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      GtkWidget *button = self->buttons[i] = gtk_button_new_from_icon_name (ways[i].icon);

      gtk_widget_add_css_class (button, "flat");
      ph_access_set_name (button, "%s", _ (ways[i].tooltip));
      ph_tooltip_set (button, _ (ways[i].tooltip));
      g_signal_connect (button, "clicked", G_CALLBACK (on_clicked), self);
      if (i == STOP)
        gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->title));
      gtk_box_append (GTK_BOX (box), button);
    }
  gtk_revealer_set_child (self->revealer, box);
  gtk_widget_set_parent (GTK_WIDGET (self->revealer), GTK_WIDGET (self));
}
