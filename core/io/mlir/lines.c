/* lines.c: splits a printed module into functions, and their operations by lines.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"
#include "core/io/mlir/lines-private.h"
#include "core/io/source.h"

/* Smaller functions are always parsed whole: that is fast enough. */
#define FEW 200

/* ── names ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static guint
hash_span (PhMlirSpan name)
{
  guint hash = 2166136261u;

  for (gsize i = 0; i < name.size; i++)
    hash = (hash ^ (guchar) name.text[i]) * 16777619u;
  return hash ^ (hash >> 15);
}

static PhMlirSlot *
slot_of (const PhMlirFunction *function, PhMlirSpan name)
{
  for (guint i = hash_span (name) & function->mask;; i = (i + 1) & function->mask)
    if (function->slots[i].name.text == NULL || ph_mlir_span_equal (function->slots[i].name, name))
      return &function->slots[i];
}

guint
ph_mlir_lines_find (const PhMlirFunction *function, PhMlirSpan name, guint before)
{
  const PhMlirSlot *slot = slot_of (function, name);

  if (slot->name.text == NULL || ((slot->piece & PH_MLIR_ARGUMENT) == 0 && slot->piece >= before))
    return PH_MLIR_NO_PIECE;
  return slot->piece;
}

gboolean
ph_mlir_lines_add_name (PhMlirFunction *function, PhMlirSpan name, guint piece)
{
  PhMlirSlot *slot = slot_of (function, name);

  if (slot->name.text != NULL || name.size == 0)
    return FALSE;
  *slot = (PhMlirSlot) { name, piece };
  return ++function->n_slots <= function->mask / 2;
}

void
ph_mlir_lines_make_slots (PhMlirFunction *function)
{
  guint size = 16;

  while (size < 4 * function->pieces->len + function->header.size)
    size *= 2;
  function->slots = g_new0 (PhMlirSlot, size);
  function->mask = size - 1;
}

/* ── operations ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static guint
indent_of (const char *p, const char *end)
{
  const char *from = p;

  while (p < end && *p == ' ')
    p++;
  return (guint) (p - from);
}

/* Reads "%5:2 = ". Returns FALSE if the line has another form. */
static gboolean
read_head (PhMlirPiece *piece)
{
  const char *p = piece->span.text, *end = p + piece->span.size;
  PhMlirSpan name;

  if (*p != '%')
    return TRUE;
  name = ph_mlir_name_at (p, end);
  piece->base = (guint) name.size;
  p = name.text + name.size;
  piece->n_results = 1;
  if (p < end && *p == ':')
    {
      piece->n_results = 0;
      for (p++; p < end && g_ascii_isdigit (*p) && piece->n_results < 10000; p++)
        piece->n_results = piece->n_results * 10 + (guint) (*p - '0');
    }
  if (name.size == 0 || piece->n_results == 0 || end - p < 4 || memcmp (p, " = ", 3) != 0)
    return FALSE;
  piece->head = (guint) (p + 3 - piece->span.text);
  return TRUE;
}

static PhMlirSpan
name_of (const PhMlirPiece *piece)
{
  return (PhMlirSpan) { piece->span.text + 1, piece->base };
}

static gboolean
read_arguments (PhMlirFunction *function)
{
  const char *p = function->header.text, *end = p + function->header.size;

  for (guint n = 0; p < end; p++)
    if (*p == '"')
      for (p++; p < end && *p != '"'; p++)
        p += *p == '\\' && p + 1 < end;
    else if (*p == '%' && !ph_mlir_lines_add_name (function, ph_mlir_name_at (p, end), PH_MLIR_ARGUMENT | n++))
      return FALSE;
  return TRUE;
}

static gboolean
is_return (const PhMlirPiece *piece)
{
  const char *end = piece->span.text + piece->span.size;

  return ph_mlir_begins (piece->span.text, end, "return") || ph_mlir_begins (piece->span.text, end, "func.return");
}

/* "({" or "}, {": a region follows. */
static gboolean
opens_region (const char *p, const char *end)
{
  const char *eol = ph_text_line_after (p, end);

  while (eol > p && g_ascii_isspace (eol[-1]))
    eol--;
  return eol > p && eol[-1] == '{';
}

/* Splits the body into operations. Returns FALSE, for a full parse, if it has several blocks or another form. */
static gboolean
read_pieces (PhMlirFunction *function, guint indent)
{
  const char *p = function->header.text + function->header.size, *end = function->foot.text;
  PhMlirPiece *pieces;
  gboolean open = FALSE; /* labels of blocks are no deeper than the operation that they are in */

  for (; p < end; p = ph_text_line_after (p, end))
    {
      const guint depth = indent_of (p, end);
      const char *first = p + depth;

      if (first < end && depth == indent + 2 && *first != '}' && (*first != '^' || !open))
        {
          PhMlirPiece piece = { .span = { first, 0 } };

          if (*first == '^')
            return FALSE;
          g_array_append_val (function->pieces, piece);
        }
      else if (function->pieces->len == 0 || (depth < indent + 2 && first < end && *first != '\n'))
        return FALSE;
      if (depth == indent + 2 && first < end && *first != '^')
        open = opens_region (first, end);
      g_array_index (function->pieces, PhMlirPiece, function->pieces->len - 1).n_lines++;
    }
  if (function->pieces->len < FEW)
    return FALSE;
  pieces = &g_array_index (function->pieces, PhMlirPiece, 0);
  for (guint i = 0; i < function->pieces->len; i++)
    {
      const char *next = i + 1 < function->pieces->len ? pieces[i + 1].span.text - indent - 2 : end;

      pieces[i].span.size = (gsize) (next - pieces[i].span.text);
      if (!read_head (&pieces[i]))
        return FALSE;
    }
  ph_mlir_lines_make_slots (function);
  if (!read_arguments (function))
    return FALSE;
  for (guint i = 0; i < function->pieces->len; i++)
    if (pieces[i].head > 0 && !ph_mlir_lines_add_name (function, name_of (&pieces[i]), i))
      return FALSE;
  return is_return (&pieces[function->pieces->len - 1]);
}

void
ph_mlir_lines_name (PhMlirFunction *function)
{
  if (function->taken != NULL)
    return;
  function->taken = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < function->pieces->len; i++)
    {
      PhMlirPiece *piece = &g_array_index (function->pieces, PhMlirPiece, i);
      const PhMlirSpan name = name_of (piece);

      piece->name = piece->head > 0 ? ph_intern_sized (name.text, name.size) : ph_intern_numbered ("(no result)", i);
      g_hash_table_add (function->taken, (gpointer) piece->name);
    }
}

static void
function_clear (gpointer data)
{
  PhMlirFunction *function = data;

  g_clear_pointer (&function->pieces, g_array_unref);
  g_clear_pointer (&function->slots, g_free);
  g_clear_pointer (&function->taken, g_hash_table_unref);
}

void
ph_mlir_lines_free_function (gpointer function)
{
  g_atomic_rc_box_release_full (function, function_clear);
}

PhMlirFunction *
ph_mlir_lines_new_function (void)
{
  PhMlirFunction *function = g_atomic_rc_box_new0 (PhMlirFunction);

  function->pieces = g_array_new (FALSE, FALSE, sizeof (PhMlirPiece));
  return function;
}

static void
read_whole (PhMlirFunction *function)
{
  g_clear_pointer (&function->pieces, g_array_unref);
  g_clear_pointer (&function->slots, g_free);
}

/* ── functions ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the function whose first line is from @p to @eol. (nullable): none begins there, or it never ends. */
static PhMlirFunction *
function_at (const char *p, const char *eol, const char *end, guint indent)
{
  static const char func[] = "func.func ";
  const char *at = memchr (p, '@', (gsize) (eol - p)), *open = at != NULL ? memchr (at, '(', (gsize) (eol - at)) : NULL;
  const char *close = eol, *stop;
  PhMlirFunction *function;

  if ((gsize) (eol - p) < indent + sizeof func || memcmp (p + indent, func, sizeof func - 1) != 0 || open == NULL
      || open == at + 1 || eol[-1] != '\n' || eol[-2] != '{')
    return NULL;
  while (close < end && !(indent_of (close, end) == indent && close[indent] == '}'))
    close = ph_text_line_after (close, end);
  if (close >= end)
    return NULL;
  stop = ph_text_line_after (close, end);
  function = ph_mlir_lines_new_function ();
  function->symbol = ph_intern_sized (at + 1, (gsize) (open - at) - 1);
  function->text = (PhMlirSpan) { p, (gsize) (stop - p) };
  function->header = (PhMlirSpan) { p + indent, (gsize) (eol - p) - indent };
  function->foot = (PhMlirSpan) { close, (gsize) (stop - close) };
  if (!read_pieces (function, indent))
    read_whole (function);
  return function;
}

static void
add_between (PhMlirLines *lines, const char *from, const char *to)
{
  PhMlirSpan span = { from, (gsize) (to - from) };

  g_array_append_val (lines->between, span);
}

static PhMlirFunction *
find_function (PhMlirLines *lines, const char *symbol, guint *index)
{
  for (*index = 0; *index < lines->functions->len; ++*index)
    if (((PhMlirFunction *) lines->functions->pdata[*index])->symbol == symbol)
      return lines->functions->pdata[*index];
  return NULL;
}

/* Returns FALSE if the module contains two functions of one name, or anything else than functions. */
static gboolean
read_functions (PhMlirLines *lines, const char *text, const char *end, guint indent)
{
  const char *from = text;

  for (const char *p = text; p < end;)
    {
      const char *eol = ph_text_line_after (p, end);
      PhMlirFunction *function = function_at (p, eol, end, indent);
      guint index;

      if (function != NULL && find_function (lines, function->symbol, &index) != NULL)
        {
          ph_mlir_lines_free_function (function);
          return FALSE;
        }
      if (function != NULL)
        {
          g_ptr_array_add (lines->functions, function);
          add_between (lines, from, p);
          from = eol = function->text.text + function->text.size;
        }
      p = eol;
    }
  add_between (lines, from, end);
  return lines->functions->len > 0;
}

/* Returns TRUE if a single function was printed and nothing else. */
static gboolean
is_alone (PhMlirLines *lines)
{
  for (guint i = 0; i < lines->between->len; i++)
    for (gsize k = 0; k < g_array_index (lines->between, PhMlirSpan, i).size; k++)
      if (!g_ascii_isspace (g_array_index (lines->between, PhMlirSpan, i).text[k]))
        return FALSE;
  return lines->functions->len == 1;
}

/* Takes everything else from the previous state. */
static void
take_others (PhMlirLines *lines, PhMlirLines *before)
{
  PhMlirFunction *function = g_atomic_rc_box_acquire (lines->functions->pdata[0]);
  guint index;

  find_function (before, function->symbol, &index);
  g_ptr_array_set_size (lines->functions, 0);
  for (guint i = 0; i < MAX (before->functions->len, index + 1); i++)
    g_ptr_array_add (lines->functions, i == index ? function : g_atomic_rc_box_acquire (before->functions->pdata[i]));
  g_array_set_size (lines->between, 0);
  g_array_append_vals (lines->between, before->between->data, before->between->len);
  if (index == before->functions->len)
    add_between (lines, function->foot.text, function->foot.text);
}

PhMlirLines *
ph_mlir_lines_new (const char *text, gsize size, gboolean whole, PhMlirLines *before)
{
  g_autoptr (PhMlirLines) lines = g_new0 (PhMlirLines, 1);
  gboolean any = FALSE;

  lines->functions = g_ptr_array_new_with_free_func (ph_mlir_lines_free_function);
  lines->between = g_array_new (FALSE, FALSE, sizeof (PhMlirSpan));
  lines->whole = whole;
  if (memchr (text, 0, size) != NULL || !read_functions (lines, text, text + size, whole ? 2 : 0))
    return NULL;
  if (!whole && !is_alone (lines))
    return NULL;
  if (!whole && before != NULL)
    take_others (lines, before);
  for (guint i = 0; i < lines->functions->len; i++)
    any = any || ((PhMlirFunction *) lines->functions->pdata[i])->pieces != NULL;
  return any ? g_steal_pointer (&lines) : NULL;
}

void
ph_mlir_lines_free (PhMlirLines *lines)
{
  g_ptr_array_unref (lines->functions);
  g_array_unref (lines->between);
  g_free (lines);
}

void
ph_mlir_lines_share (PhMlirLines *lines, guint index, PhMlirFunction *function)
{
  g_atomic_rc_box_acquire (function);
  ph_mlir_lines_free_function (lines->functions->pdata[index]);
  lines->functions->pdata[index] = function;
}

GPtrArray *
ph_mlir_lines_followed (PhMlirLines *lines)
{
  GPtrArray *symbols = g_ptr_array_new ();

  for (guint i = 0; i < lines->functions->len; i++)
    {
      const PhMlirFunction *function = lines->functions->pdata[i];

      if (function->pieces != NULL)
        g_ptr_array_add (symbols, (gpointer) function->symbol);
    }
  return symbols;
}

gboolean
ph_mlir_lines_keep (PhMlirLines *lines, PhMlirLines *before, const char *symbol)
{
  guint index, old_index;
  PhMlirFunction *function = find_function (lines, symbol, &index);
  PhMlirFunction *old = before != NULL ? find_function (before, symbol, &old_index) : NULL;

  if (function == NULL || old == NULL || old->taken == NULL || !ph_mlir_span_equal (function->text, old->text))
    return FALSE;
  ph_mlir_lines_share (lines, index, old);
  return TRUE;
}

PhTextPart *
ph_mlir_lines_all (PhMlirLines *lines, const char *symbol)
{
  guint index;
  PhMlirFunction *function = find_function (lines, symbol, &index);
  PhTextPart *part;

  if (function == NULL || function->pieces == NULL)
    return NULL;
  ph_mlir_lines_name (function);
  part = ph_text_part_new (NULL, TRUE);
  for (guint i = 0; i + 1 < function->pieces->len; i++)
    g_ptr_array_add (part->names, (gpointer) g_array_index (function->pieces, PhMlirPiece, i).name);
  return part;
}

void
ph_mlir_lines_forget (PhMlirLines *lines, const char *symbol)
{
  guint index;
  PhMlirFunction *function = find_function (lines, symbol, &index);

  if (function != NULL)
    read_whole (function);
}
