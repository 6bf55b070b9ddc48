/* kernels.c: which kernels an operator has beside its reference kernel.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/run-private.h"

#include <string.h>

#include "core/run/kernels.h"

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

/* Operator -> its rows, made once. */
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

/* ── what is kept of a node ── */

static void
forget_prepared (PhNodeState *state)
{
  if (state->row != NULL && state->row->free != NULL && state->prepared != NULL)
    state->row->free (state->prepared);
  state->row = NULL;
  state->prepared = NULL;
}

void
ph_node_state_clear (PhNodeState *state)
{
  forget_prepared (state);
  g_clear_pointer (&state->signature, g_free);
  state->n_signature = 0;
  state->checked = FALSE;
}

#define MOST_SIGNATURE 256

/* The types of the inputs, as numbers. 0: too long to be kept. */
static guint
write_signature (const PhKernel *kernel, gint64 *out)
{
  guint n = 0;

  out[n++] = kernel->run->options->in_double;
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      const PhTensor *tensor = kernel->inputs[i];
      const guint rank = tensor != NULL ? ph_tensor_rank (tensor) : 0;

      if (n + 1 + rank > MOST_SIGNATURE || (tensor != NULL && ph_tensor_kind (tensor) != PH_KIND_TENSOR))
        return 0;
      out[n++] = tensor == NULL ? -1 : (gint64) rank << 16 | ph_tensor_format (tensor) << 9 | ph_tensor_is_splat (tensor) << 8 | ph_tensor_dtype (tensor);
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

gboolean
ph_kernel_try (PhKernel *kernel, PhDevice device)
{
  const PhKernelRow *const *rows = ph_kernel_rows (kernel->node->op);
  PhNodeState *state = kernel->state;

  if (state->row != NULL)
    return state->row->run (kernel, state->prepared);
  if (state->checked)                          /* none took them before */
    return FALSE;
  for (; rows != NULL && *rows != NULL; rows++)
    {
      if ((*rows)->device != device)
        continue;
      state->prepared = (*rows)->prepare (kernel);
      if (state->prepared == NULL)
        continue;
      state->row = *rows;
      if ((*rows)->run (kernel, state->prepared))
        return TRUE;
      if (rows[1] == NULL)
        break;
      forget_prepared (state);
    }
  return FALSE;
}
