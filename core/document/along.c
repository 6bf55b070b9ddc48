/* along.c: the last comparison of the values that two positions share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

const PhAlong *
ph_document_get_along (PhDocument *document, PhPosition *from, PhPosition *to)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  *from = document->found.along_from;
  *to = document->found.along_to;
  return document->found.along;
}

void
ph_document_take_along (PhDocument *document, PhAlong *along, PhPosition from, PhPosition to)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && along != NULL);
  g_clear_pointer (&document->found.along, ph_along_free);
  document->found.along = along;
  document->found.along_from = from;
  document->found.along_to = to;
  ph_document_emit (document, SIGNAL_ALONG_CHANGED);
}

/* Drops the comparison along the history if it covers positions after step @from, which changed. No signal: the change itself is
 * announced. */
void
ph_document_drop_along (PhDocument *document, guint from)
{
  const PhPosition kept = { from, 0 };

  if (document->found.along == NULL
      || (from > 0 && ph_position_compare (document->found.along_from, kept) <= 0
          && ph_position_compare (document->found.along_to, kept) <= 0))
    return;
  g_clear_pointer (&document->found.along, ph_along_free);
}
