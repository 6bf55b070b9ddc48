/* text-pane.c: the graph as ONNX text with the changes since another position marked, in one text or side by side.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/text-pane.h"

#include <glib/gi18n.h>
#include <string.h>

#include "core/discard.h"
#include "views/after-frame.h"
#include "views/change-strip.h"
#include "views/history-track.h"
#include "views/text-diff.h"

#define PROGRESS_AFTER_MS 300
#define MOST_FRAMES       120 /* in which a long text may determine its height */

struct _PhTextPane
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkLabel *summary;
  GtkWidget *progress; /* with a button that cancels */
  GtkSpinner *spinner;
  GtkToggleButton *changes_only;
  GtkToggleButton *split_button;
  PhTextSide *left, *right;
  GtkLabel *left_title, *right_title;
  GtkWidget *right_column;
  PhChangeStrip *strip;
  PhDocument *document;      /* (nullable) */
  PhTextDiff *diff;          /* (nullable) shown */
  GCancellable *cancellable; /* (nullable) of the diff being computed */
  guint progress_timer, mapped_idle;
  gboolean stale; /* the document changed while the pane was hidden */
  gboolean split, following;
  gboolean painting; /* a text measures new lines while it is drawn, and scrolls */
  guint follow_later;
  guint tick, frames;
};

enum
{
  PROP_0,
  PROP_SPLIT,
  N_PROPS
};
static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (PhTextPane, ph_text_pane, GTK_TYPE_WIDGET)

/* --- contents --------------------------------------------------------------------------------------------------- */

void
ph_text_pane_go_to_change (PhTextPane *self, int direction)
{
  g_return_if_fail (PH_IS_TEXT_PANE (self));
  if (ph_text_side_go_to_change (self->left, direction) && self->split)
    ph_text_side_go_to_line (self->right, ph_text_side_get_line (self->left));
}

static gboolean scroll_again (GtkWidget *widget, GdkFrameClock *clock, gpointer data);

/* Scrolls again once the texts have their heights, as nothing can be scrolled before. */
static void
watch_scroll (PhTextPane *self)
{
  if (self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_again, NULL, NULL);
  self->frames = 0;
}

static char *
summarize (PhTextPane *self)
{
  GString *text = g_string_new (NULL);

  if (!self->diff)
    return g_string_free (text, FALSE);
  if (self->diff->n_added + self->diff->n_removed + self->diff->n_changed == 0)
    g_string_append (text, _ ("No line differs"));
  else
    g_string_printf (text, _ ("Lines: %u added, %u removed, %u changed"), self->diff->n_added, self->diff->n_removed,
                     self->diff->n_changed);
  return g_string_free (text, FALSE);
}

static gboolean
scroll_again (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhTextPane *self = PH_TEXT_PANE (widget);

  if (++self->frames % 4 != 0)
    return G_SOURCE_CONTINUE;
  if (!ph_text_side_is_in_sight (self->left) && self->frames < MOST_FRAMES)
    {
      ph_text_side_go_to_line (self->left, ph_text_side_get_line (self->left));
      return G_SOURCE_CONTINUE;
    }
  self->tick = 0;
  return G_SOURCE_REMOVE;
}

static void
show_diff (PhTextPane *self)
{
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;
  const gboolean only = gtk_toggle_button_get_active (self->changes_only);
  g_autofree char *summary = summarize (self);

  gtk_label_set_text (self->summary, summary);
  gtk_widget_set_visible (self->right_column, self->split);
  ph_text_side_set_follower (self->left, self->split);
  gtk_widget_set_visible (GTK_WIDGET (self->left_title), self->split);
  if (history)
    {
      g_autofree char *before = ph_history_describe (history, ph_document_get_since (self->document), FALSE);
      g_autofree char *after = ph_history_describe (history, ph_document_get_position (self->document), FALSE);
      g_autofree char *left = g_strdup_printf (_ ("Before: %s"), before), *right = g_strdup_printf (_ ("After: %s"), after);
      gtk_label_set_text (self->left_title, left);
      gtk_label_set_text (self->right_title, right);
    }
  ph_text_side_show (self->left, self->diff, self->split ? PH_SIDE_BEFORE : PH_SIDE_BOTH, only);
  ph_text_side_show (self->right, self->split ? self->diff : NULL, PH_SIDE_AFTER, only);
  ph_change_strip_set_diff (self->strip, self->diff);
  if (self->diff && self->diff->n_added + self->diff->n_removed + self->diff->n_changed > 0)
    {
      ph_text_pane_go_to_change (self, 1);
      watch_scroll (self);
    }
}

/* --- making it ------------------------------------------------------------------------------------------------------- */

static void
stop_progress (PhTextPane *self)
{
  g_clear_handle_id (&self->progress_timer, g_source_remove);
  gtk_widget_set_visible (self->progress, FALSE);
  gtk_spinner_stop (self->spinner);
}

static gboolean
show_progress (gpointer data)
{
  PhTextPane *self = data;

  self->progress_timer = 0;
  gtk_widget_set_visible (self->progress, TRUE);
  gtk_spinner_start (self->spinner);
  return G_SOURCE_REMOVE;
}

static void
on_diff (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhTextPane) self = data;
  g_autoptr (PhTextDiff) diff = ph_text_diff_finish (result, NULL);

  if (!self->content || g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;
  stop_progress (self);
  g_clear_object (&self->cancellable);
  if (!diff)
    return;
  ph_change_strip_set_diff (self->strip, NULL);
  ph_discard (self->diff, (GDestroyNotify) ph_text_diff_free);
  self->diff = g_steal_pointer (&diff);
  show_diff (self);
}

static void
update (PhTextPane *self)
{
  self->stale = TRUE;
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->stale = FALSE;
  if (!self->document || !ph_document_is_open (self->document))
    {
      stop_progress (self);
      ph_change_strip_set_diff (self->strip, NULL);
      g_clear_pointer (&self->diff, ph_text_diff_free);
      show_diff (self);
      return;
    }
  self->cancellable = g_cancellable_new ();
  if (self->progress_timer == 0 && !gtk_widget_get_visible (self->progress))
    self->progress_timer = g_timeout_add (PROGRESS_AFTER_MS, show_progress, self);
  ph_text_diff_async (self->document, ph_document_get_since (self->document), ph_document_get_position (self->document),
                      self->cancellable, on_diff, g_object_ref (self));
}

gboolean
ph_text_pane_is_working (PhTextPane *self)
{
  return self->cancellable != NULL || ph_text_side_is_filling (self->left) || ph_text_side_is_filling (self->right);
}

static void
on_cancel (PhTextPane *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  stop_progress (self);
  gtk_label_set_text (self->summary, _ ("Cancelled"));
}

static gboolean
update_in_idle (gpointer data)
{
  PhTextPane *self = data;

  self->mapped_idle = 0;
  if (self->stale)
    update (self);
  return G_SOURCE_REMOVE;
}

/* Updates in an idle source: the pane is mapped during allocation, when no widget may change. */
static void
on_mapped (PhTextPane *self)
{
  if (self->stale && self->mapped_idle == 0)
    self->mapped_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, update_in_idle, self, NULL);
}

/* --- controls -------------------------------------------------------------------------------------------------------- */

static void
on_previous_change (PhTextPane *self)
{
  ph_text_pane_go_to_change (self, -1);
}

static void
on_next_change (PhTextPane *self)
{
  ph_text_pane_go_to_change (self, 1);
}

static void
on_changes_only (PhTextPane *self)
{
  if (self->diff)
    show_diff (self);
}

static void
on_split (PhTextPane *self)
{
  ph_text_pane_set_split (self, gtk_toggle_button_get_active (self->split_button));
}

void
ph_text_pane_set_split (PhTextPane *self, gboolean split)
{
  g_return_if_fail (PH_IS_TEXT_PANE (self));
  if (self->split == split)
    return;
  self->split = split;
  gtk_toggle_button_set_active (self->split_button, split);
  show_diff (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SPLIT]);
}

/* Selects the node whose line was clicked; a line begins with the names of its outputs. */
static void
on_line_clicked (PhTextPane *self, const char *line, gboolean gone)
{
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;
  g_autofree char *name = g_strstrip (g_strdup (line));
  char *end = strpbrk (name, " ,=");

  if (!model || gone || !end || !strchr (name, '='))
    return;
  *end = '\0';
  PhValue *value = ph_model_find_value_named (model, name);
  if (value && value->producer)
    ph_document_set_selection (self->document, value->producer->id);
}

/* The right as the left. */
static void
follow_left (gpointer data)
{
  PhTextPane *self = data;

  self->following = TRUE;
  gtk_adjustment_set_value (ph_text_side_get_vadjustment (self->right),
                            gtk_adjustment_get_value (ph_text_side_get_vadjustment (self->left)));
  gtk_adjustment_set_value (ph_text_side_get_hadjustment (self->right),
                            gtk_adjustment_get_value (ph_text_side_get_hadjustment (self->left)));
  self->following = FALSE;
}

/* Scrolling during drawing must not move the other side, which is drawn in the same frame. */
static gboolean
is_painting (PhTextPane *self)
{
  if (self->painting)
    ph_after_frame (GTK_WIDGET (self), &self->follow_later, follow_left);
  return self->painting;
}

static void
ph_text_pane_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhTextPane *self = PH_TEXT_PANE (widget);

  self->painting = TRUE;
  GTK_WIDGET_CLASS (ph_text_pane_parent_class)->snapshot (widget, snapshot);
  self->painting = FALSE;
}

/* Scrolls the other side too: both have the same number of lines of equal height, so the same value shows the same rows. */
static void
on_scrolled (GtkAdjustment *adjustment, PhTextPane *self)
{
  /* clang-format off */
  GtkAdjustment *pairs[2][2] = {
    { ph_text_side_get_vadjustment (self->left), ph_text_side_get_vadjustment (self->right) },
    { ph_text_side_get_hadjustment (self->left), ph_text_side_get_hadjustment (self->right) } };
  /* clang-format on */

  if (!self->split || self->following || is_painting (self))
    return;
  self->following = TRUE;
  for (int i = 0; i < 2; i++)
    if (adjustment == pairs[i][0] || adjustment == pairs[i][1])
      gtk_adjustment_set_value (adjustment == pairs[i][0] ? pairs[i][1] : pairs[i][0], gtk_adjustment_get_value (adjustment));
  self->following = FALSE;
}

/* A text that learns late how high it is could not follow before. */
static void
on_grown (GtkAdjustment *adjustment, PhTextPane *self)
{
  if (!self->split || self->following || is_painting (self))
    return;
  self->following = TRUE;
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (ph_text_side_get_vadjustment (self->left)));
  self->following = FALSE;
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

PhTextSide *
ph_text_pane_get_side (PhTextPane *self, gboolean after)
{
  return after ? self->right : self->left;
}

void
ph_text_pane_set_document (PhTextPane *self, PhDocument *document)
{
  g_return_if_fail (PH_IS_TEXT_PANE (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document)
    {
      g_signal_connect_swapped (document, "opened", G_CALLBACK (update), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (update), self);
      g_signal_connect_swapped (document, "since-changed", G_CALLBACK (update), self);
    }
  update (self);
}

static void
ph_text_pane_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, PH_TEXT_PANE (object)->split);
}

static void
ph_text_pane_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ph_text_pane_set_split (PH_TEXT_PANE (object), g_value_get_boolean (value));
}

static void
ph_text_pane_dispose (GObject *object)
{
  PhTextPane *self = PH_TEXT_PANE (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->progress_timer, g_source_remove);
  g_clear_handle_id (&self->mapped_idle, g_source_remove);
  if (self->strip)
    ph_change_strip_set_diff (self->strip, NULL);
  ph_after_frame_cancel (GTK_WIDGET (self), &self->follow_later);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_TEXT_PANE);
  ph_discard (g_steal_pointer (&self->diff), (GDestroyNotify) ph_text_diff_free);
  G_OBJECT_CLASS (ph_text_pane_parent_class)->dispose (object);
}

static void
ph_text_pane_class_init (PhTextPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (PH_TYPE_TEXT_SIDE);
  g_type_ensure (PH_TYPE_CHANGE_STRIP);
  G_OBJECT_CLASS (klass)->dispose = ph_text_pane_dispose;
  G_OBJECT_CLASS (klass)->get_property = ph_text_pane_get_property;
  G_OBJECT_CLASS (klass)->set_property = ph_text_pane_set_property;
  widget_class->snapshot = ph_text_pane_snapshot;
  props[PROP_SPLIT] = g_param_spec_boolean ("split", NULL, NULL, FALSE,
                                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/text-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, summary);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, progress);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, spinner);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, changes_only);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, split_button);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, left);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, right);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, left_title);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, right_title);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, right_column);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, strip);
  gtk_widget_class_bind_template_callback (widget_class, on_previous_change);
  gtk_widget_class_bind_template_callback (widget_class, on_next_change);
  gtk_widget_class_bind_template_callback (widget_class, on_changes_only);
  gtk_widget_class_bind_template_callback (widget_class, on_split);
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
  gtk_widget_class_bind_template_callback (widget_class, on_line_clicked);
}

static void
ph_text_pane_init (PhTextPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  PhTextSide *sides[] = { self->left, self->right };
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      g_signal_connect_object (sides[i], "filled", G_CALLBACK (watch_scroll), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (ph_text_side_get_vadjustment (sides[i]), "value-changed", G_CALLBACK (on_scrolled), self, 0);
      g_signal_connect_object (ph_text_side_get_hadjustment (sides[i]), "value-changed", G_CALLBACK (on_scrolled), self, 0);
    }
  g_signal_connect_object (ph_text_side_get_vadjustment (self->right), "changed", G_CALLBACK (on_grown), self, 0);
  ph_change_strip_set_adjustment (self->strip, ph_text_side_get_vadjustment (self->left));
  g_signal_connect_swapped (self, "map", G_CALLBACK (on_mapped), self);
}
