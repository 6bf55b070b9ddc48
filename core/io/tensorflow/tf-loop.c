/* tf-loop.c: loops of TensorFlow 1 are cycles:
 *
 *     Enter → Merge → Switch → (body) → NextIteration ┐
 *               ↑        └→ Exit                      │       LoopCond, computed from the Merges, controls the Switches
 *               └─────────────────────────────────────┘
 *
 * Each becomes one While. The nodes between Merges and LoopCond are its condition, and those between Switches and NextIterations its
 * body; Enters that feed no Merge become invariant states. Inner loops are converted first. A cycle of any other shape is cut at its
 * back edge and reported.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tensorflow/tf.h"

#include <string.h>

typedef struct
{
  PhTfNode *merge, *enter, *next, *steer;
} Carried; /* @steer: (nullable) its Switch */

typedef struct
{
  PhTfGraph *graph;
  const char *name;    /* of the frame                                              */
  GArray *carried;     /* (element-type Carried)                                    */
  GPtrArray *constant; /* (element-type PhTfNode) Enters that feed no Merge         */
  PhTfNode *condition; /* (nullable) LoopCond                                       */
  gboolean done;
} Frame;

static void
free_frame (gpointer data)
{
  Frame *frame = data;

  g_array_unref (frame->carried);
  g_ptr_array_unref (frame->constant);
  g_free (frame);
}

static gboolean
is (const PhTfNode *node, const char *op)
{
  return strcmp (node->op, op) == 0 || (g_str_has_prefix (node->op, "Ref") && strcmp (node->op + 3, op) == 0);
}

static PhTfNode *
from (const PhTfGraph *graph, const PhTfEdge *edge)
{
  return g_hash_table_lookup (graph->by_name, edge->from);
}

/* Returns the producer of data input @index. (nullable) */
static PhTfNode *
input (const PhTfGraph *graph, const PhTfNode *node, guint index)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhTfEdge *edge = &g_array_index (node->inputs, PhTfEdge, i);

      if (!edge->control && index-- == 0)
        return from (graph, edge);
    }
  return NULL;
}

static const char *
frame_name (const PhTfNode *enter)
{
  PhSpan value;
  g_autofree char *raw = ph_tf_node_attr (enter, "frame_name", &value) ? ph_wire_string (value, 2) : g_strdup ("");
  g_autofree char *name = g_utf8_make_valid (raw, -1);

  return ph_intern (*name != '\0' ? name : "while");
}

static GPtrArray *
find_frames (PhTfGraph *graph)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func (free_frame);
  g_autoptr (GHashTable) by_name = g_hash_table_new (NULL, NULL), merged = g_hash_table_new (NULL, NULL),
                         steers = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i], *merge = is (node, "Switch") ? input (graph, node, 0) : NULL;

      if (merge != NULL && is (merge, "Merge") && !g_hash_table_contains (steers, merge))
        g_hash_table_insert (steers, merge, node);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i], *a = is (node, "Merge") ? input (graph, node, 0) : NULL,
               *b = a != NULL ? input (graph, node, 1) : NULL;
      Carried carried = { node, a, b, NULL };
      Frame *frame;
      PhTfNode *condition;

      if (b != NULL && is (a, "NextIteration"))
        carried = (Carried) { node, b, a, NULL };
      if (b == NULL || !is (carried.next, "NextIteration") || !is (carried.enter, "Enter"))
        continue;
      carried.steer = g_hash_table_lookup (steers, node);
      frame = g_hash_table_lookup (by_name, frame_name (carried.enter));
      if (frame == NULL)
        {
          frame = g_new0 (Frame, 1);
          *frame = (Frame) {
            graph, frame_name (carried.enter), g_array_new (FALSE, FALSE, sizeof (Carried)), g_ptr_array_new (), NULL, FALSE
          };
          g_ptr_array_add (frames, frame);
          g_hash_table_insert (by_name, (gpointer) frame->name, frame);
        }
      condition = carried.steer != NULL ? input (graph, carried.steer, 1) : NULL;
      if (condition != NULL && is (condition, "LoopCond"))
        frame->condition = condition;
      g_hash_table_add (merged, carried.enter);
      g_array_append_val (frame->carried, carried);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i];
      Frame *frame = is (node, "Enter") && !g_hash_table_contains (merged, node)
                         ? g_hash_table_lookup (by_name, frame_name (node))
                         : NULL;

      if (frame != NULL)
        g_ptr_array_add (frame->constant, node);
    }
  return frames;
}

/* ── one frame ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the outer node of an argument: its Merge, or the Enter if that feeds no Merge. */
static const PhTfNode *
argument (const Frame *frame, guint index)
{
  return index < frame->carried->len ? g_array_index (frame->carried, Carried, index).merge
                                     : frame->constant->pdata[index - frame->carried->len];
}

/* Returns the index of the argument that @edge is inside the loop, or -1 if it is another node. */
static int
argument_of (const Frame *frame, const PhTfEdge *edge)
{
  for (guint i = 0; i < frame->carried->len; i++)
    {
      const Carried *carried = &g_array_index (frame->carried, Carried, i);

      if (edge->from == carried->merge->name
          || (carried->steer != NULL && edge->from == carried->steer->name && (edge->output == 1 || edge->control)))
        return (int) i;
    }
  for (guint i = 0; i < frame->constant->len; i++)
    if (edge->from == ((PhTfNode *) frame->constant->pdata[i])->name)
      return (int) (frame->carried->len + i);
  return -1;
}

/* Collects the nodes that @edge depends on, up to the arguments. Returns FALSE if one of them cannot be part of a loop's body. */
static gboolean
slice (const Frame *frame, const PhTfEdge *start, GHashTable *found)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  PhTfNode *first = argument_of (frame, start) < 0 ? from (frame->graph, start) : NULL;

  if (first != NULL)
    g_ptr_array_add (stack, first);
  while (stack->len > 0)
    {
      PhTfNode *node = g_ptr_array_steal_index (stack, stack->len - 1);

      if (g_hash_table_contains (found, node))
        continue;
      if (node->gone || is (node, "Enter") || is (node, "NextIteration") || is (node, "LoopCond") || is (node, "Exit")
          || is (node, "_Arg") || is (node, "Placeholder"))
        return FALSE;
      g_hash_table_add (found, node);
      if (is (node, "Const"))
        continue;
      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhTfEdge *edge = &g_array_index (node->inputs, PhTfEdge, i);
          PhTfNode *next = from (frame->graph, edge);

          if (next == NULL || argument_of (frame, edge) >= 0 || (edge->control && (next->gone || is (next, "LoopCond"))))
            continue;
          g_ptr_array_add (stack, next);
        }
    }
  return TRUE;
}

/* Returns the same edge inside of the loop. */
static PhTfEdge
inner_edge (const Frame *frame, const PhTfEdge *edge)
{
  const int index = argument_of (frame, edge);

  return index >= 0 ? (PhTfEdge) { argument (frame, (guint) index)->name, 0, edge->control } : *edge;
}

static PhTfGraph *
copy_part (const Frame *frame, GHashTable *nodes, const char *name)
{
  PhTfGraph *part = ph_tf_graph_new (name);
  const guint n = frame->carried->len + frame->constant->len;

  for (guint i = 0; i < n; i++)
    {
      const PhTfNode *outside = argument (frame, i);
      PhTfNode *inside = ph_tf_node_new (part, outside->name, "_Arg");
      PhTfAttr type = { ph_intern ("T"), { 0 } };

      if (ph_tf_node_attr (outside, "T", &type.value))
        g_array_append_val (inside->attrs, type);
      g_ptr_array_add (part->args, inside);
    }
  for (guint i = 0; i < frame->graph->nodes->len; i++)
    {
      PhTfNode *node = frame->graph->nodes->pdata[i], *copy;

      if (!g_hash_table_contains (nodes, node))
        continue;
      copy = ph_tf_node_new (part, node->name, node->op);
      copy->device = g_strdup (node->device);
      copy->n_outputs = node->n_outputs;
      copy->cond = g_steal_pointer (&node->cond);
      copy->body = g_steal_pointer (&node->body);
      g_array_append_vals (copy->attrs, node->attrs->data, node->attrs->len);
      for (guint j = 0; j < node->inputs->len; j++)
        {
          const PhTfEdge edge = inner_edge (frame, &g_array_index (node->inputs, PhTfEdge, j));

          g_array_append_val (copy->inputs, edge);
        }
    }
  return part;
}

static void
mark_gone (GHashTable *nodes)
{
  GHashTableIter iter;
  gpointer node;

  g_hash_table_iter_init (&iter, nodes);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    if (!is (node, "Const"))
      ((PhTfNode *) node)->gone = TRUE;
}

/* Redirects an edge from @exit to output @index of @loop. */
static void
redirect_edge (PhTfEdge *edge, const PhTfNode *exit, const PhTfNode *loop, guint index)
{
  if (edge->from == exit->name)
    *edge = (PhTfEdge) { loop->name, edge->control ? 0 : index, edge->control };
}

static void
redirect (PhTfGraph *graph, PhTfNode *exit, const PhTfNode *loop, guint index)
{
  exit->gone = TRUE;
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const PhTfNode *node = graph->nodes->pdata[i];

      for (guint j = 0; j < node->inputs->len; j++)
        redirect_edge (&g_array_index (node->inputs, PhTfEdge, j), exit, loop, index);
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    redirect_edge (&g_array_index (graph->outputs, PhTfEdge, i), exit, loop, index);
}

static PhTfNode *
add_loop (Frame *frame)
{
  PhTfGraph *graph = frame->graph;
  g_autofree char *base = g_strdup (frame->name);
  PhTfNode *loop;

  for (guint i = 1; g_hash_table_contains (graph->by_name, ph_intern (base)); i++)
    {
      g_free (base);
      base = g_strdup_printf ("%s:%u", frame->name, i);
    }
  loop = ph_tf_node_new (graph, base, "While");
  loop->n_outputs = frame->carried->len + frame->constant->len;
  for (guint i = 0; i < loop->n_outputs; i++)
    {
      const PhTfNode *enter = i < frame->carried->len ? g_array_index (frame->carried, Carried, i).enter
                                                      : frame->constant->pdata[i - frame->carried->len];

      for (guint j = 0; j < enter->inputs->len; j++)
        if (!g_array_index (enter->inputs, PhTfEdge, j).control)
          {
            g_array_append_val (loop->inputs, g_array_index (enter->inputs, PhTfEdge, j));
            break;
          }
    }
  return loop;
}

/* Turns the frame into a While. Returns FALSE if it does not have the expected form, or contains an inner loop still. */
static gboolean
structure (Frame *frame)
{
  g_autoptr (GHashTable) condition = g_hash_table_new (NULL, NULL), body = g_hash_table_new (NULL, NULL);
  const PhTfEdge *decides;
  const guint n_nodes = frame->graph->nodes->len;
  PhTfNode *loop;

  if (frame->condition == NULL || frame->condition->inputs->len == 0 || frame->condition->gone)
    return FALSE;
  decides = &g_array_index (frame->condition->inputs, PhTfEdge, 0);
  if (!slice (frame, decides, condition))
    return FALSE;
  for (guint i = 0; i < frame->carried->len; i++)
    {
      const Carried *carried = &g_array_index (frame->carried, Carried, i);

      if (carried->next->inputs->len == 0 || input (frame->graph, carried->enter, 0) == NULL
          || !slice (frame, &g_array_index (carried->next->inputs, PhTfEdge, 0), body))
        return FALSE;
    }
  loop = add_loop (frame);
  loop->cond = copy_part (frame, condition, "cond");
  g_array_append_vals (loop->cond->outputs, (PhTfEdge[]) { inner_edge (frame, decides) }, 1);
  loop->body = copy_part (frame, body, "body");
  for (guint i = 0; i < loop->n_outputs; i++)
    {
      const PhTfEdge through = { argument (frame, i)->name, 0, FALSE };
      const PhTfEdge next = i < frame->carried->len ? inner_edge (
                                frame, &g_array_index (g_array_index (frame->carried, Carried, i).next->inputs, PhTfEdge, 0))
                                                    : through;

      g_array_append_val (loop->body->outputs, next);
    }
  mark_gone (condition);
  mark_gone (body);
  frame->condition->gone = TRUE;
  for (guint i = 0; i < frame->constant->len; i++)
    ((PhTfNode *) frame->constant->pdata[i])->gone = TRUE;
  for (guint i = 0; i < frame->carried->len; i++)
    {
      const Carried *carried = &g_array_index (frame->carried, Carried, i);

      carried->merge->gone = carried->enter->gone = carried->next->gone = TRUE;
      if (carried->steer == NULL)
        continue;
      carried->steer->gone = TRUE;
      for (guint j = 0; j < n_nodes; j++)
        if (is (frame->graph->nodes->pdata[j], "Exit")
            && input (frame->graph, frame->graph->nodes->pdata[j], 0) == carried->steer)
          redirect (frame->graph, frame->graph->nodes->pdata[j], loop, i);
    }
  return TRUE;
}

/* ── the rest ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
cut_open (PhTfFile *file, PhTfGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i];

      for (guint j = node->inputs->len; j-- > 0 && !node->gone && is (node, "Merge");)
        {
          const PhTfNode *before = from (graph, &g_array_index (node->inputs, PhTfEdge, j));

          if (before == NULL || !is (before, "NextIteration") || before->gone)
            continue;
          ph_source_problem (
              file->source,
              "A loop that is not of TensorFlow's shape was cut open: the edge back from '%s' to '%s' is drawn, and nothing more",
              before->name, node->name);
          if (node->back == NULL)
            node->back = g_array_new (FALSE, FALSE, sizeof (PhTfEdge));
          g_array_append_val (node->back, g_array_index (node->inputs, PhTfEdge, j));
          g_array_remove_index (node->inputs, j);
        }
    }
}

/* Removes nodes that only ran for their effect inside a loop, and edges from removed nodes. */
static void
sweep (PhTfFile *file, PhTfGraph *graph)
{
  for (gboolean changed = TRUE; changed;)
    {
      changed = FALSE;
      for (guint i = 0; i < graph->nodes->len; i++)
        {
          PhTfNode *node = graph->nodes->pdata[i];

          for (guint j = node->inputs->len; j-- > 0 && !node->gone;)
            {
              const PhTfEdge *edge = &g_array_index (node->inputs, PhTfEdge, j);
              const PhTfNode *before = from (graph, edge);

              if (before == NULL || !before->gone)
                continue;
              if (edge->control)
                {
                  g_array_remove_index (node->inputs, j);
                  continue;
                }
              ph_source_problem (file->source, "'%s' (%s) was left out: it ran inside of a loop only for its effect", node->name,
                                 node->op);
              node->gone = changed = TRUE;
            }
        }
    }
}

void
ph_tf_structure (PhTfFile *file, PhTfGraph *graph)
{
  g_autoptr (GPtrArray) frames = find_frames (graph);
  gboolean any = FALSE;

  for (gboolean changed = frames->len > 0; changed;)
    {
      changed = FALSE;
      for (guint i = 0; i < frames->len; i++)
        {
          Frame *frame = frames->pdata[i];

          if (!frame->done && structure (frame))
            frame->done = changed = any = TRUE;
        }
    }
  cut_open (file, graph);
  if (any)
    sweep (file, graph);
}
