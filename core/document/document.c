/* document.c: the open file with its history, feeds and selection.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/discard.h"
#include "core/document/document-private.h"

enum
{
  PROP_FILE = 1,
  PROP_SELECTION,
  PROP_BUSY,
  N_PROPS
};

/* clang-format off */
const char *const ph_document_signal_names[N_SIGNALS] = {
  "opened", "history-changed", "position-changed", "pipeline-changed", "feeds-changed", "values-changed",
  "verdicts-changed", "problems-changed", "since-changed", "diff-changed", "bookmarks-changed", "profile-changed",
  "value-shown", "inside-changed", "execution-changed", "along-changed",
};
/* clang-format on */

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PhDocument, ph_document, G_TYPE_OBJECT)

void
ph_document_emit (PhDocument *document, guint signal)
{
  /* What ran, ran on other inputs, or was another graph. */
  const gboolean ends = (signal == SIGNAL_POSITION_CHANGED || signal == SIGNAL_FEEDS_CHANGED || signal == SIGNAL_OPENED)
                        && document->execution != NULL;

  if (ends)
    g_clear_pointer (&document->execution, ph_execution_free);
  g_signal_emit (document, signals[signal], 0);
  if (ends)
    g_signal_emit (document, signals[SIGNAL_EXECUTION_CHANGED], 0);
}

static void
clear_file (PhDocument *document)
{
  ph_document_drop_proofs (document, 0);
  g_clear_pointer (&document->copy, ph_copy_unref);
  g_clear_pointer (&document->runner, ph_copy_unref);
  ph_discard (g_steal_pointer (&document->model), (GDestroyNotify) ph_model_free);
  ph_discard (g_steal_pointer (&document->history), (GDestroyNotify) ph_history_free);
  g_clear_pointer (&document->path, g_free);
  g_clear_pointer (&document->values, g_hash_table_unref);
  g_clear_pointer (&document->execution, ph_execution_free);
  g_clear_pointer (&document->profile, ph_profile_unref);
  g_hash_table_remove_all (document->feeds);
  g_clear_pointer (&document->files, g_ptr_array_unref);
  g_ptr_array_set_size (document->problems, 0);
  document->selection = document->shown_value = PH_NO_ID;
  document->bookmarked = 0;
  document->has_since = document->by_rewrite = FALSE;
  ph_discard (g_steal_pointer (&document->diff), (GDestroyNotify) ph_diff_free);
  if (document->breaks != NULL)
    g_ptr_array_set_size (document->breaks, 0);
  g_array_unref (document->trail);
  document->trail = g_array_new (FALSE, FALSE, sizeof (PhTrailPart));
  document->base = 0;
  document->file_opset = 0;
  if (document->view != NULL)
    ph_view_state_forget (document->view);
  document->generation++;
}

static void
ph_document_finalize (GObject *object)
{
  PhDocument *self = PH_DOCUMENT (object);

  ph_document_set_proves (self, FALSE);
  g_clear_object (&self->view);
  clear_file (self);
  g_clear_pointer (&self->proofs, g_ptr_array_unref);
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  g_clear_pointer (&self->trail, g_array_unref);
  g_clear_pointer (&self->pipeline, g_free);
  g_clear_pointer (&self->entries, g_array_unref);
  g_clear_pointer (&self->rules_off, g_ptr_array_unref);
  g_clear_pointer (&self->breaks, g_ptr_array_unref);
  g_clear_pointer (&self->feeds, g_hash_table_unref);
  G_OBJECT_CLASS (ph_document_parent_class)->finalize (object);
}

static void
ph_document_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  PhDocument *self = PH_DOCUMENT (object);

  switch (id)
    {
    case PROP_FILE: g_value_set_string (value, self->path); break;
    case PROP_SELECTION: g_value_set_uint (value, self->selection); break;
    case PROP_BUSY: g_value_set_boolean (value, self->busy); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
ph_document_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  PhDocument *self = PH_DOCUMENT (object);

  switch (id)
    {
    case PROP_SELECTION: ph_document_set_selection (self, g_value_get_uint (value)); break;
    case PROP_BUSY: ph_document_set_busy (self, g_value_get_boolean (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
ph_document_class_init (PhDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = ph_document_finalize;
  object_class->get_property = ph_document_get_property;
  object_class->set_property = ph_document_set_property;

  properties[PROP_FILE] = g_param_spec_string ("file", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_SELECTION] = g_param_spec_uint ("selection", NULL, NULL, 0, G_MAXUINT, 0,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE,
                                                G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (ph_document_signal_names[i], PH_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                               0);
}

static void
ph_document_init (PhDocument *self)
{
  self->problems = g_ptr_array_new_with_free_func (g_free);
  self->trail = g_array_new (FALSE, FALSE, sizeof (PhTrailPart));
  self->feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  self->rules_off = g_ptr_array_new_with_free_func (g_free);
  self->breaks = g_ptr_array_new_with_free_func (g_free);
  self->proofs = g_ptr_array_new ();
  self->view = ph_view_state_new (self);
  self->entries = g_array_new (FALSE, TRUE, sizeof (PhPipelineEntry));
  if (!ph_document_fill_entries (self, PH_PIPELINE_DEFAULT, NULL))
    ph_document_fill_entries (self, "none", NULL);
}

PhDocument *
ph_document_new (void)
{
  return g_object_new (PH_TYPE_DOCUMENT, NULL);
}

gboolean
ph_document_is_open (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->model != NULL;
}

PhModel *
ph_document_get_model (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->model;
}

PhHistory *
ph_document_get_history (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->history;
}

PhPosition
ph_document_get_position (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), ((PhPosition) { 0, 0 }));
  return document->history != NULL ? document->history->position : (PhPosition) { 0, 0 };
}

PhViewState *
ph_document_get_view (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->view;
}

const char *
ph_document_get_path (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->path;
}

GPtrArray *
ph_document_get_problems (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->problems;
}

gboolean
ph_document_check_files (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);

  for (guint i = 0; document->files != NULL && i < document->files->len; i++)
    {
      g_autoptr (GError) error = NULL;

      if (ph_file_check (document->files->pdata[i], &error))
        continue;
      g_ptr_array_add (document->problems, g_strdup (error->message));
      g_clear_pointer (&document->files, g_ptr_array_unref); /* once is enough */
      ph_document_emit (document, SIGNAL_PROBLEMS_CHANGED);
      return FALSE;
    }
  return TRUE;
}

gboolean
ph_document_is_current (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);

  for (guint i = 0; document->files != NULL && i < document->files->len; i++)
    if (!ph_file_is_current (document->files->pdata[i]))
      return FALSE;
  return document->files != NULL;
}

guint
ph_document_get_generation (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), 0);
  return document->generation;
}

/* Everything may have changed at once: each signal is emitted, so that a view needs to know one only. */
static void
emit_all (PhDocument *document)
{
  g_object_freeze_notify (G_OBJECT (document));
  g_object_notify_by_pspec (G_OBJECT (document), properties[PROP_FILE]);
  g_object_notify_by_pspec (G_OBJECT (document), properties[PROP_SELECTION]);
  g_object_thaw_notify (G_OBJECT (document));
  for (guint i = 0; i < N_SIGNALS; i++)
    ph_document_emit (document, i);
}

void
ph_document_take_model (PhDocument *document, PhModel *model, const char *path, GPtrArray *problems)
{
  ph_document_take_models (document, model, NULL, path, problems);
}

void
ph_document_take_models (PhDocument *document, PhModel *model, PhModel *copy, const char *path, GPtrArray *problems)
{
  g_autofree char *own_path = g_strdup (path);
  g_autoptr (GPtrArray) files = NULL;

  g_return_if_fail (PH_IS_DOCUMENT (document) && model != NULL);

  files = g_steal_pointer (&model->files);
  /* A clone of what was read from there. */
  if (files == NULL && document->files != NULL && g_strcmp0 (path, document->path) == 0)
    files = g_ptr_array_ref (document->files);
  clear_file (document);
  document->model = model;
  document->history = ph_history_new ();
  document->copy = copy != NULL ? ph_copy_new (copy, document->history) : NULL;
  document->path = g_steal_pointer (&own_path);
  document->file_opset = ph_model_opset (model, "");
  document->files = g_steal_pointer (&files);
  if (problems != NULL)
    {
      g_ptr_array_unref (document->problems);
      document->problems = problems;
    }

  g_autofree char *name = ph_document_pipeline_to_text (document, ",");
  ph_document_fill_entries (document, name, NULL);
  emit_all (document);
}

void
ph_document_take_recording (PhDocument *document, PhHistory *history)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && document->model != NULL && document->history->steps->len == 0);

  ph_history_append (document->history, history);
  ph_history_free (history);
  document->generation++;
  ph_document_update_proving (document);
  ph_document_emit (document, SIGNAL_HISTORY_CHANGED);
}

void
ph_document_set_copied (PhDocument *document, gboolean copied)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  document->copied = copied;
  if (!copied)
    g_clear_pointer (&document->copy, ph_copy_unref);
}

gboolean
ph_document_get_copied (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->copied;
}

void
ph_document_close (PhDocument *document)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  clear_file (document);
  emit_all (document);
}

static gboolean
go (PhDocument *document, PhPosition to, gboolean by_rewrite, GError **error)
{
  const gboolean counted = document->by_rewrite;

  if (document->model == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "Nothing is open: open a file first");
      return FALSE;
    }
  document->by_rewrite = by_rewrite;
  if (ph_position_compare (document->history->position, to) == 0)
    {
      if (counted != by_rewrite)
        ph_document_emit (document, SIGNAL_SINCE_CHANGED);
      return TRUE;
    }
  if (!ph_history_go (document->history, document->model, to, error))
    return FALSE;
  ph_document_check_trail (document);
  ph_document_emit (document, SIGNAL_POSITION_CHANGED);
  return TRUE;
}

gboolean
ph_document_go (PhDocument *document, PhPosition to, GError **error)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return go (document, to, FALSE, error);
}

gboolean
ph_document_go_rewrite (PhDocument *document, PhPosition to, GError **error)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return go (document, to, TRUE, error);
}

void
ph_document_truncate (PhDocument *document, PhPosition at)
{
  PhHistory *history = document->history;

  if (history == NULL || (at.step >= history->steps->len && at.rewrite == 0))
    return;
  if (ph_position_compare (history->position, at) > 0 && !ph_document_go (document, at, NULL))
    return;

  /* Beginning a step drops what is ahead; giving it up leaves just that. */
  PhPosition here = history->position;
  ph_history_go (history, document->model, at, NULL);
  ph_history_begin_step (history, document->model, "truncate");
  ph_history_abort_step (history, document->model);
  if (ph_position_compare (here, at) < 0)
    ph_history_go (history, document->model, here, NULL);
  document->base = MIN (document->base, history->steps->len);
  document->generation++;
  ph_document_drop_proofs (document, history->steps->len);
  ph_document_emit (document, SIGNAL_HISTORY_CHANGED);
}

gboolean
ph_document_get_busy (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->busy;
}

void
ph_document_set_busy (PhDocument *document, gboolean busy)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  if (document->busy == busy)
    return;
  document->busy = busy;
  g_object_notify_by_pspec (G_OBJECT (document), properties[PROP_BUSY]);
}

guint
ph_document_get_selection (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), 0);
  return document->selection;
}

void
ph_document_set_selection (PhDocument *document, guint node)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  if (document->selection == node)
    return;
  document->selection = node;
  g_object_notify_by_pspec (G_OBJECT (document), properties[PROP_SELECTION]);
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
  document->shown_value = value;
  ph_document_emit (document, SIGNAL_VALUE_SHOWN);
}

PhId
ph_document_get_shown_value (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), PH_NO_ID);
  return document->shown_value;
}

void
ph_document_set_bookmark (PhDocument *document, guint number, PhPosition position)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && number >= 1 && number <= PH_N_BOOKMARKS);

  document->bookmarks[number - 1] = position;
  document->bookmarked |= 1u << (number - 1);
  ph_document_emit (document, SIGNAL_BOOKMARKS_CHANGED);
}

gboolean
ph_document_get_bookmark (PhDocument *document, guint number, PhPosition *position)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);

  if (number < 1 || number > PH_N_BOOKMARKS || (document->bookmarked & 1u << (number - 1)) == 0)
    return FALSE;
  *position = document->bookmarks[number - 1];
  return TRUE;
}

void
ph_document_set_since (PhDocument *document, const PhPosition *since)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  if (document->has_since == (since != NULL) && (since == NULL || ph_position_compare (document->since, *since) == 0))
    return;
  document->has_since = since != NULL;
  if (since != NULL)
    document->since = *since;
  ph_document_emit (document, SIGNAL_SINCE_CHANGED);
}

gboolean
ph_document_has_since (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->has_since && document->history != NULL && ph_history_has (document->history, document->since);
}

PhPosition
ph_document_get_since (PhDocument *document)
{
  PhPosition at = ph_document_get_position (document);

  if (ph_document_has_since (document))
    return document->since;
  return document->history != NULL ? ph_history_previous (document->history, at, at.rewrite > 0 || document->by_rewrite) : at;
}

void
ph_document_take_diff (PhDocument *document, PhDiff *diff, PhPosition a, PhPosition b)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  ph_discard (document->diff, (GDestroyNotify) ph_diff_free);
  document->diff = diff;
  document->diff_a = a;
  document->diff_b = b;
  ph_document_emit (document, SIGNAL_DIFF_CHANGED);
}

PhDiff *
ph_document_get_diff (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);

  if (document->diff == NULL || ph_position_compare (document->diff_a, ph_document_get_since (document)) != 0
      || ph_position_compare (document->diff_b, ph_document_get_position (document)) != 0)
    return NULL;
  return document->diff;
}

GHashTable *
ph_document_get_feeds (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->feeds;
}

void
ph_document_set_feed (PhDocument *document, const char *name, PhTensor *tensor)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && name != NULL);

  if (tensor != NULL)
    g_hash_table_replace (document->feeds, g_strdup (name), ph_tensor_ref (tensor));
  else
    g_hash_table_remove (document->feeds, name);
  ph_document_drop_proofs (document, 0);
  ph_document_emit (document, SIGNAL_FEEDS_CHANGED);
}

PhTensor *
ph_document_get_value (PhDocument *document, PhId value)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->values != NULL ? g_hash_table_lookup (document->values, GUINT_TO_POINTER (value)) : NULL;
}

void
ph_document_take_values (PhDocument *document, GHashTable *values)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  g_clear_pointer (&document->values, g_hash_table_unref);
  document->values = values;
  ph_document_emit (document, SIGNAL_VALUES_CHANGED);
}

GHashTable *
ph_document_get_values (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->values;
}

PhProfile *
ph_document_get_profile (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->profile;
}

void
ph_document_take_profile (PhDocument *document, PhProfile *profile)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  g_clear_pointer (&document->profile, ph_profile_unref);
  document->profile = profile;
  ph_document_emit (document, SIGNAL_PROFILE_CHANGED);
}
