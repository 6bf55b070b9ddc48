/* model-copy.h: the model of a view at some position, as a new one of its own, made where nobody waits for it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/document-view.h"

G_BEGIN_DECLS

/* @model, @copy: (transfer full), for ph_document_take_models(); NULL: it was cancelled, or the view shows another file by now. */
typedef void (*PhModelCopied) (PhDocumentView *view, PhModel *model, PhModel *copy, gpointer data);

/* Something is open in @view. @copied is called once, in any case, and not before this returns. */
void ph_model_copy_make (PhDocumentView *view, PhPosition at, PhModelCopied copied, gpointer data);

G_END_DECLS
