/* opset.h: at which versions of ONNX's own operators a model can be written.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* The newest opset that the table of versions knows. */
#define PH_OPSET_LAST 28

/* Whether ONNX at @opset has @node as it stands: operator, inputs, outputs, attributes, element types. @why: (nullable)
 * (out) (transfer full) what it lacks. What the table does not know (other domains, unknown operators) passes. */
gboolean ph_opset_has (const PhNode *node, int opset, char **why);

/* Whether some form of @node's operator takes its element types at @opset or before: where not, lowering it is out of the
 * question. @why as above. */
gboolean ph_opset_reaches (const PhNode *node, int opset, char **why);

/* A clone of @model, which is in the newest form, whose nodes have the form that @opset asks for. NULL with an error that
 * names the nodes that have no exact equal there; then @needed: (nullable) (out) an opset above @opset that may do, and
 * @why: (nullable) (out) (transfer full) the node that needs it. */
PhModel *ph_model_lowered (PhModel *model, int opset, int *needed, char **why, GError **error);

/* Whether @model, which is in the newest form, is at once in the form that @opset asks for: its lowered clone is no other. */
gboolean ph_model_is_in_form (PhModel *model, int opset);

/* The model as it is to be saved: at its file's own opset, or, where a node has no equal there, at the lowest that has all
 * of them; at @wanted where that is not 0, or an error says why not. @opset: (out) the one that it is at then. @why:
 * (nullable) (out) (transfer full) (nullable) what needs a newer opset than the file's own. A clone, or NULL without
 * error: @model itself, as it is. */
PhModel *ph_model_at_opset (PhModel *model, int wanted, int *opset, char **why, GError **error);

G_END_DECLS
