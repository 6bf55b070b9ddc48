/* pair.h: a region as two small models, before and after.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/region.h"

G_BEGIN_DECLS

/* Two models of the same interface. Inputs that have a default are inputs here too, as they may be fed. The models' inputs say of their type only the
 * element type, so that they can be computed at any size; @types has all that is known. */
typedef struct
{
  PhModel *before, *after;  /* at the newest opset                                                        */
  GArray *inputs, *outputs; /* as in the region; the models' own are in this order                        */
  GPtrArray *types;         /* (element-type PhType) (nullable elements) of each input                    */
  gboolean decides_by_size; /* as one side alone does: it holds for the sizes that are tried (core/prove/decisions.h) */
  guint64 rows;             /* axes along which nothing looks (core/prove/rows.h)                         */
  gint64 batch, image;      /* what sizes must be at least (core/prove/rows.h): of axis 0, of spatial axes */
  GHashTable *ids[2];       /* PhId in the side's model -> PhId of the value that it stands for           */
} PhPair;

PhPair *ph_pair_new (const PhRegion *region, PhModel *before, PhModel *after, GError **error);
void ph_pair_free (PhPair *pair);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPair, ph_pair_free)

/* Whether every operator is known here, in bodies too: what is not cannot be computed here, which says nothing about who wrote it. */
gboolean ph_model_is_known (PhModel *model);
/* The operators that do not, each once: "com.example.Secret". (element-type utf8) (transfer full) */
GPtrArray *ph_model_list_unknown (PhModel *model);
/* @to, an empty model, is of the opsets of @from. */
void ph_model_copy_opsets (PhModel *from, PhModel *to);

G_END_DECLS
