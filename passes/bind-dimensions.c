/* bind-dimensions.c: replaces symbolic dimensions by sizes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

#include <string.h>

#include "core/ops/infer.h"

/*  run bind-dimensions batch=1 seq=128
 *
 *  x float[batch, seq, 64]   =>   x float[1, 128, 64]
 *
 * The size replaces the symbol everywhere, and dependent types are inferred again. The caller asserts that no other size
 * will be fed: the model accepts fewer shapes then, as its types show.
 *
 *  run bind-dimensions x=[2,3,32,32]      x=int64[2,7], x=[batch,16]
 *
 * sets the type of an input that has none in the file, as in all TorchScript archives. */

/* Written after what became what: "batch is 8". (transfer full) */
static char *
explain (const char *name, const char *size)
{
  return g_strdup_printf ("%s is %s. With the size known, shapes are constants, and what is computed from them can be folded.",
                          name, size);
}

static gboolean
read_binding (const char *text, const char **symbol, gint64 *size, GError **error)
{
  const char *equals = strchr (text, '=');
  guint64 number;

  if (equals == NULL || equals == text || !g_ascii_string_to_unsigned (equals + 1, 10, 0, G_MAXINT32, &number, NULL))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "bind-dimensions: '%s' is not like batch=1", text);
      return FALSE;
    }
  g_autofree char *name = g_strndup (text, equals - text);

  *symbol = ph_intern (name);
  *size = (gint64) number;
  return TRUE;
}

/* Parses "[2, batch, ?]" or "int64[7]". Returns NULL if it is no type. */
static const PhType *
read_type (const char *text, const PhType *old)
{
  const char *open = strchr (text, '[');
  const gsize n = strlen (text);
  g_autofree char *name = open != NULL ? g_strndup (text, (gsize) (open - text)) : NULL, *inside = NULL;
  PhDType dtype = name != NULL && *name != '\0'                ? ph_dtype_from_name (name)
                  : old != NULL && old->kind == PH_KIND_TENSOR ? old->dtype
                                                               : PH_UNDEFINED;
  g_auto (GStrv) words = NULL;
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;

  if (open == NULL || text[n - 1] != ']' || (*name != '\0' && dtype == PH_UNDEFINED))
    return NULL;
  inside = g_strndup (open + 1, n - (gsize) (open + 1 - text) - 1);
  words = g_strsplit (inside, ",", -1);
  for (guint i = 0; words[i] != NULL && *inside != '\0'; i++)
    {
      const char *word = g_strstrip (words[i]);
      guint64 size;

      if (rank == PH_MAX_RANK || *word == '\0')
        return NULL;
      if (g_ascii_string_to_unsigned (word, 10, 0, G_MAXINT32, &size, NULL))
        dims[rank++] = PH_DIM ((gint64) size);
      else if (g_ascii_isalpha (*word) || *word == '_')
        dims[rank++] = ph_dim_symbol (ph_intern (word));
      else if (strcmp (word, "?") == 0)
        dims[rank++] = PH_DIM_UNKNOWN;
      else
        return NULL;
    }
  return ph_type_tensor (dtype, rank, dims);
}

/* Sets the type of an input of unknown shape: x=[2,3]. @taken: @text has this form and has been handled. */
static gboolean
bind_input (PhPassRun *run, const char *text, gboolean *taken, GError **error)
{
  PhModel *model = ph_pass_run_model (run);
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  PhValue *input = NULL;
  const PhType *type;

  if (!(*taken = equals != NULL && strchr (equals, '[') != NULL))
    return TRUE;
  for (guint i = 0; i < model->graph->inputs->len; i++)
    if (g_str_equal (((PhValue *) model->graph->inputs->pdata[i])->name, name))
      input = model->graph->inputs->pdata[i];
  if (input == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "bind-dimensions: there is no input '%s'; `info` shows them", name);
      return FALSE;
    }
  if ((type = read_type (equals + 1, input->type)) == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "bind-dimensions: '%s' is not like x=[2,3,32,32] or x=int64[2,7]", text);
      return FALSE;
    }
  if (input->type != NULL && input->type->kind == PH_KIND_TENSOR && input->type->has_rank)
    {
      const PhType *both = ph_type_merge (input->type, type);

      if (both == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "bind-dimensions: input '%s' has another shape already", name);
          return FALSE;
        }
      type = both;
    }
  g_autofree char *shape = ph_type_to_string (type), *why = explain (name, shape);
  if (!ph_pass_begin (run, "bind", NULL, why))
    return TRUE;
  return ph_pass_close (run, ph_value_set_type (input, type, error) && ph_infer_model (model, TRUE, NULL, error));
}

/* Returns @type with @size in place of @symbol, or @type itself if it does not contain it. */
static const PhType *
bound (const PhType *type, const char *symbol, gint64 size)
{
  g_autofree PhDim *dims = NULL;
  gboolean found = FALSE;

  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank == 0)
    return type;
  dims = g_memdup2 (type->dims, type->rank * sizeof *dims);
  for (guint i = 0; i < type->rank; i++)
    if (dims[i].symbol == symbol)
      {
        dims[i] = PH_DIM (size);
        found = TRUE;
      }
  return found ? ph_type_tensor (type->dtype, type->rank, dims) : type;
}

static gboolean
is_named (PhModel *model, const char *symbol)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (model->graph->inputs, i);

      if (bound (value->type, symbol, 0) != value->type)
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if the model has other symbols, which makes the name a likely mistake; a script may bind dimensions of models that have
 * sizes already. */
static gboolean
has_symbols (PhModel *model)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhType *type = ((PhValue *) g_ptr_array_index (model->graph->inputs, i))->type;

      for (guint d = 0; type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && d < type->rank; d++)
        if (type->dims[d].symbol != NULL)
          return TRUE;
    }
  return FALSE;
}

static gboolean
bind_one (PhPassRun *run, const char *symbol, gint64 size, GError **error)
{
  PhModel *model = ph_pass_run_model (run);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, size), *why = explain (symbol, text);

  if (!ph_pass_begin (run, "bind", NULL, why))
    return TRUE;
  for (PhId id = 1; id < model->next_id; id++)
    {
      PhValue *value = ph_model_find_value (model, id);

      if (value != NULL && !ph_value_set_type (value, bound (value->type, symbol, size), error))
        {
          ph_pass_abort (run);
          return FALSE;
        }
    }
  if (!ph_infer_model (model, TRUE, NULL, error))
    {
      g_prefix_error (error, "bind-dimensions: %s cannot be %" G_GINT64_FORMAT ": ", symbol, size);
      ph_pass_abort (run);
      return FALSE;
    }
  ph_pass_end (run);
  return TRUE;
}

static gboolean
bind_dimensions (PhPassRun *run, GError **error)
{
  const char *const *arguments = ph_pass_run_options (run)->arguments;

  for (guint i = 0; arguments[i] != NULL; i++)
    {
      const char *symbol;
      gint64 size;
      gboolean taken;

      if (!bind_input (run, arguments[i], &taken, error))
        return FALSE;
      if (taken)
        continue;
      if (!read_binding (arguments[i], &symbol, &size, error))
        return FALSE;
      if (!is_named (ph_pass_run_model (run), symbol))
        {
          if (!has_symbols (ph_pass_run_model (run)))
            continue;
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "bind-dimensions: no input has a dimension '%s'; `info` shows them",
                       symbol);
          return FALSE;
        }
      if (!bind_one (run, symbol, size, error))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "bind", .matches = "float[batch, 3]", .becomes = "float[8, 3], with batch=8",
    .why = "With the size known, shapes are constants, and what is computed from them can be folded." },
};

/* clang-format off */
const PhPass ph_pass_bind_dimensions = {
  .name = "bind-dimensions", .group = "constants", .summary = "Gives symbolic dimensions their size: bind-dimensions batch=1 seq=128; or an input its shape: x=[1,3,32,32]",
  .elsewhere = "ONNX Runtime FreeDimensionOverride; TVM bind_symbolic_vars",
  .trap = "the model then accepts only these sizes: onnxsim once did this unasked, and dynamic models became static.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = bind_dimensions, .needs_arguments = TRUE,
};
/* clang-format on */
