/* view-measure.c: measurements of nodes from a run or comparison, as colours.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/view-private.h"

/* Returns TRUE if the profile belongs to this position and file: it knows most nodes. */
static gboolean
is_measured (PhDocument *document)
{
  PhProfile *profile = ph_document_get_profile (document);
  PhModel *model = ph_document_get_model (document);
  guint n = 0, known = 0;

  if (profile == NULL || model == NULL)
    return FALSE;
  PH_FOREACH_NODE (node, model->graph)
    {
      n++;
      known += ph_profile_find (profile, node->id) != NULL;
    }
  return known * 2 >= n;
}

/* Measures the relative error of the worst output of each node that both positions have. */
static PhMeasure *
measure_error (const PhAlong *along, PhPosition from, PhPosition to)
{
  g_autofree char *first = ph_position_to_string (from), *last = ph_position_to_string (to);
  g_autofree char *title = g_strdup_printf ("Difference of the values, %s → %s", first, last);
  GHashTable *numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (guint i = 0; i < along->values->len; i++)
    {
      const PhAlongValue *value = &g_array_index (along->values, PhAlongValue, i);
      const double error = value->error <= PH_ALONG_ROUNDING ? 0 : MIN (value->error, 1);
      double *known = g_hash_table_lookup (numbers, GUINT_TO_POINTER (value->node));

      if (known != NULL)
        *known = MAX (*known, error);
      else
        g_hash_table_insert (numbers, GUINT_TO_POINTER (value->node), g_memdup2 (&error, sizeof error));
    }
  return ph_measure_new_numbers (PH_COLOR_ERROR, title, NULL, numbers);
}

PhMeasure *
ph_view_measure_of_profile (PhDocument *document, PhColorMode mode)
{
  return is_measured (document) ? ph_measure_new_of_profile (ph_document_get_profile (document), mode) : NULL;
}

PhMeasure *
ph_view_measure_of_along (PhDocument *document)
{
  PhPosition from, to;
  const PhAlong *along = ph_document_get_along (document, &from, &to);

  if (along == NULL || ph_position_compare (from, ph_document_get_since (document)) != 0
      || ph_position_compare (to, ph_document_get_position (document)) != 0)
    return NULL;
  return measure_error (along, from, to);
}
