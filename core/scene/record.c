/* record.c: walks through a whole history once and records when each thing appears and disappears.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/record-private.h"

#include <string.h>

#include "core/large-pages.h"
#include "core/ops/dialect.h"
#include "core/ops/op-list.h"

#define SHORT_NAME 12   /* letters of a value that is called by its name */
#define LOOK_UP    1000 /* nodes between two checks of the cancellable */

/* Valid until the next call. */
static PhKnown *
known_at (PhRecorder *recorder, PhId id)
{
  GArray *known = recorder->record->known;

  if (id >= known->len)
    g_array_set_size (known, MAX (id + 1, recorder->model->next_id));
  return &g_array_index (known, PhKnown, id);
}

static int
add_life (PhRecorder *recorder, PhLifeKind kind, PhId id, const PhGraph *graph)
{
  PhLife life = { .kind = kind, .id = id, .born = recorder->now, .died = PH_FOREVER, .replaces = -1, .first_use = -1 };

  life.owner = graph->owner != NULL && graph->owner->id != recorder->record->inside ? graph->owner->id : PH_NO_ID;
  g_array_append_val (recorder->record->lives, life);
  if (kind != PH_LIFE_OUTPUT)
    known_at (recorder, id)->life = recorder->record->lives->len;
  return recorder->record->lives->len - 1;
}

/* Records @face unless it equals the previous one. */
void
ph_recorder_set_face (PhRecorder *recorder, int index, guint face)
{
  PhLife *life = life_at (recorder, index);
  const PhFaceChange change = { recorder->now, face };

  if (life->n_faces > 0)
    {
      PhFaceChange *last = ph_life_face (life, life->n_faces - 1);
      const PhFace *a = ph_faces_get (recorder->record->faces, last->face), *b = ph_faces_get (recorder->record->faces, face);

      /* An equal constant with another name looks different but is not a change. */
      if (a->signature == b->signature && a->types == b->types && a->own_types == b->own_types && a->title == b->title
          && a->shape == b->shape && a->width == b->width && a->n_rows == b->n_rows
          && memcmp (a->rows, b->rows, sizeof a->rows) == 0)
        return;
      if (last->time == recorder->now)
        {
          last->face = face;
          return;
        }
    }
  if (life->n_faces == 0)
    life->face = change;
  else
    {
      if (life->later == NULL)
        life->later = g_array_new (FALSE, FALSE, sizeof (PhFaceChange));
      g_array_append_val (life->later, change);
    }
  life->n_faces++;
}

/* Returns the face before this moment, or NULL. */
static const PhFace *
former_face (PhRecorder *recorder, int index)
{
  PhLife *life = life_at (recorder, index);

  for (guint i = life->n_faces; i > 0; i--)
    if (ph_life_face (life, i - 1)->time < recorder->now)
      return ph_faces_get (recorder->record->faces, ph_life_face (life, i - 1)->face);
  return NULL;
}

/* Returns TRUE if life @index was born or changed at this moment. */
static gboolean
changes_now (PhRecorder *recorder, int index)
{
  PhLife *life = life_at (recorder, index);

  return life->born == recorder->now || (life->n_faces > 1 && ph_life_face (life, life->n_faces - 1)->time == recorder->now);
}

/* Types that follow from an operand's new type are no change of the node itself. */
static void
settle_types (PhRecorder *recorder, int index, const PhNode *node, guint face)
{
  const PhFace *before = former_face (recorder, index), *after = ph_faces_get (recorder->record->faces, face);

  if (before == NULL)
    return;
  if (before->types != after->types && before->signature == after->signature)
    for (guint i = 0; i < node->inputs->len; i++)
      {
        const PhValue *value = node->inputs->pdata[i];
        const int maker = value != NULL && value->producer != NULL ? life_of (recorder, value->producer->id) : -1;

        if (maker >= 0 && changes_now (recorder, maker))
          {
            ph_faces_set_own_types (recorder->record->faces, face, before->own_types);
            return;
          }
      }
  if (before->types == after->types || before->signature != after->signature)
    ph_faces_set_own_types (recorder->record->faces, face, before->own_types);
}

static void
note_type (PhRecorder *recorder, const PhValue *value)
{
  PhKnown *known = known_at (recorder, value->id);
  gint64 bytes;

  if (value->name != NULL && *value->name != 0 && strlen (value->name) <= SHORT_NAME)
    known->name = ph_faces_name (recorder->record->faces, value->name);
  if (value->type == NULL)
    return;
  known->type = ph_faces_type (recorder->record->faces, value->type);
  bytes = ph_type_bytes (value->type);
  if (bytes > 0)
    known->kib = MIN (bytes / 1024 + 1, G_MAXINT);
}

gboolean
ph_scene_draws_input (const PhValue *value)
{
  const PhValue *of;

  if (!value->is_input || value->tensor == NULL)
    return value->is_input;
  if (!g_str_has_prefix (value->name, "grad_"))
    return FALSE;
  of = ph_model_find_value_named (value->graph->model, value->name + strlen ("grad_"));
  return of != NULL && of->graph == value->graph && ph_value_is_output (of);
}

/* Returns the life that feeds @value: its producer, or itself if it is a graph input; -1 for constants, which are shown on the box. */
static int
source_of (PhRecorder *recorder, const PhValue *value)
{
  if (value == NULL)
    return -1;
  if (value->producer != NULL)
    return life_of (recorder, value->producer->id);
  return ph_scene_draws_input (value) ? life_of (recorder, value->id) : -1;
}

/* Returns TRUE, and takes it out of what is wanted, if @use is to stay. */
static gboolean
stays (PhRecorder *recorder, const PhUseLife *use)
{
  for (guint k = 0; k < recorder->wanted->len; k++)
    {
      const PhUseLife *want = &g_array_index (recorder->wanted, PhUseLife, k);

      if (want->from == use->from && want->value == use->value && want->control == use->control && want->link == use->link
          && want->times == use->times)
        {
          g_array_remove_index (recorder->wanted, k);
          return TRUE;
        }
    }
  return FALSE;
}

void
ph_recorder_set_uses (PhRecorder *recorder, int index)
{
  GArray *uses = recorder->record->uses;
  int *next = &life_at (recorder, index)->first_use;

  while (*next >= 0)
    {
      PhUseLife *use = &g_array_index (uses, PhUseLife, *next);

      if (stays (recorder, use))
        next = &use->next;
      else
        {
          use->died = recorder->now;
          *next = use->next;
        }
    }
  for (guint k = 0; k < recorder->wanted->len; k++)
    {
      PhUseLife use = g_array_index (recorder->wanted, PhUseLife, k);
      PhLife *life = life_at (recorder, index);

      use.born = recorder->now;
      use.died = PH_FOREVER;
      use.to = index;
      use.next = life->first_use;
      life->first_use = uses->len;
      g_array_append_val (uses, use);
    }
}

static void
want_use (PhRecorder *recorder, const PhValue *value, guint operand, gboolean link)
{
  PhUseLife use = { .from = source_of (recorder, value), .operand = MIN (operand, G_MAXUINT8), .times = 1, .link = link };

  if (use.from < 0)
    return;
  use.value = value->id;
  for (guint i = 0; i < recorder->wanted->len; i++)
    {
      PhUseLife *same = &g_array_index (recorder->wanted, PhUseLife, i);

      if (same->value != use.value || same->link != link)
        continue;
      same->times = MIN (same->times + 1, G_MAXUINT8);
      return;
    }
  g_array_append_val (recorder->wanted, use);
}

/* Records values that reach @node over back edges; and the node itself, in case another node produces them later. */
static void
want_links (PhRecorder *recorder, const PhNode *node)
{
  g_autoptr (GPtrArray) links = ph_node_links (node);

  for (guint i = 0; links != NULL && i < links->len; i++)
    {
      const PhValue *value = links->pdata[i];
      GArray *nodes = g_hash_table_lookup (recorder->linked, value->name);
      guint k;

      want_use (recorder, value, node->inputs->len + i, TRUE);
      if (nodes == NULL)
        g_hash_table_insert (recorder->linked, (gpointer) value->name, nodes = g_array_new (FALSE, FALSE, sizeof (PhId)));
      for (k = 0; k < nodes->len && g_array_index (nodes, PhId, k) != node->id; k++)
        ;
      if (k == nodes->len)
        g_array_append_val (nodes, node->id);
    }
}

static void
set_node_uses (PhRecorder *recorder, int index, const PhNode *node)
{
  g_array_set_size (recorder->wanted, 0);
  for (guint i = 0; i < node->inputs->len; i++)
    want_use (recorder, node->inputs->pdata[i], i, FALSE);
  for (guint i = 0; node->control != NULL && i < node->control->len; i++)
    {
      const PhUseLife use = { .from = life_of (recorder, ((PhNode *) node->control->pdata[i])->id), .times = 1, .control = TRUE };

      if (use.from >= 0)
        g_array_append_val (recorder->wanted, use);
    }
  want_links (recorder, node);
  ph_recorder_set_uses (recorder, index);
}

void
ph_recorder_touch_links (PhRecorder *recorder, PhNode *node)
{
  if (node->op != NULL)
    return;
  if (ph_node_attr (node, PH_LINKS_ATTR) != NULL)
    set_node_uses (recorder, life_of (recorder, node->id), node);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const GArray *nodes = g_hash_table_lookup (recorder->linked, ((PhValue *) node->outputs->pdata[i])->name);

      for (guint k = 0; nodes != NULL && k < nodes->len; k++)
        {
          const PhNode *user = ph_model_find_node (recorder->model, g_array_index (nodes, PhId, k));

          if (user != NULL && user != node && life_of (recorder, user->id) >= 0)
            set_node_uses (recorder, life_of (recorder, user->id), user);
        }
    }
}

/* Returns TRUE for a weight in another form: Constant, or ConstantOfShape of a constant, which replaces weights in light models. */
static gboolean
is_constant (PhNode *node)
{
  if (node->outputs->len != 1)
    return FALSE;
  return node->op == &ph_op_Constant
         || (node->op == &ph_op_ConstantOfShape && ph_node_input (node, 0) != NULL
             && ph_value_constant (ph_node_input (node, 0)) != NULL);
}

guint
ph_scene_count_drawn (PhModel *model)
{
  guint n = 0;

  PH_FOREACH_NODE (node, model->graph)
    n += !is_constant (node);
  return n;
}

static gboolean
branches (const PhGraph *graph)
{
  if (graph->first == NULL || !ph_dialect_has_blocks (graph->first))
    return FALSE;
  PH_FOREACH_NODE (node, graph)
    if (ph_node_attr (node, PH_TARGETS_ATTR) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
ph_scene_has_blocks (PhModel *model)
{
  gboolean any = branches (model->graph);

  for (guint i = 0; i < model->functions->len && !any; i++)
    any = branches (((PhFunction *) model->functions->pdata[i])->graph);
  return any;
}

guint
ph_scene_count_layers (PhModel *model)
{
  g_autofree guint *layers = g_new0 (guint, model->nodes->len);
  guint most = 0;

  PH_FOREACH_NODE (node, model->graph)
    {
      if (is_constant (node))
        continue;
      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *value = ph_node_input (node, i);

          if (value != NULL && value->producer != NULL && value->producer->graph == node->graph)
            layers[node->id] = MAX (layers[node->id], layers[value->producer->id]);
        }
      layers[node->id]++;
      most = MAX (most, layers[node->id]);
    }
  return most;
}

void
ph_recorder_touch_node (PhRecorder *recorder, PhNode *node)
{
  PhRecord *record = recorder->record;
  int index = life_of (recorder, node->id);
  gboolean constant;
  PhLife *life;

  if (index < 0)
    {
      constant = is_constant (node);
      index = add_life (recorder, constant ? PH_LIFE_CONSTANT : PH_LIFE_NODE, node->id, node->graph);
      life = life_at (recorder, index);
      life->role = node->role;
      life->partner = node->partner;
      life->op_type = node->op_type;
      life->ordered = node->op == NULL || (node->op->flags & PH_OP_COMMUTATIVE) == 0;
      life->has_bodies = node->graphs != NULL && node->graphs->len > 0 && !ph_node_is_fused (node);
      life->has_inside = !life->has_bodies && ph_node_inside (node) != PH_NO_ID;
      if (strchr (node->name, '/') != NULL)
        {
          g_autofree char *scope = ph_node_scope (node);

          life->scope = ph_faces_string (record->faces, scope);
          life->in_block = ph_dialect_has_blocks (node);
          record->has_blocks |= life->in_block;
        }
      /* The gradient of a scope gets a scope beside it. */
      if (node->role == PH_ROLE_BACKWARD && node->partner != PH_NO_ID && life_of (recorder, node->partner) >= 0)
        {
          const char *scope = life_at (recorder, life_of (recorder, node->partner))->scope;
          g_autofree char *beside = scope != NULL && *scope != 0 ? g_strconcat ("∇", scope, NULL) : NULL;

          life = life_at (recorder, index);
          life->scope = beside != NULL ? ph_faces_string (record->faces, beside) : NULL;
        }
    }
  life = life_at (recorder, index);
  {
    const guint face = life->kind == PH_LIFE_CONSTANT ? ph_faces_add_constant (record->faces, node)
                                                      : ph_faces_add_node (record->faces, node);

    settle_types (recorder, index, node, face);
    ph_recorder_set_face (recorder, index, face);
  }
  for (guint i = 0; i < node->outputs->len; i++)
    note_type (recorder, node->outputs->pdata[i]);
  set_node_uses (recorder, index, node);
}

void
ph_recorder_touch_input (PhRecorder *recorder, const PhValue *value)
{
  int index = life_of (recorder, value->id);

  if (!ph_scene_draws_input (value))
    return;
  if (index < 0)
    index = add_life (recorder, PH_LIFE_INPUT, value->id, value->graph);
  ph_recorder_set_face (recorder, index, ph_faces_add_value (recorder->record->faces, value, FALSE));
  note_type (recorder, value);
}

/* Records the outputs of a graph, which are boxes of their own by index. */
void
ph_recorder_touch_outputs (PhRecorder *recorder, PhGraph *graph)
{
  GArray *lives = g_hash_table_lookup (recorder->outputs, GUINT_TO_POINTER (graph->id));

  if (lives == NULL)
    {
      lives = g_array_new (FALSE, FALSE, sizeof (int));
      g_hash_table_insert (recorder->outputs, GUINT_TO_POINTER (graph->id), lives);
    }
  for (guint i = 0; i < MAX (graph->outputs->len, lives->len); i++)
    {
      const PhValue *value = i < graph->outputs->len ? graph->outputs->pdata[i] : NULL;

      if (i == lives->len)
        {
          const int index = add_life (recorder, PH_LIFE_OUTPUT, graph->id, graph);

          life_at (recorder, index)->index = i;
          g_array_append_val (lives, index);
        }

      const int index = g_array_index (lives, int, i);
      PhLife *life = life_at (recorder, index);

      g_array_set_size (recorder->wanted, 0);
      if (value != NULL)
        {
          life->died = PH_FOREVER; /* restored: it counts as never removed */
          ph_recorder_set_face (recorder, index, ph_faces_add_value (recorder->record->faces, value, TRUE));
          want_use (recorder, value, 0, FALSE);
        }
      else if (life->died == PH_FOREVER)
        life->died = recorder->now;
      ph_recorder_set_uses (recorder, index);
    }
}

gboolean
ph_recorder_is_shown (PhRecorder *recorder, const PhGraph *graph)
{
  return ph_graph_is_shown (graph, recorder->record->inside);
}

/* Returns FALSE if cancelled. */
static gboolean
touch_graph (PhRecorder *recorder, PhGraph *graph)
{
  guint n = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    ph_recorder_touch_input (recorder, graph->inputs->pdata[i]);
  PH_FOREACH_NODE (node, graph)
    {
      if (++n % LOOK_UP == 0 && g_cancellable_is_cancelled (recorder->cancellable))
        return FALSE;
      ph_recorder_touch_node (recorder, node);
      for (guint i = 0; node->graphs != NULL && !ph_node_is_fused (node) && i < node->graphs->len; i++)
        if (!touch_graph (recorder, node->graphs->pdata[i]))
          return FALSE;
    }
  PH_FOREACH_NODE (node, graph)
    ph_recorder_touch_links (recorder, node);
  ph_recorder_touch_outputs (recorder, graph);
  return TRUE;
}

/* ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
life_clear (gpointer data)
{
  g_clear_pointer (&((PhLife *) data)->later, g_array_unref);
}

/* Returns how many lives there may be at the start: those in bodies are not counted. */
static guint
expect_lives (PhModel *model, PhId inside)
{
  const PhGraph *graph = inside == PH_NO_ID ? model->graph : ph_model_find_graph (model, inside);

  return graph != NULL ? graph->n_nodes + graph->inputs->len + graph->outputs->len : 0;
}

/* Records the graphs in the picture, as the model is now. Returns FALSE if cancelled. */
static gboolean
touch_inside (PhRecorder *recorder)
{
  const PhId inside = recorder->record->inside;
  const PhNode *node = ph_model_find_node (recorder->model, inside);
  PhGraph *graph = inside == PH_NO_ID ? recorder->model->graph : ph_model_find_graph (recorder->model, inside);

  if (graph != NULL)
    return touch_graph (recorder, graph);
  for (guint i = 0; node != NULL && node->graphs != NULL && i < node->graphs->len; i++)
    if (!touch_graph (recorder, node->graphs->pdata[i]))
      return FALSE;
  return TRUE;
}

PhRecord *
ph_record_new (PhModel *model, PhHistory *history, PhId inside, GCancellable *cancellable)
{
  PhRecord *record = g_new0 (PhRecord, 1);
  /* clang-format off */
  PhRecorder recorder = {
    record, cancellable, model, 0, g_array_new (FALSE, FALSE, sizeof (PhUseLife)),
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref),
    g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref)
  };
  /* clang-format on */
  const guint expected = expect_lives (model, inside),
              start = history != NULL ? ph_history_edit_index (history, history->position) : 0;
  guint done = start;
  gboolean cancelled;

  record->inside = inside;
  record->faces = ph_faces_new (model->graph, expected);
  record->lives = ph_large_array (FALSE, sizeof (PhLife), expected);
  g_array_set_clear_func (record->lives, life_clear);
  record->uses = ph_large_array (FALSE, sizeof (PhUseLife), 2 * expected);
  record->stops = g_array_new (FALSE, FALSE, sizeof (int));
  record->moves = g_array_new (FALSE, FALSE, sizeof (PhMove));
  record->known = ph_large_array (TRUE, sizeof (PhKnown), model->next_id);

  g_assert (history == NULL || model->journal == NULL);
  while (done > 0)
    ph_edit_revert (model, history->edits->pdata[--done]);
  cancelled = !touch_inside (&recorder);
  for (guint i = 0; history != NULL && i < history->rewrites->len && !cancelled; i++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, i);

      ph_recorder_replay (&recorder, history, rewrite);
      done = rewrite->first_edit + rewrite->n_edits;
      cancelled = g_cancellable_is_cancelled (cancellable);
    }
  while (done > start)
    ph_edit_revert (model, history->edits->pdata[--done]);
  while (done < start)
    ph_edit_apply (model, history->edits->pdata[done++]);
  record->end = recorder.now;
  g_array_append_val (record->stops, (int) { 0 });
  for (guint i = 0; history != NULL && i < history->steps->len; i++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, i);
      const int time = step->first_rewrite + step->n_rewrites;

      g_array_append_val (record->stops, time);
    }
  g_array_unref (recorder.wanted);
  g_hash_table_unref (recorder.outputs);
  g_hash_table_unref (recorder.linked);
  if (cancelled)
    g_clear_pointer (&record, ph_record_free);
  else
    ph_record_match_places (record);
  return record;
}

void
ph_record_free (PhRecord *record)
{
  if (record->faces != NULL)
    ph_faces_free (record->faces);
  g_array_unref (record->lives);
  g_array_unref (record->uses);
  g_array_unref (record->moves);
  g_array_unref (record->stops);
  g_array_unref (record->known);
  g_free (record);
}
