/* bottom-pane.c: the pane below the graph: console, text, source, traces, values, roofline, problems.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/bottom-pane.h"

#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/adjoint-pane.h"
#include "views/along-pane.h"
#include "views/execution-pane.h"
#include "views/problems-pane.h"
#include "views/roofline-pane.h"
#include "views/source-pane.h"
#include "views/text-pane.h"

struct _PhBottomPane
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkStack *stack;
  GtkStackPage *problems_page;
  PhConsolePane *console_pane;
  PhTextPane *text_pane;
  PhSourcePane *source_pane;
  PhAdjointPane *adjoint_pane;
  PhAlongPane *along_pane;
  PhExecutionPane *execution_pane;
  PhRooflinePane *roofline_pane;
  PhProblemsPane *problems_pane;
  PhConsole *console;   /* (nullable) */
  PhDocument *document; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PhBottomPane, ph_bottom_pane, GTK_TYPE_WIDGET)

static void
on_problems_changed (PhBottomPane *self)
{
  GPtrArray *problems = self->document ? ph_document_get_problems (self->document) : NULL;
  guint n = problems ? problems->len : 0;
  g_autofree char *title = n ? g_strdup_printf (_ ("Problems (%u)"), n) : g_strdup (_ ("Problems"));

  gtk_stack_page_set_title (self->problems_page, title);
  gtk_stack_page_set_needs_attention (self->problems_page, n > 0);
}

static void
on_view (PhBottomPane *self, PhViewField field, PhViewState *view)
{
  if (field == PH_VIEW_PAGE)
    gtk_stack_set_visible_child_name (self->stack, ph_view_state_word (view, PH_VIEW_PAGE));
}

/* Shows the page whose name was clicked. */
static void
on_page (PhBottomPane *self)
{
  const char *page = gtk_stack_get_visible_child_name (self->stack);
  g_autofree char *line = g_strdup_printf ("view page %s", page);

  if (self->document && !g_str_equal (page, ph_view_state_word (ph_document_get_view (self->document), PH_VIEW_PAGE)))
    ph_console_look (self->console, line);
}

static void
forget_document (PhBottomPane *self)
{
  if (self->document)
    {
      g_signal_handlers_disconnect_by_data (ph_document_get_view (self->document), self);
      g_signal_handlers_disconnect_by_data (self->document, self);
    }
  g_clear_object (&self->document);
}

void
ph_bottom_pane_set_console (PhBottomPane *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_BOTTOM_PANE (self));

  forget_document (self);
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console ? ph_console_get_document (console) : NULL));
  if (self->document)
    {
      g_signal_connect_swapped (ph_document_get_view (self->document), "changed", G_CALLBACK (on_view), self);
      on_view (self, PH_VIEW_PAGE, ph_document_get_view (self->document));
      g_signal_connect_swapped (self->document, "problems-changed", G_CALLBACK (on_problems_changed), self);
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_problems_changed), self);
    }
  ph_console_pane_set_console (self->console_pane, console);
  ph_text_pane_set_document (self->text_pane, self->document);
  ph_source_pane_set_console (self->source_pane, console);
  ph_adjoint_pane_set_document (self->adjoint_pane, self->document);
  ph_execution_pane_set_console (self->execution_pane, console);
  ph_along_pane_set_console (self->along_pane, console);
  ph_roofline_pane_set_console (self->roofline_pane, console);
  ph_problems_pane_set_console (self->problems_pane, console);
  on_problems_changed (self);
}

PhConsolePane *
ph_bottom_pane_get_console_pane (PhBottomPane *self)
{
  return self->console_pane;
}

static void
ph_bottom_pane_dispose (GObject *object)
{
  PhBottomPane *self = PH_BOTTOM_PANE (object);

  forget_document (self);
  g_clear_object (&self->console);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_BOTTOM_PANE);
  G_OBJECT_CLASS (ph_bottom_pane_parent_class)->dispose (object);
}

static void
ph_bottom_pane_class_init (PhBottomPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (PH_TYPE_CONSOLE_PANE);
  g_type_ensure (PH_TYPE_TEXT_PANE);
  g_type_ensure (PH_TYPE_SOURCE_PANE);
  g_type_ensure (PH_TYPE_ADJOINT_PANE);
  g_type_ensure (PH_TYPE_ALONG_PANE);
  g_type_ensure (PH_TYPE_EXECUTION_PANE);
  g_type_ensure (PH_TYPE_ROOFLINE_PANE);
  g_type_ensure (PH_TYPE_PROBLEMS_PANE);
  G_OBJECT_CLASS (klass)->dispose = ph_bottom_pane_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/bottom-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, stack);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, problems_page);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, console_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, text_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, source_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, adjoint_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, along_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, execution_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, roofline_pane);
  gtk_widget_class_bind_template_child (widget_class, PhBottomPane, problems_pane);
}

static void
ph_bottom_pane_init (PhBottomPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->stack, "notify::visible-child-name", G_CALLBACK (on_page), self, G_CONNECT_SWAPPED);
  ph_access_set_name (GTK_WIDGET (self), "%s", _ ("Bottom Pane"));
}
