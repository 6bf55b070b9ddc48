/* reply-rows.h: rows that several commands answer with: steps, proofs, changes, tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/reply-table.h"
#include "core/graph/kinds.h"

G_BEGIN_DECLS

/* step-rows.c */
void ph_step_to_json (PhDocument *document, guint index, JsonObject *row);
void ph_reply_steps (PhReply *reply, JsonArray *rows, gboolean brief); /* brief: many that did nothing are only counted */
void ph_proof_to_json (const PhProof *proof, PhHistory *history, JsonObject *row);
void ph_change_to_json (const PhNodeChange *change, JsonObject *row);

/* values.c */
void ph_tensor_to_json (PhTensor *tensor, JsonObject *row, gsize limit);
PhTensor *ph_literal_parse (const char *text, const PhType *type, GError **error);

G_END_DECLS
