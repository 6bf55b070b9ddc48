/* trail.c: the path to the graph shown in the picture, through bodies and functions, and back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

GArray *
ph_document_get_trail (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->trail;
}

PhId
ph_document_get_inside (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), PH_NO_ID);
  return document->trail->len > 0 ? g_array_index (document->trail, PhTrailPart, document->trail->len - 1).inside : PH_NO_ID;
}

/* Returns the functions and fused nodes that enclose @graph, outermost first. */
static GArray *
find_trail (const PhGraph *graph)
{
  GArray *trail = g_array_new (FALSE, FALSE, sizeof (PhTrailPart));

  PhTrailPart part;

  for (; graph->owner != NULL; graph = graph->owner->graph)
    if (ph_node_is_fused (graph->owner))
      {
        part = (PhTrailPart) { graph->owner->id, graph->owner->id };
        g_array_prepend_val (trail, part);
      }
  if (graph->function != NULL)
    {
      part = (PhTrailPart) { PH_NO_ID, graph->id };
      g_array_prepend_val (trail, part);
    }
  return trail;
}

/* Takes @trail. */
static void
take_trail (PhDocument *document, GArray *trail)
{
  const PhId before = ph_document_get_inside (document);
  const guint length = document->trail->len;

  g_array_unref (document->trail);
  document->trail = trail;
  if (before == ph_document_get_inside (document) && length == trail->len)
    return;

  /* A part of the picture belonged to the graph that is left. */
  const gboolean whole = ph_view_state_forget_part (document->view);

  ph_document_emit (document, SIGNAL_INSIDE_CHANGED);
  if (whole)
    ph_view_state_emit (document->view, PH_VIEW_PART);
}

/* Returns the trail to the place where @graph is shown, with as much of the present one as leads there. (transfer full) */
static GArray *
trail_to (PhDocument *document, const PhGraph *graph)
{
  for (guint n = document->trail->len; n > 0; n--)
    if (ph_graph_is_shown (graph, g_array_index (document->trail, PhTrailPart, n - 1).inside))
      {
        GArray *trail = g_array_copy (document->trail);

        g_array_set_size (trail, n);
        return trail;
      }
  return find_trail (graph);
}

gboolean
ph_document_enter (PhDocument *document, const PhNode *node, GError **error)
{
  const PhTrailPart part = { node->id, ph_node_inside (node) };
  GArray *trail;

  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  if (part.inside == PH_NO_ID)
    return ph_node_fail (node, error, PH_ERROR_USAGE,
                         "there is nothing inside: only fused nodes, calls of functions and nodes with bodies can be entered");
  trail = trail_to (document, node->graph);
  for (guint i = 0; i < trail->len; i++)
    if (g_array_index (trail, PhTrailPart, i).inside == part.inside) /* a recursive call */
      {
        g_array_unref (trail);
        return ph_node_fail (node, error, PH_ERROR_USAGE, "this is inside of it already");
      }
  g_array_append_val (trail, part);
  take_trail (document, trail);
  return TRUE;
}

void
ph_document_enter_function (PhDocument *document, const PhFunction *function)
{
  GArray *trail = g_array_new (FALSE, FALSE, sizeof (PhTrailPart));
  const PhTrailPart part = { PH_NO_ID, function->graph->id };

  g_return_if_fail (PH_IS_DOCUMENT (document));
  g_array_append_val (trail, part);
  take_trail (document, trail);
}

gboolean
ph_document_leave (PhDocument *document, guint levels)
{
  GArray *trail;

  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  if (document->trail->len == 0 || levels == 0)
    return FALSE;
  trail = g_array_copy (document->trail);
  g_array_set_size (trail, trail->len - MIN (levels, trail->len));
  take_trail (document, trail);
  return TRUE;
}

gboolean
ph_document_reveal (PhDocument *document, PhId id)
{
  const PhNode *node;
  const PhId before = ph_document_get_inside (document);

  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  node = document->model != NULL ? ph_model_find_node (document->model, id) : NULL;
  if (node == NULL || ph_graph_is_shown (node->graph, before))
    return FALSE;
  take_trail (document, trail_to (document, node->graph));
  return before != ph_document_get_inside (document);
}

char *
ph_document_trail_text (PhDocument *document, guint index)
{
  const PhTrailPart *part;
  const PhGraph *graph;
  const PhNode *node;

  g_return_val_if_fail (PH_IS_DOCUMENT (document) && index < document->trail->len, NULL);
  part = &g_array_index (document->trail, PhTrailPart, index);
  graph = ph_model_find_graph (document->model, part->inside);
  node = ph_model_find_node (document->model, part->node != PH_NO_ID ? part->node : part->inside);
  if (graph != NULL)
    return g_strdup_printf ("%s%s%s", graph->function->domain, *graph->function->domain != '\0' ? "." : "",
                            graph->function->name);
  if (node == NULL)
    return g_strdup_printf ("n%u", part->inside);
  return g_strdup_printf ("n%u %s", node->id, node->op_type);
}

void
ph_document_check_trail (PhDocument *document)
{
  guint n = 0;

  while (n < document->trail->len && document->model != NULL
         && ph_model_has_inside (document->model, g_array_index (document->trail, PhTrailPart, n).inside))
    n++;
  ph_document_leave (document, document->trail->len - n);
}
