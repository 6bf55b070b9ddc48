/* position.c: a document's position in its history, the base of its diff, and bookmarks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/discard.h"
#include "core/document/document-private.h"

static gboolean
go (PhDocument *document, PhPosition to, gboolean by_rewrite, GError **error)
{
  const gboolean counted = document->since.by_rewrite;

  if (document->model == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "Nothing is open: open a file first");
      return FALSE;
    }
  document->since.by_rewrite = by_rewrite;
  if (ph_position_compare (document->history->position, to) == 0)
    {
      if (counted != by_rewrite)
        ph_document_emit (document, SIGNAL_SINCE_CHANGED);
      return TRUE;
    }
  if (!ph_history_go (document->history, document->model, to, error))
    return FALSE;
  ph_document_check_trail (document);
  ph_document_emit (document, SIGNAL_POSITION_CHANGED);
  return TRUE;
}

void
ph_document_arrive (PhDocument *document)
{
  document->history->position = (PhPosition) { document->history->steps->len, 0 };
  document->since.by_rewrite = FALSE;
  ph_document_check_trail (document);
}

gboolean
ph_document_go (PhDocument *document, PhPosition to, GError **error)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return go (document, to, FALSE, error);
}

gboolean
ph_document_go_rewrite (PhDocument *document, PhPosition to, GError **error)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return go (document, to, TRUE, error);
}

void
ph_document_truncate (PhDocument *document, PhPosition at)
{
  PhHistory *history = document->history;

  if (history == NULL || (at.step >= history->steps->len && at.rewrite == 0))
    return;
  if (ph_position_compare (history->position, at) > 0 && !ph_document_go (document, at, NULL))
    return;

  /* Beginning a step drops all later ones; aborting it leaves just that effect. */
  PhPosition here = history->position;
  ph_history_go (history, document->model, at, NULL);
  ph_history_begin_step (history, document->model, "truncate");
  ph_history_abort_step (history, document->model);
  if (ph_position_compare (here, at) < 0)
    ph_history_go (history, document->model, here, NULL);
  document->base = MIN (document->base, history->steps->len);
  document->n_recorded = MIN (document->n_recorded, history->steps->len);
  document->generation++;
  ph_document_drop_proofs (document, history->steps->len);
  ph_document_emit (document, SIGNAL_HISTORY_CHANGED);
}

void
ph_document_set_bookmark (PhDocument *document, guint number, PhPosition position)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && number >= 1 && number <= PH_N_BOOKMARKS);

  document->bookmarks[number - 1] = position;
  document->bookmarked |= 1u << (number - 1);
  ph_document_emit (document, SIGNAL_BOOKMARKS_CHANGED);
}

gboolean
ph_document_get_bookmark (PhDocument *document, guint number, PhPosition *position)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);

  if (number < 1 || number > PH_N_BOOKMARKS || (document->bookmarked & 1u << (number - 1)) == 0)
    return FALSE;
  *position = document->bookmarks[number - 1];
  return TRUE;
}

void
ph_document_set_since (PhDocument *document, const PhPosition *since)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  if (document->since.is_set == (since != NULL) && (since == NULL || ph_position_compare (document->since.from, *since) == 0))
    return;
  document->since.is_set = since != NULL;
  if (since != NULL)
    document->since.from = *since;
  ph_document_emit (document, SIGNAL_SINCE_CHANGED);
}

gboolean
ph_document_has_since (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->since.is_set && document->history != NULL && ph_history_has (document->history, document->since.from);
}

PhPosition
ph_document_get_since (PhDocument *document)
{
  PhPosition at = ph_document_get_position (document);

  if (ph_document_has_since (document))
    return document->since.from;
  return document->history != NULL ? ph_history_previous (document->history, at, at.rewrite > 0 || document->since.by_rewrite)
                                   : at;
}

guint
ph_document_get_rewrite (PhDocument *document, guint *step)
{
  const PhPosition at = ph_document_get_position (document);

  *step = at.step;
  if (at.rewrite > 0 || at.step == 0 || !document->since.by_rewrite)
    return at.rewrite;
  *step = at.step - 1;
  return g_array_index (document->history->steps, PhStep, at.step - 1).n_rewrites;
}

void
ph_document_take_diff (PhDocument *document, PhDiff *diff, PhPosition a, PhPosition b)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  ph_discard (document->since.diff, (GDestroyNotify) ph_diff_free);
  document->since.diff = diff;
  document->since.a = a;
  document->since.b = b;
  ph_document_emit (document, SIGNAL_DIFF_CHANGED);
}

PhDiff *
ph_document_get_diff (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);

  if (document->since.diff == NULL || ph_position_compare (document->since.a, ph_document_get_since (document)) != 0
      || ph_position_compare (document->since.b, ph_document_get_position (document)) != 0)
    return NULL;
  return document->since.diff;
}

void
ph_document_clear_since (PhDocument *document)
{
  document->bookmarked = 0;
  ph_discard (g_steal_pointer (&document->since.diff), (GDestroyNotify) ph_diff_free);
  document->since = (PhCompared) { 0 };
}
