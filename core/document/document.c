/* document.c: the open file with its history and selection, and the signals about changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"
#include "core/io/choose.h"

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
  /* An execution ends when its inputs or its graph change. */
  const gboolean ends = (signal == SIGNAL_POSITION_CHANGED || signal == SIGNAL_FEEDS_CHANGED || signal == SIGNAL_OPENED)
                        && document->found.execution != NULL;

  if (ends)
    g_clear_pointer (&document->found.execution, ph_execution_free);
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
  g_clear_pointer (&document->spare, ph_copy_unref);
  g_clear_pointer (&document->model, ph_model_discard);
  g_clear_pointer (&document->history, ph_history_discard);
  g_clear_pointer (&document->path, g_free);
  g_clear_pointer (&document->program, g_free);
  g_clear_pointer (&document->program_text, g_free);
  ph_document_clear_values (document);
  g_clear_pointer (&document->files, g_ptr_array_unref);
  g_clear_pointer (&document->parts, g_ptr_array_unref);
  g_ptr_array_set_size (document->problems, 0);
  document->selection = PH_NO_ID;
  ph_document_clear_since (document);
  g_ptr_array_set_size (document->plan.breaks, 0);
  g_array_unref (document->trail);
  document->trail = g_array_new (FALSE, FALSE, sizeof (PhTrailPart));
  document->base = document->n_recorded = 0;
  document->file = (PhPipelineFile) { 0 };
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
  g_clear_pointer (&self->proofs.list, g_ptr_array_unref);
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  g_clear_pointer (&self->trail, g_array_unref);
  ph_pass_plan_clear (&self->plan);
  g_clear_pointer (&self->found.feeds, g_hash_table_unref);
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
  ph_document_init_values (self);
  ph_pass_plan_init (&self->plan);
  self->proofs.list = g_ptr_array_new ();
  self->view = ph_view_state_new (self);
  if (!ph_pass_plan_set (&self->plan, PH_PIPELINE_DEFAULT, &self->file, NULL))
    ph_pass_plan_set (&self->plan, "none", &self->file, NULL);
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
ph_document_get_parts (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->parts;
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

/* Everything may have changed, so each signal is emitted; a view then needs only its own. */
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

char *
ph_document_dup_name (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);

  if (document->path != NULL)
    return ph_io_display_name (document->path);
  if (document->model == NULL)
    return NULL;
  return *document->model->graph->name != '\0' ? g_strdup_printf ("the graph '%s'", document->model->graph->name)
                                               : g_strdup ("a graph without a name");
}

void
ph_document_take_model (PhDocument *document, PhModel *model, const char *path, GPtrArray *problems)
{
  ph_document_take_models (document, model, NULL, path, problems);
}

static void
take (PhDocument *document, PhModel *model, PhModel *copy, const char *path, GPtrArray *problems, const char *program,
      const char *text)
{
  g_autofree char *own_path = g_strdup (path);
  g_autoptr (GPtrArray) files = NULL, parts = NULL;

  g_return_if_fail (PH_IS_DOCUMENT (document) && model != NULL);

  files = g_steal_pointer (&model->files);
  /* A clone shares the open file's parts. */
  if (files == NULL && document->files != NULL && g_strcmp0 (path, document->path) == 0)
    files = g_ptr_array_ref (document->files);
  parts = g_steal_pointer (&model->parts);
  if (parts == NULL && document->parts != NULL && g_strcmp0 (path, document->path) == 0)
    parts = g_ptr_array_ref (document->parts);
  clear_file (document);
  document->model = model;
  document->history = ph_history_new ();
  document->copy = copy != NULL ? ph_copy_new (copy, document->history) : NULL;
  document->path = g_steal_pointer (&own_path);
  document->program = g_strdup (program);
  document->program_text = g_strdup (text);
  document->file = ph_pipeline_look (model);
  document->files = g_steal_pointer (&files);
  document->parts = g_steal_pointer (&parts);
  if (problems != NULL)
    {
      g_ptr_array_unref (document->problems);
      document->problems = problems;
    }

  g_autofree char *name = ph_document_pipeline_to_text (document, ",");
  ph_pass_plan_set (&document->plan, name, &document->file, NULL);
  emit_all (document);
}

void
ph_document_take_models (PhDocument *document, PhModel *model, PhModel *copy, const char *path, GPtrArray *problems)
{
  take (document, model, copy, path, problems, NULL, NULL);
}

void
ph_document_take_program (PhDocument *document, PhModel *model, const char *program, const char *text)
{
  take (document, model, NULL, NULL, NULL, program, text);
}

const char *
ph_document_get_program (PhDocument *document, const char **text)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  if (text != NULL)
    *text = document->program_text;
  return document->program;
}

void
ph_document_take_recording (PhDocument *document, PhHistory *history)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && document->model != NULL && document->history->steps->len == 0);

  ph_history_append (document->history, history);
  ph_history_free (history);
  document->base = document->n_recorded = document->history->steps->len;
  document->generation++;
  ph_document_update_proving (document);
  ph_document_emit (document, SIGNAL_HISTORY_CHANGED);
}

guint
ph_document_get_n_recorded (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), 0);
  return document->n_recorded;
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
