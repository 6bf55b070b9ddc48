/* history-track.h: where the positions of a history lie on a line.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"

G_BEGIN_DECLS

/* Every step has the same length, one that changed nothing a part of it; rewrites share the length of their step evenly. */
typedef struct
{
  double *ends; /* where each step ends; ends[0] is the file, at 0 */
  guint n_steps;
  double from, to; /* the part that is seen */
} PhHistoryTrack;

void ph_history_track_read (PhHistoryTrack *track, PhHistory *history); /* (nullable) keeps what is seen, if it can */
void ph_history_track_clear (PhHistoryTrack *track);
double ph_history_track_length (const PhHistoryTrack *track);
double ph_history_track_place (const PhHistoryTrack *track, PhHistory *history, PhPosition position);
/* The position nearest to @place: an end of a step, or with @by_rewrite any. */
PhPosition ph_history_track_find (const PhHistoryTrack *track, PhHistory *history, double place, gboolean by_rewrite);
/* The step whose length @place lies in, from 0. */
guint ph_history_track_step (const PhHistoryTrack *track, double place);
/* Sees 1 / @factor as much, with @place where it was. */
void ph_history_track_zoom (PhHistoryTrack *track, double place, double factor);
void ph_history_track_pan (PhHistoryTrack *track, double by);
/* The end of the next step that changed something, or @at. */
PhPosition ph_history_track_next_changed (PhHistory *history, PhPosition at, gboolean forward);
gboolean ph_step_changed (const PhStep *step);
/* "File", "3 cse", "3.2 cse": for a label. With @more the rewrite and its reason, in lines of their own. (transfer full) */
char *ph_history_describe (PhHistory *history, PhPosition position, gboolean more);

G_END_DECLS
