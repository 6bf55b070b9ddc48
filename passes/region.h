/* region.h: the kinds of nodes that fusions ask for when they grow along single uses.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/fuse.h"
#include "passes/rule.h"
#include "passes/run.h"

G_BEGIN_DECLS

/* Nodes in sets by id: an address may be that of another node after a rewrite. */
#define PH_KEY(node_) GUINT_TO_POINTER (((const PhNode *) (node_))->id)

/* Longer chains are cut: a body is meant to be looked at. */
#define PH_REGION_MAX 24

/* The ids of ph_model_nodes(). (transfer full) (element-type PhId) */
GArray *ph_model_node_ids (PhModel *model);
/* Every element of the one output depends on one element of each input; a fused node: all of its body. */
gboolean ph_node_is_pointwise (const PhNode *node);
/* A convolution or matrix product, or a fused node that begins with one. */
gboolean ph_node_is_heavy (const PhNode *node);
/* A reduction or normalisation. */
gboolean ph_node_is_reduction (const PhNode *node);
/* The number of nodes, those of a fused body counted. */
guint ph_node_size (const PhNode *node);
/* Fuses the nodes as one rewrite of @rule. The name is made of @prefix (nullable) or of their operators. FALSE: stop. */
gboolean ph_region_fuse (PhPassRun *run, GPtrArray *nodes, const char *prefix, const char *rule, const char *why, GError **error);

G_END_DECLS
