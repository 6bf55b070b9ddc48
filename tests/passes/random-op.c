/* random-op.c: a node of any operator of the registry, made from what its schema says: argument counts, element types and
 * groups, attributes. What the schema leaves out (shapes) is guessed from the other operands, and refused by inference or kernel
 * where the guess is bad.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-gen.h"

#include <string.h>

#define TRIES 24
#define USES  4 /* of the tries: uses that are known to fit, every other time */

typedef struct
{
  const PhOp *op;
  PhDType groups[128]; /* element type that a letter stands for in this node */
  PhValue *inputs[PH_MAX_ARGS + 4];
  guint n;
} Draft;

static gboolean
allows (const PhOpArg *arg, PhDType bound, PhDType dtype)
{
  return bound != PH_UNDEFINED ? dtype == bound : (arg->types & (G_GUINT64_CONSTANT (1) << dtype)) != 0;
}

static gboolean
is_index (const PhOpArg *arg)
{
  return arg->types != 0 && (arg->types & ~PH_INDICES) == 0;
}

static PhDType
pick_dtype (Gen *gen, const PhOpArg *arg, PhDType bound)
{
  static const PhDType usual[] = { PH_FLOAT, PH_FLOAT, PH_INT64, PH_BOOL, PH_INT32, PH_DOUBLE, PH_UINT8, PH_STRING };

  if (bound != PH_UNDEFINED)
    return bound;
  for (guint i = 0; i < 12; i++)
    {
      PhDType dtype = i < 6 ? usual[gen_below (gen, G_N_ELEMENTS (usual))] : (PhDType) (1 + gen_below (gen, PH_N_DTYPES - 1));

      if (allows (arg, PH_UNDEFINED, dtype))
        return dtype;
    }
  return PH_UNDEFINED;
}

/* A size that occurs around here: of an operand, its rank, or a small number. */
static gint64
some_size (Gen *gen, const gint64 *dims, int rank)
{
  switch (gen_below (gen, 6))
    {
    case 0: return 1;
    case 1: return 1 + gen_below (gen, 4);
    case 2: return rank > 0 ? rank : 1;
    case 3: return rank > 0 ? 2 * rank : 2;
    default: return rank > 0 ? dims[gen_below (gen, rank)] : 1;
    }
}

/* A shape that may go with the first operand. Weights repeat its rank, scales and biases one of its dimensions. */
static guint
guess_shape (Gen *gen, const Draft *draft, const PhOpArg *arg, gint64 *dims)
{
  gint64 like[PH_MAX_RANK];
  int rank = draft->n > 0 && draft->inputs[0] != NULL ? gen_dims (gen, draft->inputs[0], like) : -1;
  guint own;

  rank = CLAMP (rank, 0, 5);
  if (is_index (arg) && gen_below (gen, 3) > 0)
    {
      dims[0] = gen_below (gen, 2) ? 1 : some_size (gen, like, rank);
      return gen_below (gen, 5) > 0;
    }
  switch (gen_below (gen, 8))
    {
    case 0: return 0;
    case 1: memcpy (dims, like, rank * sizeof *dims); return rank;
    case 2:
    case 3: dims[0] = rank > 1 && gen_below (gen, 2) ? like[1] : some_size (gen, like, rank); return 1;
    case 4: /* as a convolution's weights */
      own = rank;
      for (guint i = 0; i < own; i++)
        dims[i] = i == 1 ? like[1] : 1 + gen_below (gen, 3);
      return own;
    case 5: /* of the same rank, one other size */
      memcpy (dims, like, rank * sizeof *dims);
      if (rank > 0)
        dims[gen_below (gen, rank)] = some_size (gen, like, rank);
      return rank;
    default:
      own = gen_below (gen, 4);
      for (guint i = 0; i < own; i++)
        dims[i] = some_size (gen, like, rank);
      return own;
    }
}

static PhValue *
guess_constant (Gen *gen, const Draft *draft, const PhOpArg *arg, PhDType dtype)
{
  gint64 dims[PH_MAX_RANK], count = 1;
  guint rank = guess_shape (gen, draft, arg, dims);
  PhTensor *tensor;

  for (guint i = 0; i < rank; i++)
    count *= dims[i];
  if (count > 512)
    return NULL;
  tensor = gen_tensor (gen, dtype, rank, dims);
  if (is_index (arg) && gen_below (gen, 2))
    for (gsize i = 0; i < ph_tensor_count (tensor); i++) /* axes and positions may count from the end; 0 .. n - 1 are all */
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, gen_below (gen, 3) == 0 ? (gint64) i : gen_below (gen, 4) - 1);
  return ph_build_tensor (&gen->b, tensor);
}

static PhValue *
guess_other (Gen *gen, const PhOpArg *arg, PhDType bound)
{
  for (guint i = 0; i < 4 && gen->others->len > 0; i++)
    {
      PhValue *value = g_ptr_array_index (gen->others, gen_below (gen, gen->others->len));

      if (bound == PH_UNDEFINED ? value->type->dtype == PH_UNDEFINED || allows (arg, bound, value->type->dtype)
                                : value->type->dtype == bound)
        return value;
    }
  return NULL;
}

/* Something for input @i. NULL: nothing found. */
static PhValue *
guess_input (Gen *gen, Draft *draft, const PhOpArg *arg)
{
  PhDType *group = arg->group != '\0' ? &draft->groups[(guint8) arg->group & 127] : NULL, dtype;
  PhDType bound = group != NULL ? *group : PH_UNDEFINED;
  PhValue *value = NULL;

  if (arg->types == PH_ANY && draft->op->flags & PH_OP_ANY_KIND && gen_below (gen, 2))
    value = guess_other (gen, arg, bound);
  if (value == NULL && gen_below (gen, is_index (arg) ? 6 : draft->n == 0 ? 20 : 3) > (is_index (arg) ? 4 : 0))
    for (guint i = 0; i < 6 && value == NULL; i++)
      {
        PhValue *candidate = gen_any (gen);

        if (allows (arg, bound, ph_value_dtype (candidate)))
          value = candidate;
      }
  if (value == NULL)
    {
      dtype = pick_dtype (gen, arg, bound);
      value = dtype != PH_UNDEFINED ? guess_constant (gen, draft, arg, dtype) : NULL;
    }
  if (value != NULL && group != NULL)
    *group = value->type->dtype;
  return value;
}

static PhAttr *
guess_attr (Gen *gen, const Draft *draft, const PhOpAttr *attr)
{
  /* clang-format off */
  static const char *const words[] = {
    "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "constant", "reflect", "edge", "wrap", "linear", "nearest", "cubic", "DCR", "CRD",
    "none", "add", "mul", "max", "min", "mean", "sum", "forward", "reverse", "bidirectional", "half_pixel", "align_corners",
    "asymmetric", "zeros", "border", "reflection", "avg", "LEFT", "RIGHT", "tanh", "LOWER", "UPPER", "i,j->ij", "ij->ji", "ij,jk->ik",
    "...i->...", "a.*", "",
  };
  /* clang-format on */
  gint64 like[PH_MAX_RANK], ints[12];
  float floats[4];
  g_autoptr (PhTensor) tensor = NULL;
  int rank = draft->n > 0 && draft->inputs[0] != NULL ? gen_dims (gen, draft->inputs[0], like) : 0;
  guint n;

  rank = CLAMP (rank, 0, 5);
  switch (attr->kind)
    {
    case PH_ATTR_INT:
      return ph_attr_new_int (attr->name, strstr (attr->name, "type") != NULL || strcmp (attr->name, "to") == 0
                                              ? 1 + gen_below (gen, PH_N_DTYPES - 1)
                                              : gen_below (gen, 6) - 2);
    case PH_ATTR_FLOAT: return ph_attr_new_float (attr->name, (float[]) { 0.5f, 1, 0, -1, 2, 0.01f, 0.25f }[gen_below (gen, 7)]);
    case PH_ATTR_STRING: return ph_attr_new_string (attr->name, words[gen_below (gen, G_N_ELEMENTS (words))]);
    case PH_ATTR_INTS:
      n = (guint[]) { MAX (rank - 2, 1), 2 * MAX (rank - 2, 0), rank, 1, 2 }[gen_below (gen, 5)];
      for (guint i = 0; i < n; i++)
        ints[i] = gen_below (gen, 4) == 0 ? (gint64) i : gen_below (gen, 4) - (gen_below (gen, 8) == 0);
      if (n == (guint) rank && gen_below (gen, 2)) /* an order */
        for (guint i = 0; i < n; i++)
          ints[i] = n - 1 - i;
      return ph_attr_new_ints (attr->name, ints, n);
    case PH_ATTR_FLOATS:
      n = 1 + gen_below (gen, 3);
      for (guint i = 0; i < n; i++)
        floats[i] = 0.5f * gen_below (gen, 4);
      return ph_attr_new_floats (attr->name, floats, n);
    case PH_ATTR_TENSOR:
      ints[0] = 1 + gen_below (gen, 2);
      tensor = gen_tensor (gen, (PhDType[]) { PH_FLOAT, PH_INT64, PH_DOUBLE, PH_BOOL }[gen_below (gen, 4)], gen_below (gen, 2),
                           ints);
      return ph_attr_new_tensor (attr->name, tensor);
    default: return NULL;
    }
}

static guint
guess_outputs (Gen *gen, const PhOp *op)
{
  guint n = ph_op_n_outputs (op), least = 0;

  for (guint i = 0; i < n; i++)
    if (!(op->outputs[i].flags & PH_ARG_OPTIONAL))
      least = i + 1;
  if (n > 0 && op->outputs[n - 1].flags & PH_ARG_VARIADIC)
    return 1 + gen_below (gen, 3);
  return MAX (least, 1) + gen_below (gen, n - MAX (least, 1) + 1);
}

static gboolean
try_op (Gen *gen, const PhOp *op)
{
  Draft draft = { .op = op };
  guint min, wanted, n_attrs = 0, n_outputs;
  gboolean variadic;
  guint max = ph_op_n_inputs (op, &min, &variadic);
  PhAttr *attrs[17] = { NULL };
  PhValue *first;

  wanted = min + gen_below (gen, max - min + 1) * (gen_below (gen, 2));
  if (variadic)
    wanted = MAX (min, 1) + gen_below (gen, 3);
  for (guint i = 0; i < wanted; i++)
    {
      const PhOpArg *arg = &op->inputs[MIN (i, max - 1)];
      gboolean absent = arg->flags & PH_ARG_OPTIONAL && i + 1 < wanted && gen_below (gen, 3) == 0;
      PhValue *value = absent ? NULL : guess_input (gen, &draft, arg);

      if (value == NULL && !absent)
        return FALSE;
      draft.inputs[draft.n++] = value;
    }
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    if (op->attrs[i].required || gen_below (gen, 4) == 0)
      {
        PhAttr *attr = guess_attr (gen, &draft, &op->attrs[i]);

        if (attr != NULL)
          attrs[n_attrs++] = attr;
      }
  n_outputs = guess_outputs (gen, op);
  first = ph_build_node (&gen->b, op, draft.inputs, draft.n, attrs, n_outputs);
  if (first == NULL)
    return FALSE;
  for (guint i = 0; i < n_outputs; i++)
    if (!gen_keep (gen, ph_node_output (first->producer, i)) && i == 0)
      return FALSE;
  return TRUE;
}

/* One row of @n by lot, each as likely as another. A row that is new takes its share of the draws, and leaves the others as they
 * were: so a seed that failed once fails again after an operator was added. */
static guint
draw_row (Gen *gen, const PhOp *const *ops, guint n)
{
  const guint32 draw = g_rand_int (gen->rand);
  guint32 best = 0;
  guint row = 0;

  for (guint i = 0; i < n; i++)
    {
      guint32 lot = g_str_hash (ops[i]->name) ^ (ops[i]->domain != NULL ? g_str_hash (ops[i]->domain) : 0) ^ draw;

      /* The finaliser of MurmurHash3: every bit of the name and of the draw counts. */
      lot = (lot ^ lot >> 16) * 0x85ebca6bu;
      lot = (lot ^ lot >> 13) * 0xc2b2ae35u;
      lot ^= lot >> 16;
      if (lot > best)
        {
          best = lot;
          row = i;
        }
    }
  return row;
}

gboolean
gen_op (Gen *gen)
{
  guint n, row, uses;
  const PhOp *const *ops = ph_op_list (&n);
  const PhOp *op;

  row = draw_row (gen, ops, n);
  op = ops[row];
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    if (op->attrs[i].kind == PH_ATTR_GRAPH)
      return FALSE;
  if (!ph_op_executable (op) || (op->flags & PH_OP_RANDOM && !gen->draws))
    return FALSE;
  if (gen->depth == 0)
    gen->tally->tried[row]++;
  uses = op->kernel == NULL || gen_below (gen, 2) ? USES : 0;
  for (guint i = 0; i < TRIES; i++)
    {
      PhNode *last = gen->b.graph->last;
      guint n_pool = gen->pool->len, n_others = gen->others->len;

      if ((i < uses ? gen_example (gen, op) : op->kernel != NULL && try_op (gen, op)) && gen_try_since (gen, last))
        return TRUE;
      g_clear_error (&gen->b.error);
      gen_take_back (gen, last, n_pool, n_others);
    }
  return FALSE;
}
