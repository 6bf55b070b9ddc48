/* text.c: operators on strings.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

/* Returns the strings of an attribute. (transfer full) (nullable) */
static char **
attr_strings (const PhNode *node, const char *name)
{
  const PhAttr *attr = ph_node_attr (node, name);
  char **strings;

  if (attr == NULL || attr->kind != PH_ATTR_STRINGS)
    return NULL;
  strings = g_new0 (char *, attr->n + 1);
  for (gsize i = 0; i < attr->n; i++)
    {
      gsize size;
      const char *data = g_bytes_get_data (attr->strings[i], &size);

      strings[i] = g_strndup (data != NULL ? data : "", size);
    }
  return strings;
}

/* ── StringConcat ── */

static gboolean
run_string_concat (PhKernel *kernel, GError **error)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1), *y;
  gint64 dims[PH_MAX_RANK];
  PhWalk walk;
  guint rank;

  if (!ph_broadcast_dims (ph_tensor_rank (a), ph_tensor_dims (a), ph_tensor_rank (b), ph_tensor_dims (b), &rank, dims))
    return ph_kernel_fail (kernel, error, "the shapes of its inputs cannot be broadcast together");
  if (ph_kernel_output (kernel, 0, PH_STRING, rank, dims, error) == NULL)
    return FALSE;
  y = kernel->outputs[0];
  ph_walk_init (&walk, rank, dims);
  ph_walk_add (&walk, ph_tensor_rank (a), ph_tensor_dims (a));
  ph_walk_add (&walk, ph_tensor_rank (b), ph_tensor_dims (b));
  if (walk.count > 0)
    do
      {
        g_autofree char *text = g_strconcat (ph_tensor_get_string (a, walk.offset[0]), ph_tensor_get_string (b, walk.offset[1]),
                                             NULL);

        ph_tensor_set_string (y, walk.index, text);
      }
    while (ph_walk_next (&walk));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_StringConcat = {
  .name = "StringConcat", .since = 20, .flags = PH_OP_NO_GRADIENT | PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Joins strings element by element, with broadcasting.",
  .inputs = { { "X", 'T', PH_T (STRING) }, { "Y", 'T', PH_T (STRING) } }, .outputs = { { "Z", 'T', PH_T (STRING) } },
  .infer = ph_infer_broadcast, .kernel = run_string_concat,
};
/* clang-format on */

/* ── StringSplit ── */

static gboolean
infer_string_split (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[PH_MAX_RANK];

  if (type == NULL || type->rank == PH_MAX_RANK)
    {
      ph_infer_set (infer, 1, ph_type_unranked (PH_INT64));
      return TRUE;
    }
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  dims[type->rank] = PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 0, PH_STRING, type->rank + 1, dims);
  ph_infer_set_shape (infer, 1, PH_INT64, type->rank, dims);
  return TRUE;
}

/* Splits as Python does: without a delimiter at runs of white space, with one at each occurrence. @most < 0: no limit. */
static GPtrArray *
split (const char *text, const char *delimiter, gint64 most)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  const char *end;

  if (*delimiter != '\0')
    {
      while ((most < 0 || (gint64) parts->len < most) && (end = strstr (text, delimiter)) != NULL)
        {
          g_ptr_array_add (parts, g_strndup (text, end - text));
          text = end + strlen (delimiter);
        }
      g_ptr_array_add (parts, g_strdup (text));
      return parts;
    }
  for (;;)
    {
      text += strspn (text, " \t\n\r\f\v");
      if (*text == '\0')
        return parts;
      end = text + ((most >= 0 && (gint64) parts->len >= most) ? strlen (text) : strcspn (text, " \t\n\r\f\v"));
      g_ptr_array_add (parts, g_strndup (text, end - text));
      text = end;
    }
}

static gboolean
run_string_split (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const char *delimiter = ph_node_attr_string (kernel->node, "delimiter", "");
  const gint64 most = ph_node_attr_int (kernel->node, "maxsplit", -1);
  const gsize n = ph_tensor_count (x);
  const guint rank = ph_tensor_rank (x);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  gint64 dims[PH_MAX_RANK], *counts;

  if (rank == PH_MAX_RANK)
    return ph_kernel_exceed (kernel, error, "its input has too many dimensions");
  counts = ph_kernel_output (kernel, 1, PH_INT64, rank, ph_tensor_dims (x), error);
  if (kernel->n_outputs > 1 && counts == NULL)
    return FALSE;
  if (rank > 0)
    memcpy (dims, ph_tensor_dims (x), rank * sizeof (gint64));
  dims[rank] = 0;
  for (gsize i = 0; i < n; i++)
    {
      GPtrArray *parts = split (ph_tensor_get_string (x, i), delimiter, most);

      g_ptr_array_add (all, parts);
      dims[rank] = MAX (dims[rank], (gint64) parts->len);
      if (kernel->n_outputs > 1)
        counts[i] = parts->len;
    }
  if (ph_kernel_output (kernel, 0, PH_STRING, rank + 1, dims, error) == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      GPtrArray *parts = all->pdata[i];

      for (guint k = 0; k < parts->len; k++)
        ph_tensor_set_string (kernel->outputs[0], i * dims[rank] + k, parts->pdata[k]);
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_StringSplit = {
  .name = "StringSplit", .since = 20, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Splits each string at a delimiter; the parts go along a new last axis, filled up with empty strings.",
  .inputs = { { "X", 0, PH_T (STRING) } },
  .outputs = { { "Y", 0, PH_T (STRING) }, { "Z", 0, PH_T (INT64) } },
  .attrs = { { "delimiter", PH_ATTR_STRING, .words = PH_ANY_TEXT }, { "maxsplit", PH_ATTR_INT } },
  .infer = infer_string_split, .kernel = run_string_split,
};
/* clang-format on */

/* ── RegexFullMatch ── */

static gboolean
infer_regex_full_match (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, PH_BOOL));
  return TRUE;
}

static gboolean
run_regex_full_match (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const char *pattern = ph_node_attr_string (kernel->node, "pattern", "");
  g_autofree char *whole = g_strdup_printf ("\\A(?:%s)\\z", pattern);
  g_autoptr (GError) local = NULL;
  g_autoptr (GRegex) regex = g_regex_new (whole, 0, 0, &local);
  guint8 *y;

  if (regex == NULL)
    return ph_kernel_fail (kernel, error, "the pattern '%s' is not one that Peephole reads: %s", pattern, local->message);
  y = ph_kernel_output (kernel, 0, PH_BOOL, ph_tensor_rank (x), ph_tensor_dims (x), error);
  for (gsize i = 0; y != NULL && i < ph_tensor_count (x); i++)
    {
      const char *text = ph_tensor_get_string (x, i);

      y[i] = g_utf8_validate (text, -1, NULL) && g_regex_match (regex, text, 0, NULL);
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_RegexFullMatch = {
  .name = "RegexFullMatch", .since = 20, .flags = PH_OP_NO_GRADIENT | PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Whether a regular expression matches the whole of each string.",
  .inputs = { { "X", 0, PH_T (STRING) } }, .outputs = { { "Y", 0, PH_T (BOOL) } },
  .attrs = { { "pattern", PH_ATTR_STRING, .words = PH_ANY_TEXT } },
  .infer = infer_regex_full_match, .kernel = run_regex_full_match,
};
/* clang-format on */

/* ── StringNormalizer ── */

static gboolean
infer_string_normalizer (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[2] = { PH_DIM (1), PH_DIM_UNKNOWN };

  if (type == NULL)
    return TRUE;
  if (type->rank < 1 || type->rank > 2)
    return ph_infer_fail (infer, error, "its input must be [C] or [1,C]");
  ph_infer_set_shape (infer, 0, PH_STRING, type->rank, dims + 2 - type->rank);
  return TRUE;
}

static gboolean
is_stopword (char **stopwords, const char *text, gboolean case_sensitive)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);

  for (guint i = 0; stopwords != NULL && stopwords[i] != NULL; i++)
    {
      g_autofree char *word = g_utf8_casefold (stopwords[i], -1);

      if (strcmp (case_sensitive ? stopwords[i] : word, case_sensitive ? text : folded) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
run_string_normalizer (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const char *action = ph_node_attr_string (kernel->node, "case_change_action", "NONE");
  const gboolean case_sensitive = ph_node_attr_int (kernel->node, "is_case_sensitive", 0) != 0;
  g_auto (GStrv) stopwords = attr_strings (kernel->node, "stopwords");
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (g_free);
  const guint rank = ph_tensor_rank (x);
  gint64 dims[2] = { 1, 0 };

  if (rank < 1 || rank > 2 || (rank == 2 && ph_tensor_dims (x)[0] != 1))
    return ph_kernel_fail (kernel, error, "its input must be [C] or [1,C]");
  for (gsize i = 0; i < ph_tensor_count (x); i++)
    {
      const char *text = ph_tensor_get_string (x, i);

      if (!g_utf8_validate (text, -1, NULL))
        return ph_kernel_fail (kernel, error, "element %" G_GSIZE_FORMAT " of its input is not UTF-8", i);
      if (is_stopword (stopwords, text, case_sensitive))
        continue;
      g_ptr_array_add (kept, strcmp (action, "LOWER") == 0   ? g_utf8_strdown (text, -1)
                             : strcmp (action, "UPPER") == 0 ? g_utf8_strup (text, -1)
                                                             : g_strdup (text));
    }
  dims[1] = MAX (kept->len, 1); /* an empty rest is one empty string */
  if (ph_kernel_output (kernel, 0, PH_STRING, rank, dims + 2 - rank, error) == NULL)
    return FALSE;
  for (guint i = 0; i < kept->len; i++)
    ph_tensor_set_string (kernel->outputs[0], i, kept->pdata[i]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_StringNormalizer = {
  .name = "StringNormalizer", .since = 10, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "Drops stopwords and changes the case of strings.",
  .inputs = { { "X", 0, PH_T (STRING) } }, .outputs = { { "Y", 0, PH_T (STRING) } },
  .attrs = { { "case_change_action", PH_ATTR_STRING, "\"NONE\"", .words = "LOWER|UPPER|NONE" }, { "is_case_sensitive", PH_ATTR_INT, "0" },
             { "locale", PH_ATTR_STRING, .words = PH_ANY_TEXT }, { "stopwords", PH_ATTR_STRINGS, .words = PH_ANY_TEXT } },
  .infer = infer_string_normalizer, .kernel = run_string_normalizer,
};
/* clang-format on */

/* ── TfIdfVectorizer ── */

typedef struct
{
  gsize n_counts, n_pool;
  const gint64 *counts;  /* where the 1-grams, 2-grams, ... start in the pool */
  const gint64 *columns; /* of the output, for each gram of the pool          */
  gsize n_columns;
  const gint64 *ints; /* (nullable) the pool, as integers                  */
  char **strings;     /* (nullable) or as strings                          */
  gint64 min, max, skip;
} Grams;

static gint64
output_columns (const PhNode *node)
{
  gsize n;
  const gint64 *columns = ph_node_attr_ints (node, "ngram_indexes", &n);
  gint64 most = -1;

  for (gsize i = 0; i < n; i++)
    most = MAX (most, columns[i]);
  return most + 1;
}

static gboolean
infer_tf_idf (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[2];

  if (type == NULL)
    return TRUE;
  if (type->rank > 2)
    return ph_infer_fail (infer, error, "its input must have one or two dimensions");
  if (type->rank == 2)
    dims[0] = type->dims[0];
  dims[type->rank == 2 ? 1 : 0] = PH_DIM (output_columns (ph_infer_node_of (infer)));
  ph_infer_set_shape (infer, 0, PH_FLOAT, type->rank == 2 ? 2 : 1, dims);
  return TRUE;
}

static gboolean
same_word (const Grams *grams, gsize at, PhTensor *x, gsize index)
{
  if (grams->strings != NULL)
    return strcmp (grams->strings[at], ph_tensor_get_string (x, index)) == 0;
  return grams->ints[at] == ph_tensor_get_int (x, index);
}

/* Counts, in one row, the n-grams of @length words at a distance of @step. */
static void
count_grams (const Grams *grams, PhTensor *x, gsize row, gsize n, gint64 length, gint64 step, float *found)
{
  const gsize first = grams->counts[length - 1];
  const gsize end = (gsize) length < grams->n_counts ? (gsize) grams->counts[length] : grams->n_pool;
  gsize gram = 0;

  for (gint64 l = 1; l < length; l++) /* grams of the pool before these */
    gram += (grams->counts[l] - grams->counts[l - 1]) / l;
  for (gsize at = first; at + length <= end; at += length, gram++)
    for (gsize start = 0; start + (length - 1) * step < n && gram < grams->n_columns; start++)
      {
        gint64 k = 0;

        while (k < length && same_word (grams, at + k, x, row + start + k * step))
          k++;
        if (k == length)
          found[grams->columns[gram]] += 1;
      }
}

static gboolean
read_grams (PhKernel *kernel, Grams *grams, GError **error)
{
  const PhNode *node = kernel->node;

  grams->counts = ph_node_attr_ints (node, "ngram_counts", &grams->n_counts);
  grams->columns = ph_node_attr_ints (node, "ngram_indexes", &grams->n_columns);
  grams->ints = ph_node_attr_ints (node, "pool_int64s", &grams->n_pool);
  grams->strings = attr_strings (node, "pool_strings");
  if (grams->strings != NULL)
    grams->n_pool = g_strv_length (grams->strings);
  grams->min = ph_node_attr_int (node, "min_gram_length", 1);
  grams->max = ph_node_attr_int (node, "max_gram_length", 1);
  grams->skip = ph_node_attr_int (node, "max_skip_count", 0);
  if ((grams->strings != NULL) != (ph_tensor_dtype (ph_kernel_input (kernel, 0)) == PH_STRING))
    return ph_kernel_fail (kernel, error, "its pool must be of strings for strings and of integers for integers");
  if (grams->counts == NULL || grams->min < 1 || grams->max < grams->min || (gsize) grams->max > grams->n_counts
      || grams->skip < 0)
    return ph_kernel_fail (kernel, error, "the lengths of its grams do not fit its pool");
  for (gsize i = 0; i < grams->n_counts; i++)
    if (grams->counts[i] < (i > 0 ? grams->counts[i - 1] : 0) || (gsize) grams->counts[i] > grams->n_pool)
      return ph_kernel_fail (kernel, error, "ngram_counts must grow and stay within the pool");
  for (gsize i = 0; i < grams->n_columns; i++)
    if (grams->columns[i] < 0)
      return ph_kernel_fail (kernel, error, "ngram_indexes must not be negative");
  return TRUE;
}

static gboolean
run_tf_idf (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const char *mode = ph_node_attr_string (kernel->node, "mode", "TF");
  const PhAttr *weights = ph_node_attr (kernel->node, "weights");
  const guint rank = ph_tensor_rank (x);
  const gint64 rows = rank == 2 ? ph_tensor_dims (x)[0] : 1, columns = output_columns (kernel->node);
  const gsize n = rank == 2 ? (gsize) ph_tensor_dims (x)[1] : ph_tensor_count (x);
  g_auto (GStrv) strings = NULL;
  Grams grams = { 0 };
  gboolean ok;
  float *y;

  ok = read_grams (kernel, &grams, error);
  strings = grams.strings;
  if (!ok)
    return FALSE;
  if (rank > 2)
    return ph_kernel_fail (kernel, error, "its input must have one or two dimensions");
  y = ph_kernel_output (kernel, 0, PH_FLOAT, rank == 2 ? 2 : 1, rank == 2 ? (gint64[]) { rows, columns } : (gint64[]) { columns },
                        error);
  if (y == NULL)
    return FALSE;
  for (gint64 row = 0; row < rows; row++)
    {
      float *found = y + row * columns;

      for (gint64 length = grams.min; length <= grams.max; length++)
        for (gint64 step = 1; step <= (length == 1 ? 1 : grams.skip + 1); step++)
          count_grams (&grams, x, row * n, n, length, step, found);
      for (gsize i = 0; i < grams.n_columns && strcmp (mode, "TF") != 0; i++)
        {
          float *cell = found + grams.columns[i];
          const float weight = weights != NULL && i < weights->n ? weights->floats[i] : 1;

          *cell = (strcmp (mode, "IDF") == 0 ? (*cell > 0) : *cell) * weight;
        }
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_TfIdfVectorizer = {
  .name = "TfIdfVectorizer", .since = 9, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Counts the n-grams of a pool in each row, perhaps weighted.",
  .inputs = { { "X", 0, PH_T (STRING) | PH_INDICES } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "max_gram_length", PH_ATTR_INT, NULL, TRUE }, { "max_skip_count", PH_ATTR_INT, NULL, TRUE },
             { "min_gram_length", PH_ATTR_INT, NULL, TRUE }, { "mode", PH_ATTR_STRING, NULL, TRUE, "TF|IDF|TFIDF" },
             { "ngram_counts", PH_ATTR_INTS, NULL, TRUE }, { "ngram_indexes", PH_ATTR_INTS, NULL, TRUE },
             { "pool_int64s", PH_ATTR_INTS }, { "pool_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "weights", PH_ATTR_FLOATS } },
  .infer = infer_tf_idf, .kernel = run_tf_idf,
};
/* clang-format on */
