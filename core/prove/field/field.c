/* field.c: tests whether two models are equal by evaluating both over a finite field at random points.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-graph.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"
#include "core/prove/run-side.h"
#include "core/prove/samples/usage.h"

#include "core/opset/upgrade.h"

#include <math.h>

#define POINTS      2   /* where no sign was drawn                                     */
#define PRIMES      40  /* for signs that multiply: each sees a wrong law by half      */
#define MAX_PRIMES  400 /* the most tried until enough of them give every constant its sign */
#define HOPELESS    64  /* tried without one that does: the constants are too many     */
#define PRIME_WORK  3e6 /* multiplications modulo each, of both sides                  */
#define POINT_WORK  3e8 /* at any other point, of one side                             */
#define ALL_WORK    1e9 /* of a comparison, before it is given up                      */
#define MORE_WORK   1e8 /* of a comparison, after which no further reading is tried    */
#define FEW_ROWS    64  /* by which weights are multiplied in a model that is tried at the least */
#define DRAW_WORK   10  /* that an element of an input costs                           */
#define SIGNS       40  /* drawn in all, at least: each sees a wrong branch by half    */
#define MOST_POINTS 60  /* the most in total, if the degree is so high that each proves little */
#define MAX_REDRAWS 1   /* of all points: a random divisor is hardly ever 0            */
#define CHEAP       5e6 /* multiplications that may be spent on more points than needed */

void
ph_field_report_free (PhFieldReport *report)
{
  g_free (report->why);
  g_free (report);
}

PhFieldReport *
ph_field_report_copy (const PhFieldReport *report)
{
  PhFieldReport *copy = g_memdup2 (report, sizeof *report);

  copy->why = g_strdup (report->why);
  return copy;
}

typedef struct
{
  PhModel *model[2]; /* before, after                       */
  PhField *field[2];
  GHashTable *variables; /* (nullable)                          */
  GHashTable *sizes;     /* (nullable)                          */
  GHashTable *fixed;     /* (nullable)                          */
  PhTensor *const *like; /* (nullable)                          */
  guint64 seed;
  PhFieldImages *images; /* (nullable)                          */
  guint64 draws;         /* how many points were drawn          */
  guint redraws;
  PhFieldReport *report;
  double degree;        /* of the difference, and the number of hashed values at the last point */
  double work;          /* multiplications at all points so far                     */
  double least_work[2]; /* of each side at one point                         */
} Pair;

static PhFieldResult finish (Pair *pair, PhFieldResult result, const char *format, ...) G_GNUC_PRINTF (3, 4);

static PhFieldResult
finish (Pair *pair, PhFieldResult result, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_free (pair->report->why);
  pair->report->why = g_strdup_vprintf (format, args);
  va_end (args);
  return result;
}

/* ── models ── */

/* (transfer full) (nullable): a clone of @model at the newest opset, if @model has an older one. */
static gboolean
upgrade (PhModel *model, GCancellable *cancellable, PhModel **upgraded, GError **error)
{
  const int opset = ph_model_opset (model, "");
  g_autoptr (PhModel) clone = NULL;

  if (opset == 0 || opset >= PH_OPSET_NEWEST)
    return TRUE;
  clone = ph_model_clone (model);
  if (!ph_model_upgrade (clone, NULL, cancellable, error))
    return FALSE;
  *upgraded = g_steal_pointer (&clone);
  return TRUE;
}

static GHashTable *
tensors_of (PhModel *model)
{
  GHashTable *tensors = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < model->values->len; i++)
    {
      const PhValue *value = model->values->pdata[i];

      if (value != NULL && value->tensor != NULL)
        g_hash_table_add (tensors, value->tensor);
    }
  for (guint i = 0; i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];

      for (guint k = 0; node != NULL && k < node->attrs->len; k++)
        if (((PhAttr *) node->attrs->pdata[k])->tensor != NULL)
          g_hash_table_add (tensors, ((PhAttr *) node->attrs->pdata[k])->tensor);
    }
  return tensors;
}

/* ── points ── */

/* Draws input @i of both sides, with a variable for each element. (transfer full) (nullable) */
static PhFieldTensor *
draw_input (Pair *pair, PhField *field, guint i)
{
  const PhValue *value = field->model->graph->inputs->pdata[i];
  PhTensor *fixed = pair->fixed != NULL ? g_hash_table_lookup (pair->fixed, GUINT_TO_POINTER (i)) : NULL;
  PhTensor *like = pair->like != NULL ? pair->like[i] : NULL;
  const PhType *type = like != NULL ? ph_type_of_tensor (like) : value->type;
  gint64 dims[PH_MAX_RANK];
  PhFieldTensor *tensor;

  if (fixed != NULL)
    return ph_tensor_kind (fixed) == PH_KIND_TENSOR ? ph_field_tensor_known (fixed) : NULL;
  if (like != NULL && ph_tensor_kind (like) != PH_KIND_TENSOR)
    return NULL;
  if (type == NULL || type->kind != PH_KIND_TENSOR || !ph_type_is_static (type))
    return NULL;
  for (guint k = 0; k < type->rank; k++)
    dims[k] = type->dims[k].size;
  ph_field_sizes_apply (field->sizes, type->rank, dims);
  tensor = ph_field_tensor_variable (type->dtype, type->rank, dims, ph_mix (ph_mix (field->salt, 11), i));
  if (tensor == NULL)
    {
      if (field->why == NULL)
        field->why = g_strdup ("a value is too large");
      return NULL;
    }
  ph_field_work (field, DRAW_WORK * (double) tensor->count);
  if (type->dtype != PH_BOOL || field->why != NULL)
    return tensor;
  ph_field_parts (field, tensor);
  for (gsize k = 0; k < tensor->count; k++)
    ph_field_put (tensor, k, ph_num_int (tensor->p[k] & 1));
  field->least_signs = MIN (field->least_signs, tensor->count);
  return tensor;
}

/* Returns the tensor drawn for input @i of the side before, if the input is the same. (transfer full) (nullable) */
static PhFieldTensor *
drawn_before (Pair *pair, guint i)
{
  const PhValue *was = pair->field[0]->model->graph->inputs->pdata[i], *is = pair->field[1]->model->graph->inputs->pdata[i];
  PhFieldTensor *tensor = g_hash_table_lookup (pair->field[0]->values, was);

  if (tensor == NULL || tensor->known != NULL || tensor->dtype == PH_BOOL || (is->type != NULL && is->type != was->type)
      || (pair->field[0]->reading & PH_FIELD_EXP) != (pair->field[1]->reading & PH_FIELD_EXP)
      || ph_value_is_shape_alone (was) != ph_value_is_shape_alone (is))
    return NULL;
  return ph_field_tensor_ref (tensor);
}

/* Returns the weight that @value is, as it is or transposed. (nullable) */
static PhTensor *
weight_of (const PhValue *value)
{
  if (value != NULL && value->producer != NULL && value->producer->op == &ph_op_Transpose)
    value = ph_node_input (value->producer, 0);
  return value != NULL ? ph_value_constant (value) : NULL;
}

/* Returns how many multiplications products by weights take that make @values, or those of one row each. (nullable) @values */
static double
count_weights (PhGraph *graph, GHashTable *values)
{
  double n = 0;

  PH_FOREACH_NODE (node, graph)
    {
      const gboolean is_product = node->op == &ph_op_MatMul || node->op == &ph_op_Gemm;
      PhTensor *weight = is_product ? weight_of (ph_node_input (node, 1)) : NULL;
      PhTensor *made = weight != NULL && values != NULL
                           ? g_hash_table_lookup (values, GUINT_TO_POINTER (ph_node_output (node, 0)->id))
                           : NULL;
      const guint rank = made != NULL ? ph_tensor_rank (made) : 0;

      if (weight != NULL)
        n += (double) ph_tensor_count (weight)
             * (rank > 0 ? (double) ph_tensor_count (made) / (double) MAX (ph_tensor_dims (made)[rank - 1], 1) : 1);
    }
  return n;
}

/* Returns what the products by weights take at the least. A run of the model at these shapes shows it, and is cheap beside reading the weights of a
 * large model for nothing. */
static double
least_work (Pair *pair, guint side)
{
  PhGraph *graph = pair->field[side]->model->graph;
  const PhRunOptions options = { .cancellable = pair->field[side]->cancellable,
                                 .keep_all = TRUE,
                                 .most_turns = PH_PROVE_TURNS,
                                 .most_elements = PH_PROVE_ELEMENTS };
  const double weights = count_weights (graph, NULL);
  g_autoptr (GHashTable) feeds = NULL, values = NULL;

  if (pair->sizes != NULL || pair->like == NULL || weights * FEW_ROWS < POINT_WORK)
    return 0;
  feeds = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < graph->inputs->len; i++)
    if (pair->like[i] != NULL)
      g_hash_table_insert (feeds, graph->inputs->pdata[i], pair->like[i]);
  values = ph_run_model (pair->field[side]->model, feeds, NULL, &options, NULL);
  return values != NULL ? count_weights (graph, values) : 0;
}

static gboolean
evaluate (Pair *pair, guint side, guint reading, guint64 salt)
{
  const double most = (reading & PH_FIELD_EULER) ? PRIME_WORK - (side == 1 ? pair->field[0]->work : 0) : POINT_WORK;
  PhField *field = pair->field[side];
  PhGraph *graph = field->model->graph;
  gboolean ok;

  /* A rule folds constants with the rounding of an execution; unfolded expressions are exact. */
  ph_field_begin (field, side == 0 ? reading : reading & ~(guint) PH_FIELD_FOLD, salt, MIN (most, ALL_WORK - pair->work));
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      PhFieldTensor *tensor = side == 1 ? drawn_before (pair, i) : NULL;

      if (tensor == NULL)
        tensor = draw_input (pair, field, i);
      if (tensor != NULL)
        g_hash_table_insert (field->values, graph->inputs->pdata[i], tensor);
    }
  if (pair->draws == 1)
    pair->least_work[side] = least_work (pair, side);
  if (pair->least_work[side] > field->most)
    ph_field_work (field, field->most + 1);
  ok = field->why == NULL && ph_field_run_graph (field, graph);
  pair->work += field->work;
  pair->report->work += field->work;
  return ok;
}

static PhFieldResult
compare_outputs (Pair *pair)
{
  GPtrArray *outputs[2] = { pair->field[0]->model->graph->outputs, pair->field[1]->model->graph->outputs };

  pair->degree = pair->field[0]->hashed + pair->field[1]->hashed;
  for (guint i = 0; i < outputs[0]->len; i++)
    {
      const char *name = ((PhValue *) outputs[0]->pdata[i])->name;
      PhFieldTensor *a = ph_field_value (pair->field[0], outputs[0]->pdata[i]),
                    *b = ph_field_value (pair->field[1], outputs[1]->pdata[i]);

      if (a == NULL || b == NULL)
        return finish (pair, PH_FIELD_UNKNOWN, "output %u '%s' has no value", i, name);
      if (a->dtype != b->dtype || a->rank != b->rank || memcmp (a->dims, b->dims, a->rank * sizeof *a->dims) != 0)
        return finish (pair, PH_FIELD_UNEQUAL, "output %u '%s' has another type or shape", i, name);
      if (a->count == 0)
        return finish (pair, PH_FIELD_UNKNOWN, "output %u '%s' is empty", i, name);
      if (a->known != NULL && b->known != NULL && !ph_dtype_is_float (a->dtype))
        {
          if (!ph_tensor_equal (a->known, b->known))
            return finish (pair, PH_FIELD_UNEQUAL, "output %u '%s' differs", i, name);
          continue;
        }
      if (!ph_field_are_same (a, b))
        {
          ph_field_parts (pair->field[0], a);
          ph_field_parts (pair->field[1], b);
        }
      for (guint side = 0; side < 2; side++)
        if (pair->field[side]->why != NULL)
          return finish (pair, PH_FIELD_UNKNOWN, "%s", pair->field[side]->why);
      for (gsize k = 0; !ph_field_are_same (a, b) && k < a->count; k++)
        if (a->p[k] != b->p[k])
          return finish (pair, PH_FIELD_UNEQUAL, "output %u '%s' differs at element %" G_GSIZE_FORMAT, i, name, k);
      pair->degree = MAX (pair->degree,
                          MAX (a->over + b->under, b->over + a->under) + pair->field[0]->hashed + pair->field[1]->hashed);
    }
  g_clear_pointer (&pair->report->why, g_free);
  return PH_FIELD_EQUAL;
}

/* Evaluates a point at which nothing divides by 0. A divisor that stays 0 may do so for half of all inputs, as Relu (x) is. */
static PhFieldResult
try_point (Pair *pair, guint reading)
{
  for (;;)
    {
      const guint64 salt = ph_mix (ph_mix (pair->seed, 0x5eed), ++pair->draws);
      gboolean redraw = FALSE;

      for (guint side = 0; side < 2; side++)
        {
          const gboolean ok = evaluate (pair, side, reading, salt);

          redraw = redraw || pair->field[side]->redraw;
          if (!ok)
            return finish (pair, PH_FIELD_UNKNOWN, "%s", pair->field[side]->why);
        }
      if (!redraw)
        return compare_outputs (pair);
      if (pair->redraws++ >= MAX_REDRAWS)
        return finish (pair, PH_FIELD_UNKNOWN, "divides by zero");
    }
}

/* ── readings ── */

static gboolean
has_bad_sign (Pair *pair)
{
  return pair->field[0]->bad_sign || pair->field[1]->bad_sign;
}

static guint
points_wanted (Pair *pair)
{
  const gsize least = MIN (pair->field[0]->least_signs, pair->field[1]->least_signs);
  const double work = pair->field[0]->work + pair->field[1]->work + 1e4;
  guint enough;

  if (least == G_MAXSIZE)
    return POINTS;
  enough = MAX (POINTS, (guint) (SIGNS / MAX (least, 1)) + 1);
  return work * SIGNS <= CHEAP ? SIGNS : enough;
}

/* Returns log2 of the probability that the points miss a difference, by the polynomial's degree or through signs. */
static double
bound_of (Pair *pair, guint points)
{
  const gsize least = MIN (pair->field[0]->least_signs, pair->field[1]->least_signs);
  const double by_degree = points * log2 (MIN (1, (pair->degree + 1) / PH_FIELD_P));

  return least == G_MAXSIZE ? by_degree : MAX (by_degree, -(double) points * (double) CLAMP (least, 1, SIGNS));
}

/* Less would be no proof. */
#define LEAST_BITS 40

/* Returns the number of points that make the bound small enough, or 0 if that takes too many. */
static guint
points_needed (Pair *pair, guint points)
{
  while (bound_of (pair, points) > -LEAST_BITS)
    if (++points > MOST_POINTS)
      return 0;
  return points;
}

static void
report_equal (Pair *pair, guint reading, guint points, double log2_bound)
{
  PhFieldReport *report = pair->report;

  report->points = points;
  report->log2_bound = log2_bound;
  report->conjecture = (reading & PH_FIELD_EXP) != 0;
  report->rounded_constants = FALSE;
  for (guint side = 0; side < 2; side++)
    report->rounded_constants |= pair->field[side]->used_recipe || pair->field[side]->used_recognised;
}

static PhFieldResult
try_reading (Pair *pair, guint reading)
{
  PhFieldResult result = try_point (pair, reading);
  guint points;

  if (result != PH_FIELD_EQUAL)
    return result;
  points = points_needed (pair, points_wanted (pair));
  if (points == 0)
    return finish (pair, PH_FIELD_UNKNOWN, "its degree is too high for a field of this size");
  for (guint point = 1; point < points; point++)
    {
      result = try_point (pair, reading);
      if (result != PH_FIELD_EQUAL)
        return result;
    }
  if (bound_of (pair, points) > -LEAST_BITS)
    return finish (pair, PH_FIELD_UNKNOWN, "its degree is too high for a field of this size");
  report_equal (pair, reading, points, bound_of (pair, points));
  return PH_FIELD_EQUAL;
}

/* Evaluates modulo many primes. Modulo one, the sign of 2 x + 3 x may differ from that of x. A law of real numbers holds modulo all primes
 * that give each constant its sign. */
static PhFieldResult
try_primes (Pair *pair, guint reading)
{
  PhFieldResult result = PH_FIELD_UNKNOWN;
  guint points = 0;

  for (guint n = 0; n < MAX_PRIMES && points < PRIMES; n++)
    {
      ph_field_p = ph_field_prime (pair->seed, n);
      result = try_point (pair, reading);
      ph_field_p = PH_FIELD_USUAL_P;
      if (has_bad_sign (pair))
        {
          if (points == 0 && n + 1 >= HOPELESS)
            break;
          continue;
        }
      if (result == PH_FIELD_UNKNOWN)
        return PH_FIELD_UNKNOWN;
      if (result != PH_FIELD_EQUAL)
        return result;
      points++;
    }
  if (points < PRIMES)
    return finish (pair, PH_FIELD_UNKNOWN, "too many constants for signs that multiply");
  report_equal (pair, reading, points, MAX (bound_of (pair, points), -(double) points));
  return PH_FIELD_EQUAL;
}

/* Tries the readings, the strictest first, without those that change nothing. */
static PhFieldResult
try_readings (Pair *pair)
{
  /* clang-format off */
  static const guint readings[] = {
    0, PH_FIELD_FOLD, PH_FIELD_EXP, PH_FIELD_RECOGNISE, PH_FIELD_EXP | PH_FIELD_RECOGNISE, PH_FIELD_FOLD | PH_FIELD_RECOGNISE,
    PH_FIELD_FOLD | PH_FIELD_EXP, PH_FIELD_FOLD | PH_FIELD_EXP | PH_FIELD_RECOGNISE,
    PH_FIELD_EULER, PH_FIELD_EULER | PH_FIELD_RECOGNISE, PH_FIELD_EULER | PH_FIELD_FOLD,
    PH_FIELD_EULER | PH_FIELD_FOLD | PH_FIELD_RECOGNISE,
  };
  /* clang-format on */
  g_autofree char *why = NULL;
  guint met = 0;

  for (guint i = 0; i < G_N_ELEMENTS (readings); i++)
    {
      PhFieldResult result;

      if ((readings[i] & met) != readings[i])
        continue;
      if (i > 0 && pair->work > MORE_WORK)
        break;
      pair->redraws = 0;
      result = (readings[i] & PH_FIELD_EULER) ? try_primes (pair, readings[i]) : try_reading (pair, readings[i]);
      met |= pair->field[0]->met | pair->field[1]->met;
      if (pair->field[1]->met & PH_FIELD_FOLD) /* it leaves something to be folded: then it folds nothing itself */
        met &= ~(guint) PH_FIELD_FOLD;
      if (result == PH_FIELD_EQUAL || i == 0)
        {
          if (result != PH_FIELD_UNEQUAL)
            return result;
          why = g_strdup (pair->report->why);
        }
    }
  g_free (pair->report->why);
  pair->report->why = g_steal_pointer (&why);
  return PH_FIELD_UNEQUAL;
}

/* Tries integers as variables first: then the proof holds for all of them. */
static PhFieldResult
try_fixed (Pair *pair, gboolean reads_fixed)
{
  GHashTable *fixed = pair->fixed;
  PhFieldResult result = PH_FIELD_UNKNOWN;

  if (reads_fixed)
    {
      pair->fixed = NULL;
      result = try_readings (pair);
      pair->fixed = fixed;
    }
  if (result == PH_FIELD_EQUAL)
    return result;
  pair->report->used_fixed = reads_fixed;
  for (guint side = 0; side < 2; side++) /* recompute what depended on the fixed integers */
    ph_field_forget (pair->field[side]);
  return try_readings (pair);
}

/* ── the comparison ── */

static gboolean
reads_fixed (PhModel *model, GHashTable *fixed)
{
  for (guint i = 0; fixed != NULL && i < model->graph->inputs->len; i++)
    if (g_hash_table_contains (fixed, GUINT_TO_POINTER (i)) && ph_value_n_uses (model->graph->inputs->pdata[i]) > 0)
      return TRUE;
  return FALSE;
}

static PhFieldResult
compare (Pair *pair, GCancellable *cancellable)
{
  g_autoptr (PhModel) upgraded_before = NULL, upgraded_after = NULL;
  g_autoptr (GHashTable) shared = NULL;
  g_autoptr (GError) error = NULL;
  PhFieldResult result;

  if (pair->model[0]->graph->inputs->len != pair->model[1]->graph->inputs->len
      || pair->model[0]->graph->outputs->len != pair->model[1]->graph->outputs->len)
    return finish (pair, PH_FIELD_UNEQUAL, "there are not as many inputs and outputs");
  if (!upgrade (pair->model[0], cancellable, &upgraded_before, &error)
      || !upgrade (pair->model[1], cancellable, &upgraded_after, &error))
    return finish (pair, PH_FIELD_UNKNOWN, "%s", error->message);
  pair->report->upgraded = upgraded_before != NULL || upgraded_after != NULL;
  pair->model[0] = upgraded_before != NULL ? upgraded_before : pair->model[0];
  pair->model[1] = upgraded_after != NULL ? upgraded_after : pair->model[1];
  shared = tensors_of (pair->model[0]);
  pair->field[0] = ph_field_new (pair->model[0], NULL, cancellable);
  pair->field[1] = ph_field_new (pair->model[1], shared, cancellable);
  pair->field[0]->images = pair->field[1]->images = pair->images;
  pair->field[0]->variables = pair->field[1]->variables = pair->variables;
  pair->field[0]->sizes = pair->field[1]->sizes = pair->sizes;
  result = try_fixed (pair, reads_fixed (pair->model[0], pair->fixed) || reads_fixed (pair->model[1], pair->fixed));
  for (guint side = 0; side < 2; side++)
    {
      pair->report->n_nodes += pair->field[side]->n_nodes;
      ph_field_free (pair->field[side]);
    }
  return result;
}

PhFieldReport *
ph_field_compare_form (PhModel *before, PhModel *after, GHashTable *variables, GHashTable *fixed, PhTensor *const *like,
                       guint64 seed, PhFieldImages *images, GCancellable *cancellable)
{
  PhFieldReport *report = g_new0 (PhFieldReport, 1);
  g_autoptr (GHashTable) sizes = variables != NULL && (fixed == NULL || g_hash_table_size (fixed) == 0)
                                     ? ph_field_sizes_find (before, after, variables)
                                     : NULL;
  Pair pair = { .model = { before, after },
                .variables = variables,
                .sizes = sizes,
                .fixed = fixed,
                .like = like,
                .seed = seed,
                .images = images,
                .report = report };

  report->result = compare (&pair, cancellable);
  /* If few channels do not show equality, all channels are evaluated. */
  if (sizes != NULL && report->result != PH_FIELD_EQUAL)
    {
      pair = (Pair) { .model = { before, after },
                      .variables = variables,
                      .fixed = fixed,
                      .like = like,
                      .seed = seed,
                      .images = images,
                      .report = report };
      report->result = compare (&pair, cancellable);
    }
  if (report->result != PH_FIELD_EQUAL)
    report->log2_bound = 0;
  return report;
}

PhFieldReport *
ph_field_compare (PhModel *before, PhModel *after, GHashTable *fixed, PhTensor *const *like, guint64 seed, PhFieldImages *images,
                  GCancellable *cancellable)
{
  return ph_field_compare_form (before, after, NULL, fixed, like, seed, images, cancellable);
}
