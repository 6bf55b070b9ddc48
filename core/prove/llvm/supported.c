/* supported.c: which of LLVM's functions can be run: those on integers and on stack slots of their own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/supported.h"

#include <string.h>

#include "core/prove/llvm/intrinsics.h"

#define MAX_NODES 5000

static gboolean
is (const PhNode *node, const char *name)
{
  return g_str_equal (node->op_type, name);
}

guint
ph_integer_width (const PhType *type)
{
  if (type == NULL || type->kind != PH_KIND_TENSOR || type->rank != 0)
    return 0;
  switch ((int) type->dtype)
    {
    case PH_BOOL: return 1;
    case PH_INT8: return 8;
    case PH_INT16: return 16;
    case PH_INT32: return 32;
    case PH_INT64: return 64;
    default: return 0;
    }
}

const char *
ph_llvm_callee (const PhNode *node)
{
  return is (node, "call") ? ph_node_attr_string (node, "callee", "") : "";
}

/* An intrinsic function, or a part of what one with two results returns. */
static gboolean
is_intrinsic (const PhNode *node)
{
  const PhNode *call = is (node, "extractvalue") && ph_node_input (node, 0) != NULL ? ph_node_input (node, 0)->producer : node;
  const guint operands = call != NULL ? ph_intrinsic_operands (ph_llvm_callee (call)) : 0;

  if (call != node)
    return operands > 0 && strstr (ph_llvm_callee (call), ".with.overflow.") != NULL && node->inputs->len == 1;
  return operands > 0 && node->inputs->len == operands;
}

/* FALSE: it need not have the type of an integer. */
static gboolean
gives_integer (const PhNode *node)
{
  return !is (node, "ret") && !is (node, "store") && !is (node, "alloca") && !is (node, "extractvalue") && !is (node, "br")
         && !is (node, "switch") && !is (node, "unreachable") && strstr (ph_llvm_callee (node), ".with.overflow.") == NULL
         && !g_str_has_prefix (ph_llvm_callee (node), "llvm.assume")
         && !g_str_has_prefix (ph_llvm_callee (node), PH_LLVM_LIFETIME);
}

/* A phi that is poison where control comes from some blocks. */
static gboolean
has_fixed_poison (const PhNode *node)
{
  const PhAttr *fixed = is (node, "phi") ? ph_node_attr (node, "operands") : NULL;

  for (gsize i = 0; fixed != NULL && fixed->kind == PH_ATTR_STRINGS && i < fixed->n; i++)
    {
      g_autofree char *text = ph_attr_dup_string (fixed, i);

      if (!g_str_equal (text, "poison"))
        return FALSE;
    }
  return fixed != NULL;
}

/* FALSE: it reads or writes what is no stack slot of the function. */
static gboolean
has_own_memory (const PhNode *node)
{
  const gboolean second = is (node, "store") || g_str_has_prefix (ph_llvm_callee (node), PH_LLVM_LIFETIME);
  const PhNode *slot = is (node, "load") || second ? ph_node_input (node, second)->producer : NULL;

  return (!is (node, "load") && !second) || (slot != NULL && is (slot, "alloca"));
}

const char *
ph_integers_why_not (const PhGraph *graph)
{
  static const char *const known[] = { "add",    "sub",  "mul",  "udiv",  "sdiv",   "urem",        "srem",
                                       "shl",    "lshr", "ashr", "and",   "or",     "xor",         "icmp",
                                       "select", "zext", "sext", "trunc", "freeze", "ret",         "alloca",
                                       "store",  "load", "br",   "phi",   "switch", "unreachable", NULL };
  guint n = 0, n_returns = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    if (ph_integer_width (((PhValue *) graph->inputs->pdata[i])->type) == 0)
      return "a parameter is not an integer of 1, 8, 16, 32 or 64 bits";
  PH_FOREACH_NODE (node, graph)
    {
      if (++n > MAX_NODES)
        return "it is too long to be tried";
      if (!g_str_equal (node->domain, "llvm") || (!g_strv_contains (known, node->op_type) && !is_intrinsic (node)))
        return "it has more than instructions on integers";
      for (guint i = 0; i < node->inputs->len && !is (node, "phi"); i++)
        if (ph_node_input (node, i) == NULL)
          return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (!is (node, "alloca") && !is (node, "extractvalue") && !has_fixed_poison (node)
          && ph_node_attr (node, "operands") != NULL)
        return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (gives_integer (node) && ph_integer_width (ph_node_output (node, 0)->type) == 0)
        return "it computes more than integers of 1, 8, 16, 32 or 64 bits";
      if (is (node, "store") ? node->inputs->len != 2 : is (node, "select") ? node->inputs->len != 3 : FALSE)
        return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (!has_own_memory (node))
        return "it uses memory that is not its own";
      if (is (node, "ret"))
        {
          n_returns++;
          if (node->inputs->len != 1)
            return "it does not return an integer";
        }
    }
  return n_returns > 0 ? NULL : "it does not return an integer";
}
