/* lines.c: compares the text of a module that XLA dumped after a pass with the dump before it. Names are stable in such dumps, so an
 * instruction with the same text and the same operands is unchanged.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/hlo/lines.h"

#include <string.h>

#include "core/intern.h"
#include "core/io/source.h"

typedef enum
{
  TEXT,        /* between computations, or around the instructions of the entry */
  COMPUTATION, /* all of one but the entry                                      */
  INSTRUCTION, /* of the entry                                                  */
} Kind;

/* A piece of text; shared by all dumps that contain it. */
typedef struct
{
  Kind kind;
  char *text;
  gsize length, shape, opcode; /* the latter two: where they begin                                              */
  gsize metadata, rest;        /* of an instruction: where the metadata begin, and where the rest follows        */
  guint n_lines;
  const char *name;  /* (nullable) interned                                                             */
  const char **uses; /* interned: all names in it                                                       */
  guint n_uses;
  gboolean marked, root, parameter, alias, plain; /* @plain: a node without a computation can represent its value           */
  guint born, seen;                               /* numbers of the first and the last text that contain it                     */
  guint wanted, standing; /* numbers of the last texts where it changed, or a changed part used it          */
} Piece;

struct _PhHloLines
{
  GPtrArray *pieces; /* (element-type Piece), each a reference                                          */
  GHashTable *index; /* (nullable) name -> index + 1; an instruction's before a computation's           */
  GHashTable *computations;
  guint number;
};

static void
piece_clear (gpointer data)
{
  Piece *piece = data;

  g_free (piece->text);
  g_free (piece->uses);
}

static void
piece_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, piece_clear);
}

/* ── taking a text apart ── */

static gboolean
is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || c == '-' || c == '$';
}

static const char *
name_at (const char *p, const char *end, const char **after)
{
  const char *from = p;
  g_autofree char *name = NULL;

  while (p < end && is_name_char (*p) && !(*p == '-' && p + 1 < end && p[1] == '>'))
    p++;
  *after = p;
  if (p == from)
    return NULL;
  name = g_strndup (from, (gsize) (p - from));
  return ph_intern (name);
}

/* Finds all names after @from; without "%", all words that could be names. */
static void
find_uses (Piece *piece, gsize from)
{
  g_autoptr (GPtrArray) uses = g_ptr_array_new ();
  const char *p = piece->text + from, *end = piece->text + piece->length;

  while (p < end)
    if (*p == '"')
      for (p++; p < end && *p++ != '"';)
        p += p[-1] == '\\' && p < end;
    else if (piece->marked ? *p++ == '%' : g_ascii_isalpha (*p) || *p == '_')
      {
        const char *name = name_at (p, end, &p);

        if (name != NULL)
          g_ptr_array_add (uses, (gpointer) name);
      }
    else if (!piece->marked)
      {
        const char *word = p;

        name_at (p, end, &p); /* a number, whole */
        p += p == word;
      }
  piece->n_uses = uses->len;
  piece->uses = g_memdup2 (uses->pdata, MAX (uses->len, 1) * sizeof (gpointer));
}

/* Reads " %name = f32[2]{0} add(...)", with or without "ROOT " and "%". Returns FALSE if the line has another form. */
static gboolean
read_instruction (Piece *piece)
{
  const char *p = piece->text + strspn (piece->text, " "), *end = piece->text + piece->length, *opcode;
  guint depth = 0;

  piece->root = g_str_has_prefix (p, "ROOT ");
  p += piece->root ? 5 : 0;
  piece->marked = *p == '%';
  piece->name = name_at (p + piece->marked, end, &p);
  if (piece->name == NULL || end - p < 4 || memcmp (p, " = ", 3) != 0)
    return FALSE;
  p += 3;
  piece->shape = (gsize) (p - piece->text);
  for (; p < end && !(depth == 0 && *p == ' '); p++)
    depth = strchr ("([{", *p) != NULL ? depth + 1 : strchr (")]}", *p) != NULL && depth > 0 ? depth - 1 : depth;
  if (p >= end)
    return FALSE;
  opcode = p + 1;
  piece->opcode = (gsize) (opcode - piece->text);
  piece->parameter = g_str_has_prefix (opcode, "parameter(");
  piece->alias = g_str_has_prefix (opcode, "get-tuple-element(") || g_str_has_prefix (opcode, "tuple(");
  piece->plain = !piece->parameter && !piece->alias && !g_str_has_prefix (opcode, "constant(");
  find_uses (piece, piece->opcode);
  return strstr (opcode, "control-predecessors") == NULL;
}

static gboolean
starts_instruction (const char *p, const char *end)
{
  const char *from = p;

  while (p < end && *p == ' ')
    p++;
  if (p == from)
    return FALSE;
  p += end - p > 5 && memcmp (p, "ROOT ", 5) == 0 ? 5 : 0;
  p += p < end && *p == '%';
  from = p;
  while (p < end && is_name_char (*p))
    p++;
  return p > from && end - p > 3 && memcmp (p, " = ", 3) == 0;
}

/* "%fused (p: f32[]) -> f32[] {" or "fused {" */
static gboolean
starts_computation (const char *p, const char *next)
{
  return next - p > 2 && next[-2] == '{' && (*p == '%' || g_ascii_isalpha (*p) || *p == '_')
         && !g_str_has_prefix (p, "HloModule ") && !g_str_has_prefix (p, "ENTRY ");
}

/* Returns the kind of the piece at @p and its end. @inside: between the braces of the entry. */
static Kind
measure (const char *p, const char *end, gboolean *inside, const char **after)
{
  const char *next = ph_text_line_after (p, end);

  *after = next;
  if (*inside && starts_instruction (p, end))
    {
      /* A constant of several rows is written on several lines. */
      while (next < end && *next != '}' && !starts_instruction (next, end))
        next = ph_text_line_after (next, end);
      *after = next;
      return INSTRUCTION;
    }
  if (*inside)
    {
      *inside = *p != '}';
      return TEXT;
    }
  if (next - p > 2 && next[-2] == '{' && g_str_has_prefix (p, "ENTRY "))
    {
      *inside = TRUE;
      return TEXT;
    }
  if (starts_computation (p, next))
    {
      while (next < end && *next != '}')
        next = ph_text_line_after (next, end);
      *after = next < end ? ph_text_line_after (next, end) : end;
      return COMPUTATION;
    }
  return TEXT;
}

/* Returns TRUE for a line outside of instructions: blank, the module's own, tables of source locations, braces. */
static gboolean
is_between (const char *p, const char *after, gboolean was_inside, gboolean inside)
{
  if (was_inside)
    return *p == '}';
  return inside || (*p != ' ' && (after - p < 2 || after[-2] != '{'));
}

static guint
count_lines (const char *p, const char *end)
{
  guint n = 0;

  for (; (p = memchr (p, '\n', (gsize) (end - p))) != NULL; p++)
    n++;
  return n;
}

static guint
find (PhHloLines *lines, const char *name)
{
  if (lines->index == NULL)
    {
      lines->index = g_hash_table_new (NULL, NULL);
      lines->computations = g_hash_table_new (NULL, NULL);
      for (guint i = 0; i < lines->pieces->len; i++)
        {
          const Piece *piece = lines->pieces->pdata[i];

          if (piece->kind != TEXT)
            g_hash_table_insert (piece->kind == INSTRUCTION ? lines->index : lines->computations, (gpointer) piece->name,
                                 GUINT_TO_POINTER (i + 1));
        }
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (lines->index, name));
}

static Piece *
find_computation (PhHloLines *lines, const char *name)
{
  const guint found = find (lines, "") + GPOINTER_TO_UINT (g_hash_table_lookup (lines->computations, name));

  return found > 0 ? lines->pieces->pdata[found - 1] : NULL;
}

/* Returns the start of "metadata={...}" and its end in @after; both are @end if there is none. */
static const char *
find_metadata (const char *p, const char *end, const char **after)
{
  const char *from = g_strstr_len (p, end - p, ", metadata={");

  *after = end;
  if (from == NULL)
    return end;
  for (p = from + strlen (", metadata={"); p < end && *p != '}'; p++)
    if (*p == '"')
      for (p++; p < end && *p != '"'; p++)
        p += *p == '\\';
  *after = MIN (p + 1, end);
  return from;
}

/* Compares without source locations: a lasting node keeps its own. */
static gboolean
is_same (const Piece *piece, const char *p, const char *end)
{
  const char *after;

  if ((gsize) (end - p) == piece->length && memcmp (piece->text, p, piece->length) == 0)
    return TRUE;
  if (piece->kind != INSTRUCTION || (gsize) (end - p) < piece->metadata || memcmp (piece->text, p, piece->metadata) != 0
      || find_metadata (p + piece->metadata, end, &after) != p + piece->metadata)
    return FALSE;
  return (gsize) (end - after) == piece->length - piece->rest
         && memcmp (piece->text + piece->rest, after, (gsize) (end - after)) == 0;
}

/* Returns NULL if the text has another form. */
static Piece *
new_piece (Kind kind, const char *p, const char *after)
{
  Piece *piece = g_atomic_rc_box_new0 (Piece);
  const char *ignored;

  piece->kind = kind;
  piece->length = (gsize) (after - p);
  piece->text = g_strndup (p, piece->length);
  piece->n_lines = count_lines (p, after);
  piece->metadata = (gsize) (find_metadata (piece->text, piece->text + piece->length, &ignored) - piece->text);
  piece->rest = (gsize) (ignored - piece->text);
  if (kind == COMPUTATION)
    {
      piece->marked = *piece->text == '%';
      piece->name = name_at (piece->text + piece->marked, piece->text + piece->length, &ignored);
      find_uses (piece, (gsize) (ignored - piece->text));
    }
  if ((kind == COMPUTATION && piece->name == NULL) || (kind == INSTRUCTION && !read_instruction (piece)))
    {
      piece_unref (piece);
      return NULL;
    }
  return piece;
}

PhHloLines *
ph_hlo_lines_new (const char *text, gsize size, PhHloLines *before)
{
  g_autoptr (PhHloLines) lines = g_new0 (PhHloLines, 1);
  const char *end = text + size;
  gboolean inside = FALSE, entry = FALSE;
  guint at = 0; /* the position in @before, as long as both texts agree */

  lines->pieces = g_ptr_array_new_with_free_func (piece_unref);
  lines->number = before != NULL ? before->number + 1 : 1;
  if (!g_str_has_prefix (text, "HloModule ") || memchr (text, 0, size) != NULL)
    return NULL;
  for (const char *p = text, *after; p < end; p = after)
    {
      const gboolean was_inside = inside;
      const Kind kind = measure (p, end, &inside, &after);
      Piece *same = before != NULL && at < before->pieces->len ? before->pieces->pdata[at] : NULL, *piece = NULL;

      entry = entry || inside;
      if (kind == TEXT && !is_between (p, after, was_inside, inside))
        return NULL;
      if (same == NULL || same->kind != kind || !is_same (same, p, after))
        {
          guint found = 0;

          same = NULL;
          piece = new_piece (kind, p, after);
          if (piece == NULL)
            return NULL;
          if (kind == TEXT && before != NULL && at < before->pieces->len && ((Piece *) before->pieces->pdata[at])->kind == TEXT)
            at++;
          if (before != NULL && kind == INSTRUCTION)
            found = find (before, piece->name);
          else if (before != NULL && kind == COMPUTATION && find_computation (before, piece->name) != NULL)
            found = GPOINTER_TO_UINT (g_hash_table_lookup (before->computations, piece->name));
          if (found > 0)
            {
              at = found - 1;
              same = before->pieces->pdata[at];
              if (!is_same (same, p, after))
                same = NULL;
              at++;
            }
          if (same != NULL)
            piece_unref (piece);
        }
      else
        at++;
      if (same != NULL)
        piece = g_atomic_rc_box_acquire (same);
      else
        piece->born = lines->number;
      piece->seen = lines->number;
      g_ptr_array_add (lines->pieces, piece);
    }
  return entry && !inside ? g_steal_pointer (&lines) : NULL;
}

void
ph_hlo_lines_free (PhHloLines *lines)
{
  g_ptr_array_unref (lines->pieces);
  g_clear_pointer (&lines->index, g_hash_table_unref);
  g_clear_pointer (&lines->computations, g_hash_table_unref);
  g_free (lines);
}

/* ── differences ── */

typedef struct
{
  PhHloLines *after;
  GHashTable *changed; /* names */
  GPtrArray *work;     /* (element-type Piece) that are wanted */
  guint n_wanted;
} Compare;

static void
want (Compare *compare, Piece *piece)
{
  if (piece->wanted == compare->after->number)
    return;
  piece->wanted = compare->after->number;
  compare->n_wanted += piece->kind == INSTRUCTION;
  g_ptr_array_add (compare->work, piece);
}

static gboolean
uses_changed (const Compare *compare, const Piece *piece)
{
  for (guint i = 0; i < piece->n_uses; i++)
    if (g_hash_table_contains (compare->changed, piece->uses[i]))
      return TRUE;
  return FALSE;
}

/* Collects the names of pieces that appeared or disappeared, and of computations that call a changed one: callees precede their callers. */
static void
find_changes (Compare *compare, PhHloLines *before)
{
  const guint number = compare->after->number;

  for (guint i = 0; i < before->pieces->len; i++)
    {
      const Piece *piece = before->pieces->pdata[i];

      if (piece->kind != TEXT && piece->seen != number)
        g_hash_table_add (compare->changed, (gpointer) piece->name);
    }
  for (guint i = 0; i < compare->after->pieces->len; i++)
    {
      const Piece *piece = compare->after->pieces->pdata[i];

      if (piece->kind != TEXT && (piece->born == number || (piece->kind == COMPUTATION && uses_changed (compare, piece))))
        g_hash_table_add (compare->changed, (gpointer) piece->name);
    }
}

/* Selects the pieces to parse: changed ones, their users, and those of the users' operands that such a plain node cannot represent. */
static void
find_wanted (Compare *compare)
{
  PhHloLines *after = compare->after;

  for (guint i = 0; i < after->pieces->len; i++)
    {
      Piece *piece = after->pieces->pdata[i];

      if (piece->kind != INSTRUCTION)
        continue;
      if (uses_changed (compare, piece))
        {
          want (compare, piece);
          if (piece->alias) /* its users read a changed value */
            g_hash_table_add (compare->changed, (gpointer) piece->name);
        }
      else if (piece->born == after->number || piece->root || piece->parameter)
        want (compare, piece);
    }
  while (compare->work->len > 0)
    {
      const Piece *piece = g_ptr_array_steal_index_fast (compare->work, compare->work->len - 1);

      for (guint i = 0; i < piece->n_uses; i++)
        {
          const guint found = piece->kind == INSTRUCTION ? find (after, piece->uses[i]) : 0;
          Piece *used = found > 0 ? after->pieces->pdata[found - 1] : NULL, *called = find_computation (after, piece->uses[i]);

          if (called != NULL)
            want (compare, called);
          if (used != NULL && used->plain)
            used->standing = after->number;
          else if (used != NULL)
            want (compare, used);
        }
    }
}

/* Returns TRUE if a computation that was called before, or is new, has no caller now: it would become a node of its own. */
static gboolean
leaves_uncalled (const Compare *compare, PhHloLines *before)
{
  g_autoptr (GHashTable) suspects = g_hash_table_new (NULL, NULL);
  const guint number = compare->after->number;

  for (guint i = 0; i < before->pieces->len; i++)
    {
      const Piece *piece = before->pieces->pdata[i];

      for (guint k = 0; piece->seen != number && k < piece->n_uses; k++)
        if (find_computation (compare->after, piece->uses[k]) != NULL)
          g_hash_table_add (suspects, (gpointer) piece->uses[k]);
    }
  for (guint i = 0; i < compare->after->pieces->len; i++)
    {
      const Piece *piece = compare->after->pieces->pdata[i];

      if (piece->kind == COMPUTATION && piece->born == number)
        g_hash_table_add (suspects, (gpointer) piece->name);
    }
  for (guint i = 0; g_hash_table_size (suspects) > 0 && i < compare->after->pieces->len; i++)
    {
      const Piece *piece = compare->after->pieces->pdata[i];

      for (guint k = 0; k < piece->n_uses; k++)
        g_hash_table_remove (suspects, piece->uses[k]);
    }
  return g_hash_table_size (suspects) > 0;
}

static void
write_piece (PhHloDelta *delta, GString *out, const Piece *piece, guint number)
{
  guint rest = piece->n_lines;

  if (piece->kind == TEXT || piece->wanted == number)
    {
      g_string_append_len (out, piece->text, (gssize) piece->length);
      delta->n_parsed += piece->kind == INSTRUCTION;
      if (piece->kind == INSTRUCTION && piece->born != number && !piece->parameter)
        g_ptr_array_add (delta->same, (gpointer) piece->name);
      return;
    }
  if (piece->kind == INSTRUCTION && piece->standing == number)
    {
      g_string_append_printf (out, "  %s%s = ", piece->marked ? "%" : "", piece->name);
      g_string_append_len (out, piece->text + piece->shape, (gssize) (piece->opcode - piece->shape));
      g_string_append (out, "custom-call()\n");
      g_ptr_array_add (delta->standing, (gpointer) piece->name);
      rest--;
    }
  while (rest-- > 0)
    g_string_append_c (out, '\n');
}

PhHloDelta *
ph_hlo_lines_compare (PhHloLines *before, PhHloLines *after)
{
  g_autoptr (GHashTable) changed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) work = g_ptr_array_new ();
  g_autoptr (PhHloDelta) delta = g_new0 (PhHloDelta, 1);
  Compare compare = { after, changed, work, 0 };
  GString *out;

  delta->standing = g_ptr_array_new ();
  delta->same = g_ptr_array_new ();
  delta->gone = g_ptr_array_new ();
  find_changes (&compare, before);
  if (g_hash_table_size (changed) == 0)
    return g_steal_pointer (&delta);
  find_wanted (&compare);
  if (compare.n_wanted > after->pieces->len / 2 || leaves_uncalled (&compare, before))
    return NULL;
  for (guint i = 0; i < before->pieces->len; i++)
    {
      const Piece *piece = before->pieces->pdata[i];

      if (piece->kind == INSTRUCTION && piece->seen != after->number)
        g_ptr_array_add (delta->gone, (gpointer) piece->name);
    }
  out = g_string_sized_new (64 * after->pieces->len);
  for (guint i = 0; i < after->pieces->len; i++)
    write_piece (delta, out, after->pieces->pdata[i], after->number);
  delta->size = out->len;
  delta->text = g_string_free (out, FALSE);
  return g_steal_pointer (&delta);
}

void
ph_hlo_delta_free (PhHloDelta *delta)
{
  g_free (delta->text);
  g_ptr_array_unref (delta->standing);
  g_ptr_array_unref (delta->same);
  g_ptr_array_unref (delta->gone);
  g_free (delta);
}
