/* audit.c: what a rule promises of results is true for every element type that it admits, on the numbers that are awkward.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/tensor/compare.h"
#include "fixture.h"
#include "tests/share.h"

/* Every fixture is written anew with each of its element types turned into each other one, its constants are turned into
 * awkward ones, and the pass runs with nothing but rules of one class allowed: exact rules must keep every bit (one NaN is as
 * good as another), exact-finite ones every finite number. What operators do not admit, or cannot compute, is left out.
 * PEEPHOLE_AUDIT_SEEDS: how many constants and inputs for each (2). */

typedef struct
{
  PhExactness class;
  guint64 seeds;
  guint asked, models, fired, compared;
  GHashTable *faults; /* "pass/rule, ..." -> how many */
} Audit;

/* Retyping */

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

/* A literal of a constant, as @to can have it. */
static void
append_literal (GString *out, const char *literal, gsize length, PhDType to)
{
  g_autofree char *text = g_strndup (literal, length);
  double number = g_ascii_strtod (text, NULL);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (to == PH_STRING)
    g_string_append_printf (out, "\"%s\"", text);
  else if (ph_dtype_is_integer (to) || to == PH_BOOL)
    {
      if (!ph_dtype_is_signed (to))
        number = fabs (number);
      g_string_append (out, g_ascii_formatd (buffer, sizeof buffer, "%.0f", to == PH_BOOL ? number != 0 : ceil (number)));
    }
  else
    g_string_append (out, text);
}

/* @text with element type @from turned into @to, in attributes too ("to = 1"), and the constants of that type with it. */
static char *
retype (const char *text, PhDType from, PhDType to)
{
  GString *out = g_string_new (NULL);
  const char *name = ph_dtype_name (from);
  gboolean declared = FALSE, literals = FALSE; /* the last type was @from; inside "= {...}" after it */
  g_autofree char *number = g_strdup_printf ("%d", from);

  for (const char *at = text; *at != '\0';)
    {
      gsize n = 0;

      while (is_word (at[n]))
        n++;
      if (n == 0)
        {
          if (*at == '{')
            literals = declared && g_str_has_suffix (out->str, "= ");
          else if (*at == '}')
            literals = FALSE;
          if (*at == '-' && literals)
            {
              n = 1;
              while (is_word (at[n]) || ((at[n] == '-' || at[n] == '+') && at[n - 1] == 'e'))
                n++;
              append_literal (out, at, n, to);
            }
          else
            g_string_append_c (out, *at), n = 1;
        }
      else if (n == strlen (name) && strncmp (at, name, n) == 0)
        {
          g_string_append (out, ph_dtype_name (to));
          declared = TRUE;
        }
      else if (literals)
        {
          while (is_word (at[n]) || ((at[n] == '-' || at[n] == '+') && at[n - 1] == 'e'))
            n++;
          append_literal (out, at, n, to);
        }
      else
        {
          g_autofree char *word = g_strndup (at, n);

          if (ph_dtype_from_name (word) != PH_UNDEFINED)
            declared = FALSE;
          if (g_str_equal (word, number) && (g_str_has_suffix (out->str, "to = ") || g_str_has_suffix (out->str, "dtype = ")))
            g_string_append_printf (out, "%d", to);
          else
            g_string_append (out, word);
        }
      at += n;
    }
  return g_string_free (out, FALSE);
}

static gboolean
has_type (const char *text, PhDType dtype)
{
  const char *name = ph_dtype_name (dtype);
  gsize n = strlen (name);

  for (const char *at = text; (at = strstr (at, name)) != NULL; at += n)
    if ((at == text || !is_word (at[-1])) && !is_word (at[n]))
      return TRUE;
  return FALSE;
}

/* Awkward numbers */

static double
largest_of (PhDType dtype)
{
  switch (dtype)
    {
    case PH_DOUBLE: return 1.7976931348623157e308;
    case PH_FLOAT: return 3.4028234663852886e38;
    case PH_BFLOAT16: return 3.3895313892515355e38;
    case PH_FLOAT16: return 65504;
    default: return 448;
    }
}

static double
awkward_float (GRand *rand, PhDType dtype, PhExactness class)
{
  const double max = largest_of (dtype), least = dtype == PH_DOUBLE ? 5e-324 : dtype == PH_FLOAT16 ? 6e-8 : 1e-45;
  const double finite[] = { 0, 1, -1, 0.5, 1.5, -2.5, 1.0 / 3, 1e-3, 127.5, 3, 2 };
  const double any[]
      = { 0, -0.0, 1, -1, NAN, INFINITY, -INFINITY, max, -max, least, -least, 1e-38, 0.5, 1.5, 2.5, 16777217, 0.1 };

  if (g_rand_boolean (rand))
    return g_rand_double_range (rand, -3, 3);
  return class == PH_EXACT ? any[g_rand_int_range (rand, 0, G_N_ELEMENTS (any))]
                           : finite[g_rand_int_range (rand, 0, G_N_ELEMENTS (finite))];
}

static gint64
awkward_int (GRand *rand, PhDType dtype, gboolean small)
{
  const guint bits = ph_dtype_file_bits (dtype);
  const gboolean is_signed = ph_dtype_is_signed (dtype);
  const gint64 max = (gint64) (G_MAXUINT64 >> (64 - bits + (is_signed ? 1 : 0))), min = is_signed ? -max - 1 : 0;
  const gint64 any[] = { 0, 1, is_signed ? -1 : 1, max, min, max - 1, min + 1, 2, max / 2 + 1 };
  const guint64 random = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  if (small)
    return g_rand_int_range (rand, is_signed ? -2 : 0, 3);
  return g_rand_int_range (rand, 0, 3) > 0 ? any[g_rand_int_range (rand, 0, G_N_ELEMENTS (any))]
                                           : (gint64) (random & (guint64) max);
}

static void
fill (PhTensor *tensor, GRand *rand, PhExactness class, gboolean small, const SampleRange *range)
{
  static const char *const words[] = { "", "a", "b", "0.1", "-0", "12", "nan", "Ab c", "1e3" };
  PhDType dtype = ph_tensor_dtype (tensor);
  gpointer data = ph_tensor_writable (tensor);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if (dtype == PH_STRING)
      ph_tensor_set_string (tensor, i, words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))]);
    else if (dtype == PH_BOOL)
      ph_dtype_store_int (dtype, data, i, g_rand_boolean (rand));
    else if (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
      for (guint k = 0; k < 2; k++)
        ph_dtype_store (dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE, data, 2 * i + k, awkward_float (rand, PH_FLOAT, class));
    else if (ph_dtype_is_integer (dtype))
      ph_dtype_store_int (dtype, data, i,
                          range != NULL && (small || range->low == range->high)
                              ? g_rand_int_range (rand, (int) range->low, (int) range->high + 1)
                              : awkward_int (rand, dtype, small || class != PH_EXACT));
    else
      ph_dtype_store (dtype, data, i, awkward_float (rand, dtype, class));
}

static PhTensor *
awkward_input (const PhType *type, GRand *rand, PhExactness class, const SampleRange *range, guint64 seed, gboolean small)
{
  static const gint64 sizes[] = { 2, 3, 1, 0 };
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].symbol == NULL && type->dims[i].size >= 0
                  ? type->dims[i].size
                  : sizes[((type->dims[i].symbol != NULL ? g_str_hash (type->dims[i].symbol) : 0) + seed) % G_N_ELEMENTS (sizes)];
  tensor = ph_tensor_new (type->dtype, type->rank, dims);
  g_assert_nonnull (tensor);
  fill (tensor, rand, class, small || g_rand_boolean (rand), range);
  return tensor;
}

static GHashTable *
awkward_feeds (const Fixture *fixture, PhModel *model, GRand *rand, PhExactness class, guint64 seed)
{
  GHashTable *feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  const gboolean loops = ph_model_has_op (model, &ph_op_Loop); /* a trip count is not to be the largest integer */

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (model->graph->inputs, i);

      if (value->tensor != NULL)
        continue;
      if (value->type == NULL || value->type->kind != PH_KIND_TENSOR || !value->type->has_rank)
        {
          g_hash_table_unref (feeds);
          return NULL;
        }
      g_hash_table_insert (
          feeds, g_strdup (value->name),
          awkward_input (value->type, rand, class, g_hash_table_lookup (fixture->ranges, value->name), seed, loops));
    }
  return feeds;
}

/* Some constants of @text's model become awkward: one number, repeated or not. */
static void
change_constants (PhModel *model, GRand *rand, PhExactness class)
{
  const gboolean loops = ph_model_has_op (model, &ph_op_Loop);

  for (guint g = 0; g < model->graphs->len; g++)
    {
      PhGraph *graph = g_ptr_array_index (model->graphs, g);

      for (guint i = 0; graph != NULL && i < graph->constants->len; i++)
        {
          PhValue *value = g_ptr_array_index (graph->constants, i);
          PhTensor *old = value->tensor, *tensor;

          if (ph_tensor_kind (old) != PH_KIND_TENSOR || g_rand_int_range (rand, 0, 3) == 0)
            continue;
          tensor = ph_tensor_new (ph_tensor_dtype (old), ph_tensor_rank (old), ph_tensor_dims (old));
          fill (tensor, rand, class, g_rand_boolean (rand) || loops, NULL);
          if (g_rand_boolean (rand) && ph_tensor_dtype (old) != PH_STRING && ph_tensor_count (old) > 0)
            {
              gsize size = ph_dtype_size (ph_tensor_dtype (old));
              guint8 *data = ph_tensor_writable (tensor);

              for (gsize k = 1; k < ph_tensor_count (old); k++)
                memcpy (data + k * size, data, size);
            }
          value->tensor = tensor;
          ph_tensor_unref (old);
        }
    }
}

/* Comparing */

static gboolean
same_number (double x, double y, PhExactness class)
{
  return (isnan (x) && isnan (y)) || (x == y && (class != PH_EXACT || signbit (x) == signbit (y)));
}

/* (nullable) */
static char *
first_difference (PhTensor *a, PhTensor *b, PhExactness class)
{
  PhDType dtype = ph_tensor_dtype (a);
  g_auto (PhComparison) comparison = ph_tensor_compare (b, a, PH_TOLERANCE_EXACT);

  if (!comparison.close)
    return g_strdup (comparison.why);
  if (ph_tensor_kind (a) != PH_KIND_TENSOR)
    return NULL;
  for (gsize i = 0; ph_dtype_is_float (dtype) && i < ph_tensor_count (a); i++)
    if (!same_number (ph_tensor_get (a, i), ph_tensor_get (b, i), class))
      return g_strdup_printf ("element %" G_GSIZE_FORMAT ": %g became %g", i, ph_tensor_get (a, i), ph_tensor_get (b, i));
  return NULL;
}

/* NaN and infinities may come about on the way: then exact-finite rules promise nothing. */
static gboolean
all_finite (GPtrArray *tensors)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      PhTensor *tensor = g_ptr_array_index (tensors, i);

      for (gsize k = 0; ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor))
                        && k < ph_tensor_count (tensor);
           k++)
        if (!isfinite (ph_tensor_get (tensor, k)))
          return FALSE;
    }
  return TRUE;
}

static char *
compare (const Fixture *fixture, PhModel *before, PhModel *after, Audit *audit, GRand *rand, guint64 seed)
{
  g_autoptr (GHashTable) feeds = awkward_feeds (fixture, fixture->arguments != NULL ? after : before, rand, audit->class, seed);
  g_autoptr (GPtrArray) a = feeds != NULL ? sample_outputs (before, feeds, NULL) : NULL, b = NULL;
  g_autoptr (GError) error = NULL;

  if (a == NULL || (audit->class != PH_EXACT && !all_finite (a)))
    return NULL;
  audit->compared++;
  b = sample_outputs (after, feeds, &error);
  if (b == NULL)
    return g_strdup (error->message);
  for (guint i = 0; i < a->len; i++)
    {
      g_autofree char *difference = first_difference (g_ptr_array_index (a, i), g_ptr_array_index (b, i), audit->class);

      if (difference != NULL)
        return g_strdup_printf ("output %u: %s", i, difference);
    }
  return NULL;
}

/* What stands in a function or in a file of an older opset may be wrong from the start. */
static gboolean
can_be_computed (const Fixture *fixture, PhModel *model, Audit *audit, GRand *rand)
{
  for (guint64 turn = 0; turn < 4; turn++)
    {
      g_autoptr (GHashTable) feeds = awkward_feeds (fixture, model, rand, audit->class, turn);
      g_autoptr (GPtrArray) outputs = feeds != NULL ? sample_outputs (model, feeds, NULL) : NULL;

      if (outputs != NULL)
        return TRUE;
    }
  return FALSE;
}

static char *
rules_of (PhHistory *history)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < history->rewrites->len; i++)
    {
      const char *name = g_array_index (history->rewrites, PhRewrite, i).rule;

      if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_add (names, NULL);
  return g_strjoinv ("+", (char **) names->pdata);
}

static void
note_fault (Audit *audit, const Fixture *fixture, PhModel *before, const char *rules, const char *how, guint64 seed,
            const char *what)
{
  g_autofree char *key = g_strdup_printf ("%s/%s", fixture->pass->name, rules);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (audit->faults, key));

  if (n < 3)
    {
      g_autofree char *text = ph_onnx_text_print (before, 16);

      g_test_message ("%s: %s (%s, %s, seed %" G_GUINT64_FORMAT ")\n%s", key, what, fixture->name, how, seed, text);
    }
  g_hash_table_insert (audit->faults, g_steal_pointer (&key), GUINT_TO_POINTER (n + 1));
}

static void
audit_text (Audit *audit, const Fixture *fixture, const char *text, const char *how)
{
  for (guint64 seed = 0; seed < audit->seeds; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (fixture->pass->name) ^ g_str_hash (fixture->name) * 31u
                                                     ^ g_str_hash (how) ^ (guint32) seed * 7919u);
      g_autoptr (PhModel) before = fixture_parse (text, fixture->path, NULL), model = NULL;
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *rules = NULL;
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      if (before == NULL)
        return;
      if (seed > 0)
        {
          g_autofree char *printed = NULL;
          g_autoptr (PhModel) other = ph_model_clone (before);

          /* Types that followed from the constants are inferred anew. */
          change_constants (other, rand, audit->class);
          printed = ph_onnx_text_print (other, G_MAXSIZE);
          g_clear_pointer (&before, ph_model_free);
          before = fixture_parse (printed, fixture->path, NULL);
          if (before == NULL)
            continue;
        }
      audit->models++;
      model = ph_model_clone (before);
      options.allow = audit->class;
      options.verify = TRUE;
      options.arguments = (const char *const *) fixture->arguments;
      if (!ph_pass_run (fixture->pass, model, history, &options, &error))
        {
          if (can_be_computed (fixture, before, audit, rand))
            note_fault (audit, fixture, before, "", how, seed, error->message);
          continue;
        }
      if (history->rewrites->len == 0)
        continue;
      audit->fired++;
      rules = rules_of (history);
      for (guint64 turn = 0; fixture->runs && turn < 4; turn++)
        {
          g_autofree char *difference = compare (fixture, before, model, audit, rand, seed + turn);

          if (difference != NULL)
            {
              note_fault (audit, fixture, before, rules, how, seed, difference);
              break;
            }
        }
    }
}

static void
audit_fixture (Fixture *fixture, gpointer data)
{
  Audit *audit = data;

  if (fixture->pass->run == NULL || fixture->pass->exactness <= audit->class)
    {
      audit_text (audit, fixture, fixture->before, "as it is");
      for (PhDType from = PH_FLOAT; from < PH_N_DTYPES; from++)
        for (PhDType to = PH_FLOAT; has_type (fixture->before, from) && to < PH_N_DTYPES; to++)
          {
            g_autofree char *text = from != to && test_share_takes (audit->asked++) ? retype (fixture->before, from, to) : NULL;
            g_autofree char *how = g_strdup_printf ("%s as %s", ph_dtype_name (from), ph_dtype_name (to));

            if (text != NULL)
              audit_text (audit, fixture, text, how);
          }
    }
  fixture_free (fixture);
}

static void
test_class (gconstpointer data)
{
  const char *seeds = g_getenv ("PEEPHOLE_AUDIT_SEEDS");
  Audit audit = { .class = GPOINTER_TO_INT (data),
                  .seeds = seeds != NULL ? g_ascii_strtoull (seeds, NULL, 10) : 2,
                  .faults = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  GHashTableIter iter;
  gpointer key, n;

  fixture_each (audit_fixture, &audit);
  g_test_message ("%u models, %u rewritten, %u runs compared", audit.models, audit.fired, audit.compared);
  g_hash_table_iter_init (&iter, audit.faults);
  while (g_hash_table_iter_next (&iter, &key, &n))
    {
      g_test_message ("%s: at fault %u times", (char *) key, GPOINTER_TO_UINT (n));
      g_test_fail ();
    }
  g_assert_cmpuint (audit.compared, >, 1000);
  g_hash_table_unref (audit.faults);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/passes/audit/exact", GINT_TO_POINTER (PH_EXACT), test_class);
  g_test_add_data_func ("/passes/audit/exact-finite", GINT_TO_POINTER (PH_EXACT_FINITE), test_class);
  return g_test_run ();
}
