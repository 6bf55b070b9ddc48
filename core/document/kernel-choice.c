/* kernel-choice.c: the kernels chosen for nodes of the open model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

void
ph_document_set_kernel (PhDocument *document, const char *key, const char *name)
{
  g_autoptr (GHashTable) kernels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer old_key, old_name;

  g_return_if_fail (PH_IS_DOCUMENT (document) && document->model != NULL && key != NULL);

  if (document->model->kernels != NULL)
    {
      g_hash_table_iter_init (&iter, document->model->kernels);
      while (g_hash_table_iter_next (&iter, &old_key, &old_name))
        g_hash_table_insert (kernels, g_strdup (old_key), g_strdup (old_name));
    }
  if (name != NULL)
    g_hash_table_insert (kernels, g_strdup (key), g_strdup (name));
  else
    g_hash_table_remove (kernels, key);
  ph_model_set_kernels (document->model, g_hash_table_size (kernels) > 0 ? kernels : NULL);
  if (document->found.profile != NULL)
    ph_document_take_profile (document, NULL);
}

GHashTable *
ph_document_get_kernels (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->model != NULL ? document->model->kernels : NULL;
}
