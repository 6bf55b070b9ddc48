/* model-mirror.h: a second copy of a document's model for workers, which follows along the journal instead of being cloned anew.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

typedef struct _PhModelMirror PhModelMirror;

/* What to read, gathered in the document's thread; clones the model once for each file. (transfer full) */
PhModelMirror *ph_model_mirror_new  (PhDocument *document);
void           ph_model_mirror_free (PhModelMirror *mirror);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhModelMirror, ph_model_mirror_free)
/* In any thread: the model at @at, for this caller alone until ph_model_mirror_done(). */
PhModel       *ph_model_mirror_at   (PhModelMirror *mirror, PhPosition at);
void           ph_model_mirror_done (PhModelMirror *mirror);

G_END_DECLS
