/* helper.h: what is said to the helper process peephole-layout and what it answers; private to core/layered.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layered/layout.h"

G_BEGIN_DECLS

/* In one row, @a left of @b where @ordered. */
typedef struct
{
  guint a, b;
  gboolean ordered;
} PhLayoutPair;

/* helper.c: gives @text to the helper and waits. @answer: (transfer full) (nullable) what it said, also where it ended early: whole
 * sections of it hold. @late: it was ended for its time, which is no error. FALSE: cancelled, crashed, failed. */
gboolean ph_helper_run (GBytes *text, double seconds, GCancellable *cancellable, GBytes **answer, gboolean *late, GError **error);
/* Reads numbers, each after one space. */
gboolean ph_helper_number (const char **at, const char *end, double *number);

/* graphviz.c: @layout by @engine, in one process. With dot and @milliseconds of its time: the best of @n_variants (at most 4) by
 * crossings, and area against @own (nullable), our own picture, judged; some begin with its layers and their order. @late: its time ran
 * out; FALSE then, if nothing was answered before. */
gboolean ph_graphviz_lay (PhLayout *layout, PhLayoutEngine engine, int n_variants, const PhLayout *own, guint milliseconds,
                          double seconds, gboolean *late, GCancellable *cancellable, GError **error);
/* Ranks that the edges cross in all, besides one each: what dot's time grows with. */
guint ph_graphviz_effort (PhLayout *layout);
/* quality.c: what the picture is like. */
void ph_layout_judge (PhLayout *layout, PhLayoutJudgement *judgement);
/* gradient-rows.c: whether there is a forward and a backward half; the boxes of a forward and the first backward box of it, or with @all of
 * all that no way joins, that shall stand in one row. (element-type PhLayoutPair) (transfer full) */
gboolean ph_layout_has_halves (const PhLayout *layout);
GArray *ph_layout_pairs (const PhLayout *layout, gboolean all);

G_END_DECLS
