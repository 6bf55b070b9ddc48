/* memory.c: the memory budget for tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "core/number.h"

#include "core/tensor/tensor-private.h"

#define COUNTED 4096 /* bytes: smaller tensors cost more in their heads than in their elements */

static gsize budget; /* atomic; 0: the default */
static gsize used;   /* atomic                 */

static gsize
default_budget (void)
{
  static gsize known; /* atomic; cached, because the query is slow */
  const gsize before = __atomic_load_n (&known, __ATOMIC_RELAXED);
  long pages, size;
  gsize memory;

  if (before > 0)
    return before;
  pages = sysconf (_SC_PHYS_PAGES);
  size = sysconf (_SC_PAGESIZE);
  memory = pages > 0 && size > 0 ? (gsize) pages * (gsize) size : (gsize) 4 << 30;

  memory = MAX (memory / 4, (gsize) 1 << 30);
  __atomic_store_n (&known, memory, __ATOMIC_RELAXED);
  return memory;
}

void
ph_tensor_set_budget (gsize bytes)
{
  __atomic_store_n (&budget, bytes, __ATOMIC_RELAXED);
}

gsize
ph_tensor_get_budget (void)
{
  const gsize bytes = __atomic_load_n (&budget, __ATOMIC_RELAXED);

  return bytes > 0 ? bytes : default_budget ();
}

gsize
ph_tensor_get_used (void)
{
  return __atomic_load_n (&used, __ATOMIC_RELAXED);
}

gboolean
ph_memory_take (gsize bytes)
{
  gsize now;

  if (bytes < COUNTED)
    return TRUE;
  now = __atomic_add_fetch (&used, bytes, __ATOMIC_RELAXED);
  if (now <= ph_tensor_get_budget () && now >= bytes)
    return TRUE;
  __atomic_sub_fetch (&used, bytes, __ATOMIC_RELAXED);
  return FALSE;
}

void
ph_memory_give (gsize bytes)
{
  if (bytes >= COUNTED)
    __atomic_sub_fetch (&used, bytes, __ATOMIC_RELAXED);
}

char *
ph_tensor_why_not (PhDType dtype, guint rank, const gint64 *dims)
{
  const gsize left = ph_tensor_get_budget () - MIN (ph_tensor_get_used (), ph_tensor_get_budget ());
  gsize bytes = ph_dtype_size (dtype);
  gboolean empty = FALSE, overflow = bytes == 0;
  g_autofree char *needs = NULL, *all = NULL;

  for (guint i = 0; i < rank; i++)
    {
      empty = empty || dims[i] == 0;
      overflow = overflow || dims[i] < 0 || __builtin_mul_overflow (bytes, (gsize) dims[i], &bytes);
    }
  if (rank > PH_MAX_RANK || (!empty && (overflow || bytes > G_MAXSSIZE)))
    return g_strdup ("there is no memory of that size");
  needs = ph_size_to_string (empty ? 0 : bytes);
  if (bytes <= left)
    return g_strdup_printf ("it takes %s, which the system does not give", needs);
  all = ph_size_to_string (ph_tensor_get_budget ());
  return g_strdup_printf ("it takes %s, which is over the budget of %s for what is computed; 'set memory SIZE' raises that",
                          needs, all);
}
