/* integers.c: evaluates branch-free LLVM functions on integers by the language reference: overflow wraps, a violated nuw, nsw, exact and
 * the like gives poison, and undefined behaviour makes any result acceptable. Stack slots are tracked.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/integers.h"

#include <string.h>

#include "core/splitmix.h"

#define N_SETS    400
#define MAX_BITS  16 /* of all inputs together, that are tried in full */
#define MAX_NODES 5000

typedef struct
{
  guint64 bits;
  guint8 width; /* 0: a stack slot, whose number is @bits */
  gboolean poison;
} Number;

typedef struct
{
  GHashTable *at;  /* value -> index + 1 into @numbers */
  GArray *numbers; /* (element-type Number): inputs first */
  GArray *slots;   /* (element-type Number) stored values */
  gboolean undefined;
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

static guint64
mask (guint width)
{
  return width >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << width) - 1;
}

static gint64
as_signed (const Number *n)
{
  return n->width >= 64 ? (gint64) n->bits : (gint64) (n->bits << (64 - n->width)) >> (64 - n->width);
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
      if (!g_str_equal (node->domain, "llvm") || !g_strv_contains (known, node->op_type))
        return "it has more than integer instructions without branches";
      for (guint i = 0; i < node->inputs->len; i++)
        if (ph_node_input (node, i) == NULL)
          return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (!is (node, "alloca") && ph_node_attr (node, "operands") != NULL)
        return "an operand is not an integer of 1, 8, 16, 32 or 64 bits";
      if (!is (node, "ret") && !is (node, "store") && !is (node, "alloca") && width_of (ph_node_output (node, 0)->type) == 0)
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
      return (Number) { (guint64) wide & mask (width), (guint8) width, FALSE };
    }
  return (Number) { 0, 0, TRUE };
}

static void
divide (Machine *m, const PhNode *node, const Number *a, const Number *b, Number *r)
{
  const gboolean is_signed = is (node, "sdiv") || is (node, "srem");
  const gint64 x = as_signed (a), y = as_signed (b);
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
      const Number back = { (a->bits << b->bits) & mask (a->width), a->width, FALSE };

      r->bits = back.bits;
      r->poison |= (back.bits >> b->bits) != a->bits && has_word (node, "flags", "nuw");
      r->poison |= as_signed (&back) >> b->bits != as_signed (a) && has_word (node, "flags", "nsw");
      return;
    }
  r->bits = is (node, "lshr") ? a->bits >> b->bits : (guint64) (as_signed (a) >> b->bits);
  r->poison |= (a->bits & mask ((guint) b->bits)) != 0 && b->bits > 0 && has_word (node, "flags", "exact");
}

static gboolean
compare (const PhNode *node, const Number *a, const Number *b)
{
  const PhAttr *attr = ph_node_attr (node, "predicate");
  g_autofree char *shown = attr != NULL ? ph_attr_value_to_string (attr) : g_strdup ("");
  const gint64 x = as_signed (a), y = as_signed (b);

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
  const Wide x = as_signed (a), y = as_signed (b), u = a->bits, v = b->bits, s = add ? x + y : sub ? x - y : x * y;
  Number back;

  r->bits = add ? a->bits + b->bits : sub ? a->bits - b->bits : a->bits * b->bits;
  back = (Number) { r->bits & mask (a->width), a->width, FALSE };
  r->poison |= s != as_signed (&back) && has_word (node, "flags", "nsw");
  /* The product of two numbers without a sign may need all 128 bits. */
  r->poison |= (add   ? u + v > (Wide) mask (a->width)
                : sub ? u < v
                      : v != 0 && a->bits > mask (a->width) / b->bits)
               && has_word (node, "flags", "nuw");
}

static void
evaluate_node (Machine *m, const PhNode *node, Number *r)
{
  const Number zero = { 0, 0, FALSE }, a = node->inputs->len > 0 ? number_of (m, ph_node_input (node, 0)) : zero,
               b = node->inputs->len > 1 ? number_of (m, ph_node_input (node, 1)) : zero;

  r->width = (guint8) width_of (ph_node_output (node, 0)->type);
  r->poison = a.poison || b.poison;
  if (is (node, "alloca"))
    {
      *r = (Number) { m->slots->len, 0, FALSE };
      g_array_append_vals (m->slots, &(Number) { 0, 0, TRUE }, 1);
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
        *r = (Number) { 0, (guint8) width_of (ph_node_output (node, 0)->type), TRUE };
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
      r->poison = FALSE;
    }
  else if (is (node, "udiv") || is (node, "sdiv") || is (node, "urem") || is (node, "srem"))
    divide (m, node, &a, &b, r);
  else if (is (node, "shl") || is (node, "lshr") || is (node, "ashr"))
    shift (node, &a, &b, r);
  else if (is (node, "icmp"))
    {
      r->bits = compare (node, &a, &b);
      r->poison |= (as_signed (&a) < 0) != (as_signed (&b) < 0) && has_word (node, "flags", "samesign");
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
      r->poison |= as_signed (&a) < 0 && has_word (node, "flags", "nneg");
    }
  else if (is (node, "sext"))
    r->bits = (guint64) as_signed (&a);
  else if (is (node, "trunc"))
    {
      const Number back = { a.bits & mask (r->width), r->width, FALSE };

      r->bits = back.bits;
      r->poison |= back.bits != a.bits && has_word (node, "flags", "nuw");
      r->poison |= as_signed (&back) != as_signed (&a) && has_word (node, "flags", "nsw");
    }
  else
    sum (node, &a, &b, r);
  r->bits &= mask (r->width);
}

/* Evaluates @graph on @inputs. */
static Number
evaluate (const PhGraph *graph, const guint64 *inputs, gboolean *undefined)
{
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (Number)), slots = g_array_new (FALSE, FALSE, sizeof (Number));
  Machine m = { at, numbers, slots, FALSE };
  Number result = { 0, 0, TRUE };

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const guint width = width_of (((PhValue *) graph->inputs->pdata[i])->type);
      const Number n = { inputs[i] & mask (width), (guint8) width, FALSE };

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
      g_hash_table_insert (at, ph_node_output (node, 0), GSIZE_TO_POINTER (numbers->len));
    }
  *undefined = m.undefined;
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

      inputs[i] = (bits <= MAX_BITS ? (guint64) set >> shift : draw (random, set, i)) & mask (width);
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
      const Number n = { inputs[i], (guint8) width_of (value->type), FALSE };

      g_string_append_printf (text, "%s%s = %" G_GINT64_FORMAT, i > 0 ? ", " : "", value->name, as_signed (&n));
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
      gboolean undefined[2];
      Number a, b;

      draw_inputs (before, bits, set, &random, inputs);
      a = evaluate (before, inputs, &undefined[0]);
      if (undefined[0] || a.poison) /* undefined or poison: any result is allowed */
        continue;
      shown++;
      b = evaluate (after, inputs, &undefined[1]);
      if (!undefined[1] && !b.poison && a.bits == b.bits && a.width == b.width)
        continue;
      {
        g_autofree char *given = describe (before, inputs);

        trial->verdict = PH_VERDICT_DIFFERENT;
        trial->expected = g_strdup_printf ("%" G_GINT64_FORMAT, as_signed (&a));
        trial->actual = undefined[1] ? g_strdup ("undefined behaviour")
                        : b.poison   ? g_strdup ("poison")
                                     : g_strdup_printf ("%" G_GINT64_FORMAT, as_signed (&b));
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
