/* face-text.h: writes attributes and constants in a few words, for a box.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/face.h"

G_BEGIN_DECLS

/* Both append to @text. Of a convolution or a pool: "3×3, stride 2, pad 1, 32 groups"; of another node nothing. */
void ph_face_window (GString *text, PhNode *node);
/* The operator's main attributes first; nothing of a default, or of what is long. */
void ph_face_attributes (GString *text, PhNode *node);

/* "[2, 3]", "0.5", or the shape of a larger one. (transfer full) */
char *ph_face_tensor (PhFaces *faces, PhTensor *tensor);

G_END_DECLS
