/* lines-compare.c: matches the operations of a printed function with those of its previous printing, and writes the text of the changes.
 * Both are walked side by side. Two operations match if their texts are equal except for the names of values, and if those names refer to
 * matching values. Where they diverge, the nearest place from which they agree again is searched.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"
#include "core/io/mlir/lines-private.h"

#define AHEAD  48 /* operations that may be added or removed in one place      */
#define LOOK   3  /* number of operations that decide whether a place agrees   */
#define LOCALS 64

typedef enum
{
  OTHER, /* not the same text                            */
  LIKE,  /* the same text, but it reads other values     */
  NEAR,  /* and some that are the same                   */
  SAME,
} Likeness;

typedef struct
{
  PhMlirFunction *before, *after;
  PhMlirPiece *old, *new;
  guint n_old, n_new;
  guint from_old, to_old, from_new, to_new; /* ranges being skipped: users of their values may have other operands */
  guint64 budget;                           /* characters left to compare                                       */
  gboolean literal;                         /* names that lead nowhere must be the same                         */
} Compare;

/* Names inside an operation's regions: each of one text is one of the other. */
typedef struct
{
  PhMlirSpan old[LOCALS], new[LOCALS];
  guint n;
} Locals;

static gboolean
same_local (Locals *locals, PhMlirSpan old, PhMlirSpan new)
{
  for (guint i = 0; i < locals->n; i++)
    {
      const gboolean is_old = ph_mlir_span_equal (locals->old[i], old), is_new = ph_mlir_span_equal (locals->new[i], new);

      if (is_old || is_new)
        return is_old && is_new;
    }
  if (locals->n == LOCALS)
    return FALSE;
  locals->old[locals->n] = old;
  locals->new[locals->n++] = new;
  return TRUE;
}

/* Returns 0 if the names refer to different values, 1 if the values may still match, 2 if they match. */
static guint
same_value (const Compare *compare, PhMlirSpan old_name, PhMlirSpan new_name, guint i, guint j, Locals *locals)
{
  const guint old = ph_mlir_lines_find (compare->before, old_name, i), new = ph_mlir_lines_find (compare->after, new_name, j);

  if (old == PH_MLIR_NO_PIECE && new == PH_MLIR_NO_PIECE && compare->literal)
    return ph_mlir_span_equal (old_name, new_name) ? 2 : 0;
  if (old == PH_MLIR_NO_PIECE && new == PH_MLIR_NO_PIECE)
    return same_local (locals, old_name, new_name) ? 2 : 0;
  if (old == PH_MLIR_NO_PIECE || new == PH_MLIR_NO_PIECE)
    return 0;
  if ((old & PH_MLIR_ARGUMENT) != 0 || (new &PH_MLIR_ARGUMENT) != 0)
    return old == new ? 2 : 0;
  if (compare->new[new].partner == old + 1)
    return 2;
  return old >= compare->from_old && old < compare->to_old && new >= compare->from_new &&new < compare->to_new ? 1 : 0;
}

static const char *
string_end (const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++)
    p += *p == '\\' && p + 1 < end;
  return MIN (p + 1, end);
}

static Likeness
likeness (Compare *compare, guint i, guint j)
{
  const PhMlirPiece *old = &compare->old[i], *new = &compare->new[j];
  const char *p = old->span.text, *p_end = p + old->span.size, *q = new->span.text, *q_end = q + new->span.size;
  Locals locals = { .n = 0 };
  guint names = 0, sure = 0, some = 0;

  if (old->n_results != new->n_results || (old->head > 0) != (new->head > 0) || old->n_lines != new->n_lines)
    return OTHER;
  p += old->head;
  q += new->head;
  while (p < p_end && q < q_end)
    {
      if (*p != *q)
        return OTHER;
      if (*p == '"')
        {
          const char *after = string_end (p, p_end);
          const gsize size = (gsize) (after - p);

          if (size > (gsize) (q_end - q) || memcmp (p, q, size) != 0)
            return OTHER;
          compare->budget -= MIN (compare->budget, size);
          p += size;
          q += size;
        }
      else if (*p == '%')
        {
          const PhMlirSpan a = ph_mlir_name_at (p, p_end), b = ph_mlir_name_at (q, q_end);
          const guint same = same_value (compare, a, b, i, j, &locals);

          names++;
          sure += same == 2;
          some += same > 0;
          p = a.text + a.size;
          q = b.text + b.size;
        }
      else if (*p == '\n') /* a function that is printed alone is less indented */
        {
          for (p++; p < p_end && *p == ' ';)
            p++;
          for (q++; q < q_end && *q == ' ';)
            q++;
        }
      else
        {
          p++;
          q++;
        }
    }
  compare->budget -= MIN (compare->budget, (gsize) (p - old->span.text));
  if (p < p_end || q < q_end)
    return OTHER;
  return sure == names ? SAME : some > 0 ? NEAR : LIKE;
}

/* Returns TRUE if the operations from @i and @j on agree well enough. */
static gboolean
goes_on (Compare *compare, guint i, guint j)
{
  const guint n = MIN (LOOK, MIN (compare->n_old - i, compare->n_new - j));
  guint points = 0, done = 0;

  while (done < n)
    {
      const Likeness like = likeness (compare, i + done, j + done);

      if (like == OTHER)
        break;
      /* The last operation may return another value altogether. */
      points += i + done + 1 == compare->n_old && j + done + 1 == compare->n_new ? SAME : like;
      compare->new[j + done].partner = i + done + 1;
      done++;
    }
  for (guint k = 0; k < done; k++)
    compare->new[j + k].partner = 0;
  return done == n && points >= 2 * n;
}

/* Finds the nearest place after @i and @j at which both agree again. */
static gboolean
find_place (Compare *compare, guint i, guint j, guint *left_old, guint *left_new)
{
  for (guint distance = 0; distance <= AHEAD; distance++)
    for (guint step = 0; step <= distance; step++)
      {
        const guint half = distance / 2,
                    a = (step % 2 == 0) == (distance % 2 == 0) ? half + (step + 1) / 2 : half - (step + 1) / 2;
        const guint b = distance - a;

        if (a > distance || i + a >= compare->n_old || j + b >= compare->n_new)
          continue;
        compare->from_old = i;
        compare->to_old = i + a;
        compare->from_new = j;
        compare->to_new = j + b;
        if (compare->budget > 0 && goes_on (compare, i + a, j + b))
          {
            *left_old = a;
            *left_new = b;
            return TRUE;
          }
      }
  return FALSE;
}

static gboolean
pair (Compare *compare)
{
  guint i = 0, j = 0;

  for (guint k = 0; k < compare->n_old; k++)
    compare->old[k].found = FALSE;
  for (guint k = 0; k < compare->n_new; k++)
    compare->new[k].partner = compare->new[k].wanted = compare->new[k].standing = 0;
  while (i < compare->n_old && j < compare->n_new)
    {
      Likeness like = likeness (compare, i, j);
      guint left_old, left_new;

      if (like != SAME)
        {
          if (!find_place (compare, i, j, &left_old, &left_new))
            return FALSE;
          i += left_old;
          j += left_new;
          like = likeness (compare, i, j);
        }
      compare->new[j].partner = i + 1;
      compare->new[j].wanted = like != SAME;
      compare->old[i].found = TRUE;
      compare->new[j].name = compare->old[i].name;
      i++;
      j++;
    }
  return i == compare->n_old && j == compare->n_new;
}

/* ── selecting the text to parse ────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the next name in the text, skipping strings. */
static const char *
next_name (const char *p, const char *end)
{
  while (p < end && *p != '%')
    p = *p == '"' ? string_end (p, end) : p + 1;
  return p < end ? p : NULL;
}

/* Gives each new operation a unique name. */
static void
name_new (Compare *compare)
{
  GHashTable *taken = g_hash_table_ref (compare->before->taken);

  compare->after->taken = taken;
  for (guint j = 0; j < compare->n_new; j++)
    {
      PhMlirPiece *piece = &compare->new[j];
      g_autofree char *base = NULL;

      if (piece->partner > 0)
        continue;
      base = piece->head > 0 ? g_strndup (piece->span.text + 1, piece->base) : g_strdup ("(no result)");
      piece->name = ph_intern (base);
      for (guint k = 1; !g_hash_table_add (taken, (gpointer) piece->name); k++)
        {
          g_autofree char *other = g_strdup_printf ("%s_%u", base, k);

          piece->name = ph_intern (other);
        }
    }
}

/* Marks changed operations as wanted and the operations they use as standing, to be replaced by placeholders. Returns FALSE if too many
 * changed. */
static gboolean
find_wanted (Compare *compare)
{
  guint n = 0;

  for (guint j = 0; j < compare->n_new; j++)
    {
      PhMlirPiece *piece = &compare->new[j];
      const char *end = piece->span.text + piece->span.size;

      piece->wanted = piece->wanted || piece->partner == 0 || j + 1 == compare->n_new;
      n += piece->wanted;
      for (const char *p = piece->span.text + piece->head; piece->wanted && (p = next_name (p, end)) != NULL;)
        {
          const PhMlirSpan name = ph_mlir_name_at (p, end);
          const guint used = ph_mlir_lines_find (compare->after, name, j);

          if (used != PH_MLIR_NO_PIECE && (used & PH_MLIR_ARGUMENT) == 0)
            compare->new[used].standing = TRUE;
          p = name.text + name.size;
        }
    }
  return n <= compare->n_new / 2;
}

/* Writes, in parentheses, the types after the last " : " of the last or else the first line. Returns FALSE if there are none. */
static gboolean
write_types (GString *out, const PhMlirPiece *piece)
{
  const char *from = piece->span.text, *end = from + piece->span.size, *colon = NULL, *arrow = NULL, *stop;

  while (end > from && g_ascii_isspace (end[-1]))
    end--;
  for (guint round = 0; round < 2 && colon == NULL; round++)
    {
      const char *line = end;

      while (line > from && line[-1] != '\n')
        line--;
      if (round == 1) /* a loop has its types before its regions */
        {
          line = from;
          stop = memchr (from, '\n', (gsize) (end - from));
          end = stop != NULL ? stop : end;
        }
      for (const char *p = line; p < end;)
        if (*p == '"')
          p = string_end (p, end);
        else
          {
            if (end - p > 3 && memcmp (p, " : ", 3) == 0)
              {
                colon = p + 3;
                arrow = NULL;
              }
            else if (colon != NULL && end - p > 4 && memcmp (p, " -> ", 4) == 0)
              arrow = p + 4;
            p++;
          }
    }
  if (colon == NULL || g_strstr_len (colon, end - colon, "loc(") != NULL)
    return FALSE;
  from = arrow != NULL ? arrow : colon;
  g_string_append_printf (out, *from == '(' ? "%.*s" : "(%.*s)", (int) (end - from), from);
  return TRUE;
}

/* Writes the operation with the new names. Returns FALSE if a name defined inside it equals one of the outer names that it uses. */
static gboolean
write_renamed (GString *out, const Compare *compare, guint j)
{
  const PhMlirPiece *piece = &compare->new[j];
  const char *p = piece->span.text, *end = p + piece->span.size;
  g_autoptr (GHashTable) inside = NULL;

  if (piece->head > 0)
    {
      g_string_append_printf (out, "%%%s", piece->name);
      g_string_append_len (out, p + 1 + piece->base, (gssize) (piece->head - piece->base - 1));
      p += piece->head;
    }
  for (const char *next; (next = next_name (p, end)) != NULL;)
    {
      const PhMlirSpan name = ph_mlir_name_at (next, end);
      const guint used = ph_mlir_lines_find (compare->after, name, j);

      g_string_append_len (out, p, next - p);
      p = name.text + name.size;
      if (used != PH_MLIR_NO_PIECE && (used & PH_MLIR_ARGUMENT) == 0)
        g_string_append_printf (out, "%%%s", compare->new[used].name);
      else
        g_string_append_len (out, next, p - next);
      if (used == PH_MLIR_NO_PIECE)
        {
          if (inside == NULL)
            inside = g_hash_table_new (NULL, NULL);
          g_hash_table_add (inside, (gpointer) ph_intern_sized (name.text, name.size));
        }
    }
  g_string_append_len (out, p, end - p);
  if (inside == NULL)
    return TRUE;
  p = piece->span.text + piece->head;
  for (const char *next; (next = next_name (p, end)) != NULL;)
    {
      const PhMlirSpan name = ph_mlir_name_at (next, end);
      const guint used = ph_mlir_lines_find (compare->after, name, j);

      p = name.text + name.size;
      if (used != PH_MLIR_NO_PIECE && (used & PH_MLIR_ARGUMENT) == 0 && g_hash_table_contains (inside, compare->new[used].name))
        return FALSE;
    }
  return !g_hash_table_contains (inside, piece->name);
}

static void
write_blank (GString *out, guint n_lines)
{
  while (n_lines-- > 0)
    g_string_append_c (out, '\n');
}

static gboolean
write_pieces (GString *out, const Compare *compare, PhTextPart *part)
{
  for (guint j = 0; j < compare->n_new; j++)
    {
      const PhMlirPiece *piece = &compare->new[j];

      if (!piece->wanted && !piece->standing)
        {
          write_blank (out, piece->n_lines);
          continue;
        }
      if (j + 1 < compare->n_new)
        g_ptr_array_add (part->names, (gpointer) piece->name);
      if (piece->wanted)
        {
          if (!write_renamed (out, compare, j))
            return FALSE;
          if (piece->partner > 0 && j + 1 < compare->n_new)
            g_ptr_array_add (part->same, (gpointer) piece->name);
          continue;
        }
      g_string_append_printf (out, "%%%s", piece->name);
      g_string_append_len (out, piece->span.text + 1 + piece->base, (gssize) (piece->head - piece->base - 1));
      g_string_append (out, "\"peephole.stands\"() : () -> ");
      if (!write_types (out, piece))
        return FALSE;
      g_ptr_array_add (part->standing, (gpointer) piece->name);
      write_blank (out, piece->n_lines);
    }
  return TRUE;
}

static guint
count_lines (PhMlirSpan span)
{
  guint n = 0;

  for (const char *p = span.text; (p = memchr (p, '\n', (gsize) (span.text + span.size - p))) != NULL; p++)
    n++;
  return n;
}

static void
write_span (GString *out, PhMlirSpan span)
{
  g_string_append_len (out, span.text, (gssize) span.size);
}

/* ── functions ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static Compare
compare_of (PhMlirFunction *before, PhMlirFunction *after, gboolean literal)
{
  /* clang-format off */
  return (Compare) {
    .before = before, .after = after, .old = (PhMlirPiece *) (gpointer) before->pieces->data, .new = (PhMlirPiece *) (gpointer) after->pieces->data,
    .n_old = before->pieces->len, .n_new = after->pieces->len, .budget = 64 * (before->text.size + after->text.size), .literal = literal
  };
  /* clang-format on */
}

gboolean
ph_mlir_lines_pair (PhMlirFunction *before, PhMlirFunction *after, gboolean literal)
{
  Compare compare = compare_of (before, after, literal);

  if (!pair (&compare))
    return FALSE;
  name_new (&compare);
  return TRUE;
}

/* Writes the changed operations. The last one is the terminator, which is not a node. */
static gboolean
write_changes (GString *out, PhMlirFunction *before, PhMlirFunction *after, GPtrArray *parts)
{
  Compare compare = compare_of (before, after, FALSE);
  PhTextPart *part;

  if (!ph_mlir_span_equal (before->header, after->header) || !pair (&compare) || !compare.old[compare.n_old - 1].found
      || compare.new[compare.n_new - 1].partner != compare.n_old)
    return FALSE;
  name_new (&compare);
  if (!find_wanted (&compare))
    return FALSE;
  part = ph_text_part_new (after->symbol, FALSE);
  g_ptr_array_add (parts, part);
  write_span (out, after->header);
  if (!write_pieces (out, &compare, part))
    return FALSE;
  write_span (out, after->foot);
  for (guint i = 0; i < compare.n_old; i++)
    if (!compare.old[i].found)
      g_ptr_array_add (part->gone, (gpointer) compare.old[i].name);
  return TRUE;
}

/* Writes only the first and last line of an unchanged function, and blank lines in between. */
static void
write_same (GString *out, const PhMlirFunction *function)
{
  write_span (out, function->header);
  write_blank (out, count_lines (function->text) - 2);
  write_span (out, function->foot);
}

static gboolean
write_function (GString *out, PhMlirLines *before, PhMlirLines *after, guint index, GPtrArray *parts, GPtrArray *same)
{
  PhMlirFunction *old = before->functions->pdata[index], *new = after->functions->pdata[index];

  if (old->symbol != new->symbol)
    return FALSE;
  if (old == new || ph_mlir_span_equal (old->text, new->text))
    {
      if (old != new)
        ph_mlir_lines_share (after, index, old);
      write_same (out, old);
      g_ptr_array_add (same, (gpointer) old->symbol);
      return TRUE;
    }
  if (old->pieces != NULL && old->taken != NULL && new->pieces != NULL)
    return write_changes (out, old, new, parts);
  if (old->pieces != NULL || new->pieces != NULL)
    return FALSE;
  write_span (out, new->text);
  return TRUE;
}

GString *
ph_mlir_lines_compare (PhMlirLines *before, PhMlirLines *after, GPtrArray *parts, GPtrArray *same)
{
  GString *out;
  gboolean ok = before->functions->len == after->functions->len;

  for (guint i = 0; ok && i <= before->functions->len; i++)
    ok = ph_mlir_span_equal (g_array_index (before->between, PhMlirSpan, i), g_array_index (after->between, PhMlirSpan, i));
  if (!ok)
    return NULL;
  out = g_string_new (NULL);
  /* A function printed alone comes first, at its own line numbers. */
  for (guint round = 0; ok && round < 2; round++)
    for (guint i = 0; ok && i < after->functions->len; i++)
      {
        if (after->whole && round == 0)
          write_span (out, g_array_index (after->between, PhMlirSpan, i));
        if (after->whole ? round == 0 : (before->functions->pdata[i] == after->functions->pdata[i]) == (round == 1))
          ok = write_function (out, before, after, i, parts, same);
      }
  if (ok && after->whole)
    write_span (out, g_array_index (after->between, PhMlirSpan, after->functions->len));
  if (!ok)
    g_string_free (g_steal_pointer (&out), TRUE);
  return out;
}
