/* findings.c: inputs of a document's model, and results and measurements of runs with them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

void
ph_document_init_values (PhDocument *document)
{
  document->found.feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
}

void
ph_document_clear_values (PhDocument *document)
{
  PhFindings *found = &document->found;

  g_clear_pointer (&found->values, g_hash_table_unref);
  g_clear_pointer (&found->execution, ph_execution_free);
  g_clear_pointer (&found->profile, ph_profile_unref);
  g_hash_table_remove_all (found->feeds);
  found->shown_value = PH_NO_ID;
}

GHashTable *
ph_document_get_feeds (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->found.feeds;
}

void
ph_document_set_feed (PhDocument *document, const char *name, PhTensor *tensor)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && name != NULL);

  if (tensor != NULL)
    g_hash_table_replace (document->found.feeds, g_strdup (name), ph_tensor_ref (tensor));
  else
    g_hash_table_remove (document->found.feeds, name);
  ph_document_drop_proofs (document, 0);
  ph_document_emit (document, SIGNAL_FEEDS_CHANGED);
}

PhTensor *
ph_document_get_value (PhDocument *document, PhId value)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->found.values != NULL ? g_hash_table_lookup (document->found.values, GUINT_TO_POINTER (value)) : NULL;
}

void
ph_document_take_values (PhDocument *document, GHashTable *values)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  g_clear_pointer (&document->found.values, g_hash_table_unref);
  document->found.values = values;
  ph_document_emit (document, SIGNAL_VALUES_CHANGED);
}

GHashTable *
ph_document_get_values (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->found.values;
}

PhProfile *
ph_document_get_profile (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->found.profile;
}

void
ph_document_take_profile (PhDocument *document, PhProfile *profile)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  g_clear_pointer (&document->found.profile, ph_profile_unref);
  document->found.profile = profile;
  ph_document_emit (document, SIGNAL_PROFILE_CHANGED);
}

void
ph_document_show_value (PhDocument *document, PhId value)
{
  const PhValue *found;

  g_return_if_fail (PH_IS_DOCUMENT (document));

  found = document->model != NULL ? ph_model_find_value (document->model, value) : NULL;
  if (found == NULL)
    return;
  if (found->producer != NULL)
    ph_document_set_selection (document, found->producer->id);
  else if (g_ptr_array_find (document->model->graph->inputs, found, NULL))
    ph_document_set_selection (document, value);
  document->found.shown_value = value;
  ph_document_emit (document, SIGNAL_VALUE_SHOWN);
}

PhId
ph_document_get_shown_value (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), PH_NO_ID);
  return document->found.shown_value;
}
