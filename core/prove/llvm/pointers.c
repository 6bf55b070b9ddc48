/* pointers.c: LLVM's instructions on pointers and memory, by the language reference.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/pointers.h"

#include <string.h>

#include "core/prove/llvm/memory.h"
#include "core/prove/llvm/supported.h"

static gboolean
is (const PhNode *node, const char *name)
{
  return g_str_equal (node->op_type, name);
}

static const PhType *
type_of (const PhNode *node)
{
  return node->outputs->len > 0 ? ph_node_output (node, 0)->type : NULL;
}

static gboolean
calls (const PhNode *node, const char *prefix)
{
  return g_str_has_prefix (ph_llvm_callee (node), prefix);
}

static gboolean
slot_size (const PhNode *node, guint64 *size)
{
  return ph_llvm_type_size (ph_node_attr_string (node, "text", ""), size);
}

const char *
ph_pointers_why_not (const PhNode *node)
{
  gint64 strides[PH_POINTERS_MOST + 1];
  guint64 size;

  if (is (node, "alloca") && (node->inputs->len > 0 || !slot_size (node, &size)))
    return "a stack slot's size is computed or depends on the target";
  if (is (node, "getelementptr")
      && (node->inputs->len < 2 || node->inputs->len > PH_POINTERS_MOST || !ph_llvm_is_pointer (type_of (node))
          || !ph_llvm_strides (node, strides, node->inputs->len - 1)))
    return "where a pointer goes depends on the target, or on a type that has a name";
  if (ph_node_attr (node, "metadata") != NULL)
    return "it promises more of what it reads than the type says";
  return NULL;
}

guint
ph_pointers_operands (const char *callee)
{
  return g_str_has_prefix (callee, PH_LLVM_LIFETIME) ? 2
         : g_str_has_prefix (callee, "llvm.memset.p0") || g_str_has_prefix (callee, "llvm.memcpy.p0")
                 || g_str_has_prefix (callee, "llvm.memmove.p0")
             ? 4
             : 0;
}

static PhInteger
advance (PhMemory *memory, const PhNode *node, const PhInteger *in)
{
  __extension__ typedef __int128 Wide;
  const char *flags = ph_node_attr_string (node, "flags", "");
  const gboolean inbounds = strstr (flags, "inbounds") != NULL;
  const guint n = node->inputs->len - 1;
  gint64 strides[PH_POINTERS_MOST + 1];
  Wide delta;
  PhInteger moved;

  if (!ph_llvm_strides (node, strides, n))
    return (PhInteger) { .poison = TRUE };
  delta = strides[n];
  for (guint i = 0; i < n; i++)
    delta += (Wide) strides[i] * ph_integer_signed (&in[i + 1]);
  moved = ph_memory_move (memory, &in[0], (gint64) delta, inbounds);
  moved.poison |= delta != (gint64) delta && (inbounds || strstr (flags, "nusw") != NULL);
  moved.poison |= delta < 0 && strstr (flags, "nuw") != NULL;
  for (guint i = 0; i <= n; i++)
    moved.poison |= in[i].poison;
  return moved;
}

static PhAccess
call (PhMemory *memory, const PhNode *node, const PhInteger *in)
{
  if (calls (node, PH_LLVM_LIFETIME))
    return ph_memory_forget (memory, &in[1]);
  if (in[2].poison)
    return PH_ACCESS_UNDEFINED;
  if (calls (node, "llvm.memset"))
    return ph_memory_fill (memory, &in[0], &in[1], in[2].bits);
  return ph_memory_copy (memory, &in[0], &in[1], in[2].bits, calls (node, "llvm.memcpy"));
}

static PhAccess
compare (PhMemory *memory, const PhNode *node, const PhInteger *in, PhInteger *r)
{
  const char *predicate = ph_node_attr_string (node, "predicate", "");
  gboolean equal, less;
  const PhAccess access = ph_memory_compare (memory, &in[0], &in[1], &equal, &less);

  if (g_str_equal (predicate, "eq") || g_str_equal (predicate, "ne"))
    r->bits = equal == (*predicate == 'e');
  else if (in[0].object != in[1].object || *predicate == 's' || in[0].bits > G_MAXINT || in[1].bits > G_MAXINT)
    return PH_ACCESS_UNKNOWN; /* where the object lies is not said, nor where addresses wrap */
  else
    r->bits = (predicate[1] == 'l' ? less : !less && !equal) || (predicate[2] == 'e' && equal);
  return access;
}

gboolean
ph_pointers_evaluate (PhMemory *memory, const PhNode *node, const PhInteger *in, PhInteger *r, PhAccess *access)
{
  guint64 size = 0;

  *access = PH_ACCESS_DONE;
  if (is (node, "alloca"))
    {
      const gboolean sized = slot_size (node, &size);

      *r = ph_memory_add_slot (memory, size);
      *access = sized && !r->poison ? PH_ACCESS_DONE : PH_ACCESS_UNKNOWN;
    }
  else if (is (node, "store"))
    *access = ph_memory_store (memory, &in[1], &in[0]);
  else if (is (node, "load"))
    {
      *r = (PhInteger) { .width = (guint8) ph_integer_width (type_of (node)) };
      *access = ph_memory_load (memory, &in[0], r);
    }
  else if (is (node, "getelementptr"))
    *r = advance (memory, node, in);
  else if (is (node, "bitcast"))
    *r = in[0];
  else if (is (node, "icmp") && (in[0].object > 0 || in[1].object > 0))
    {
      r->width = 1;
      r->poison = in[0].poison || in[1].poison;
      *access = compare (memory, node, in, r);
    }
  else if (is (node, "call") && ph_pointers_operands (ph_llvm_callee (node)) > 0)
    *access = call (memory, node, in);
  else
    return FALSE;
  return TRUE;
}
