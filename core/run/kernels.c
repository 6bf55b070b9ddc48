/* kernels.c: which kernels an operator has beside its reference kernel.
 * SPDX-License-Identifier: GPL-3.0-or-later */
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
        for (const PhKernelRow *row = tables[t]; row->op != NULL; row++)
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

gboolean
ph_kernel_try (PhKernel *kernel, PhDevice device)
{
  const PhKernelRow *const *rows = ph_kernel_rows (kernel->node->op);

  for (; rows != NULL && *rows != NULL; rows++)
    if ((*rows)->device == device && (*rows)->run (kernel))
      return TRUE;
  return FALSE;
}
