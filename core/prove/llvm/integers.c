/* integers.c: evaluates branch-free LLVM functions on integers by the language reference: overflow wraps, a violated nuw, nsw, exact and
 * the like gives poison, and undefined behaviour makes any result acceptable. Stack slots are tracked.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/integers.h"

#include <string.h>

#include "core/prove/llvm/intrinsics.h"
#include "core/splitmix.h"

#define N_SETS    400
#define MAX_BITS  16 /* of all inputs together, that are tried in full */
#define MAX_NODES 5000

typedef PhInteger Number;

typedef struct
{
  GHashTable *at;  /* value -> index + 1 into @numbers */
  GArray *numbers; /* (element-type Number): inputs first */
  GArray *slots;   /* (element-type Number) stored values */
  gboolean undefined;
  gboolean chosen; /* freeze chose a number that the function may choose otherwise */
} Machine;

static guint
width_of (const PhType *type)
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

static gboolean
has_word (const PhNode *node, const char *attr_name, const char *word)
{
  const PhAttr *attr = ph_node_attr (node, attr_name);
  g_autofree char *text = attr != NULL ? ph_attr_value_to_string (attr) : NULL;
  const char *at = text != NULL ? strstr (text, word) : NULL;

  return at != NULL && (at == text || !g_ascii_isalnum (at[-1])) && !g_ascii_isalnum (at[strlen (word)]);
}

static gboolean
is (const PhNode *node, const char *name)
{
  return g_str_equal (node->op_type, name);
}

/* ── supported operators ── */

static const char *
callee_of (const PhNode *node)
{
  return is (node, "call") ? ph_node_attr_string (node, "callee", "") : "";
}

/* An intrinsic function, or a part of what one with two results returns. */
static gboolean
is_intrinsic (const PhNode *node)
{
  const PhNode *call = is (node, "extractvalue") && ph_node_input (node, 0) != NULL ? ph_node_input (node, 0)->producer : node;
  const guint operands = call != NULL ? ph_intrinsic_operands (callee_of (call)) : 0;

  if (call != node)
    return operands > 0 && strstr (callee_of (call), ".with.overflow.") != NULL && node->inputs->len == 1;
  return operands > 0 && node->inputs->len == operands;
}

/* FALSE: it need not have the type of an integer. */
static gboolean
gives_integer (const PhNode *node)
{
  return !is (node, "ret") && !is (node, "store") && !is (node, "alloca") && !is (node, "extractvalue")
         && strstr (callee_of (node), ".with.overflow.") == NULL && !g_str_has_prefix (callee_of (node), "llvm.assume");
}

static const char *
why_not (const PhGraph *graph)
{
  static const char *const known[] = { "add",  "sub",   "mul",    "udiv", "sdiv",   "urem",  "srem",   "shl",
                                       "lshr", "ashr",  "and",    "or",   "xor",    "icmp",  "select", "zext",
                                       "sext", "trunc", "freeze", "ret",  "alloca", "store", "load",   NULL };
  guint n = 0, n_returns = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    if (width_of (((PhValue *) graph->inputs->pdata[i])->type) == 0)
      return "a parameter is not an integer of 1, 8, 16, 32 or 64 bits";
  PH_FOREACH_NODE (node, graph)
    {
      if (++n > MAX_NODES)
        return "it is too long to be tried";
      if (!g_str_equal (node->domain, "llvm") || (!g_strv_contains (known, node->op_type) && !is_intrinsic (node)))
        return "it has more than integer instructions without branches";
      for (guint i = 0; i < node->inputs->len; i++)
        if (ph_node_input (node, i) == NULL)
          return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (!is (node, "alloca") && !is (node, "extractvalue") && ph_node_attr (node, "operands") != NULL)
        return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (gives_integer (node) && width_of (ph_node_output (node, 0)->type) == 0)
        return "it computes more than integers of 1, 8, 16, 32 or 64 bits";
      if (is (node, "store") ? node->inputs->len != 2 : is (node, "select") ? node->inputs->len != 3 : FALSE)
        return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if ((is (node, "load") || is (node, "store"))
          && (ph_node_input (node, is (node, "store"))->producer == NULL
              || !is (ph_node_input (node, is (node, "store"))->producer, "alloca")))
        return "it uses memory that is not its own";
      if (is (node, "ret"))
        n_returns += node->inputs->len == 1 ? 1 : 2;
    }
  return n_returns == 1 ? NULL : "it does not return one integer";
}

/* ── evaluation ── */

static Number
number_of (Machine *m, const PhValue *value)
{
  const gsize at = GPOINTER_TO_SIZE (g_hash_table_lookup (m->at, value));

  if (at > 0)
    return g_array_index (m->numbers, Number, at - 1);
  if (value->tensor != NULL && width_of (value->type) > 0)
    {
      const guint width = width_of (value->type);
      gint64 wide = 0;

      if (value->type->dtype == PH_INT64)
        memcpy (&wide, ph_tensor_data (value->tensor), sizeof wide);
      else
        wide = (gint64) ph_tensor_get (value->tensor, 0);
      return (Number) { .bits = (guint64) wide & ph_integer_mask (width), .width = (guint8) width };
    }
  return (Number) { .poison = TRUE };
}

static void
divide (Machine *m, const PhNode *node, const Number *a, const Number *b, Number *r)
{
  const gboolean is_signed = is (node, "sdiv") || is (node, "srem");
  const gint64 x = ph_integer_signed (a), y = ph_integer_signed (b);
  gboolean exact;

  if (b->poison || b->bits == 0 || (is_signed && y == -1 && a->bits == (G_GUINT64_CONSTANT (1) << (a->width - 1))))
    {
      m->undefined = TRUE;
      return;
    }
  exact = is_signed ? x % y == 0 : a->bits % b->bits == 0;
  if (is (node, "sdiv"))
    r->bits = (guint64) (x / y);
  else if (is (node, "srem"))
    r->bits = (guint64) (x % y);
  else
    r->bits = is (node, "udiv") ? a->bits / b->bits : a->bits % b->bits;
  r->poison |= !exact && has_word (node, "flags", "exact");
}

static void
shift (const PhNode *node, const Number *a, const Number *b, Number *r)
{
  if (b->bits >= a->width)
    {
      r->poison = TRUE;
      return;
    }
  if (is (node, "shl"))
    {
      const Number back = { .bits = (a->bits << b->bits) & ph_integer_mask (a->width), .width = a->width };

      r->bits = back.bits;
      r->poison |= (back.bits >> b->bits) != a->bits && has_word (node, "flags", "nuw");
      r->poison |= ph_integer_signed (&back) >> b->bits != ph_integer_signed (a) && has_word (node, "flags", "nsw");
      return;
    }
  r->bits = is (node, "lshr") ? a->bits >> b->bits : (guint64) (ph_integer_signed (a) >> b->bits);
  r->poison |= (a->bits & ph_integer_mask ((guint) b->bits)) != 0 && b->bits > 0 && has_word (node, "flags", "exact");
}

static gboolean
compare (const PhNode *node, const Number *a, const Number *b)
{
  const PhAttr *attr = ph_node_attr (node, "predicate");
  g_autofree char *shown = attr != NULL ? ph_attr_value_to_string (attr) : g_strdup ("");
  const gint64 x = ph_integer_signed (a), y = ph_integer_signed (b);

  g_strdelimit (shown, "\"", ' ');
  g_strstrip (shown);
  if (g_str_equal (shown, "eq") || g_str_equal (shown, "ne"))
    return (a->bits == b->bits) == (*shown == 'e');
  if (g_str_has_suffix (shown, "gt"))
    return *shown == 's' ? x > y : a->bits > b->bits;
  if (g_str_has_suffix (shown, "ge"))
    return *shown == 's' ? x >= y : a->bits >= b->bits;
  if (g_str_has_suffix (shown, "lt"))
    return *shown == 's' ? x < y : a->bits < b->bits;
  return *shown == 's' ? x <= y : a->bits <= b->bits;
}

static void
sum (const PhNode *node, const Number *a, const Number *b, Number *r)
{
  __extension__ typedef __int128 Wide;
  const gboolean add = is (node, "add"), sub = is (node, "sub");
  const Wide x = ph_integer_signed (a), y = ph_integer_signed (b), u = a->bits, v = b->bits,
             s = add   ? x + y
                 : sub ? x - y
                       : x * y;
  Number back;

  r->bits = add ? a->bits + b->bits : sub ? a->bits - b->bits : a->bits * b->bits;
  back = (Number) { .bits = r->bits & ph_integer_mask (a->width), .width = a->width };
  r->poison |= s != ph_integer_signed (&back) && has_word (node, "flags", "nsw");
  /* The product of two numbers without a sign may need all 128 bits. */
  r->poison |= (add   ? u + v > (Wide) ph_integer_mask (a->width)
                : sub ? u < v
                      : v != 0 && a->bits > ph_integer_mask (a->width) / b->bits)
               && has_word (node, "flags", "nuw");
}

/* Sets @r to what an intrinsic function returns, or to a part of that. */
static void
call (Machine *m, const PhNode *node, Number *r)
{
  Number in[3] = { 0 };

  for (guint i = 0; i < node->inputs->len; i++)
    in[i] = number_of (m, ph_node_input (node, i));
  if (is (node, "extractvalue"))
    {
      const gboolean second = has_word (node, "operands", "1");

      *r = in[0];
      r->width = second ? 1 : in[0].width;
      r->bits = second ? (guint64) in[0].overflow : in[0].bits;
      return;
    }
  for (guint i = 0; i < node->inputs->len; i++)
    r->poison |= in[i].poison;
  r->width = r->width > 0 ? r->width : in[0].width;
  m->undefined |= !ph_intrinsic_evaluate (callee_of (node), in, r);
}

static void
evaluate_node (Machine *m, const PhNode *node, Number *r)
{
  const Number zero = { 0 }, a = node->inputs->len > 0 ? number_of (m, ph_node_input (node, 0)) : zero,
               b = node->inputs->len > 1 ? number_of (m, ph_node_input (node, 1)) : zero;

  r->width = node->outputs->len > 0 ? (guint8) width_of (ph_node_output (node, 0)->type) : 0;
  r->poison = a.poison || b.poison;
  if (is (node, "call") || is (node, "extractvalue"))
    {
      call (m, node, r);
      r->bits &= ph_integer_mask (r->width);
      return;
    }
  if (is (node, "alloca"))
    {
      *r = (Number) { .bits = m->slots->len };
      g_array_append_vals (m->slots, &(Number) { .poison = TRUE }, 1);
      return;
    }
  if (is (node, "store"))
    {
      g_array_index (m->slots, Number, b.bits) = a;
      return;
    }
  if (is (node, "load"))
    {
      *r = g_array_index (m->slots, Number, a.bits);
      if (r->width != width_of (ph_node_output (node, 0)->type)) /* nothing was stored, or another type */
        *r = (Number) { .width = (guint8) width_of (ph_node_output (node, 0)->type), .poison = TRUE };
      return;
    }
  if (is (node, "select"))
    {
      const Number chosen = a.bits != 0 ? b : number_of (m, ph_node_input (node, 2));

      r->bits = chosen.bits;
      r->poison = a.poison || chosen.poison;
    }
  else if (is (node, "freeze"))
    {
      r->bits = a.poison ? 0 : a.bits;
      m->chosen |= a.poison;
      r->poison = FALSE;
    }
  else if (is (node, "udiv") || is (node, "sdiv") || is (node, "urem") || is (node, "srem"))
    divide (m, node, &a, &b, r);
  else if (is (node, "shl") || is (node, "lshr") || is (node, "ashr"))
    shift (node, &a, &b, r);
  else if (is (node, "icmp"))
    {
      r->bits = compare (node, &a, &b);
      r->poison |= (ph_integer_signed (&a) < 0) != (ph_integer_signed (&b) < 0) && has_word (node, "flags", "samesign");
    }
  else if (is (node, "and"))
    r->bits = a.bits & b.bits;
  else if (is (node, "or"))
    {
      r->bits = a.bits | b.bits;
      r->poison |= (a.bits & b.bits) != 0 && has_word (node, "flags", "disjoint");
    }
  else if (is (node, "xor"))
    r->bits = a.bits ^ b.bits;
  else if (is (node, "zext"))
    {
      r->bits = a.bits;
      r->poison |= ph_integer_signed (&a) < 0 && has_word (node, "flags", "nneg");
    }
  else if (is (node, "sext"))
    r->bits = (guint64) ph_integer_signed (&a);
  else if (is (node, "trunc"))
    {
      const Number back = { .bits = a.bits & ph_integer_mask (r->width), .width = r->width };

      r->bits = back.bits;
      r->poison |= back.bits != a.bits && has_word (node, "flags", "nuw");
      r->poison |= ph_integer_signed (&back) != ph_integer_signed (&a) && has_word (node, "flags", "nsw");
    }
  else
    sum (node, &a, &b, r);
  r->bits &= ph_integer_mask (r->width);
}

/* Evaluates @graph on @inputs. @chosen: (nullable) (out) it may as well return something else. */
static Number
evaluate (const PhGraph *graph, const guint64 *inputs, gboolean *undefined, gboolean *chosen)
{
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (Number)), slots = g_array_new (FALSE, FALSE, sizeof (Number));
  Machine m = { .at = at, .numbers = numbers, .slots = slots };
  Number result = { .poison = TRUE };

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const guint width = width_of (((PhValue *) graph->inputs->pdata[i])->type);
      const Number n = { .bits = inputs[i] & ph_integer_mask (width), .width = (guint8) width };

      g_array_append_val (numbers, n);
      g_hash_table_insert (at, graph->inputs->pdata[i], GSIZE_TO_POINTER (numbers->len));
    }
  PH_FOREACH_NODE (node, graph)
    {
      Number n = { 0 };

      if (m.undefined)
        break;
      if (is (node, "ret"))
        {
          result = number_of (&m, ph_node_input (node, 0));
          continue;
        }
      evaluate_node (&m, node, &n);
      g_array_append_val (numbers, n);
      if (node->outputs->len > 0)
        g_hash_table_insert (at, ph_node_output (node, 0), GSIZE_TO_POINTER (numbers->len));
    }
  *undefined = m.undefined;
  if (chosen != NULL)
    *chosen = m.chosen;
  return result;
}

/* ── trying ── */

static guint64
draw (guint64 *random, guint set, guint input)
{
  static const guint64 special[] = { 0,          1,          G_MAXUINT64,
                                     2,          3,          127,
                                     128,        255,        0x7FFF,
                                     0x8000,     0x7FFFFFFF, 0x80000000,
                                     G_MAXINT64, 31,         G_GUINT64_CONSTANT (1) << 63,
                                     32,         7,          8 };

  if (set < G_N_ELEMENTS (special) && input == 0)
    return special[set];
  if (ph_splitmix (random) % 3 == 0)
    return special[ph_splitmix (random) % G_N_ELEMENTS (special)];
  return ph_splitmix (random) >> (ph_splitmix (random) % 64);
}

/* Draws inputs for set @set; all combinations in turn if @bits, their total, is small. */
static void
draw_inputs (const PhGraph *graph, guint bits, guint set, guint64 *random, guint64 *inputs)
{
  guint shift = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const guint width = width_of (((PhValue *) graph->inputs->pdata[i])->type);

      inputs[i] = (bits <= MAX_BITS ? (guint64) set >> shift : draw (random, set, i)) & ph_integer_mask (width);
      shift += width;
    }
}

static char *
describe (const PhGraph *graph, const guint64 *inputs)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const PhValue *value = graph->inputs->pdata[i];
      const Number n = { .bits = inputs[i], .width = (guint8) width_of (value->type) };

      g_string_append_printf (text, "%s%s = %" G_GINT64_FORMAT, i > 0 ? ", " : "", value->name, ph_integer_signed (&n));
    }
  return g_string_free (text, FALSE);
}

PhTrial *
ph_integers_try (const PhGraph *before, const PhGraph *after, guint64 seed, const char **why)
{
  g_autofree guint64 *inputs = g_new0 (guint64, before->inputs->len + 1);
  guint64 random = seed;
  PhTrial *trial;
  guint bits = 0, n_sets, shown = 0;

  *why = before->inputs->len != after->inputs->len ? "it has other parameters" : why_not (before);
  if (*why == NULL)
    *why = why_not (after);
  if (*why != NULL)
    return NULL;
  for (guint i = 0; i < before->inputs->len; i++)
    bits += width_of (((PhValue *) before->inputs->pdata[i])->type);
  n_sets = bits <= MAX_BITS && (guint64) before->n_nodes << bits < 4000000 ? 1u << bits : N_SETS;
  if (n_sets == N_SETS)
    bits = MAX_BITS + 1;
  trial = g_new0 (PhTrial, 1);
  trial->verdict = bits <= MAX_BITS ? PH_VERDICT_PROVED : PH_VERDICT_SAME;
  for (guint set = 0; set < n_sets; set++)
    {
      gboolean undefined[2], chosen;
      Number a, b;

      draw_inputs (before, bits, set, &random, inputs);
      a = evaluate (before, inputs, &undefined[0], &chosen);
      if (undefined[0] || a.poison || chosen) /* undefined or poison: any result is allowed; chosen: others are, too */
        continue;
      shown++;
      b = evaluate (after, inputs, &undefined[1], NULL);
      if (!undefined[1] && !b.poison && a.bits == b.bits && a.width == b.width)
        continue;
      {
        g_autofree char *given = describe (before, inputs);

        trial->verdict = PH_VERDICT_DIFFERENT;
        trial->expected = g_strdup_printf ("%" G_GINT64_FORMAT, ph_integer_signed (&a));
        trial->actual = undefined[1] ? g_strdup ("undefined behaviour")
                        : b.poison   ? g_strdup ("poison")
                                     : g_strdup_printf ("%" G_GINT64_FORMAT, ph_integer_signed (&b));
        trial->why = g_strdup_printf ("for %s it returned %s, and now %s", given, trial->expected, trial->actual);
        trial->error = 1;
      }
      break;
    }
  trial->n_sets = shown;
  trial->kinds = 1u << PH_SAMPLE_REACH;
  trial->shown_by = PH_SAMPLE_REACH;
  if (shown == 0)
    {
      trial->verdict = PH_VERDICT_NOTHING;
      trial->why = g_strdup ("it returns nothing that is defined for any of the inputs");
    }
  return trial;
}
