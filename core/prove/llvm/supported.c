/* supported.c: which of LLVM's functions can be run: those on integers and memory.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/supported.h"

#include <string.h>

#include "core/prove/llvm/pointers.h"

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
  const char *callee = call != NULL ? ph_llvm_callee (call) : "";
  const guint operands = MAX (ph_intrinsic_operands (callee), ph_pointers_operands (callee));

  if (call != node)
    return operands > 0 && strstr (ph_llvm_callee (call), ".with.overflow.") != NULL && node->inputs->len == 1;
  return operands > 0 && node->inputs->len == operands;
}

/* An integer or a pointer that can be followed. */
static gboolean
can_be_followed (const PhType *type)
{
  return ph_integer_width (type) > 0 || ph_llvm_is_pointer (type);
}

/* FALSE: it gives nothing, or what only parts are taken of. */
static gboolean
gives_value (const PhNode *node)
{
  const char *callee = ph_llvm_callee (node);

  return !is (node, "ret") && !is (node, "store") && !is (node, "extractvalue") && !is (node, "br") && !is (node, "switch")
         && !is (node, "unreachable") && strstr (callee, ".with.overflow.") == NULL && !g_str_has_prefix (callee, "llvm.assume")
         && ph_pointers_operands (callee) == 0;
}

/* All operands that are no values are poison, in a phi, or null. */
static gboolean
has_fixed (const PhNode *node)
{
  const PhAttr *fixed = ph_node_attr (node, "operands");
  const char *which = NULL;

  for (gsize i = 0; fixed != NULL && fixed->kind == PH_ATTR_STRINGS && i < fixed->n; i++)
    {
      g_autofree char *text = ph_attr_dup_string (fixed, i);

      if (which != NULL && !g_str_equal (text, which))
        return FALSE;
      which = g_str_equal (text, "null") ? "null" : g_str_equal (text, "poison") && is (node, "phi") ? "poison" : NULL;
      if (which == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_llvm_is_null (const PhNode *node)
{
  const PhAttr *fixed = ph_node_attr (node, "operands");
  g_autofree char *text = fixed != NULL && fixed->kind == PH_ATTR_STRINGS && fixed->n > 0 ? ph_attr_dup_string (fixed, 0) : NULL;

  return g_strcmp0 (text, "null") == 0;
}

static const char *
why_not_node (const PhNode *node)
{
  static const char *const known[] = { "add",    "sub",    "mul",         "udiv",          "sdiv",    "urem",
                                       "srem",   "shl",    "lshr",        "ashr",          "and",     "or",
                                       "xor",    "icmp",   "select",      "zext",          "sext",    "trunc",
                                       "freeze", "ret",    "alloca",      "store",         "load",    "br",
                                       "phi",    "switch", "unreachable", "getelementptr", "bitcast", NULL };
  static const char other[] = "an operand is no pointer, and no integer of 1, 8, 16, 32 or 64 bits";

  if (!g_str_equal (node->domain, "llvm") || (!g_strv_contains (known, node->op_type) && !is_intrinsic (node)))
    return "it has more than instructions on integers and memory";
  if (!is (node, "alloca") && !is (node, "extractvalue") && !has_fixed (node))
    return other;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      /* What a node makes is looked at there. */
      if (value == NULL             ? !is (node, "phi") && !ph_llvm_is_null (node)
          : value->producer == NULL ? !can_be_followed (value->type)
                                    : FALSE)
        return other;
    }
  if (gives_value (node) && !can_be_followed (ph_node_output (node, 0)->type))
    return "it computes more than pointers and integers of 1, 8, 16, 32 or 64 bits";
  if (is (node, "store") || is (node, "icmp") ? node->inputs->len != 2 : is (node, "select") ? node->inputs->len != 3 : FALSE)
    return other;
  if (is (node, "bitcast")
      && (node->inputs->len != 1 || !ph_llvm_is_pointer (ph_node_output (node, 0)->type) || ph_node_input (node, 0) == NULL
          || !ph_llvm_is_pointer (ph_node_input (node, 0)->type)))
    return other;
  return ph_pointers_why_not (node);
}

const char *
ph_integers_why_not (const PhGraph *graph)
{
  guint n = 0, n_returns = 0, n_pointers = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const PhType *type = ((PhValue *) graph->inputs->pdata[i])->type;

      if (!can_be_followed (type))
        return "a parameter is no pointer, and no integer of 1, 8, 16, 32 or 64 bits";
      n_pointers += ph_llvm_is_pointer (type);
    }
  PH_FOREACH_NODE (node, graph)
    {
      const char *why = ++n > MAX_NODES ? "it is too long to be tried" : why_not_node (node);

      if (why != NULL)
        return why;
      n_returns += is (node, "ret") && (node->inputs->len == 1 || n_pointers > 0);
    }
  return n_returns > 0 ? NULL : "it returns nothing, and writes nowhere";
}
