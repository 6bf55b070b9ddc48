/* start-page.c: the page of a tab without a model: opens files, recent files and examples.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/start-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/example-file.h"
#include "views/recent-files.h"
#include "views/thumbnail.h"

struct _PhStartPage
{
  GtkWidget parent_instance;
  GtkWidget *page;
  GtkFlowBox *recent, *examples;
  GtkWidget *recent_title, *examples_title;
};

G_DEFINE_FINAL_TYPE (PhStartPage, ph_start_page, GTK_TYPE_WIDGET)

/* The button gets the focus, not the cell around it, which would be a further stop of Tab. */
static void
add_choice (GtkFlowBox *box, GtkWidget *button)
{
  gtk_flow_box_append (box, button);
  gtk_widget_set_focusable (gtk_widget_get_parent (button), FALSE);
  ph_access_name_row (button);
}

/* Adds recent files; without any, the examples need no heading to set them apart. */
static void
add_recent (PhStartPage *self)
{
  g_autoptr (GPtrArray) files = ph_recent_files (4);

  for (guint i = 0; i < files->len; i++)
    {
      GtkWidget *button = gtk_button_new_with_label (gtk_recent_info_get_display_name (files->pdata[i]));
      g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (files->pdata[i]), NULL, NULL);
      g_autofree char *shown = path ? g_filename_display_name (path) : NULL;
      GtkLabel *label = GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button)));

      gtk_label_set_ellipsize (label, PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_max_width_chars (label, 24);
      gtk_widget_set_tooltip_text (button, shown);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.open-uri");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", gtk_recent_info_get_uri (files->pdata[i]));
      add_choice (self->recent, button);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->recent), files->len > 0);
  gtk_widget_set_visible (self->recent_title, files->len > 0);
  gtk_widget_set_visible (self->examples_title, files->len > 0);
}

static void
add_examples (PhStartPage *self)
{
  /* clang-format off */
  static const struct { const char *file, *title; } examples[] = {
    { "tour", N_("A Tour of the Passes") }, { "seed", N_("ln x₁ + x₁x₂ − sin x₂") }, { "linear-selu", N_("Linear and SeLU") },
    { "gemm-bias-relu", N_("MatMul, Bias, ReLU") }, { "mlp", N_("Perceptron of Three Layers") },
    { "conv-bn-relu", N_("Conv, BatchNorm, ReLU") }, { "inception", N_("Inception Module") }, { "cse", N_("Common Subexpression") },
    { "attention", N_("Attention Block") }, { "loop-branch", N_("Loop and Branch") },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autofree char *path = ph_example_find (examples[i].file);
      GtkWidget *button = gtk_button_new (), *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6),
                *label = gtk_label_new (_ (examples[i].title));

      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_box_append (GTK_BOX (content), ph_thumbnail_new (path));
      gtk_box_append (GTK_BOX (content), label);
      gtk_button_set_child (GTK_BUTTON (button), content);
      gtk_widget_add_css_class (button, "example");
      gtk_widget_add_css_class (button, "card");
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.example");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", examples[i].file);
      add_choice (self->examples, button);
      ph_access_set_name (button, "%s", _ (examples[i].title));
    }
}

static void
ph_start_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PH_TYPE_START_PAGE);
  G_OBJECT_CLASS (ph_start_page_parent_class)->dispose (object);
}

static void
ph_start_page_class_init (PhStartPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_start_page_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/start-page.ui");
  gtk_widget_class_bind_template_child (widget_class, PhStartPage, page);
  gtk_widget_class_bind_template_child (widget_class, PhStartPage, recent_title);
  gtk_widget_class_bind_template_child (widget_class, PhStartPage, recent);
  gtk_widget_class_bind_template_child (widget_class, PhStartPage, examples_title);
  gtk_widget_class_bind_template_child (widget_class, PhStartPage, examples);
}

static void
ph_start_page_init (PhStartPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_recent (self);
  add_examples (self);
}
