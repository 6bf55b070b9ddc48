/* replacements.c: decides which new node of a rewrite takes the place of which removed one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"
#include "core/scene/record.h"

#define MANY 250000 /* pairs of one rewrite, beyond which the last takes the last */

typedef struct
{
  PhRecord *record;
  PhRows out;   /* uses by the life that feeds them                                */
  int *place;   /* per life: the first one in its place                            */
  int *depth;   /* of a life: steps from where nothing enters                      */
  gint64 *mark; /* by place: its distance from the node under examination, tagged with the turn */
  gint64 turn;
} Matcher;

static PhLife *
life_at (Matcher *m, int life)
{
  return &g_array_index (m->record->lives, PhLife, life);
}

static int
compare_moves (const void *a, const void *b)
{
  const PhMove *x = a, *y = b;

  return x->order != y->order ? (x->order > y->order ? -1 : 1) : y->life - x->life;
}

/* Returns how much line @to would share with @from: the lengths of the edges to the same places. If both have one place such an edge is
 * drawn once, otherwise twice. */
static int
shared_length (Matcher *m, int from, int to)
{
  int length = 0;

  m->turn++;
  for (int i = m->out.start[from]; i < m->out.start[from + 1]; i++)
    {
      const int user = g_array_index (m->record->uses, PhUseLife, m->out.index[i]).to;

      m->mark[m->place[user]] = m->turn << 32 | (guint) MAX (m->depth[user] - m->depth[from], 1);
    }
  for (int i = m->out.start[to]; i < m->out.start[to + 1]; i++)
    {
      const int user = m->place[g_array_index (m->record->uses, PhUseLife, m->out.index[i]).to];

      if (m->mark[user] >> 32 == m->turn)
        {
          length += m->mark[user] & 0xffffffff;
          m->mark[user] = 0;
        }
    }
  return length;
}

/* An operator takes the place of one of its kind, else of the one with which it shares most lines, else the last takes the last, so that a
 * fused node is placed at its root. @gone, @come: sorted from the last. */
static void
match (Matcher *m, PhMove *gone, int n_gone, PhMove *come, int n_come)
{
  const gboolean many = (gint64) n_gone * n_come > MANY;

  qsort (gone, n_gone, sizeof *gone, compare_moves);
  qsort (come, n_come, sizeof *come, compare_moves);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n_come; i++)
      {
        const int life = come[i].life;
        PhLife *to = life_at (m, life);
        PhMove *best = NULL;
        int most = -1;

        for (int k = 0; k < n_gone && to->replaces < 0 && !(many && best != NULL); k++)
          {
            const PhLife *from = life_at (m, gone[k].life);
            int length;

            if (gone[k].taken || from->owner != to->owner || (to->in_block && from->scope != to->scope)
                || (pass == 0 && from->op_type != to->op_type))
              continue;
            length = many ? 0 : shared_length (m, gone[k].life, life);
            if (length > most)
              {
                most = length;
                best = &gone[k];
              }
          }
        if (best != NULL)
          {
            best->taken = TRUE;
            to->replaces = best->life;
            m->place[life] = m->place[best->life];
          }
      }
}

static int *
find_depths (PhRecord *record)
{
  int *depth = g_new0 (int, record->lives->len + 1);

  /* Uses are noted with their users, those of the file in topological order: that is near enough. */
  for (guint i = 0; i < record->uses->len; i++)
    {
      const PhUseLife *use = &g_array_index (record->uses, PhUseLife, i);

      if (use->from < use->to)
        depth[use->to] = MAX (depth[use->to], depth[use->from] + 1);
    }
  return depth;
}

void
ph_record_match_places (PhRecord *record)
{
  const int n = record->lives->len;
  Matcher m = { .record = record };

  if (record->moves->len == 0)
    return;
  m.place = g_new (int, n + 1);
  m.mark = g_new0 (gint64, n + 1);
  m.depth = find_depths (record);
  /* an array without elements has no place, of which nothing may be taken */
  ph_rows_init (&m.out, n, record->uses->len, record->uses->len > 0 ? &g_array_index (record->uses, PhUseLife, 0).from : NULL,
                sizeof (PhUseLife));
  for (int v = 0; v < n; v++)
    m.place[v] = v;
  for (guint i = 0, middle, stop; i < record->moves->len; i = stop)
    {
      PhMove *moves = &g_array_index (record->moves, PhMove, i);

      for (stop = i; stop < record->moves->len && moves[stop - i].time == moves->time && moves[stop - i].goes; stop++)
        ;
      for (middle = stop; stop < record->moves->len && moves[stop - i].time == moves->time; stop++)
        ;
      match (&m, moves, middle - i, moves + (middle - i), stop - middle);
    }
  g_free (m.place);
  g_free (m.mark);
  g_free (m.depth);
  ph_rows_clear (&m.out);
}
