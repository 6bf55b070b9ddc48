/* newcomer.c: a model that is about to be opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/newcomer.h"

typedef struct
{
  PhBeside beside;
  gpointer data;
} Beside;

PhNewcomer *
ph_newcomer_new (PhModel *model)
{
  PhNewcomer *newcomer = g_new0 (PhNewcomer, 1);

  newcomer->model = model;
  return newcomer;
}

void
ph_newcomer_free (PhNewcomer *newcomer)
{
  if (newcomer == NULL)
    return;
  g_clear_pointer (&newcomer->model, ph_model_free);
  g_clear_pointer (&newcomer->copy, ph_model_free);
  g_clear_pointer (&newcomer->recorded, ph_history_free);
  g_clear_pointer (&newcomer->problems, g_ptr_array_unref);
  g_clear_pointer (&newcomer->feeds, g_hash_table_unref);
  g_free (newcomer->path);
  g_free (newcomer->program);
  g_free (newcomer->text);
  g_free (newcomer);
}

void
ph_newcomer_settle (PhNewcomer *newcomer, PhDocument *document)
{
  g_autoptr (PhNewcomer) owned = newcomer;
  GHashTableIter iter;
  gpointer name, tensor;

  if (newcomer->text != NULL)
    ph_document_take_program (document, g_steal_pointer (&newcomer->model), newcomer->program, newcomer->text);
  else
    ph_document_take_models (document, g_steal_pointer (&newcomer->model), g_steal_pointer (&newcomer->copy), newcomer->path,
                             g_steal_pointer (&newcomer->problems));
  if (newcomer->recorded != NULL)
    ph_document_take_recording (document, g_steal_pointer (&newcomer->recorded));
  if (newcomer->feeds == NULL)
    return;
  g_hash_table_iter_init (&iter, newcomer->feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    ph_document_set_feed (document, name, tensor);
}

void
ph_document_set_beside (PhDocument *document, PhBeside beside, gpointer data)
{
  const Beside place = { beside, data };

  g_return_if_fail (PH_IS_DOCUMENT (document));
  g_object_set_data_full (G_OBJECT (document), "beside", g_memdup2 (&place, sizeof place), g_free);
}

gboolean
ph_document_admit (PhDocument *document, PhNewcomer *newcomer, gboolean typed)
{
  const Beside *place = g_object_get_data (G_OBJECT (document), "beside");

  /* A model without a file can be recreated by the line that made it. */
  if (!typed || place == NULL || ph_document_get_path (document) == NULL)
    {
      ph_newcomer_settle (newcomer, document);
      return FALSE;
    }
  place->beside (document, newcomer, place->data);
  return TRUE;
}
