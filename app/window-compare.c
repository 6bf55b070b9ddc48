/* window-compare.c: compares with another model in a new tab.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/window-private.h"
#include "views/hand-steps.h"
#include "views/model-copy.h"

typedef struct
{
  PhWindow *window;
  char *path;
  PhPosition at;
} Compare; /* @window: (nullable) weak */

static void
on_copied (PhDocumentView *first, PhModel *model, PhModel *copy, gpointer data)
{
  Compare *compare = data;
  PhWindow *self = compare->window;
  g_autofree char *path = g_steal_pointer (&compare->path), *quoted = g_shell_quote (path);
  const PhPosition at = compare->at;

  g_clear_weak_pointer (&compare->window);
  g_free (compare);
  if (!model || !self || self->closing || gtk_widget_get_root (GTK_WIDGET (first)) != GTK_ROOT (self))
    {
      ph_model_discard (model);
      ph_model_discard (copy);
      return;
    }
  PhDocumentView *view = ph_window_add_tab (self);
  PhDocument *document = ph_document_view_get_document (view);

  ph_document_set_pipeline (document, "none", NULL);
  ph_hand_steps_set_compares (view, ph_document_get_path (ph_document_view_get_document (first)));
  ph_document_take_models (document, model, copy, ph_document_get_path (ph_document_view_get_document (first)), NULL);
  ph_hand_steps_set_base (view, first, at);
  ph_view_state_set (
      ph_document_get_view (document), PH_VIEW_FORM,
      (const char *[]) { ph_view_state_word (ph_document_get_view (ph_document_view_get_document (first)), PH_VIEW_FORM), NULL },
      NULL);
  ph_window_run (self, "compare %s", quoted);
}

/* Compares in a new tab, so that the steps of this one stay as they are. */
void
ph_window_compare (PhWindow *self, GFile *file)
{
  g_return_if_fail (PH_IS_WINDOW (self) && G_IS_FILE (file));

  g_autofree char *path = g_file_get_path (file);
  PhDocumentView *view = ph_window_get_view (self);

  if (!path || !ph_document_is_open (self->document) || ph_document_view_has_work (view))
    return;
  Compare *compare = g_new0 (Compare, 1);
  g_set_weak_pointer (&compare->window, self);
  compare->path = g_steal_pointer (&path);
  compare->at = ph_document_get_position (self->document);
  /* If this tab shows a comparison itself, its first model is compared again. */
  guint step;
  if (ph_hand_steps_find_compare (self->document, &step) && compare->at.step >= step)
    compare->at = (PhPosition) { step, 0 };
  ph_model_copy_make (view, compare->at, on_copied, compare);
}
