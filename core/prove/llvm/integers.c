/* integers.c: evaluates LLVM functions on integers and memory by the language reference: overflow wraps, a violated nuw, nsw, exact and the like
 * gives poison, and undefined behaviour makes any result acceptable. Branches and loops are followed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/integers.h"

#include <string.h>

#include "core/prove/llvm/blocks.h"
#include "core/prove/llvm/pointers.h"
#include "core/prove/llvm/supported.h"
#include "core/splitmix.h"

#define N_SETS    400
#define MAX_BITS  16      /* of all inputs together, that are tried in full */
#define MAX_STEPS 2000    /* instructions of a run: where it takes more, as of a loop of a billion turns, it says nothing */
#define SLOWER    50      /* times as many may it take then                                                              */
#define ALL_STEPS 4000000 /* of all runs, and where there are branches, which takes longer to decide                      */
#define BRANCHING 200000

typedef PhInteger Number;

typedef struct
{
  GHashTable *at;  /* value -> index + 1 into @numbers */
  GArray *numbers; /* (element-type Number): inputs first */
  PhMemory *memory;
  guint steps, most; /* instructions that ran, and may run */
  gboolean undefined;
  gboolean chosen;  /* freeze chose a number that the function may choose otherwise */
  gboolean unknown; /* what it did with memory cannot be followed                   */
} Machine;

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

/* ── evaluation ── */

static Number
number_of (Machine *m, const PhValue *value)
{
  const gsize at = GPOINTER_TO_SIZE (g_hash_table_lookup (m->at, value));

  if (at > 0)
    return g_array_index (m->numbers, Number, at - 1);
  if (value->tensor != NULL && ph_integer_width (value->type) > 0)
    {
      const guint width = ph_integer_width (value->type);
      gint64 wide = 0;

      if (value->type->dtype == PH_INT64)
        memcpy (&wide, ph_tensor_data (value->tensor), sizeof wide);
      else
        wide = (gint64) ph_tensor_get (value->tensor, 0);
      return (Number) { .bits = (guint64) wide & ph_integer_mask (width), .width = (guint8) width };
    }
  return (Number) { .poison = TRUE };
}

static Number
operand_of (Machine *m, const PhNode *node, guint i)
{
  const PhValue *value = i < node->inputs->len ? ph_node_input (node, i) : NULL;

  if (i >= node->inputs->len)
    return (Number) { 0 };
  return value != NULL            ? number_of (m, value)
         : ph_llvm_is_null (node) ? (Number) { .width = 64, .object = PH_OBJECT_NULL }
                                  : (Number) { .poison = TRUE };
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
  m->undefined |= !ph_intrinsic_evaluate (ph_llvm_callee (node), in, r);
}

static void
evaluate_node (Machine *m, const PhNode *node, Number *r)
{
  const PhType *type = node->outputs->len > 0 ? ph_node_output (node, 0)->type : NULL;
  Number in[PH_POINTERS_MOST] = { 0 };
  const Number a = operand_of (m, node, 0), b = operand_of (m, node, 1);
  PhAccess access;

  for (guint i = 0; i < node->inputs->len && i < PH_POINTERS_MOST; i++)
    in[i] = operand_of (m, node, i);
  if (ph_pointers_evaluate (m->memory, node, in, r, &access))
    {
      m->undefined |= access == PH_ACCESS_UNDEFINED;
      m->unknown |= access == PH_ACCESS_UNKNOWN;
      return;
    }
  r->width = ph_llvm_is_pointer (type) ? 64 : (guint8) ph_integer_width (type);
  r->poison = a.poison || b.poison;
  if (is (node, "call") || is (node, "extractvalue"))
    {
      call (m, node, r);
      r->bits &= ph_integer_mask (r->width);
      return;
    }
  if (is (node, "select"))
    {
      const Number chosen = a.bits != 0 ? b : in[2];

      r->bits = chosen.bits;
      r->object = chosen.object;
      r->poison = a.poison || chosen.poison;
    }
  else if (is (node, "freeze"))
    {
      r->bits = a.poison ? 0 : a.bits;
      r->object = a.poison ? 0 : a.object;
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

static void
assign (Machine *m, const PhValue *value, Number n)
{
  const gsize at = GPOINTER_TO_SIZE (g_hash_table_lookup (m->at, value));

  if (at > 0)
    {
      g_array_index (m->numbers, Number, at - 1) = n;
      return;
    }
  g_array_append_val (m->numbers, n);
  g_hash_table_insert (m->at, (gpointer) value, GSIZE_TO_POINTER (m->numbers->len));
}

/* All of a block's phis have their numbers from before it. */
static void
evaluate_phis (Machine *m, const PhBlocks *blocks, const PhBlock *block, guint from)
{
  g_autofree Number *fresh = g_new0 (Number, block->phis->len + 1);

  for (guint i = 0; i < block->phis->len; i++)
    {
      const PhValue *value = ph_blocks_incoming (blocks, block->phis->pdata[i], from);

      fresh[i] = value != NULL                             ? number_of (m, value)
                 : ph_llvm_is_null (block->phis->pdata[i]) ? (Number) { .width = 64, .object = PH_OBJECT_NULL }
                                                           : (Number) { .poison = TRUE };
    }
  for (guint i = 0; i < block->phis->len; i++)
    assign (m, ph_node_output (block->phis->pdata[i], 0), fresh[i]);
}

/* Which of @block's next blocks its end goes to; nothing is defined where that depends on poison. */
static guint
choose (Machine *m, const PhBlock *block)
{
  const PhNode *end = block->end;
  const Number on = end->inputs->len > 0 ? number_of (m, ph_node_input (end, 0)) : (Number) { 0 };
  guint taken = 0;

  m->undefined |= on.poison || is (end, "unreachable");
  if (is (end, "switch"))
    {
      for (guint i = 1; i < end->inputs->len && taken == 0; i++)
        if (number_of (m, ph_node_input (end, i)).bits == on.bits)
          taken = i;
    }
  else if (end->inputs->len > 0)
    taken = on.bits == 0;
  m->undefined |= taken >= block->next->len;
  return m->undefined ? 0 : g_array_index (block->next, guint, taken);
}

/* Evaluates @graph on @inputs, until it returns, or runs for too long or into what is undefined: @m says so. */
static Number
evaluate (Machine *m, const PhGraph *graph, const PhBlocks *blocks, const guint64 *inputs)
{
  guint at = blocks->entry;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const PhType *type = ((PhValue *) graph->inputs->pdata[i])->type;
      const guint width = ph_integer_width (type);

      assign (m, graph->inputs->pdata[i],
              ph_llvm_is_pointer (type) ? (Number) { .width = 64, .object = PH_OBJECT_FIRST + i }
                                        : (Number) { .bits = inputs[i] & ph_integer_mask (width), .width = (guint8) width });
    }
  while (m->steps < m->most && !m->undefined && !m->unknown)
    {
      const PhBlock *block = &g_array_index (blocks->blocks, PhBlock, at);
      const guint from = at;

      for (guint i = 0; i < block->nodes->len && !m->undefined && !m->unknown; i++)
        {
          const PhNode *node = block->nodes->pdata[i];
          Number n = { 0 };

          evaluate_node (m, node, &n);
          if (node->outputs->len > 0)
            assign (m, ph_node_output (node, 0), n);
        }
      m->steps += block->nodes->len + block->phis->len + 1;
      if (m->undefined || m->unknown)
        break;
      if (is (block->end, "ret"))
        return operand_of (m, block->end, 0);
      at = choose (m, block);
      if (!m->undefined)
        evaluate_phis (m, blocks, &g_array_index (blocks->blocks, PhBlock, at), from);
    }
  return (Number) { .poison = TRUE };
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
      const guint width = ph_integer_width (((PhValue *) graph->inputs->pdata[i])->type);

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
      const Number n = { .bits = inputs[i], .width = (guint8) ph_integer_width (value->type) };

      if (n.width > 0)
        g_string_append_printf (text, "%s%s = %" G_GINT64_FORMAT, text->len > 0 ? ", " : "", value->name, ph_integer_signed (&n));
    }
  if (text->len == 0)
    g_string_append (text, "what its parameters point to");
  return g_string_free (text, FALSE);
}

static void
machine_reset (Machine *m, PhMemory *memory, guint64 seed, guint most)
{
  g_hash_table_remove_all (m->at);
  g_array_set_size (m->numbers, 0);
  m->memory = memory;
  ph_memory_reset (memory, seed);
  m->steps = 0;
  m->most = most;
  m->undefined = m->chosen = m->unknown = FALSE;
}

/* What @after returns or left in memory, where it differs from @expected; (nullable) (transfer full) */
static char *
what_differs (Machine *m, const Number *after, const Number *expected, PhMemory *before, const PhGraph *graph)
{
  guint object;
  guint64 offset;
  PhAccess change;

  if (m->steps >= m->most)
    return g_strdup_printf ("nothing within %u instructions", m->most);
  if (m->undefined)
    return g_strdup ("undefined behaviour");
  if (after->poison)
    return g_strdup ("poison");
  if (after->bits != expected->bits || after->width != expected->width || after->object != expected->object)
    return after->object > 0 ? g_strdup ("another pointer") : g_strdup_printf ("%" G_GINT64_FORMAT, ph_integer_signed (after));
  change = ph_memory_find_change (before, m->memory, &object, &offset);
  m->unknown = change == PH_ACCESS_UNKNOWN;
  if (change != PH_ACCESS_UNDEFINED)
    return NULL;
  return object - PH_OBJECT_FIRST < graph->inputs->len
             ? g_strdup_printf ("another byte %" G_GUINT64_FORMAT " behind %s", offset,
                                ((PhValue *) graph->inputs->pdata[object - PH_OBJECT_FIRST])->name)
             : g_strdup ("another byte behind a pointer that it read");
}

static char *
number_text (const Number *n)
{
  return n->width == 0   ? g_strdup ("nothing, with what it wrote")
         : n->object > 0 ? g_strdup ("a pointer")
                         : g_strdup_printf ("%" G_GINT64_FORMAT, ph_integer_signed (n));
}

/* Runs both on input sets. Returns FALSE if not all of them could be run to the end. */
static gboolean
try_sets (PhTrial *trial, const PhGraph *before, const PhBlocks *first, const PhGraph *after, const PhBlocks *second, guint bits,
          guint n_sets, guint64 random)
{
  g_autofree guint64 *inputs = g_new0 (guint64, before->inputs->len + 1);
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (Number));
  g_autoptr (PhMemory) old = ph_memory_new (), new = ph_memory_new ();
  Machine m = { .at = at, .numbers = numbers };
  gboolean all = TRUE;
  const guint most = first->blocks->len > 1 || second->blocks->len > 1 ? BRANCHING : ALL_STEPS;
  guint steps = 0;

  for (guint set = 0; set < n_sets && steps < most; set++)
    {
      const guint64 seed = random;
      g_autofree char *differs = NULL;
      Number a, b;

      draw_inputs (before, bits, set, &random, inputs);
      machine_reset (&m, old, seed, MAX_STEPS + before->n_nodes);
      a = evaluate (&m, before, first, inputs);
      steps += m.steps;
      all = all && m.steps < m.most && steps < most && !m.unknown;
      if (m.steps >= m.most || m.undefined || m.unknown || a.poison || m.chosen) /* any result is allowed, or others are, too */
        continue;
      machine_reset (&m, new, seed, SLOWER * MAX_STEPS + after->n_nodes);
      b = evaluate (&m, after, second, inputs);
      steps += m.steps;
      differs = m.unknown ? NULL : what_differs (&m, &b, &a, old, before);
      if (m.unknown)
        {
          all = FALSE;
          continue;
        }
      trial->n_sets++;
      if (differs != NULL)
        {
          g_autofree char *given = describe (before, inputs);

          trial->verdict = PH_VERDICT_DIFFERENT;
          trial->expected = number_text (&a);
          trial->why = g_strdup_printf ("for %s it returned %s, and now %s", given, trial->expected, differs);
          trial->actual = g_steal_pointer (&differs);
          trial->error = 1;
          break;
        }
    }
  return all;
}

PhTrial *
ph_integers_try (const PhGraph *before, const PhGraph *after, guint64 seed, const char **why)
{
  g_autoptr (PhBlocks) first = NULL, second = NULL;
  PhTrial *trial;
  guint bits = 0, n_sets;

  *why = before->inputs->len != after->inputs->len ? "it has other parameters" : ph_integers_why_not (before);
  if (*why == NULL)
    *why = ph_integers_why_not (after);
  if (*why == NULL && ((first = ph_blocks_new (before)) == NULL || (second = ph_blocks_new (after)) == NULL))
    *why = "its blocks do not hang together";
  if (*why != NULL)
    return NULL;
  for (guint i = 0; i < before->inputs->len; i++)
    {
      const PhType *type = ((PhValue *) before->inputs->pdata[i])->type;

      bits += ph_llvm_is_pointer (type) ? MAX_BITS + 1 : ph_integer_width (type);
    }
  n_sets = bits <= MAX_BITS && (guint64) before->n_nodes << bits < 4000000 ? 1u << bits : N_SETS;
  if (n_sets == N_SETS)
    bits = MAX_BITS + 1;
  trial = g_new0 (PhTrial, 1);
  trial->verdict = PH_VERDICT_SAME;
  if (try_sets (trial, before, first, after, second, bits, n_sets, seed) && bits <= MAX_BITS && trial->verdict == PH_VERDICT_SAME)
    trial->verdict = PH_VERDICT_PROVED;
  trial->kinds = 1u << PH_SAMPLE_REACH;
  trial->shown_by = PH_SAMPLE_REACH;
  if (trial->n_sets == 0)
    {
      trial->verdict = PH_VERDICT_NOTHING;
      trial->why = g_strdup ("it returns nothing that is defined for any of the inputs");
    }
  return trial;
}
