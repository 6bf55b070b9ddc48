/* group-blocks.c: where the frames of basic blocks stand over time: a pass may join blocks, and what stays then lies in one of them.
 *
 * A group is made of the nodes that began in one block, and keeps its place. Nodes move on in two ways: alone, and then they are others
 * (core/analyze/become.c), or together with their whole block. Groups whose nodes now lie in one block get one frame around all of them
 * where nothing else stands in between; otherwise bands join their frames, and what no band reaches says the name of the block.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

#define AROUND      8.0f  /* from a frame to the groups in it                 */
#define CORNER      10.0f /* of a frame                                       */
#define NARROW      24.0f /* a band between two frames is at least so wide    */
#define MOST_JOINED 64    /* groups by bands, each is tried with all before   */

/* A node in a group that came to or left a block at @time. */
typedef struct
{
  int time, group;
  const char *block;
  int by;
} Stay;

typedef struct
{
  PhScene *scene;
  GArray *stays;      /* (element-type Stay), sorted by time                                           */
  GHashTable **nodes; /* of a group: block -> how many nodes of it are there; NULL: no group of blocks */
  const char **block; /* of a group: where most of its nodes are, NULL: it has none now                */
  PhGroupState *last; /* of a group: what was noted last                                               */
  PhGroupState *next; /* of a group: what it is to be, while groups are placed                         */
  GArray **states;    /* of a group: (element-type PhGroupState)                                       */
} Frames;

static int
compare_stays (const void *a, const void *b)
{
  const Stay *x = a, *y = b;

  return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->group - y->group;
}

static const char *
block_at (PhScene *scene, int box, int time)
{
  const PhTenant *tenant = ph_scene_tenant (scene, box, time);

  return tenant != NULL ? ph_scene_face (scene, tenant, time)->block : NULL;
}

/* Notes when a node comes to a block and when it goes. Returns TRUE if it has one. */
static gboolean
add_stays (Frames *frames, int group, int box)
{
  const PhSceneBox *at = ph_scene_box (frames->scene, box);
  gboolean any = FALSE;

  for (guint t = 0; t < at->n_tenants; t++)
    {
      const PhTenant *tenant = ph_scene_tenant_at (frames->scene, at->first_tenant + t);

      for (int born = tenant->born, died; born < tenant->died; born = died)
        {
          const char *block = ph_scene_face (frames->scene, tenant, born)->block;

          died = ph_scene_face_until (frames->scene, tenant, born);
          if (block == NULL)
            continue;
          g_array_append_vals (frames->stays, ((Stay[]) { { born, group, block, 1 }, { died, group, block, -1 } }),
                               died == PH_FOREVER ? 1 : 2);
          any = TRUE;
        }
    }
  return any;
}

/* Returns TRUE if @n nodes in @block are more than those in the block that was found so far; its own counts before others, then the first by
 * name. */
static gboolean
is_more (const char *block, int n, const char *found, int most, const char *own)
{
  if (n != most || n == 0 || found == NULL)
    return n > most;
  return g_strcmp0 (found, own) != 0 && (g_strcmp0 (block, own) == 0 || strcmp (block, found) < 0);
}

/* Adds up a stay. Returns TRUE if the group lies in another block now, or in none any more. */
static gboolean
count (Frames *frames, const Stay *stay)
{
  GHashTable *nodes = frames->nodes[stay->group];
  const char *was = frames->block[stay->group], *own = ph_scene_box (frames->scene, stay->group)->path, *found = NULL;
  const int n = GPOINTER_TO_INT (g_hash_table_lookup (nodes, stay->block)) + stay->by;
  GHashTableIter each;
  gpointer block, number;
  int most = 0;

  g_hash_table_insert (nodes, (gpointer) stay->block, GINT_TO_POINTER (n));
  g_hash_table_iter_init (&each, nodes);
  while (g_hash_table_iter_next (&each, &block, &number))
    if (is_more (block, GPOINTER_TO_INT (number), found, most, own))
      {
        most = GPOINTER_TO_INT (number);
        found = block;
      }
  frames->block[stay->group] = found;
  return found != was;
}

static void
join (PhRect *rect, const PhRect *with)
{
  const float right = MAX (rect->x + rect->width, with->x + with->width),
              bottom = MAX (rect->y + rect->height, with->y + with->height);

  rect->x = MIN (rect->x, with->x);
  rect->y = MIN (rect->y, with->y);
  rect->width = right - rect->x;
  rect->height = bottom - rect->y;
}

/* Returns TRUE if @box, beside the groups, is in @block at @time; sets @there if anything is there. */
static gboolean
is_in_block (Frames *frames, int box, const char *block, int time, gboolean *there)
{
  const char *lies;

  if (frames->nodes[box] != NULL)
    lies = frames->block[box];
  else
    lies = block_at (frames->scene, box, time);
  *there = lies != NULL
           || (frames->nodes[box] == NULL
               && (ph_scene_box (frames->scene, box)->kind == PH_BOX_GROUP
                   || ph_scene_tenant (frames->scene, box, time) != NULL));
  return lies == block;
}

static gboolean
is_clear (Frames *frames, const int *first, const char *block, int time, const PhRect *rect)
{
  gboolean there;

  for (int i = first[0]; i < first[1]; i++)
    if (!is_in_block (frames, frames->scene->children[i], block, time, &there) && there
        && ph_rect_touches (rect, &ph_scene_box (frames->scene, frames->scene->children[i])->rect))
      return FALSE;
  return TRUE;
}

/* Finds the frame around all that lies in @block among the children from @first on. Returns FALSE if anything else stands in it, or a group of
 * it is closed. */
static gboolean
find_frame (Frames *frames, const int *first, const char *block, int time, PhRect *frame)
{
  PhScene *scene = frames->scene;
  gboolean any = FALSE, there;

  for (int i = first[0]; i < first[1]; i++)
    {
      const PhSceneBox *box = ph_scene_box (scene, scene->children[i]);

      if (!is_in_block (frames, scene->children[i], block, time, &there))
        continue;
      if (frames->nodes[scene->children[i]] != NULL && !box->open)
        return FALSE;
      if (!any)
        *frame = box->rect;
      join (frame, &box->rect);
      any = TRUE;
    }
  *frame = (PhRect) { frame->x - AROUND, frame->y - AROUND, frame->width + 2 * AROUND, frame->height + 2 * AROUND };
  return any && is_clear (frames, first, block, time, frame);
}

/* Finds the band between two frames that lie one below the other, or beside each other. Returns FALSE if they do neither. */
static gboolean
find_band (const PhRect *a, const PhRect *b, PhRect *band)
{
  const float left = MAX (a->x, b->x) + CORNER, right = MIN (a->x + a->width, b->x + b->width) - CORNER,
              top = MAX (a->y, b->y) + CORNER, bottom = MIN (a->y + a->height, b->y + b->height) - CORNER;

  if (right - left >= NARROW)
    *band = (PhRect) { left, bottom + CORNER, right - left, top - bottom - 2 * CORNER };
  else if (bottom - top >= NARROW)
    *band = (PhRect) { right + CORNER, top, left - right - 2 * CORNER, bottom - top };
  else
    return FALSE;
  return band->width > 0 && band->height > 0;
}

static void
note (Frames *frames, int group)
{
  PhGroupState *last = &frames->last[group], *next = &frames->next[group];

  if (frames->states[group] == NULL)
    frames->states[group] = g_array_new (FALSE, FALSE, sizeof (PhGroupState));
  else if (last->there == next->there && last->title == next->title && memcmp (&last->rect, &next->rect, sizeof last->rect) == 0
           && memcmp (&last->band, &next->band, sizeof last->band) == 0)
    return;
  *last = *next;
  g_array_append_val (frames->states[group], *next);
}

/* Joins the frames of the groups in one block by bands, the nearest first, from @head on; what is not reached stands alone. */
static void
join_by_bands (Frames *frames, const int *first, int head, const char *block, int time)
{
  PhScene *scene = frames->scene;
  g_autoptr (GArray) reached = g_array_new (FALSE, FALSE, sizeof (int));
  int found = head;

  while (found >= 0 && reached->len < MOST_JOINED)
    {
      float least = INFINITY;
      PhRect best = { 0, 0, 0, 0 }, band;

      g_array_append_val (reached, found);
      found = -1;
      for (int i = first[0]; i < first[1]; i++)
        {
          const int group = scene->children[i];

          if (frames->nodes[group] == NULL || frames->block[group] != block || group == head
              || frames->next[group].band.width > 0)
            continue;
          for (guint k = 0; k < reached->len; k++)
            if (find_band (&ph_scene_box (scene, group)->rect, &ph_scene_box (scene, g_array_index (reached, int, k))->rect,
                           &band)
                && MIN (band.width, band.height) < least && is_clear (frames, first, block, time, &band))
              {
                least = MIN (band.width, band.height);
                best = band;
                found = group;
              }
        }
      if (found >= 0)
        frames->next[found].band = best;
    }
}

/* Says where the frames of all groups in @parent are from @time on. */
static void
place (Frames *frames, int parent, int time)
{
  PhScene *scene = frames->scene;
  const int *first = scene->child_start + (parent < 0 ? (int) scene->boxes->len : parent);
  g_autoptr (GHashTable) heads = g_hash_table_new (NULL, NULL), joined = g_hash_table_new (NULL, NULL);
  GHashTableIter each;
  gpointer block, head;

  /* The group that stands for its block: the one that began as it, else the first. */
  for (int i = first[0]; i < first[1]; i++)
    {
      const int group = scene->children[i];
      const PhSceneBox *box = ph_scene_box (scene, group);
      const char *lies = frames->block[group];

      frames->next[group] = (PhGroupState) { time, lies != NULL, box->rect, { 0, 0, 0, 0 }, lies != NULL ? box->title : NULL };
      if (frames->nodes[group] == NULL || lies == NULL)
        continue;
      if (strcmp (lies, box->path) != 0)
        g_hash_table_add (joined, (gpointer) lies);
      if (!g_hash_table_contains (heads, lies) || strcmp (lies, box->path) == 0)
        g_hash_table_insert (heads, (gpointer) lies, GINT_TO_POINTER (group));
    }
  g_hash_table_iter_init (&each, joined);
  while (g_hash_table_iter_next (&each, &block, NULL))
    {
      PhRect frame = { 0, 0, 0, 0 };
      const gboolean around = find_frame (frames, first, block, time, &frame);

      head = g_hash_table_lookup (heads, block);
      for (int i = first[0]; i < first[1]; i++)
        if (frames->nodes[scene->children[i]] != NULL && frames->block[scene->children[i]] == block)
          {
            PhGroupState *state = &frames->next[scene->children[i]];

            state->title = block;
            if (around)
              {
                state->there = GPOINTER_TO_INT (head) == scene->children[i];
                state->rect = frame;
              }
          }
      if (!around)
        join_by_bands (frames, first, GPOINTER_TO_INT (head), block, time);
    }
  for (int i = first[0]; i < first[1]; i++)
    if (frames->nodes[scene->children[i]] != NULL)
      note (frames, scene->children[i]);
}

/* Hands the states to the groups; those that always stand where they were laid out have none. */
static void
finish (Frames *frames)
{
  PhScene *scene = frames->scene;

  for (guint b = 0; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);
      GArray *states = frames->states[b];
      const PhGroupState *first = states != NULL ? &g_array_index (states, PhGroupState, 0) : NULL;

      g_clear_pointer (&frames->nodes[b], g_hash_table_unref);
      if (states == NULL)
        continue;
      if (states->len > 1 || !first->there || first->title != box->title)
        {
          PhGroupState reach = { .rect = box->rect };

          for (guint s = 0; s < states->len; s++)
            if (g_array_index (states, PhGroupState, s).there)
              {
                join (&reach.rect, &g_array_index (states, PhGroupState, s).rect);
                if (g_array_index (states, PhGroupState, s).band.width > 0)
                  join (&reach.rect, &g_array_index (states, PhGroupState, s).band);
              }
          g_array_append_val (scene->group_states, reach);
          box->first_state = scene->group_states->len;
          box->n_states = states->len;
          g_array_append_vals (scene->group_states, states->data, states->len);
        }
      g_array_unref (states);
    }
}

void
ph_scene_place_blocks (PhScene *scene)
{
  if (!scene->record->has_blocks)
    return;

  const guint n = scene->boxes->len;
  g_autoptr (GArray) stays = g_array_new (FALSE, FALSE, sizeof (Stay));
  g_autoptr (GHashTable) parents = g_hash_table_new (NULL, NULL);
  g_autofree GHashTable **nodes = g_new0 (GHashTable *, n + 1);
  g_autofree const char **block = g_new0 (const char *, n + 1);
  g_autofree PhGroupState *last = g_new0 (PhGroupState, n + 1);
  g_autofree PhGroupState *next = g_new0 (PhGroupState, n + 1);
  g_autofree GArray **states = g_new0 (GArray *, n + 1);
  Frames frames = { scene, stays, nodes, block, last, next, states };

  for (guint b = 0; b < n; b++)
    {
      if (ph_scene_box (scene, b)->kind != PH_BOX_GROUP || !ph_scene_box (scene, b)->shown)
        continue;
      for (int i = scene->child_start[b]; i < scene->child_start[b + 1]; i++)
        if (ph_scene_box (scene, scene->children[i])->kind == PH_BOX_NODE && add_stays (&frames, b, scene->children[i])
            && nodes[b] == NULL)
          nodes[b] = g_hash_table_new (NULL, NULL);
    }
  g_array_sort (stays, compare_stays);
  for (guint i = 0, stop; i < stays->len; i = stop)
    {
      GHashTableIter each;
      gpointer parent;

      g_hash_table_remove_all (parents);
      for (stop = i; stop < stays->len && g_array_index (stays, Stay, stop).time == g_array_index (stays, Stay, i).time; stop++)
        {
          const Stay *stay = &g_array_index (stays, Stay, stop);

          if (count (&frames, stay) || i == 0)
            g_hash_table_add (parents, GINT_TO_POINTER (ph_scene_box (scene, stay->group)->parent));
        }
      g_hash_table_iter_init (&each, parents);
      while (g_hash_table_iter_next (&each, &parent, NULL))
        place (&frames, GPOINTER_TO_INT (parent), g_array_index (stays, Stay, i).time);
    }
  finish (&frames);
}

const PhRect *
ph_scene_reach (PhScene *scene, int box)
{
  const PhSceneBox *at = ph_scene_box (scene, box);

  return at->n_states > 0 ? &g_array_index (scene->group_states, PhGroupState, at->first_state - 1).rect : &at->rect;
}

gboolean
ph_scene_group_at (PhScene *scene, int group, int time, PhGroupState *at, int *until)
{
  const PhSceneBox *box = ph_scene_box (scene, group);

  *at = (PhGroupState) { 0, box->n_states == 0, box->rect, { 0, 0, 0, 0 }, box->title };
  if (until != NULL)
    *until = PH_FOREVER;
  for (guint s = 0; s < box->n_states; s++)
    {
      const PhGroupState *state = &g_array_index (scene->group_states, PhGroupState, box->first_state + s);

      if (state->time > time)
        {
          if (until != NULL)
            *until = state->time;
          break;
        }
      *at = *state;
    }
  return at->there;
}
