/* random.c: random tensors. Equal seeds give equal tensors on every machine.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/support.h"
#include "core/splitmix.h"

/* One of the pair of Box and Muller's transform; seeded models depend on this sequence. */
static double
next_normal (guint64 *state)
{
  double radius = sqrt (-2 * log (1 - ph_splitmix_uniform (state)));

  return radius * cos (2 * G_PI * ph_splitmix_uniform (state));
}

/* Returns the seed: an attribute, which makes all runs equal, or the seed of the run. */
static guint64
random_of (PhKernel *kernel)
{
  float seed = ph_node_attr_float (kernel->node, "seed", NAN);
  guint32 bits;

  if (isnan (seed))
    return ph_kernel_seed (kernel);
  memcpy (&bits, &seed, sizeof bits);
  return bits * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
}

static gboolean
fill (PhKernel *kernel, gboolean normal, PhDType dtype, guint rank, const gint64 *dims, GError **error)
{
  const PhNode *node = kernel->node;
  double low = ph_node_attr_float (node, "low", 0), high = ph_node_attr_float (node, "high", 1);
  double mean = ph_node_attr_float (node, "mean", 0), scale = ph_node_attr_float (node, "scale", 1);
  guint64 random = random_of (kernel);
  gpointer out = ph_kernel_output (kernel, 0, dtype, rank, dims, error);

  if (out == NULL)
    return FALSE;
  for (gsize i = 0, n = ph_tensor_count (kernel->outputs[0]); i < n; i++)
    ph_dtype_store (dtype, out, i,
                    normal ? mean + scale * next_normal (&random) : low + (high - low) * ph_splitmix_uniform (&random));
  return TRUE;
}

static PhDType
random_dtype (const PhNode *node, PhDType like)
{
  PhDType dtype = ph_node_attr_int (node, "dtype", PH_UNDEFINED);

  return dtype != PH_UNDEFINED ? dtype : ph_dtype_is_float (like) ? like : PH_FLOAT;
}

static gboolean
fill_by_shape (PhKernel *kernel, gboolean normal, GError **error)
{
  gsize n;
  const gint64 *shape = ph_node_attr_ints (kernel->node, "shape", &n);

  if (shape == NULL || n > PH_MAX_RANK)
    return ph_kernel_fail (kernel, error, "its attribute 'shape' is missing or too long");
  return fill (kernel, normal, random_dtype (kernel->node, PH_FLOAT), n, shape, error);
}

static gboolean
fill_like (PhKernel *kernel, gboolean normal, GError **error)
{
  PhTensor *like = ph_kernel_input (kernel, 0);

  return fill (kernel, normal, random_dtype (kernel->node, ph_tensor_dtype (like)), ph_tensor_rank (like), ph_tensor_dims (like),
               error);
}

static gboolean
random_normal_kernel (PhKernel *kernel, GError **error)
{
  return fill_by_shape (kernel, TRUE, error);
}

static gboolean
random_uniform_kernel (PhKernel *kernel, GError **error)
{
  return fill_by_shape (kernel, FALSE, error);
}

static gboolean
random_normal_like_kernel (PhKernel *kernel, GError **error)
{
  return fill_like (kernel, TRUE, error);
}

static gboolean
random_uniform_like_kernel (PhKernel *kernel, GError **error)
{
  return fill_like (kernel, FALSE, error);
}

static gboolean
infer_by_shape (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  PhDType dtype = random_dtype (node, PH_FLOAT);
  gsize n;
  const gint64 *shape = ph_node_attr_ints (node, "shape", &n);

  if (n > PH_MAX_RANK)
    return ph_infer_fail (infer, error, "its attribute 'shape' has %" G_GSIZE_FORMAT " dimensions, at most %d are possible", n,
                          PH_MAX_RANK);
  for (gsize i = 0; i < n; i++)
    if (shape[i] < 0)
      return ph_infer_fail (infer, error, "its attribute 'shape' has the size %" G_GINT64_FORMAT, shape[i]);
  ph_infer_set (infer, 0, ph_type_static (dtype, n, shape));
  return TRUE;
}

static gboolean
infer_like (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, random_dtype (ph_infer_node_of (infer), type->dtype)));
  return TRUE;
}

#define RANDOM_FLAGS .since = 22, .flags = PH_OP_RANDOM | PH_OP_NO_GRADIENT
/* clang-format off */
#define NORMAL_ATTRS  { "mean", PH_ATTR_FLOAT, "0.0" }, { "scale", PH_ATTR_FLOAT, "1.0" }, { "seed", PH_ATTR_FLOAT }
#define UNIFORM_ATTRS { "low", PH_ATTR_FLOAT, "0.0" }, { "high", PH_ATTR_FLOAT, "1.0" }, { "seed", PH_ATTR_FLOAT }
#define BY_SHAPE(...) .attrs = { __VA_ARGS__, { "dtype", PH_ATTR_INT, "1" }, { "shape", PH_ATTR_INTS, .required = TRUE } }, \
  .outputs = { { "output", 0, PH_FLOATS } }, .infer = infer_by_shape
#define LIKE(...)     .attrs = { __VA_ARGS__, { "dtype", PH_ATTR_INT } }, \
  .inputs = { { "input", 0, PH_ANY } }, .outputs = { { "output", 0, PH_FLOATS } }, .infer = infer_like

const PhOp ph_op_RandomNormal = {
  "RandomNormal", RANDOM_FLAGS, BY_SHAPE (NORMAL_ATTRS), .kernel = random_normal_kernel,
  .family = PH_FAMILY_CONSTANT,
  .doc = "Random numbers of a normal distribution.",
};

const PhOp ph_op_RandomUniform = {
  "RandomUniform", RANDOM_FLAGS, BY_SHAPE (UNIFORM_ATTRS), .kernel = random_uniform_kernel,
  .family = PH_FAMILY_CONSTANT,
  .doc = "Random numbers, evenly distributed between two bounds.",
};

const PhOp ph_op_RandomNormalLike = {
  "RandomNormalLike", RANDOM_FLAGS | PH_OP_SHAPE_ONLY, LIKE (NORMAL_ATTRS), .kernel = random_normal_like_kernel,
  .family = PH_FAMILY_CONSTANT,
  .doc = "Random numbers of a normal distribution, in the shape of the input.",
};

const PhOp ph_op_RandomUniformLike = {
  "RandomUniformLike", RANDOM_FLAGS | PH_OP_SHAPE_ONLY, LIKE (UNIFORM_ATTRS), .kernel = random_uniform_like_kernel,
  .family = PH_FAMILY_CONSTANT,
  .doc = "Random numbers, evenly distributed between two bounds, in the shape of the input.",
};
/* clang-format on */

/* Bernoulli */

static gboolean
bernoulli_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *chance = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_node_attr_int (kernel->node, "dtype", ph_tensor_dtype (chance));
  guint64 random = random_of (kernel);
  gpointer out = ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (chance), ph_tensor_dims (chance), error);

  if (out == NULL)
    return FALSE;
  for (gsize i = 0, n = ph_tensor_count (chance); i < n; i++)
    ph_dtype_store (dtype, out, i, ph_splitmix_uniform (&random) < ph_tensor_get (chance, i));
  return TRUE;
}

static gboolean
infer_bernoulli (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, ph_node_attr_int (ph_infer_node_of (infer), "dtype", type->dtype)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Bernoulli = {
  "Bernoulli", RANDOM_FLAGS,
  .family = PH_FAMILY_CONSTANT,
  .doc     = "Elementwise 1 with the chance that the input says, else 0.",
  .inputs  = { { "input", 0, PH_FLOATS } }, .outputs = { { "output", 0, PH_NUMBERS | PH_T (BOOL) } },
  .attrs   = { { "dtype", PH_ATTR_INT }, { "seed", PH_ATTR_FLOAT } },
  .infer   = infer_bernoulli, .kernel = bernoulli_kernel,
};
/* clang-format on */

/* Multinomial */

static gboolean
multinomial_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *logs = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_node_attr_int (kernel->node, "dtype", PH_INT32);
  gint64 dims[2], classes;
  guint64 random = random_of (kernel);
  g_autofree double *weights = NULL;
  gpointer out;

  if (ph_tensor_rank (logs) != 2)
    return ph_kernel_fail (kernel, error, "its input has rank %u, must be [batch, classes]", ph_tensor_rank (logs));
  dims[0] = ph_tensor_dims (logs)[0];
  classes = ph_tensor_dims (logs)[1];
  dims[1] = ph_node_attr_int (kernel->node, "sample_size", 1);
  out = ph_kernel_output (kernel, 0, dtype, 2, dims, error);
  if (out == NULL)
    return FALSE;
  weights = g_new (double, classes + 1);
  for (gint64 n = 0; n < dims[0]; n++)
    {
      double greatest = -INFINITY, sum = 0;

      for (gint64 c = 0; c < classes; c++)
        greatest = MAX (greatest, ph_tensor_get (logs, n * classes + c));
      for (gint64 c = 0; c < classes; c++)
        sum += weights[c] = exp (ph_tensor_get (logs, n * classes + c) - greatest);
      for (gint64 i = 0; i < dims[1]; i++)
        {
          double left = ph_splitmix_uniform (&random) * sum;
          gint64 c = 0;

          while (c + 1 < classes && left >= weights[c])
            left -= weights[c++];
          ph_dtype_store_int (dtype, out, n * dims[1] + i, c);
        }
    }
  return TRUE;
}

static gboolean
infer_multinomial (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_type (infer, 0);
  PhDim dims[2] = { PH_DIM_UNKNOWN, PH_DIM (MAX (ph_node_attr_int (node, "sample_size", 1), 0)) };

  if (type != NULL && type->has_rank && type->rank == 2)
    dims[0] = type->dims[0];
  ph_infer_set_shape (infer, 0, ph_node_attr_int (node, "dtype", PH_INT32), 2, dims);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Multinomial = {
  "Multinomial", RANDOM_FLAGS,
  .family = PH_FAMILY_CONSTANT,
  .doc     = "Classes drawn with chances given by their (unnormalised) logarithms.",
  .inputs  = { { "input", 0, PH_FLOATS } }, .outputs = { { "output", 0, PH_INDICES } },
  .attrs   = { { "dtype", PH_ATTR_INT, "6" }, { "sample_size", PH_ATTR_INT, "1" }, { "seed", PH_ATTR_FLOAT } },
  .infer   = infer_multinomial, .kernel = multinomial_kernel,
};
/* clang-format on */
