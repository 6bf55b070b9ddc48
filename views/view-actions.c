/* view-actions.c: the actions "view.*" of a picture, from the table of its view.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/view-actions.h"

typedef struct
{
  PhConsole *console; /* owned */
  PhViewField field;
  PhViewAsk ask;
  gpointer owner;
} Binding;

static void
binding_free (gpointer data, GClosure *closure)
{
  Binding *binding = data;

  g_object_unref (binding->console);
  g_free (binding);
}

/* Returns TRUE for a switch, a setting with "on" and "off": "view.compact"; others take a word, "view.color::cost". */
static gboolean
is_switch (const PhViewRow *row)
{
  for (const PhViewWord *word = row->words; word->word; word++)
    if (g_str_equal (word->word, "on"))
      return TRUE;
  return FALSE;
}

char *
ph_view_action_name (const PhViewRow *row, const PhViewWord *word)
{
  return is_switch (row) ? g_strconcat ("view.", row->name, NULL) : g_strdup_printf ("view.%s::%s", row->name, word->word);
}

static void
on_activate (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Binding *binding = data;
  PhViewState *view = ph_document_get_view (ph_console_get_document (binding->console));
  const PhViewRow *row = ph_view_row (binding->field);
  const char *word = parameter                                    ? g_variant_get_string (parameter, NULL)
                     : ph_view_state_is_on (view, binding->field) ? "off"
                                                                  : "on";

  if (binding->ask (binding->owner, binding->field, word))
    return;
  g_autofree char *line = g_strdup_printf ("view %s %s", row->name, word);
  ph_console_look (binding->console, line);
}

static GVariant *
state_of (PhViewState *view, PhViewField field)
{
  return is_switch (ph_view_row (field)) ? g_variant_new_boolean (ph_view_state_is_on (view, field))
                                         : g_variant_new_string (ph_view_state_word (view, field));
}

static void
update (GSimpleActionGroup *group, PhViewState *view, PhViewField field)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (group), ph_view_row (field)->name);

  if (g_action_get_state_type (action))
    g_simple_action_set_state (G_SIMPLE_ACTION (action), state_of (view, field));
}

static void
on_changed (GSimpleActionGroup *group, PhViewField field, PhViewState *view)
{
  update (group, view, field);
}

/* The meaning of `group auto` depends on the model. */
static void
on_opened (GSimpleActionGroup *group, PhDocument *document)
{
  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    update (group, ph_document_get_view (document), field);
}

static void
add_action (GSimpleActionGroup *group, PhConsole *console, PhViewField field, PhViewAsk ask, gpointer owner)
{
  const PhViewRow *row = ph_view_row (field);
  PhViewState *view = ph_document_get_view (ph_console_get_document (console));
  const GVariantType *word = is_switch (row) ? NULL : G_VARIANT_TYPE_STRING;
  /* Settings about nodes have no value that a menu could mark. */
  g_autoptr (GSimpleAction) action = row->of_model ? g_simple_action_new (row->name, word)
                                                   : g_simple_action_new_stateful (row->name, word, state_of (view, field));
  Binding *binding = g_new (Binding, 1);

  *binding = (Binding) { g_object_ref (console), field, ask, owner };
  g_signal_connect_data (action, "activate", G_CALLBACK (on_activate), binding, binding_free, 0);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
}

GSimpleActionGroup *
ph_view_actions_new (PhConsole *console, PhViewAsk ask, gpointer owner)
{
  GSimpleActionGroup *group = g_simple_action_group_new ();
  PhDocument *document = ph_console_get_document (console);

  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    add_action (group, console, field, ask, owner);
  g_signal_connect_object (ph_document_get_view (document), "changed", G_CALLBACK (on_changed), group, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "opened", G_CALLBACK (on_opened), group, G_CONNECT_SWAPPED);
  return group;
}
