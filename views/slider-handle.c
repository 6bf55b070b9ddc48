/* slider-handle.c: one end of a history slider's range; takes the keyboard focus and reports its position to a screen reader.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/slider-handle.h"

struct _PhSliderHandle
{
  GtkWidget parent_instance;
};

G_DEFINE_FINAL_TYPE (PhSliderHandle, ph_slider_handle, GTK_TYPE_WIDGET)

static void
ph_slider_handle_class_init (PhSliderHandleClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "handle");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void
ph_slider_handle_init (PhSliderHandle *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
}

GtkWidget *
ph_slider_handle_new (const char *css_class, const char *label)
{
  GtkWidget *self = g_object_new (PH_TYPE_SLIDER_HANDLE, NULL);

  gtk_widget_add_css_class (self, css_class);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return self;
}
