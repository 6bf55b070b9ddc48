/* dump-scopes.c: joins two dumps of one run of LLVM's passes: one prints functions, the other the module after some of the passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/dump.h"

/* The passes over a loop or over functions that call each other, by their names in LLVM 14 to 19. */
const char *const ph_llvm_module_passes
    = "argpromotion,attributor-cgscc,attributor-light-cgscc,canon-freeze,coro-annotation-elide,coro-split,evl-iv-simplify,function-attrs,"
      "guard-widening,indvars,inline,licm,lnicm,loop-bound-split,loop-deletion,loop-flatten,loop-idiom,loop-idiom-vectorize,"
      "loop-instsimplify,loop-interchange,loop-predication,loop-reduce,loop-rotate,loop-simplifycfg,loop-term-fold,loop-unroll-and-jam,"
      "loop-unroll-full,loop-versioning-licm,openmp-opt-cgscc,simple-loop-unswitch";

/* A header, "*** IR Dump After LICMPass on loop %head in function f ***", and what stands below it. */
typedef struct
{
  const char *at;
  gsize size, header;
} Section;

/* What headers end with, beside which they say the same in both dumps. */
static const char *const ends[] = { " ***", " omitted because no change", " filtered out", " ignored", " invalidated" };

static GArray *
sections_of (GBytes *dump)
{
  GArray *sections = g_array_new (FALSE, FALSE, sizeof (Section));
  gsize size;
  const char *data = g_bytes_get_data (dump, &size), *end = data + size;

  for (const char *at = data; at < end;)
    {
      const char *newline = memchr (at, '\n', (gsize) (end - at)), *stop = newline != NULL ? newline : end;

      if (stop - at > 7 && memcmp (at, "*** IR ", 7) == 0)
        g_array_append_val (sections, ((Section) { at, 0, (gsize) (stop - at) }));
      if (sections->len > 0)
        g_array_index (sections, Section, sections->len - 1).size
            = (gsize) ((newline != NULL ? newline + 1 : end) - g_array_index (sections, Section, sections->len - 1).at);
      at = newline != NULL ? newline + 1 : end;
    }
  return sections;
}

static gboolean
says (const Section *section, const char *what)
{
  return g_strstr_len (section->at, (gssize) section->header, what) != NULL;
}

/* Returns how much of the header names what was run on what. */
static gsize
named (const Section *section)
{
  gsize size = section->header;

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const gsize length = strlen (ends[i]);

      if (size > length && memcmp (section->at + size - length, ends[i], length) == 0)
        size -= length;
    }
  return size;
}

guint
ph_llvm_count_parts (GBytes *dump)
{
  g_autoptr (GArray) sections = sections_of (dump);
  guint n = 0;

  for (guint i = 0; i < sections->len; i++)
    {
      const Section *section = &g_array_index (sections, Section, i);

      n += says (section, "*** IR Dump After ") && !says (section, " omitted ")
           && (says (section, " on loop ") || says (section, " on ("));
    }
  return n;
}

GBytes *
ph_llvm_join_scopes (GBytes *functions, GBytes *modules)
{
  g_autoptr (GArray) all = sections_of (functions), some = sections_of (modules);
  g_autoptr (GByteArray) joined = g_byte_array_new ();

  if (all->len == 0 || all->len != some->len)
    return NULL;
  for (guint i = 0; i < all->len; i++)
    {
      const Section *function = &g_array_index (all, Section, i), *module = &g_array_index (some, Section, i),
                    *taken = says (module, " filtered out") ? function : module;

      if (named (function) != named (module) || memcmp (function->at, module->at, named (function)) != 0)
        return NULL;
      g_byte_array_append (joined, (const guint8 *) taken->at, (guint) taken->size);
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&joined));
}
