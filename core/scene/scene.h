/* scene.h: the picture of a whole history: boxes and edges in their places, and what is in them at each time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/analyze/diff.h"
#include "core/graph/history.h"
#include "core/scene/scene-options.h"
#include "core/scene/scene-parts.h"

G_BEGIN_DECLS

/* What a model and its history tell of the picture. @model stands at @history's position (nullable: as it stands); it is moved
 * through the whole history, and back. @inside: what is shown (core/graph/graph.h), PH_NO_ID for the main graph. NULL: cancelled. Slow: for a worker thread. */
typedef struct _PhRecord PhRecord;
PhRecord *ph_record_new (PhModel *model, PhHistory *history, PhId inside, GCancellable *cancellable);
void ph_record_free (PhRecord *record);
/* @record (transfer full) (nullable): reading it was cancelled. Slow, too. */
PhScene *ph_scene_new_of (PhRecord *record, const PhSceneOptions *options, GCancellable *cancellable, GError **error);
/* Both in one. @model and @history (nullable) (transfer full). */
PhScene *ph_scene_new (PhModel *model, PhHistory *history, const PhSceneOptions *options, GCancellable *cancellable,
                       GError **error);
PhId ph_scene_inside (PhScene *scene); /* of what it is */
PhScene *ph_scene_ref (PhScene *scene);
void ph_scene_unref (PhScene *scene);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScene, ph_scene_unref)

/* Boxes that the nodes of @model get, as long as none is in a group; constants are pills. */
guint ph_scene_count_drawn (PhModel *model);
guint ph_scene_count_layers (PhModel *model); /* of them on the longest way */
/* Some node of it, or of a function, branches to blocks, whose frames are the picture of its control flow. */
gboolean ph_scene_has_blocks (PhModel *model);
/* An input that has a box: one without a default, or the cotangent grad_y of an output y, which is ones where it is not fed. */
gboolean ph_scene_draws_input (const PhValue *value);
int ph_scene_time (PhHistory *history, PhPosition position);
int ph_scene_end (PhScene *scene); /* the last time                   */
float ph_scene_width (PhScene *scene);
float ph_scene_height (PhScene *scene);
gboolean ph_scene_is_coarse (PhScene *scene);
gboolean ph_scene_is_across (PhScene *scene);
/* Who drew the whole, in how many milliseconds; @own, @dot: (nullable) both pictures as far as they were tried. Returns why dot's was
 * not taken, NULL where it was, or was not asked for. */
PhLayoutEngine ph_scene_drawn_by (PhScene *scene, float *ms);
const char *ph_scene_judgements (PhScene *scene, PhLayoutJudgement *own, PhLayoutJudgement *dot);
/* What is seen at @time: lines that cross, lines that run over boxes. */
void ph_scene_count_faults (PhScene *scene, int time, PhCrossings *crossings, guint *over);

guint ph_scene_n_boxes (PhScene *scene);
const PhSceneBox *ph_scene_box (PhScene *scene, int box);
guint ph_scene_n_edges (PhScene *scene);
const PhSceneEdge *ph_scene_edge (PhScene *scene, int edge);
const PhPoint *ph_scene_points (PhScene *scene, const PhSceneEdge *edge);
const PhPill *ph_scene_pill (PhScene *scene, guint pill);

static inline gboolean
ph_rect_touches (const PhRect *a, const PhRect *b)
{
  return a->x <= b->x + b->width && b->x <= a->x + a->width && a->y <= b->y + b->height && b->y <= a->y + a->height;
}

G_END_DECLS
