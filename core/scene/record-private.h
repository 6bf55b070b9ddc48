/* record-private.h: what the two files that make a record share: record.c and record-rewrite.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/record.h"

G_BEGIN_DECLS

typedef struct
{
  PhRecord *record;
  GCancellable *cancellable;
  PhModel *model; /* what is shown of it: record->inside                            */
  int now;
  GArray *wanted;      /* (element-type PhUseLife) the uses that a life is to have, while they are collected */
  GHashTable *outputs; /* graph id -> (element-type GArray of int) lives of its outputs  */
  GHashTable *linked;  /* name of a value -> (element-type GArray of PhId) nodes that it is linked to */
} PhRecorder;

static inline PhLife *
life_at (PhRecorder *recorder, int index)
{
  return &g_array_index (recorder->record->lives, PhLife, index);
}

static inline int
life_of (PhRecorder *recorder, PhId id)
{
  return ph_record_life_of (recorder->record, id);
}

/* record.c: looks at what is there now, and notes what is new of it. */
gboolean ph_recorder_is_shown (PhRecorder *recorder, const PhGraph *graph);
void ph_recorder_set_face (PhRecorder *recorder, int index, guint face);
/* recorder->wanted are the uses of life @index from now on. */
void ph_recorder_set_uses (PhRecorder *recorder, int index);
void ph_recorder_touch_node (PhRecorder *recorder, PhNode *node);
/* Lines that lead up to @node, or to whom what it makes is linked, once all nodes are there. */
void ph_recorder_touch_links (PhRecorder *recorder, PhNode *node);
void ph_recorder_touch_input (PhRecorder *recorder, const PhValue *value);
void ph_recorder_touch_outputs (PhRecorder *recorder, PhGraph *graph);

/* record-rewrite.c: applies @rewrite and looks at what it touched. */
void ph_recorder_replay (PhRecorder *recorder, PhHistory *history, const PhRewrite *rewrite);

G_END_DECLS
