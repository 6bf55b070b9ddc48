/* layout-choice.c: who lays out the picture of a document, and in which direction.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

void
ph_document_set_layout (PhDocument *document, PhLayoutEngine engine)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && engine < PH_N_LAYOUT_ENGINES);
  if (document->layout == engine)
    return;
  document->layout = engine;
  ph_document_emit (document, SIGNAL_LAYOUT_CHANGED);
}

PhLayoutEngine
ph_document_get_layout (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), PH_LAYOUT_BEST);
  return document->layout;
}

void
ph_document_set_across (PhDocument *document, gboolean across)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));
  if (document->across == across)
    return;
  document->across = across;
  ph_document_emit (document, SIGNAL_LAYOUT_CHANGED);
}

gboolean
ph_document_get_across (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->across;
}
