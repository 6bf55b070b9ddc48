/* chain.c: chains of elementwise operators, computed in blocks that fit the cache.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/chain.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/chain-operators.h"
#include "core/run/lanes.h"
#include "core/tensor/broadcast.h"

#define BLOCK    512 /* floats */
#define OPERANDS 16
#define STEPS    32
#define RANK     9 /* of a tensor in blocks of channels: one more than plainly */

/* Registers: the operands, followed by the result of each step. */
typedef struct
{
  guint8 kind, lane, in[3];
  float p[2];
} Step;

/* How an operand is traversed along with the result. */
typedef struct
{
  guint input;           /* of the kernel; G_MAXUINT: the head, or a constant of the body           */
  PhTensor *constant;    /* (nullable) (unowned)                                                    */
  gboolean is_condition; /* booleans                                                                */
  gboolean is_full;      /* of the result's shape and order                                         */
  gboolean is_scalar;
  gint64 strides[RANK]; /* in elements, per dimension of the result in the order of the walk       */
} Operand;

struct _PhChain
{
  guint n_operands, n_steps;
  Operand operands[OPERANDS];
  Step steps[STEPS];
  gint head; /* the operand that is, or -1                                              */
  /* derived from the shapes */
  gboolean bound;
  PhMemoryFormat format, head_format;
  PhTensor *copies[OPERANDS]; /* (nullable) while it runs: of operands in another order than the head  */
  guint rank, walk_rank;
  gint64 dims[PH_MAX_RANK], walk[RANK];
  gsize count;
};

/* ── from nodes to steps ── */

typedef struct
{
  PhChain *chain;
  PhKernel *kernel;
  GPtrArray *outside;
  const PhValue *head;
  GHashTable *registers; /* PhValue -> its register, from 1 */
} Maker;

static int
refuse (Maker *maker, const char *reason)
{
  ph_kernel_refuse (maker->kernel, reason);
  return -1;
}

/* Returns the register of @value, or -1. */
static int
register_of (Maker *maker, PhValue *value, gboolean is_condition)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (maker->registers, value)), at;
  PhChain *chain = maker->chain;
  Operand *operand = &chain->operands[chain->n_operands];
  PhTensor *tensor = NULL;

  if (known > 0)
    return known <= OPERANDS && chain->operands[known - 1].is_condition != is_condition ? -1 : (int) known - 1;
  if (chain->n_operands == OPERANDS)
    return refuse (maker, "it reads too many tensors");
  memset (operand, 0, sizeof *operand);
  operand->input = G_MAXUINT;
  operand->is_condition = is_condition;
  if (value == maker->head)
    chain->head = (int) chain->n_operands;
  else if (g_ptr_array_find (maker->outside, value, &at))
    {
      operand->input = at;
      tensor = at < maker->kernel->n_inputs ? maker->kernel->inputs[at] : NULL;
    }
  else
    tensor = operand->constant = ph_value_constant (value);
  if (value != maker->head
      && (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR
          || ph_tensor_dtype (tensor) != (is_condition ? PH_BOOL : PH_FLOAT)))
    return refuse (maker, "an input is not a float32 tensor, or a condition is not of booleans");
  g_hash_table_insert (maker->registers, value, GUINT_TO_POINTER (++chain->n_operands));
  return (int) chain->n_operands - 1;
}

static Step *
add_step (PhChain *chain, guint8 kind, guint8 lane)
{
  Step *step;

  if (chain->n_steps == STEPS)
    return NULL;
  step = &chain->steps[chain->n_steps++];
  *step = (Step) { kind, lane, { 0 }, { 0 } };
  return step;
}

/* Returns TRUE for a bound that is a scalar: bounds do not broadcast. */
static gboolean
is_scalar (const Maker *maker, int limit)
{
  const Operand *operand = &maker->chain->operands[MIN (limit, OPERANDS - 1)];
  const PhTensor *tensor = operand->constant != NULL                  ? operand->constant
                           : operand->input < maker->kernel->n_inputs ? maker->kernel->inputs[operand->input]
                                                                      : NULL;

  return limit < OPERANDS && tensor != NULL && ph_tensor_rank (tensor) == 0;
}

/* Reads the bound if it is known before the run; an absent one leaves @bound as it is. Returns FALSE if it is not known. */
static gboolean
find_bound (const Maker *maker, PhValue *value, float *bound)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;
  gboolean known;
  guint at;

  if (tensor == NULL && value != NULL && g_ptr_array_find (maker->outside, value, &at) && at < maker->kernel->n_inputs
      && ph_kernel_is_constant (maker->kernel, at))
    tensor = maker->kernel->inputs[at];
  known = tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_FLOAT
          && ph_tensor_rank (tensor) == 0;
  if (known)
    *bound = (float) ph_tensor_get (tensor, 0);
  return value == NULL || known;
}

/* Clips as the Clip kernel does: the maximum with the lower bound, then the minimum with the upper one. */
static gboolean
add_clip (Maker *maker, const PhNode *node, int x)
{
  static const guint8 lanes[] = { PH_LANE_MAX, PH_LANE_MIN };
  float bounds[2] = { -INFINITY, INFINITY };

  if (find_bound (maker, ph_node_input (node, 1), &bounds[0]) && find_bound (maker, ph_node_input (node, 2), &bounds[1]))
    {
      Step *step = add_step (maker->chain, PH_CHAIN_UNARY, PH_LANE_CLIP);

      if (step == NULL)
        return FALSE;
      step->in[0] = (guint8) x;
      memcpy (step->p, bounds, sizeof bounds);
      return TRUE;
    }
  for (guint i = 0; i < 2; i++)
    {
      PhValue *bound = ph_node_input (node, i + 1);
      const int limit = bound != NULL ? register_of (maker, bound, FALSE) : -1;
      Step *step;

      if (bound == NULL)
        continue;
      step = limit >= 0 && is_scalar (maker, limit) ? add_step (maker->chain, PH_CHAIN_BINARY, lanes[i]) : NULL;
      if (step == NULL)
        return refuse (maker, "a bound is not a scalar") >= 0;
      step->in[0] = (guint8) x;
      step->in[1] = (guint8) limit;
      x = OPERANDS + (int) maker->chain->n_steps - 1;
    }
  return TRUE;
}

/* Whether @exponent is the number @of. To multiply is as good for 2, as the reference kernel does, and for 3 at most 1.5 units in the last
 * place off. */
static gboolean
is_power (const Maker *maker, PhValue *exponent, float of)
{
  float power = 0;

  return find_bound (maker, exponent, &power) && power == of;
}

static gboolean
add_node (Maker *maker, const PhNode *node)
{
  const PhChainOperator *row = ph_chain_operator (node);
  const guint n = row->kind == PH_CHAIN_UNARY || node->op == &ph_op_Clip ? 1 : row->kind == PH_CHAIN_BINARY ? 2 : 3;
  int in[3] = { 0 };
  Step *step;

  for (guint i = 0; i < n; i++)
    {
      PhValue *value = ph_node_input (node, i);

      in[i] = value != NULL ? register_of (maker, value, row->kind == PH_CHAIN_WHERE && i == 0) : -1;
      if (in[i] < 0 || (row->kind == PH_CHAIN_WHERE && i == 0 && in[i] >= OPERANDS))
        return FALSE;
    }
  if (node->op == &ph_op_Clip)
    {
      if (!add_clip (maker, node, in[0]))
        return FALSE;
    }
  else
    {
      step = add_step (maker->chain, row->kind, row->lane);
      if (step == NULL)
        return FALSE;
      for (guint i = 0; i < n; i++)
        step->in[i] = (guint8) in[i];
      for (guint i = 0; i < G_N_ELEMENTS (row->p) && row->p[i].name != NULL; i++)
        step->p[i] = ph_node_attr_float (node, row->p[i].name, row->p[i].fallback);
      if (node->op == &ph_op_Pow && is_power (maker, ph_node_input (node, 1), 2))
        step->kind = PH_CHAIN_UNARY, step->lane = PH_LANE_SQUARE;
      else if (node->op == &ph_op_Pow && is_power (maker, ph_node_input (node, 1), 3))
        step->kind = PH_CHAIN_UNARY, step->lane = PH_LANE_CUBE;
      else if (node->op == &ph_op_Gelu && g_strcmp0 (ph_node_attr_string (node, "approximate", "none"), "tanh") == 0)
        step->lane = PH_LANE_GELU_TANH;
    }
  g_hash_table_insert (maker->registers, node->outputs->pdata[0], GUINT_TO_POINTER (OPERANDS + maker->chain->n_steps));
  return TRUE;
}

PhChain *
ph_chain_new (PhKernel *kernel, PhNode *const *nodes, guint n, GPtrArray *outside, const PhValue *head)
{
  g_autoptr (GHashTable) registers = g_hash_table_new (NULL, NULL);
  PhChain *chain = g_new0 (PhChain, 1);
  Maker maker = { chain, kernel, outside, head, registers };
  gboolean ok = n > 0;

  chain->head = -1;
  for (guint i = 0; i < n && ok; i++)
    ok = (ph_chain_takes (nodes[i]) || refuse (&maker, "not all of its nodes are elementwise") >= 0)
         && add_node (&maker, nodes[i]);
  /* A chain that does not use its head's result is refused. */
  if (!ok || (head != NULL && chain->head < 0))
    g_clear_pointer (&chain, ph_chain_free);
  return chain;
}

void
ph_chain_free (PhChain *chain)
{
  g_free (chain);
}

/* ── shapes ── */

static PhTensor *
tensor_of (const PhChain *chain, const PhKernel *kernel, guint i, PhTensor *head)
{
  const Operand *operand = &chain->operands[i];

  return (int) i == chain->head      ? head
         : chain->copies[i] != NULL  ? chain->copies[i]
         : operand->constant != NULL ? operand->constant
                                     : kernel->inputs[operand->input];
}

static gboolean
has_shape (const PhTensor *tensor, guint rank, const gint64 *dims)
{
  return ph_tensor_rank (tensor) == rank && memcmp (ph_tensor_dims (tensor), dims, rank * sizeof *dims) == 0;
}

/* Neighbours that every operand walks as one become one. */
static void
join_dims (PhChain *chain)
{
  guint at = 0;

  for (guint d = 1; d < chain->walk_rank; d++)
    {
      gboolean joins = TRUE;

      for (guint i = 0; i < chain->n_operands && joins; i++)
        joins = chain->operands[i].is_full || chain->operands[i].strides[at] == chain->operands[i].strides[d] * chain->walk[d];
      if (chain->walk[at] == 1 || joins)
        {
          chain->walk[at] *= chain->walk[d];
          for (guint i = 0; i < chain->n_operands; i++)
            chain->operands[i].strides[at] = chain->operands[i].strides[d];
        }
      else
        {
          at++;
          chain->walk[at] = chain->walk[d];
          for (guint i = 0; i < chain->n_operands; i++)
            chain->operands[i].strides[at] = chain->operands[i].strides[d];
        }
    }
  chain->walk_rank = at + 1;
}

static void
bind_operand (PhChain *chain, Operand *operand, const PhTensor *tensor, const guint *of, const gint64 *step)
{
  const guint rank = ph_tensor_rank (tensor), missing = chain->rank - rank;
  gint64 own[PH_MAX_RANK];

  operand->is_full = !operand->is_condition && has_shape (tensor, chain->rank, chain->dims)
                     && ph_tensor_format (tensor) == chain->format && !ph_tensor_is_splat (tensor);
  operand->is_scalar = ph_tensor_count (tensor) == 1;
  ph_strides (rank, ph_tensor_dims (tensor), own);
  for (guint d = 0; d < chain->walk_rank; d++)
    operand->strides[d] = of[d] < missing || ph_tensor_dims (tensor)[of[d] - missing] == 1 || ph_tensor_is_splat (tensor)
                              ? 0
                              : own[of[d] - missing] * step[d];
}

/* @dims: (nullable) of the whole head, in rows, of which parts are given; then @head is not read. */
static gboolean
bind (PhChain *chain, const PhKernel *kernel, PhTensor *head, guint whole_rank, const gint64 *dims)
{
  gboolean any = FALSE, given = head != NULL || dims != NULL;
  gint64 walk[RANK + 1], step[RANK + 1];
  guint of[RANK + 1];

  chain->rank = dims != NULL ? whole_rank : 0;
  if (dims != NULL)
    memcpy (chain->dims, dims, whole_rank * sizeof *dims);
  for (guint i = 0; i < chain->n_operands; i++)
    {
      const PhTensor *tensor = tensor_of (chain, kernel, i, head);
      gint64 joint[PH_MAX_RANK];
      guint rank;

      if (tensor == NULL)
        continue;
      if (!ph_broadcast_dims (chain->rank, chain->dims, ph_tensor_rank (tensor), ph_tensor_dims (tensor), &rank, joint))
        return FALSE;
      chain->rank = rank;
      memcpy (chain->dims, joint, rank * sizeof *joint);
    }
  if (chain->rank >= RANK || (head != NULL && !has_shape (head, chain->rank, chain->dims))
      || (dims != NULL && (chain->rank != whole_rank || memcmp (chain->dims, dims, whole_rank * sizeof *dims) != 0)))
    return FALSE;
  chain->format = head != NULL ? ph_tensor_format (head) : PH_MEMORY_PLAIN;
  for (guint i = 0; i < chain->n_operands && !given; i++)
    {
      const PhTensor *tensor = tensor_of (chain, kernel, i, head);

      if (chain->operands[i].is_condition || !has_shape (tensor, chain->rank, chain->dims) || ph_tensor_is_splat (tensor))
        continue;
      if (any && ph_tensor_format (tensor) != chain->format)
        {
          chain->format = PH_MEMORY_PLAIN;
          break;
        }
      chain->format = ph_tensor_format (tensor);
      any = TRUE;
    }
  if (chain->format != PH_MEMORY_PLAIN && chain->format != PH_MEMORY_CHANNELS_LAST
      && chain->dims[1] % (chain->format == PH_MEMORY_BLOCKED_8 ? 8 : 16) != 0)
    {
      if (given) /* the padding of its blocks has to stay 0 */
        return FALSE;
      chain->format = PH_MEMORY_PLAIN;
    }
  chain->count = 1;
  for (guint i = 0; i < chain->rank; i++)
    chain->count *= (gsize) chain->dims[i];
  chain->walk_rank = ph_memory_format_walk (chain->format, chain->rank, chain->dims, walk, of, step);
  memcpy (chain->walk, walk, sizeof chain->walk);
  for (guint i = 0; i < chain->n_operands; i++)
    if (dims != NULL && (int) i == chain->head)
      chain->operands[i].is_full = TRUE;
    else
      bind_operand (chain, &chain->operands[i], tensor_of (chain, kernel, i, head), of, step);
  if (chain->walk_rank == 0)
    chain->walk[chain->walk_rank++] = 1;
  join_dims (chain);
  chain->bound = TRUE;
  return chain->count > 0;
}

/* ── computing ── */

/* The position in an operand that is broadcast. */
typedef struct
{
  gint64 at[RANK], offset;
} Place;

/* Copies the next @n elements of an operand to @out. */
static void
gather (const PhChain *chain, const Operand *operand, Place *place, gconstpointer data, gsize n, gpointer out)
{
  const guint last = chain->walk_rank - 1;
  const gint64 stride = operand->strides[last];
  const PhLanes *lanes = ph_lanes ();
  const float *from = data;
  const guint8 *bytes = data;
  guint8 *flags = out;
  float *to = out;

  while (n > 0)
    {
      const gsize run = MIN (n, (gsize) (chain->walk[last] - place->at[last]));

      if (operand->is_condition)
        for (gsize i = 0; i < run; i++)
          flags[i] = bytes[place->offset + (gint64) i * stride];
      else if (stride == 1)
        memcpy (to, from + place->offset, run * sizeof *to);
      else if (stride == 0)
        lanes->fill (run, to, from[place->offset]);
      else
        for (gsize i = 0; i < run; i++)
          to[i] = from[place->offset + (gint64) i * stride];
      n -= run;
      to += run;
      flags += run;
      place->offset += (gint64) run * stride;
      place->at[last] += (gint64) run;
      for (guint d = last; place->at[d] == chain->walk[d]; d--)
        {
          place->offset -= operand->strides[d] * chain->walk[d];
          place->at[d] = 0;
          if (d == 0)
            break;
          place->at[d - 1]++;
          place->offset += operand->strides[d - 1];
        }
    }
}

/* Returns the elements of @tensor: in the result's order if it has the full shape, else row-major; for a splat, one element. */
static gconstpointer
data_of (const PhChain *chain, const Operand *operand, PhTensor *tensor, float *one)
{
  if (ph_tensor_is_splat (tensor) && !operand->is_condition)
    {
      *one = (float) ph_tensor_get (tensor, 0);
      return one;
    }
  return operand->is_full && chain->format != PH_MEMORY_PLAIN ? ph_tensor_packed (tensor) : ph_tensor_data (tensor);
}

static void
run_block (const PhChain *chain, const PhLanes *lanes, gsize n, const float **registers, float (*room)[BLOCK], float *out)
{
  for (guint i = 0; i < chain->n_steps; i++)
    {
      const Step *step = &chain->steps[i];
      float *y = i + 1 == chain->n_steps ? out : room[OPERANDS + i];

      if (step->kind == PH_CHAIN_UNARY)
        lanes->unary[step->lane](n, y, registers[step->in[0]], step->p);
      else if (step->kind == PH_CHAIN_BINARY)
        lanes->binary[step->lane](n, y, registers[step->in[0]], registers[step->in[1]]);
      else
        lanes->where (n, y, (const guint8 *) registers[step->in[0]], registers[step->in[1]], registers[step->in[2]]);
      registers[OPERANDS + i] = y;
    }
}

/* Returns the position of element @first of the result. */
static Place
place_of (const PhChain *chain, const Operand *operand, gsize first)
{
  Place place = { { 0 }, 0 };

  for (guint d = chain->walk_rank; d-- > 0; first /= (gsize) chain->walk[d])
    {
      place.at[d] = (gint64) (first % (gsize) chain->walk[d]);
      place.offset += place.at[d] * operand->strides[d];
    }
  return place;
}

/* Computes @count elements from @first on. @part: (nullable) the same ones of the head, in place of @head. */
static gboolean
compute (PhChain *chain, PhKernel *kernel, PhTensor *head, const float *part, gsize first, gsize count, float *out)
{
  float (*room)[BLOCK] = g_alloca (sizeof (float) * BLOCK * (OPERANDS + chain->n_steps));
  const PhLanes *lanes = ph_lanes ();
  const float *registers[OPERANDS + STEPS];
  gconstpointer data[OPERANDS];
  Place places[OPERANDS];
  float ones[OPERANDS];

  if (count == 0) /* an operand without elements has none to repeat */
    return TRUE;
  for (guint i = 0; i < chain->n_operands; i++)
    {
      const Operand *operand = &chain->operands[i];
      const gboolean given = part != NULL && (int) i == chain->head;

      data[i] = given ? part : data_of (chain, operand, tensor_of (chain, kernel, i, head), &ones[i]);
      if (data[i] == NULL)
        return FALSE;
      if (operand->is_full && !given)
        data[i] = (const float *) data[i] + first;
      registers[i] = room[i];
      if (!operand->is_full && operand->is_scalar && !operand->is_condition)
        lanes->fill (MIN (BLOCK, count), room[i], *(const float *) data[i]);
      else if (!operand->is_full)
        places[i] = place_of (chain, operand, first);
    }
  for (gsize at = 0; at < count; at += BLOCK)
    {
      const gsize n = MIN (BLOCK, count - at);

      for (guint i = 0; i < chain->n_operands; i++)
        if (chain->operands[i].is_full)
          registers[i] = (const float *) data[i] + at;
        else if (!chain->operands[i].is_scalar || chain->operands[i].is_condition)
          gather (chain, &chain->operands[i], &places[i], data[i], n, room[i]);
      run_block (chain, lanes, n, registers, room, out + at);
    }
  return TRUE;
}

/* Returns an input of the result's shape that is not used after this kernel and may be overwritten. */
static PhTensor *
reusable (const PhChain *chain, const PhKernel *kernel)
{
  for (guint i = 0; i < chain->n_operands; i++)
    {
      const Operand *operand = &chain->operands[i];

      if (operand->is_full && operand->constant == NULL && operand->input < 64 && (kernel->dying >> operand->input & 1) != 0
          && ph_tensor_is_sole (kernel->inputs[operand->input])
          && (chain->format == PH_MEMORY_PLAIN || ph_tensor_writable (kernel->inputs[operand->input]) == NULL))
        return ph_tensor_ref (kernel->inputs[operand->input]);
    }
  return NULL;
}

/* Brings the head and the operands of its shape to one order, since elements that lie apart are slow to collect. The head's padding of a
 * last block of channels must stay 0, so such a head becomes row-major. (transfer full) */
static PhTensor *
join_orders (PhChain *chain, const PhKernel *kernel, PhTensor *head)
{
  const PhMemoryFormat format = ph_tensor_format (head);

  if (format == PH_MEMORY_PLAIN)
    return head;
  if (format != PH_MEMORY_CHANNELS_LAST && ph_tensor_dims (head)[1] % (format == PH_MEMORY_BLOCKED_8 ? 8 : 16) != 0)
    return ph_tensor_in_rows (head);
  for (guint i = 0; i < chain->n_operands; i++)
    {
      PhTensor *tensor = tensor_of (chain, kernel, i, head);

      if (chain->operands[i].is_condition || ph_tensor_format (tensor) == format || ph_tensor_is_splat (tensor)
          || !has_shape (tensor, ph_tensor_rank (head), ph_tensor_dims (head)))
        continue;
      if (ph_kernel_is_read_in_rows (kernel))
        return ph_tensor_in_rows (head);
      chain->copies[i] = ph_tensor_new_packed_of (tensor, format);
    }
  return head;
}

static PhTensor *
run_with (PhChain *chain, PhKernel *kernel, PhTensor *head)
{
  const PhMemoryFormat format = head != NULL ? ph_tensor_format (head) : PH_MEMORY_PLAIN;
  PhTensor *y = head;

  if ((!chain->bound || chain->head_format != format) && !bind (chain, kernel, head, 0, NULL))
    {
      g_clear_pointer (&head, ph_tensor_unref);
      return NULL;
    }
  chain->head_format = format;
  y = y != NULL ? y : reusable (chain, kernel);
  if (y == NULL)
    y = chain->format == PH_MEMORY_PLAIN ? ph_tensor_new_unset (PH_FLOAT, chain->rank, chain->dims)
                                         : ph_tensor_new_packed (chain->rank, chain->dims, chain->format);
  if (y != NULL
      && !compute (chain, kernel, head, NULL, 0, chain->count,
                   chain->format == PH_MEMORY_PLAIN ? ph_tensor_writable (y) : ph_tensor_packed (y)))
    g_clear_pointer (&y, ph_tensor_unref);
  return y;
}

PhTensor *
ph_chain_run (PhChain *chain, PhKernel *kernel, PhTensor *head)
{
  PhTensor *y = run_with (chain, kernel, head != NULL ? join_orders (chain, kernel, head) : NULL);

  for (guint i = 0; i < chain->n_operands; i++)
    g_clear_pointer (&chain->copies[i], ph_tensor_unref);
  return y;
}

gboolean
ph_chain_run_part (PhChain *chain, PhKernel *kernel, guint rank, const gint64 *dims, gsize first, gsize n, float *elements)
{
  return (chain->bound || bind (chain, kernel, NULL, rank, dims)) && compute (chain, kernel, NULL, elements, first, n, elements);
}
