/* kernels.c: the kernels of an operator other than its reference kernel.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/elements.h"

#include <string.h>

#include "core/intern.h"
#include "core/run/kernels.h"
#include "core/run/run-private.h"

#define TABLE(name) ph_kernels_##name,
static const PhKernelRow *const tables[] = { PH_KERNEL_TABLES };
#undef TABLE

const char *
ph_device_name (PhDevice device)
{
#define DEVICE(id, name) name,
  static const char *const names[PH_N_DEVICES] = { PH_DEVICES };
#undef DEVICE

  return names[device];
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const PhKernelRow *const *x = a, *const *y = b;

  return (*y)->priority - (*x)->priority;
}

/* Returns operator -> its rows, made once. */
static GHashTable *
rows_by_op (void)
{
  static GHashTable *table;

  if (g_once_init_enter (&table))
    {
      GHashTable *made = g_hash_table_new (NULL, NULL);
      GHashTableIter iter;
      gpointer rows;

      for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
        for (const PhKernelRow *row = tables[t]; row->name != NULL; row++)
          {
            GPtrArray *of = g_hash_table_lookup (made, row->op);

            if (of == NULL)
              g_hash_table_insert (made, (gpointer) row->op, of = g_ptr_array_new ());
            g_ptr_array_add (of, (gpointer) row);
          }
      g_hash_table_iter_init (&iter, made);
      while (g_hash_table_iter_next (&iter, NULL, &rows))
        {
          g_ptr_array_sort (rows, compare_rows);
          g_ptr_array_add (rows, NULL);
        }
      g_once_init_leave (&table, made);
    }
  return table;
}

const PhKernelRow *const *
ph_kernel_rows (const PhOp *op)
{
  const GPtrArray *rows = g_hash_table_lookup (rows_by_op (), op);

  return rows != NULL ? (const PhKernelRow *const *) rows->pdata : NULL;
}

const char *const *
ph_kernel_names (void)
{
  static const char *const *names;

  if (g_once_init_enter (&names))
    {
      GPtrArray *made = g_ptr_array_new ();

      for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
        for (const PhKernelRow *row = tables[t]; row->name != NULL; row++)
          if (!g_ptr_array_find_with_equal_func (made, row->name, g_str_equal, NULL))
            g_ptr_array_add (made, (gpointer) row->name);
      g_ptr_array_add (made, (gpointer) PH_KERNEL_REFERENCE);
      g_ptr_array_add (made, NULL);
      g_once_init_leave (&names, (const char *const *) g_ptr_array_free (made, FALSE));
    }
  return names;
}

/* ── the state of a node ── */

static void
forget_prepared (PhNodeState *state)
{
  if (state->row != NULL && state->row->free != NULL && state->prepared != NULL)
    state->row->free (state->prepared);
  state->row = NULL;
  state->prepared = NULL;
  state->remark = NULL;
}

void
ph_node_state_clear (PhNodeState *state)
{
  forget_prepared (state);
  g_clear_pointer (&state->signature, g_free);
  state->n_signature = 0;
  state->ran = NULL;
  state->checked = FALSE;
}

#define MOST_SIGNATURE 256

/* Returns the requested kernel's name, interned: the run's, or the node's own. (nullable) */
static const char *
wish_of (const PhKernel *kernel)
{
  return kernel->run->options->kernel != NULL ? ph_intern (kernel->run->options->kernel) : kernel->state->wish;
}

/* Writes the types of the inputs as numbers. Returns 0 if they are too many to remember. */
static guint
write_signature (const PhKernel *kernel, gint64 *out)
{
  guint n = 0;

  out[n++] = kernel->run->options->in_double;
  out[n++] = ph_run_max_threads (); /* what oneDNN makes for few threads is not to be run by more */
  out[n++] = (gint64) (gintptr) wish_of (kernel);
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      const PhTensor *tensor = kernel->inputs[i];
      const guint rank = tensor != NULL ? ph_tensor_rank (tensor) : 0;

      if (n + 1 + rank > MOST_SIGNATURE || (tensor != NULL && ph_tensor_kind (tensor) != PH_KIND_TENSOR))
        return 0;
      out[n++] = tensor == NULL ? -1
                                : (gint64) rank << 16 | ph_tensor_format (tensor) << 9 | ph_tensor_is_splat (tensor) << 8
                                      | ph_tensor_dtype (tensor);
      for (guint d = 0; d < rank; d++)
        out[n++] = ph_tensor_dims (tensor)[d];
    }
  return n;
}

gboolean
ph_node_state_fits (PhNodeState *state, PhKernel *kernel)
{
  gint64 signature[MOST_SIGNATURE];
  const guint n = write_signature (kernel, signature);

  if (n > 0 && state->n_signature == n && memcmp (state->signature, signature, n * sizeof *signature) == 0)
    return TRUE;
  ph_node_state_clear (state);
  if (n > 0)
    state->signature = g_memdup2 (signature, n * sizeof *signature);
  state->n_signature = n;
  return FALSE;
}

gpointer
ph_kernel_refuse (PhKernel *kernel, const char *reason)
{
  kernel->state->refusal = reason;
  return NULL;
}

void
ph_kernel_remark_threads (PhKernel *kernel)
{
  kernel->state->remark = "oneDNN may add up in another order with another number of threads";
}

static void
count_taken (const PhKernel *kernel)
{
  const PhRunOptions *options = kernel->run->options;

  if (options->took != NULL && options->kernel != NULL && g_str_equal (kernel->state->ran->name, options->kernel))
    ++*options->took;
}

/* Tries the kernels of @device, or only the one named @wish. */
static gboolean
try_rows (PhKernel *kernel, PhDevice device, const char *wish)
{
  PhNodeState *state = kernel->state;

  for (const PhKernelRow *const *rows = ph_kernel_rows (kernel->node->op); rows != NULL && *rows != NULL; rows++)
    {
      if ((*rows)->device != device || (wish != NULL && !g_str_equal ((*rows)->name, wish)))
        continue;
      state->refusal = NULL;
      state->prepared = ph_kernel_bring (kernel, !(*rows)->packs, NULL) ? (*rows)->prepare (kernel) : NULL;
      if (state->prepared == NULL)
        continue;
      state->row = *rows;
      if ((*rows)->run (kernel, state->prepared))
        {
          state->ran = *rows;
          count_taken (kernel);
          return TRUE;
        }
      if (rows[1] == NULL)
        break;
      forget_prepared (state);
    }
  return FALSE;
}

/* Returns the node's device; operators without kernels run on the CPU. */
static PhDevice
device_of (const PhNode *node)
{
  for (PhDevice device = PH_DEVICE_CPU + 1; node->device != NULL && device < PH_N_DEVICES; device++)
    if (g_str_equal (node->device, ph_device_name (device)))
      return device;
  return PH_DEVICE_CPU;
}

gboolean
ph_kernel_try (PhKernel *kernel)
{
  const PhDevice device = device_of (kernel->node);
  PhNodeState *state = kernel->state;
  const char *wish = wish_of (kernel);

  state->ran = NULL;
  if (wish != NULL && g_str_equal (wish, PH_KERNEL_REFERENCE))
    return FALSE;
  if (state->row != NULL)
    {
      if (!ph_kernel_bring (kernel, !state->row->packs, NULL) || !state->row->run (kernel, state->prepared))
        return FALSE;
      state->ran = state->row;
      count_taken (kernel);
      return TRUE;
    }
  if (state->checked) /* all rows refused it before */
    return FALSE;
  if (wish != NULL && try_rows (kernel, device, wish))
    return TRUE;
  forget_prepared (state);
  if (try_rows (kernel, device, NULL))
    return TRUE;
  if (device == PH_DEVICE_CPU)
    return FALSE;
  forget_prepared (state);
  return try_rows (kernel, PH_DEVICE_CPU, NULL);
}

/* Returns the state of the operator that runs first in a fused node. (nullable) */
static const PhNodeState *
head_of (const PhNodeState *state)
{
  return state->ran != NULL && state->ran->head != NULL && state->prepared != NULL ? state->ran->head (state->prepared) : NULL;
}

const char *
ph_node_state_remark (const PhNodeState *state)
{
  const PhNodeState *head = head_of (state);

  return head != NULL && state->remark == NULL ? ph_node_state_remark (head) : state->remark;
}

const char *
ph_node_state_name (const PhNodeState *state)
{
  const PhNodeState *head = head_of (state);
  g_autofree char *both = NULL;

  if (state->ran == NULL)
    return PH_KERNEL_REFERENCE;
  if (head == NULL)
    return state->ran->name;
  both = g_strdup_printf ("%s + %s", ph_node_state_name (head), state->ran->name);
  return ph_intern (both);
}

gsize
ph_node_state_packed (const PhNodeState *state)
{
  return state->row != NULL && state->row->packed != NULL && state->prepared != NULL ? state->row->packed (state->prepared) : 0;
}

const char *
ph_kernel_wish (const PhNode *node)
{
  GHashTable *kernels = node->graph->model->kernels;
  const char *name;
  char id[16];

  if (kernels == NULL)
    return NULL;
  g_snprintf (id, sizeof id, "n%u", node->id);
  name = g_hash_table_lookup (kernels, id);
  if (name == NULL)
    name = g_hash_table_lookup (kernels, node->op_type);
  return name != NULL ? ph_intern (name) : NULL;
}
