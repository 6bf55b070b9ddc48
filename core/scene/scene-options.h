/* scene-options.h: the options of a picture: groups, a part, who lays it out.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layered/layout.h"

G_BEGIN_DECLS

/* Laid out once for every node that the history ever had: a box is a place in which one node lives after another, so a
 * position only shows, hides and recolours. Immutable once made, so any thread may draw it. Time counts rewrites. */
typedef struct _PhScene PhScene;

#define PH_SCENE_OPEN_BOXES 60 /* for open_all: what a window shows legibly as a whole */

typedef enum
{
  PH_OPEN_FIT, /* as many as fit into PhSceneOptions.open_all boxes */
  PH_OPEN_ALL,
  PH_OPEN_NONE
} PhOpenGroups;

typedef struct
{
  gboolean by_scope;  /* group by the names' scopes, by regions where there are none               */
  PhOpenGroups open;  /* which groups are open                                                      */
  GHashTable *opened; /* (nullable) set of paths and of "n42" that are open in spite of that          */
  GHashTable *closed; /* (nullable) and of those that are closed                                      */
  GHashTable *keep;   /* (nullable) set of node ids: only these, with pills where edges lead elsewhere */
  guint open_all;     /* groups open by themselves while at most so many boxes show; 0: none       */
  PhLayoutEngine engine;
  gboolean across;   /* from left to right, not from top to bottom                                 */
  double seconds;    /* that dot may take; 0: 5                                                   */
  gboolean quick;    /* a first picture: our own layout, but for a small one                      */
  PhScene *previous; /* (nullable) what is in it stays where it is; its history went on from there */
} PhSceneOptions;

G_END_DECLS
