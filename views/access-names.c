/* access-names.c: accessible names for widgets, derived from their visible labels and tooltips.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/access-names.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

void
ph_access_set_name (GtkWidget *widget, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *name = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* Names a widget by its tooltip without the keys: "Hide (Ctrl+F9)" becomes "Hide", since keys are announced separately. */
static void
name_by_tooltip (GtkWidget *widget)
{
  const char *text = gtk_widget_get_tooltip_text (widget);
  const char *end = text && g_str_has_suffix (text, ")") ? strrchr (text, '(') : NULL;

  if (text && *text)
    ph_access_set_name (widget, "%.*s", (int) (end && end > text ? end - text - 1 : (gssize) strlen (text)), text);
}

static gboolean
has_name (GtkWidget *widget)
{
  return gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
}

static gboolean
has_text (GtkWidget *widget)
{
  return (GTK_IS_BUTTON (widget) && gtk_button_get_label (GTK_BUTTON (widget)))
         || (GTK_IS_MENU_BUTTON (widget) && gtk_menu_button_get_label (GTK_MENU_BUTTON (widget)))
         || (GTK_IS_CHECK_BUTTON (widget) && gtk_check_button_get_label (GTK_CHECK_BUTTON (widget)));
}

static void
add_texts (GtkWidget *widget, GString *text)
{
  if (!gtk_widget_get_visible (widget))
    return;
  /* A verdict is a picture with a tooltip. */
  const char *says = GTK_IS_LABEL (widget)                                              ? gtk_label_get_text (GTK_LABEL (widget))
                     : GTK_IS_MENU_BUTTON (widget) && gtk_widget_get_sensitive (widget) ? gtk_widget_get_tooltip_text (widget)
                                                                                        : NULL;
  if (says && *says)
    g_string_append_printf (text, "%s%s", text->len ? ", " : "", says);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    add_texts (child, text);
}

/* Returns the name of an icon that a toolkit uses on a button without text. */
static const char *
name_of_icon (GtkWidget *widget)
{
  /* clang-format off */
  static const struct { const char *icon, *name; } icons[] = {
    { "window-close-symbolic", N_("Close") }, { "edit-find-symbolic", N_("Search") }, { "go-previous-symbolic", N_("Back") },
  };
  /* clang-format on */
  const char *icon = GTK_IS_BUTTON (widget) ? gtk_button_get_icon_name (GTK_BUTTON (widget)) : NULL;

  for (guint i = 0; icon && i < G_N_ELEMENTS (icons); i++)
    if (g_str_equal (icons[i].icon, icon))
      return _ (icons[i].name);
  return NULL;
}

/* Names the menu of a menu button and, if it has a text of its own, the button, whose name would otherwise be GtkMenuButton. */
static void
name_menu (GtkWidget *widget)
{
  GtkPopover *popover = gtk_menu_button_get_popover (GTK_MENU_BUTTON (widget));
  const char *label = gtk_menu_button_get_label (GTK_MENU_BUTTON (widget)), *tooltip = gtk_widget_get_tooltip_text (widget);
  const char *name = label && *label ? label : tooltip;

  if (label && *label)
    ph_access_set_name (widget, "%s", label);
  if (popover && name && *name)
    ph_access_set_name (GTK_WIDGET (popover), "%s", name);
}

/* Names widgets in dialogs of the toolkit: an image above a label like the label, and a text page like its dialog. */
static void
name_in_dialog (GtkWidget *widget)
{
  GtkWidget *next = gtk_widget_get_next_sibling (widget), *root = GTK_WIDGET (gtk_widget_get_root (widget));

  if (!GTK_IS_WINDOW (root) || !gtk_window_get_transient_for (GTK_WINDOW (root)) || has_name (widget))
    return;
  if (GTK_IS_IMAGE (widget) && GTK_IS_LABEL (next))
    ph_access_set_name (widget, "%s", gtk_label_get_text (GTK_LABEL (next)));
  if (GTK_IS_TEXT_VIEW (widget) && gtk_window_get_title (GTK_WINDOW (root)))
    ph_access_set_name (widget, "%s", gtk_window_get_title (GTK_WINDOW (root)));
}

static void
name_widget (GtkWidget *widget)
{
  gboolean is_button = GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || GTK_IS_CHECK_BUTTON (widget)
                       || GTK_IS_SWITCH (widget);

  /* GTK takes the mnemonic's underscore as part of the label; the default is the label without it. */
  if (GTK_IS_BUTTON (widget) && has_text (widget) && gtk_button_get_use_underline (GTK_BUTTON (widget)))
    gtk_accessible_reset_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
  else if (is_button && !has_text (widget) && !has_name (widget))
    {
      g_autoptr (GString) text = g_string_new (NULL);
      const char *icon = name_of_icon (widget);

      /* The icon of a title bar's button is internal to GTK and has no name. */
      if (!icon && gtk_widget_has_css_class (widget, "close"))
        icon = _ ("Close");
      if (icon && !gtk_widget_get_tooltip_text (widget))
        gtk_widget_set_tooltip_text (widget, icon);
      if (!gtk_widget_get_tooltip_text (widget) && GTK_IS_BUTTON (widget) && !GTK_IS_MENU_BUTTON (gtk_widget_get_parent (widget)))
        add_texts (widget, text);
      if (text->len)
        ph_access_set_name (widget, "%s", text->str);
      name_by_tooltip (widget);
      g_signal_connect (widget, "notify::tooltip-text", G_CALLBACK (name_by_tooltip), NULL);
    }
  /* As for a button, without the mnemonic's underscore. */
  if (GTK_IS_STACK_SWITCHER (gtk_widget_get_parent (widget)))
    {
      g_autoptr (GString) text = g_string_new (NULL);

      add_texts (widget, text);
      if (text->len)
        ph_access_set_name (widget, "%s", text->str);
    }
  if (GTK_IS_MENU_BUTTON (widget))
    {
      static const char *const signals[] = { "notify::label", "notify::popover", "notify::tooltip-text" };
      const gboolean watched = g_signal_handler_find (widget, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, (gpointer) name_menu, NULL) != 0;

      name_menu (widget);
      for (guint i = 0; i < G_N_ELEMENTS (signals) && !watched; i++)
        g_signal_connect (widget, signals[i], G_CALLBACK (name_menu), NULL);
    }
  else if (GTK_IS_LIST_BOX (widget) && !has_name (widget) && gtk_widget_get_ancestor (widget, ADW_TYPE_PREFERENCES_GROUP))
    ph_access_set_name (widget, "%s", _ ("Options"));
  else if (GTK_IS_EDITABLE (widget) && !GTK_IS_TEXT (widget) && !has_name (widget)
           && g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "placeholder-text"))
    {
      g_autofree char *text = NULL;
      g_object_get (widget, "placeholder-text", &text, NULL);
      if ((text && *text) || GTK_IS_SEARCH_ENTRY (widget))
        ph_access_set_name (widget, "%s", text && *text ? text : _ ("Search"));
    }
}

void
ph_access_name_all (GtkWidget *root)
{
  name_widget (root);
  name_in_dialog (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    ph_access_name_all (child);
}

void
ph_access_name_row (GtkWidget *content)
{
  GtkWidget *row = gtk_widget_get_parent (content);
  g_autoptr (GString) text = g_string_new (NULL);

  if (!row)
    return;
  add_texts (content, text);
  ph_access_set_name (row, "%s", text->str);
}

static gboolean
on_list_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state)
{
  GtkWidget *list = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));
  const GdkModifierType held = state & gtk_accelerator_get_default_mod_mask ();
  const gboolean back = key == GDK_KEY_ISO_Left_Tab || (key == GDK_KEY_Tab && held == GDK_SHIFT_MASK);

  if (!back && (key != GDK_KEY_Tab || held != 0))
    return GDK_EVENT_PROPAGATE;
  gtk_widget_set_can_focus (list, FALSE);
  g_signal_emit_by_name (list, "move-focus", back ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
  gtk_widget_set_can_focus (list, TRUE);
  return GDK_EVENT_STOP;
}

void
ph_access_tab_leaves (GtkWidget *list)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_list_key), NULL);
  gtk_widget_add_controller (list, keys);
}
