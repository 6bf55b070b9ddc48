/* lines.c: the text of a large function as LLVM dumps it, instruction by instruction. Which is which of the text before is found as in
 * MLIR's dumps; names of blocks are taken at their word.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/llvm/lines.h"

#include "core/intern.h"
#include "core/io/llvm/import.h"
#include "core/io/mlir/lines-private.h"
#include "core/io/source.h"

#define FEW  200
#define NONE G_MAXUINT

struct _PhLlvmLines
{
  char *text;
  PhMlirFunction *function;
  GByteArray *kinds; /* the Kind of each piece */
};

typedef enum
{
  PLAIN,
  EFFECT, /* in an order with the others of its block, and with those of the blocks before */
  LAST,   /* last of its block, in order too                                               */
  LABEL,
} Kind;

/* ── taking a text apart ── */

static gboolean
is_label (const char *p, const char *end)
{
  g_autofree char *label = *p != ' ' && *p != '\n' ? ph_llvm_label_of (p, ph_text_line_after (p, end)) : NULL;

  return label != NULL;
}

/* Returns the opcode of the instruction without "tail", "musttail" or "notail". */
static char *
opcode_of (const PhMlirPiece *piece)
{
  const char *p = piece->span.text + piece->head, *end = piece->span.text + piece->span.size;

  for (guint word = 0; word < 2; word++)
    {
      const char *from = p;

      while (p < end && (g_ascii_isalnum (*p) || *p == '_'))
        p++;
      if (p - from < 4 || memcmp (p - 4, "tail", 4) != 0)
        return g_strndup (from, (gsize) (p - from));
      p += p < end;
    }
  return g_strdup ("call");
}

/* Returns FALSE if the line has another form. */
static gboolean
read_head (PhMlirPiece *piece)
{
  const char *end = piece->span.text + piece->span.size;
  PhMlirSpan name;

  if (*piece->span.text != '%')
    return TRUE;
  name = ph_mlir_name_at (piece->span.text, end);
  if (name.size == 0 || !ph_mlir_begins (name.text + name.size, end, " = "))
    return FALSE;
  piece->base = (guint) name.size;
  piece->head = (guint) name.size + 4;
  piece->n_results = 1;
  return TRUE;
}

static gboolean
read_pieces (PhLlvmLines *lines)
{
  PhMlirFunction *function = lines->function;
  const char *p = function->header.text + function->header.size, *end = function->foot.text;

  for (const char *next; p < end; p = next)
    {
      const gboolean label = is_label (p, end), starts = end - p > 3 && p[0] == ' ' && p[1] == ' ' && p[2] != ' ' && p[2] != ']';
      PhMlirPiece piece = { .span = { label ? p : p + 2, 0 }, .n_lines = 0 };
      guint8 kind = label ? LABEL : PLAIN;

      next = ph_text_line_after (p, end);
      if (label || starts)
        {
          g_array_append_val (function->pieces, piece);
          g_byte_array_append (lines->kinds, &kind, 1);
        }
      else if (function->pieces->len == 0)
        return FALSE;
      g_array_index (function->pieces, PhMlirPiece, function->pieces->len - 1).n_lines++;
      g_array_index (function->pieces, PhMlirPiece, function->pieces->len - 1).span.size
          = (gsize) (next - g_array_index (function->pieces, PhMlirPiece, function->pieces->len - 1).span.text);
    }
  return function->pieces->len >= FEW;
}

static gboolean
read_kinds (PhLlvmLines *lines)
{
  static const char *const last[] = { "ret",    "br",          "switch",   "indirectbr", "invoke",      "callbr",
                                      "resume", "catchswitch", "catchret", "cleanupret", "unreachable", NULL };
  const guint n = lines->function->pieces->len;

  for (guint i = 0; i < n; i++)
    {
      PhMlirPiece *piece = &g_array_index (lines->function->pieces, PhMlirPiece, i);
      g_autofree char *opcode = NULL;

      if (lines->kinds->data[i] == LABEL)
        continue;
      if (!read_head (piece)
          || (piece->head > 0
              && !ph_mlir_lines_add_name (lines->function, (PhMlirSpan) { piece->span.text + 1, piece->base }, i)))
        return FALSE;
      opcode = opcode_of (piece);
      if (g_strv_contains (last, opcode))
        lines->kinds->data[i] = LAST;
      else if (piece->head == 0 || ph_llvm_has_effect (opcode))
        lines->kinds->data[i] = EFFECT;
      /* A block without a label has a number that counts with the others. */
      if ((lines->kinds->data[i] == LAST) != (i + 1 == n || lines->kinds->data[i + 1] == LABEL))
        return FALSE;
    }
  return TRUE;
}

PhLlvmLines *
ph_llvm_lines_new (const char *name, const char *text, gsize size)
{
  g_autoptr (PhLlvmLines) lines = g_new0 (PhLlvmLines, 1);
  PhMlirFunction *function = lines->function = ph_mlir_lines_new_function ();
  const char *end, *header;

  lines->text = g_strndup (text, size);
  lines->kinds = g_byte_array_new ();
  end = lines->text + size;
  header = ph_text_line_after (lines->text, end);
  if (size < 4 || header == end || memcmp (header - 2, "{\n", 2) != 0 || memcmp (end - 2, "\n}", 2) != 0
      || memchr (text, 0, size) != NULL || strstr (header, "%\"") != NULL)
    return NULL;
  function->symbol = ph_intern (name);
  function->text = (PhMlirSpan) { lines->text, size };
  function->header = (PhMlirSpan) { lines->text, (gsize) (header - lines->text) };
  function->foot = (PhMlirSpan) { end - 1, 1 };
  if (!read_pieces (lines))
    return NULL;
  ph_mlir_lines_make_slots (function);
  return read_kinds (lines) ? g_steal_pointer (&lines) : NULL;
}

void
ph_llvm_lines_free (PhLlvmLines *lines)
{
  ph_mlir_lines_free_function (lines->function);
  g_clear_pointer (&lines->kinds, g_byte_array_unref);
  g_free (lines->text);
  g_free (lines);
}

PhTextPart *
ph_llvm_lines_all (PhLlvmLines *lines)
{
  PhTextPart *part = ph_text_part_new (lines->function->symbol, TRUE);

  ph_mlir_lines_name (lines->function);
  for (guint i = 0; i < lines->function->pieces->len; i++)
    if (lines->kinds->data[i] != LABEL)
      g_ptr_array_add (part->names, (gpointer) g_array_index (lines->function->pieces, PhMlirPiece, i).name);
  part->owned = TRUE;
  return part;
}

/* ── differences ── */

/* Returns TRUE if both branch to blocks of the same names. */
static gboolean
same_targets (const PhMlirPiece *a, const PhMlirPiece *b)
{
  const char *p = a->span.text, *p_end = p + a->span.size, *q = b->span.text, *q_end = q + b->span.size;

  for (;;)
    {
      PhMlirSpan x, y;

      p = g_strstr_len (p, p_end - p, "label %");
      q = g_strstr_len (q, q_end - q, "label %");
      if (p == NULL || q == NULL)
        return p == q;
      x = ph_mlir_name_at (p + 6, p_end);
      y = ph_mlir_name_at (q + 6, q_end);
      if (!ph_mlir_span_equal (x, y))
        return FALSE;
      p += 6;
      q += 6;
    }
}

/* Returns the index of the preceding effect in the same block for each line, or NONE. */
static GArray *
effects_before (const PhLlvmLines *lines)
{
  GArray *before = g_array_sized_new (FALSE, FALSE, sizeof (guint), lines->kinds->len);
  guint last = NONE;

  for (guint i = 0; i < lines->kinds->len; i++)
    {
      g_array_append_val (before, last);
      if (lines->kinds->data[i] == LABEL)
        last = NONE;
      else if (lines->kinds->data[i] != PLAIN)
        last = i;
    }
  return before;
}

/* Marks effects that now follow another effect than before as wanted. Returns FALSE if the blocks differ, which needs a full parse. */
static gboolean
find_order (const PhLlvmLines *before, PhLlvmLines *after, const GArray *prior)
{
  g_autoptr (GArray) was = effects_before (before);
  PhMlirPiece *old = &g_array_index (before->function->pieces, PhMlirPiece, 0);

  for (guint i = 0; i < before->kinds->len; i++)
    if (!old[i].found && before->kinds->data[i] >= LAST)
      return FALSE;
  for (guint j = 0; j < after->kinds->len; j++)
    {
      PhMlirPiece *piece = &g_array_index (after->function->pieces, PhMlirPiece, j);
      const guint now = g_array_index (prior, guint, j),
                  then = piece->partner > 0 ? g_array_index (was, guint, piece->partner - 1) : NONE;

      if (after->kinds->data[j] >= LAST
          && (piece->partner == 0 || before->kinds->data[piece->partner - 1] != after->kinds->data[j]
              || !same_targets (&old[piece->partner - 1], piece)))
        return FALSE;
      if (after->kinds->data[j] == LABEL || after->kinds->data[j] == PLAIN || piece->partner == 0)
        continue;
      if (now == NONE || then == NONE ? now != then
                                      : g_array_index (after->function->pieces, PhMlirPiece, now).partner != then + 1)
        piece->wanted = TRUE;
    }
  return TRUE;
}

/* Marks as standing whatever wanted lines read or follow: placeholders represent those. Returns FALSE if over half of the lines are
 * wanted. */
static gboolean
find_standing (PhLlvmLines *lines, const GArray *prior)
{
  PhMlirPiece *pieces = &g_array_index (lines->function->pieces, PhMlirPiece, 0);
  guint n = 0;

  for (guint j = 0; j < lines->kinds->len; j++)
    {
      PhMlirPiece *piece = &pieces[j];
      const char *p = piece->span.text + piece->head, *end = piece->span.text + piece->span.size;

      piece->standing = piece->standing || lines->kinds->data[j] == LAST;
      piece->wanted = (piece->wanted || piece->partner == 0) && lines->kinds->data[j] != LABEL;
      n += piece->wanted;
      if (!piece->wanted)
        continue;
      if (lines->kinds->data[j] != PLAIN && g_array_index (prior, guint, j) != NONE)
        pieces[g_array_index (prior, guint, j)].standing = TRUE;
      while ((p = memchr (p, '%', (gsize) (end - p))) != NULL)
        {
          const PhMlirSpan name = ph_mlir_name_at (p, end);
          const guint used = ph_mlir_lines_find (lines->function, name, NONE);

          if (used != PH_MLIR_NO_PIECE)
            pieces[used].standing = TRUE;
          p = name.text + name.size;
        }
    }
  return n <= lines->kinds->len / 2;
}

static void
write_pieces (GString *out, const PhLlvmLines *lines, GHashTable *standing, PhTextPart *part)
{
  guint line = 1;

  for (guint j = 0; j < lines->kinds->len; j++)
    {
      const PhMlirPiece *piece = &g_array_index (lines->function->pieces, PhMlirPiece, j);
      const gboolean label = lines->kinds->data[j] == LABEL;

      if (label || piece->wanted || piece->standing)
        {
          g_string_append (out, label ? "" : "  ");
          g_string_append_len (out, piece->span.text, (gssize) piece->span.size);
        }
      else
        for (guint k = 0; k < piece->n_lines; k++)
          g_string_append_c (out, '\n');
      if (!label && (piece->wanted || piece->standing))
        {
          g_ptr_array_add (part->names, (gpointer) piece->name);
          if (!piece->wanted)
            {
              g_hash_table_add (standing, GUINT_TO_POINTER (line));
              g_ptr_array_add (part->standing, (gpointer) piece->name);
            }
          else if (piece->partner > 0)
            g_ptr_array_add (part->same, (gpointer) piece->name);
        }
      line += piece->n_lines;
    }
}

GString *
ph_llvm_lines_compare (PhLlvmLines *before, PhLlvmLines *after, GHashTable *standing, PhTextPart **part)
{
  g_autoptr (GArray) prior = effects_before (after);
  GString *out;

  if (before->function->taken == NULL || !ph_mlir_span_equal (before->function->header, after->function->header)
      || !ph_mlir_lines_pair (before->function, after->function, TRUE) || !find_order (before, after, prior)
      || !find_standing (after, prior))
    return NULL;
  *part = ph_text_part_new (after->function->symbol, FALSE);
  (*part)->owned = TRUE;
  out = g_string_new (NULL);
  g_string_append_len (out, after->function->header.text, (gssize) after->function->header.size);
  write_pieces (out, after, standing, *part);
  g_string_append_c (out, '}');
  for (guint i = 0; i < before->kinds->len; i++)
    if (!g_array_index (before->function->pieces, PhMlirPiece, i).found)
      g_ptr_array_add ((*part)->gone, (gpointer) g_array_index (before->function->pieces, PhMlirPiece, i).name);
  return out;
}
