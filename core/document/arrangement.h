/* arrangement.h: the options that a picture is laid out for: compact or not, groups, the part of the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/kinds.h"
#include "core/scene/scene-options.h"

G_BEGIN_DECLS

typedef enum
{
  PH_GROUP_AUTO, /* where the model is large */
  PH_GROUP_ON,
  PH_GROUP_OFF
} PhGrouping;

typedef enum
{
  PH_PART_ALL,
  PH_PART_AROUND,  /* what lies @steps around @from               */
  PH_PART_PATHS,   /* all that lies between @from and @to         */
  PH_PART_TOUCHED, /* what the present step changed, and next to it */
} PhPartKind;

/* What a picture is laid out for. Sets and arrays are shared with workers: never changed, always replaced. */
typedef struct
{
  gboolean compact; /* one position alone                                               */
  PhGrouping group;
  PhOpenGroups open;  /* but for                                                          */
  GHashTable *opened; /* (nullable) paths of groups and "n42" that are open               */
  GHashTable *closed; /* (nullable) and that are closed                                   */
  PhPartKind part;
  PhId from, to;
  guint steps;
  GArray *also;     /* (nullable) (element-type PhId) shown with what lies around @from  */
  GHashTable *keep; /* (nullable) ids of what the part has                              */
} PhArrangement;

void ph_arrangement_copy (PhArrangement *to, const PhArrangement *from);
void ph_arrangement_clear (PhArrangement *arrangement);
gboolean ph_arrangement_equal (const PhArrangement *a, const PhArrangement *b);
/* @grouped: what `group auto` says of the model. Borrows the sets. */
void ph_arrangement_fill (const PhArrangement *arrangement, gboolean grouped, PhSceneOptions *options);

G_END_DECLS
