/* fit-bin.c: a container that hides children that do not fit, and shows them again when they do.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/fit-bin.h"

#define NARROWEST 360 /* pixels, at which all that folds is folded */

typedef struct
{
  GtkWidget *widget; /* (unowned) below the child                       */
  int needed;        /* width needed to show the child again; 0: it is not hidden */
  gboolean main;     /* hidden only if a later one was shown by hand    */
} Fold;

struct _PhFitBin
{
  GtkWidget parent_instance;
  GtkWidget *child; /* (nullable)                       */
  GArray *folds;    /* of Fold, the first to go first   */
  int width;        /* allocated                        */
  guint source;
};

G_DEFINE_FINAL_TYPE (PhFitBin, ph_fit_bin, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_CHILD,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint folded_signal;

static int
least_width (PhFitBin *self)
{
  int least = 0;

  if (self->child)
    gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  return least;
}

/* Moves the focus out of a widget that is about to be hidden. */
static void
leave (PhFitBin *self, GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  if (focus && (focus == widget || gtk_widget_is_ancestor (focus, widget)))
    gtk_root_set_focus (root, NULL);
}

static gboolean
any_visible (PhFitBin *self, guint from)
{
  for (guint i = from; i < self->folds->len; i++)
    if (!g_array_index (self->folds, Fold, i).main && gtk_widget_get_visible (g_array_index (self->folds, Fold, i).widget))
      return TRUE;
  return FALSE;
}

/* Shows main children that had been hidden in favour of ones hidden now. */
static gboolean
unfold_main (PhFitBin *self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->folds->len; i++)
    {
      Fold *fold = &g_array_index (self->folds, Fold, i);
      if (!fold->main || fold->needed == 0)
        continue;
      fold->needed = 0;
      gtk_widget_set_visible (fold->widget, TRUE);
      g_signal_emit (self, folded_signal, 0, fold->widget, FALSE);
      any = TRUE;
    }
  return any;
}

static gboolean
fit (gpointer data)
{
  PhFitBin *self = data;
  gboolean changed = FALSE;

  self->source = 0;
  for (guint i = 0; i < self->folds->len && least_width (self) > self->width; i++)
    {
      Fold *fold = &g_array_index (self->folds, Fold, i);
      int needed = least_width (self);
      if (!gtk_widget_get_visible (fold->widget) || (fold->main && !any_visible (self, i + 1)))
        continue;
      leave (self, fold->widget);
      gtk_widget_set_visible (fold->widget, FALSE);
      fold->needed = needed;
      g_signal_emit (self, folded_signal, 0, fold->widget, TRUE);
      /* Starts again, as later widgets may still need the room. */
      if (!fold->main && unfold_main (self))
        i = G_MAXUINT;
      changed = TRUE;
    }
  for (guint i = self->folds->len; i-- > 0 && !changed;)
    {
      Fold *fold = &g_array_index (self->folds, Fold, i);
      if (fold->needed == 0)
        continue;
      if (fold->needed > self->width)
        break;
      gtk_widget_set_visible (fold->widget, TRUE);
      fold->needed = 0;
      g_signal_emit (self, folded_signal, 0, fold->widget, FALSE);
      /* The child may need more room by now; the next allocation tells. */
      if (least_width (self) <= self->width)
        self->source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit, self, NULL);
      changed = TRUE;
    }
  return G_SOURCE_REMOVE;
}

static void
move_main_last (PhFitBin *self)
{
  for (guint i = 0, n = self->folds->len; n-- > 0;)
    {
      const Fold fold = g_array_index (self->folds, Fold, i);
      if (!fold.main || fold.needed > 0)
        {
          i++;
          continue;
        }
      g_array_remove_index (self->folds, i);
      g_array_append_val (self->folds, fold);
    }
}

static gboolean
has_folded (PhFitBin *self)
{
  for (guint i = 0; i < self->folds->len; i++)
    if (g_array_index (self->folds, Fold, i).needed > 0)
      return TRUE;
  return FALSE;
}

static void
ph_fit_bin_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline)
{
  PhFitBin *self = PH_FIT_BIN (widget);

  *minimum = *natural = 0;
  if (!self->child)
    return;
  if (orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0)
    for_size = MAX (for_size, least_width (self));
  gtk_widget_measure (self->child, orientation, for_size, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL && self->folds->len > 0)
    *minimum = MIN (*minimum, NARROWEST);
}

/* Allocates without hiding anything, since that is not allowed here: a child that does not fit overflows at the end for one frame. */
static void
ph_fit_bin_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PhFitBin *self = PH_FIT_BIN (widget);
  int least = least_width (self), shown = MAX (width, least);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;

  /* After shrinking, children requested while there was more room are hidden first. */
  if (width < self->width)
    move_main_last (self);
  self->width = width;
  if (self->source == 0 && (least > width || has_folded (self)))
    self->source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit, self, NULL);
  if (self->child)
    gtk_widget_size_allocate (self->child, &(GtkAllocation) { mirrored ? width - shown : 0, 0, shown, height }, baseline);
}

static void
ph_fit_bin_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PhFitBin *self = PH_FIT_BIN (object);

  g_clear_pointer (&self->child, gtk_widget_unparent);
  self->child = g_value_get_object (value);
  if (self->child)
    gtk_widget_set_parent (self->child, GTK_WIDGET (self));
}

static void
ph_fit_bin_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_object (value, PH_FIT_BIN (object)->child);
}

static void
ph_fit_bin_dispose (GObject *object)
{
  PhFitBin *self = PH_FIT_BIN (object);

  g_clear_handle_id (&self->source, g_source_remove);
  g_array_set_size (self->folds, 0);
  g_clear_pointer (&self->child, gtk_widget_unparent);
  G_OBJECT_CLASS (ph_fit_bin_parent_class)->dispose (object);
}

static void
ph_fit_bin_finalize (GObject *object)
{
  g_array_unref (PH_FIT_BIN (object)->folds);
  G_OBJECT_CLASS (ph_fit_bin_parent_class)->finalize (object);
}

static void
ph_fit_bin_class_init (PhFitBinClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = ph_fit_bin_dispose;
  object_class->finalize = ph_fit_bin_finalize;
  object_class->set_property = ph_fit_bin_set_property;
  object_class->get_property = ph_fit_bin_get_property;
  widget_class->measure = ph_fit_bin_measure;
  widget_class->size_allocate = ph_fit_bin_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  props[PROP_CHILD] = g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  folded_signal = g_signal_new ("folded", PH_TYPE_FIT_BIN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                GTK_TYPE_WIDGET, G_TYPE_BOOLEAN);
}

static void
ph_fit_bin_init (PhFitBin *self)
{
  self->folds = g_array_new (FALSE, FALSE, sizeof (Fold));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

void
ph_fit_bin_add (PhFitBin *self, GtkWidget *widget)
{
  g_return_if_fail (PH_IS_FIT_BIN (self) && GTK_IS_WIDGET (widget));
  g_array_append_val (self->folds, ((Fold) { widget, 0, FALSE }));
}

gboolean
ph_fit_bin_is_folded (PhFitBin *self, GtkWidget *widget)
{
  g_return_val_if_fail (PH_IS_FIT_BIN (self), FALSE);

  for (guint i = 0; i < self->folds->len; i++)
    if (g_array_index (self->folds, Fold, i).widget == widget)
      return g_array_index (self->folds, Fold, i).needed > 0;
  return FALSE;
}

void
ph_fit_bin_touch (PhFitBin *self, GtkWidget *widget, gboolean shown)
{
  g_return_if_fail (PH_IS_FIT_BIN (self));

  for (guint i = 0; i < self->folds->len; i++)
    if (g_array_index (self->folds, Fold, i).widget == widget)
      {
        g_array_index (self->folds, Fold, i).needed = 0;
        if (shown)
          {
            const Fold fold = g_array_index (self->folds, Fold, i);
            g_array_remove_index (self->folds, i);
            g_array_append_val (self->folds, fold);
          }
        else
          unfold_main (self);
        return;
      }
}

void
ph_fit_bin_add_main (PhFitBin *self, GtkWidget *widget)
{
  g_return_if_fail (PH_IS_FIT_BIN (self) && GTK_IS_WIDGET (widget));
  g_array_append_val (self->folds, ((Fold) { widget, 0, TRUE }));
}

void
ph_fit_bin_show_main (PhFitBin *self)
{
  g_return_if_fail (PH_IS_FIT_BIN (self));

  unfold_main (self);
  move_main_last (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}
