/* palette.c: a searchable list of all commands, and of steps that changed something. Any other text runs as a line of the console.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/palette.h"

#include <glib/gi18n.h>

#include "app/actions.h"
#include "core/fuzzy.h"
#include "views/access-names.h"
#include "views/list-drag.h"
#include "views/whole-layout.h"

struct _PhPalette
{
  GtkPopover parent_instance;
  PhWindow *window;  /* (unowned) its parent              */
  GtkWidget *before; /* (nullable) had the keyboard before */
  GtkSearchEntry *entry;
  GtkListView *list;
  GtkWidget *notice; /* why the chosen action is disabled    */
  GtkLabel *reason;
  GtkStringList *names; /* of the actions that fit, and lines of the console that go to a step; best first */
  GtkSingleSelection *selection;
};

G_DEFINE_FINAL_TYPE (PhPalette, ph_palette, GTK_TYPE_POPOVER)

/* Titles carry mnemonics for the menus. */
static char *
plain_title (const char *title)
{
  g_auto (GStrv) parts = g_strsplit (title, "_", -1);
  return g_strjoinv ("", parts);
}

#define GO_TO "goto "

typedef struct
{
  char *name;
  int score;
} Ranked;

static void
ranked_clear (gpointer ranked)
{
  g_free (((Ranked *) ranked)->name);
}

/* Returns the step that a row goes to, or NULL if it is no such row. */
static const PhStep *
step_of (PhPalette *self, const char *name, guint *index)
{
  PhHistory *history = ph_document_get_history (ph_document_view_get_document (ph_window_get_view (self->window)));
  guint number = g_str_has_prefix (name, GO_TO) ? (guint) g_ascii_strtoull (name + strlen (GO_TO), NULL, 10) : 0;

  if (index)
    *index = number;
  return history && number > 0 && number <= history->steps->len ? &g_array_index (history->steps, PhStep, number - 1) : NULL;
}

/* Ranks steps only for a search text: they would push the commands out of an empty search. */
static void
rank_steps (PhPalette *self, const char *typed, GArray *ranked)
{
  PhHistory *history = ph_document_get_history (ph_document_view_get_document (ph_window_get_view (self->window)));

  for (guint s = 0; *typed && history && s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      const int score = step->n_rewrites > 0 ? ph_fuzzy_score (typed, step->pass) : 0;

      if (score > 0)
        g_array_append_val (ranked, ((Ranked) { g_strdup_printf (GO_TO "%u", s + 1), score }));
    }
}

static int
best_first (gconstpointer a, gconstpointer b)
{
  return ((const Ranked *) b)->score - ((const Ranked *) a)->score;
}

/* Actions that are unavailable now keep their place, so that the same letters always find the same command. */
static void
on_changed (PhPalette *self)
{
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_autoptr (GArray) ranked = g_array_new (FALSE, FALSE, sizeof (Ranked));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint n;
  const PhAction *actions = ph_action_list (&n);

  g_array_set_clear_func (ranked, ranked_clear);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = plain_title (actions[i].title);
      const char *name = strchr (actions[i].action, '.') + 1;
      int score = MAX (ph_fuzzy_score (typed, title), ph_fuzzy_score (typed, name) * 3 / 4);
      if (score == 0 && actions[i].summary)
        score = ph_fuzzy_score (typed, actions[i].summary) / 8;
      if (score > 0 && !g_str_equal (actions[i].action, "win.palette"))
        g_array_append_val (ranked, ((Ranked) { g_strdup (actions[i].action), score }));
    }
  rank_steps (self, typed, ranked);
  if (*typed)
    g_array_sort (ranked, best_first);
  for (guint i = 0; i < ranked->len; i++)
    g_ptr_array_add (names, g_array_index (ranked, Ranked, i).name);
  g_ptr_array_add (names, NULL);
  gtk_string_list_splice (self->names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->names)),
                          (const char *const *) names->pdata);
  gtk_single_selection_set_selected (self->selection, 0);
  gtk_widget_set_visible (self->notice, FALSE);
}

/* Returns the focus to its previous widget, before an action moves it. */
static void
close_palette (PhPalette *self)
{
  GtkWidget *before = self->before;

  gtk_popover_popdown (GTK_POPOVER (self));
  if (before && gtk_widget_get_mapped (before))
    gtk_widget_grab_focus (before);
}

static gboolean
drop_later (gpointer self)
{
  gtk_widget_unparent (self);
  return G_SOURCE_REMOVE;
}

static void
on_closed (PhPalette *self)
{
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, drop_later, g_object_ref (self), g_object_unref);
}

/* Runs the action, or shows why it is disabled. */
static void
run_action (PhPalette *self, const char *name)
{
  const gboolean is_line = g_str_has_prefix (name, GO_TO);
  const char *why_off = is_line ? NULL : ph_window_why_off (self->window, name);

  gtk_widget_set_visible (self->notice, why_off != NULL);
  if (why_off)
    {
      gtk_label_set_text (self->reason, why_off);
      return;
    }
  g_autoptr (GtkWidget) window = g_object_ref (GTK_WIDGET (self->window));
  g_autofree char *action = g_strdup (name);

  close_palette (self);
  if (is_line)
    ph_window_run (PH_WINDOW (window), "%s", action);
  else
    {
      g_autoptr (GVariant) target = NULL;
      g_autofree char *plain = NULL;

      if (g_action_parse_detailed_name (action, &plain, &target, NULL))
        gtk_widget_activate_action_variant (window, plain, target);
    }
}

static void
on_activate (PhPalette *self, guint position)
{
  g_autoptr (GtkStringObject) item = g_list_model_get_item (G_LIST_MODEL (self->names), position);

  if (item)
    run_action (self, gtk_string_object_get_string (item));
}

static void
on_entry_activate (PhPalette *self)
{
  GtkStringObject *item = gtk_single_selection_get_selected_item (self->selection);
  g_autofree char *line = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))));

  if (item)
    run_action (self, gtk_string_object_get_string (item));
  else if (*line)
    {
      g_autoptr (PhWindow) window = g_object_ref (self->window);
      close_palette (self);
      ph_window_show_bottom (window, "console");
      ph_window_run (window, "%s", line);
    }
}

static void
on_stop (PhPalette *self)
{
  close_palette (self);
}

/* Up and Down move in the list while the entry keeps the focus. */
static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhPalette *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->names)), selected = gtk_single_selection_get_selected (self->selection);
  int move = key == GDK_KEY_Down ? 1 : key == GDK_KEY_Up ? -1 : key == GDK_KEY_Page_Down ? 8 : key == GDK_KEY_Page_Up ? -8 : 0;

  if (move == 0 || n == 0)
    return GDK_EVENT_PROPAGATE;
  selected = (guint) CLAMP ((int) selected + move, 0, (int) n - 1);
  gtk_single_selection_set_selected (self->selection, selected);
  gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", selected);
  return GDK_EVENT_STOP;
}

static void
on_click (GtkListItem *item, int n, double x, double y, GtkGesture *click)
{
  PhPalette *self = PH_PALETTE (gtk_widget_get_ancestor (gtk_list_item_get_child (item), PH_TYPE_PALETTE));

  gtk_single_selection_set_selected (self->selection, gtk_list_item_get_position (item));
  run_action (self, gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

/* With activation by a single click, a list would also select the row that moves under the pointer during typing. */
static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *icon = gtk_image_new (), *title = gtk_label_new (NULL), *summary = gtk_label_new (NULL);
  GtkWidget *shortcut = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_xalign (GTK_LABEL (summary), 0);
  gtk_label_set_ellipsize (GTK_LABEL (summary), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (summary, "caption");
  gtk_widget_add_css_class (summary, "dim-label");
  gtk_widget_add_css_class (shortcut, "shortcut");
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (shortcut, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (text), title);
  gtk_box_append (GTK_BOX (text), summary);
  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), shortcut);
  g_signal_connect_swapped (click, "released", G_CALLBACK (on_click), item);
  gtk_widget_add_controller (box, GTK_EVENT_CONTROLLER (click));
  gtk_list_item_set_child (item, box);
}

static void
bind_step (GtkImage *icon, GtkLabel *title, GtkLabel *summary, const PhStep *step, guint number)
{
  g_autofree char *text = g_strdup_printf (_ ("Go to %s"), step->pass);
  g_autofree char *below = g_strdup_printf (ngettext ("Step %u, %u rewrite", "Step %u, %u rewrites", step->n_rewrites), number,
                                            step->n_rewrites);

  gtk_image_set_from_icon_name (icon, "go-jump-symbolic");
  gtk_label_set_text (title, text);
  gtk_label_set_text (summary, below);
  gtk_widget_set_visible (GTK_WIDGET (summary), TRUE);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, PhPalette *self)
{
  const char *name = gtk_string_object_get_string (gtk_list_item_get_item (item));
  GtkWidget *icon = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkWidget *text = gtk_widget_get_next_sibling (icon), *shortcut = gtk_widget_get_next_sibling (text);
  GtkWidget *title = gtk_widget_get_first_child (text), *summary = gtk_widget_get_next_sibling (title);
  guint number;
  const PhStep *step = step_of (self, name, &number);
  const PhAction *action = step ? NULL : ph_action_find (name);

  for (GtkWidget *part = icon; part; part = gtk_widget_get_next_sibling (part))
    gtk_widget_set_sensitive (part, !action || !ph_window_why_off (self->window, name));
  if (step)
    bind_step (GTK_IMAGE (icon), GTK_LABEL (title), GTK_LABEL (summary), step, number);
  if (!action)
    {
      gtk_label_set_text (GTK_LABEL (shortcut), "");
      gtk_widget_add_css_class (summary, "dim-label");
      ph_access_name_row (gtk_list_item_get_child (item));
      return;
    }
  g_autofree char *plain = plain_title (action->title);
  g_auto (GStrv) keys = g_strsplit (action->shortcut ? action->shortcut : "", "|", 2);

  gtk_image_set_from_icon_name (GTK_IMAGE (icon), action->icon ? action->icon : "system-run-symbolic");
  gtk_label_set_text (GTK_LABEL (title), plain);
  const char *why_off = ph_window_why_off (self->window, action->action), *below = why_off ? why_off : action->summary;
  gtk_label_set_text (GTK_LABEL (summary), below ? below : "");
  gtk_widget_set_visible (summary, below != NULL);
  /* The label is not dimmed twice, so that the reason stays readable. */
  (why_off ? gtk_widget_remove_css_class : gtk_widget_add_css_class) (summary, "dim-label");
  guint key = 0;
  GdkModifierType modifiers;
  g_autofree char *label = keys[0] && gtk_accelerator_parse (keys[0], &key, &modifiers)
                               ? gtk_accelerator_get_label (key, modifiers)
                               : NULL;
  gtk_label_set_text (GTK_LABEL (shortcut), label ? label : "");
  ph_access_name_row (gtk_list_item_get_child (item));
}

static void
ph_palette_dispose (GObject *object)
{
  PhPalette *self = PH_PALETTE (object);

  g_clear_weak_pointer (&self->before);
  gtk_popover_set_child (GTK_POPOVER (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_PALETTE);
  g_clear_object (&self->names);
  g_clear_object (&self->selection);
  G_OBJECT_CLASS (ph_palette_parent_class)->dispose (object);
}

static void
ph_palette_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ph_whole_layout (widget);
  GTK_WIDGET_CLASS (ph_palette_parent_class)->size_allocate (widget, width, height, baseline);
}

static void
ph_palette_class_init (PhPaletteClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_palette_dispose;
  widget_class->size_allocate = ph_palette_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_DIALOG);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/palette.ui");
  gtk_widget_class_bind_template_child (widget_class, PhPalette, entry);
  gtk_widget_class_bind_template_child (widget_class, PhPalette, list);
  gtk_widget_class_bind_template_child (widget_class, PhPalette, notice);
  gtk_widget_class_bind_template_child (widget_class, PhPalette, reason);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_entry_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
ph_palette_init (PhPalette *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  ph_access_set_name (GTK_WIDGET (self), "%s", _ ("Commands"));
  ph_access_name_all (GTK_WIDGET (self));
  g_signal_connect (self, "closed", G_CALLBACK (on_closed), NULL);
  self->names = gtk_string_list_new (NULL);
  self->selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->names)));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  gtk_list_view_set_factory (self->list, factory);
  ph_list_lies_still (self->list);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));

  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

void
ph_palette_present (PhWindow *window)
{
  PhPalette *self = g_object_new (PH_TYPE_PALETTE, NULL);
  GtkWidget *content = gtk_widget_get_first_child (adw_application_window_get_content (ADW_APPLICATION_WINDOW (window)));
  GtkWidget *header = gtk_widget_get_first_child (content);

  for (GtkWidget *child = gtk_widget_get_first_child (content); child; child = gtk_widget_get_next_sibling (child))
    if (PH_IS_PALETTE (child) && gtk_widget_get_visible (child))
      {
        g_object_ref_sink (self);
        g_object_unref (self);
        return;
      }
  self->window = window;
  g_set_weak_pointer (&self->before, gtk_window_get_focus (GTK_WINDOW (window)));
  gtk_widget_set_parent (GTK_WIDGET (self), content);
  gtk_popover_set_pointing_to (GTK_POPOVER (self),
                               &(GdkRectangle) { gtk_widget_get_width (content) / 2, gtk_widget_get_height (header), 1, 1 });
  on_changed (self);
  gtk_popover_popup (GTK_POPOVER (self));
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}
