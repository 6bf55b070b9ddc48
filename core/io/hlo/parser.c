/* parser.c: parses modules, computations and instructions of HLO text by XLA's grammar: with or without types before operands and "%"
 * before names, computations separate or inline, modules with or without a header.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/hlo/lexer.h"
#include "core/io/split.h"

#define HEADER "HloModule "

static gboolean read_rhs (PhHloParser *parser, PhHloInstruction *instruction, gboolean attrs);

/* Adds a parameter for an operand of a single instruction, which nothing defines. */
static void
want_parameter (PhHloParser *parser, const char *name, const PhHloShape *shape)
{
  PhHloComputation *computation = parser->computation;
  PhHloInstruction *parameter;
  gint64 n = 0;

  for (guint i = 0; i < computation->instructions->len; i++)
    {
      const PhHloInstruction *other = computation->instructions->pdata[i];

      if (other->name == name)
        return;
      n += other->opcode != NULL && g_str_equal (other->opcode, "parameter");
    }
  parameter = ph_hlo_new_instruction (parser->hlo, name);
  g_ptr_array_add (computation->instructions, parameter);
  parameter->opcode = ph_intern ("parameter");
  parameter->shape = shape;
  parameter->number = n;
}

static gboolean
read_operand (PhHloParser *parser, PhHloInstruction *instruction)
{
  const PhHloShape *shape = NULL;
  const char *from, *word, *name;

  ph_hlo_peek (parser);
  from = parser->p;
  if (ph_hlo_is_shape (parser) && (shape = ph_hlo_shape (parser)) == NULL)
    return FALSE;
  word = ph_hlo_word (parser);
  if (word == NULL)
    return ph_hlo_fail (parser, parser->p, "the name of an operand is expected here");
  name = ph_intern (word);
  if (*parser->p == '(')
    {
      PhHloInstruction *nested;
      g_autofree char *own = g_strdup_printf ("%s#%u", name, parser->computation->instructions->len + parser->n_nested++);

      parser->p = from;
      nested = ph_hlo_new_instruction (parser->hlo, ph_intern (own));
      if (!ph_hlo_enter (parser) || !read_rhs (parser, nested, FALSE))
        return FALSE;
      parser->depth--;
      g_ptr_array_add (parser->computation->instructions, nested);
      name = nested->name;
    }
  else if (shape != NULL && parser->computation->name[0] == '\0')
    want_parameter (parser, name, shape);
  g_array_append_val (instruction->operands, name);
  return TRUE;
}

static gboolean
read_operands (PhHloParser *parser, PhHloInstruction *instruction)
{
  if (!ph_hlo_expect (parser, "("))
    return FALSE;
  if (g_str_equal (instruction->opcode, "parameter"))
    {
      if (!ph_hlo_int (parser, &instruction->number) || instruction->number < 0)
        return ph_hlo_fail (parser, parser->p, "the number of a parameter is expected here");
      return ph_hlo_expect (parser, ")");
    }
  if (g_str_equal (instruction->opcode, "constant"))
    {
      instruction->literals = ph_hlo_ptr_array (parser->hlo);
      if (instruction->shape == NULL)
        return ph_hlo_fail (parser, parser->p, "a constant needs its shape: f32[] constant(1)");
      return ph_hlo_literal (parser, instruction->shape, instruction->literals) && ph_hlo_expect (parser, ")");
    }
  for (guint i = 0; !ph_hlo_take (parser, ")"); i++)
    if ((i > 0 && !ph_hlo_expect (parser, ",")) || !read_operand (parser, instruction))
      return FALSE;
  return TRUE;
}

static gboolean
read_rhs (PhHloParser *parser, PhHloInstruction *instruction, gboolean attrs)
{
  const char *word;

  ph_hlo_peek (parser);
  instruction->place = (gsize) (parser->p - parser->begin);
  if (ph_hlo_is_shape (parser) && (instruction->shape = ph_hlo_shape (parser)) == NULL)
    return FALSE;
  word = ph_hlo_word (parser);
  if (word == NULL || ph_hlo_peek (parser) != '(')
    return ph_hlo_fail (parser, parser->p, "an opcode with its operands (add(x, y)) is expected here");
  instruction->opcode = ph_intern (word);
  return read_operands (parser, instruction) && (!attrs || ph_hlo_attrs (parser, instruction));
}

/* "ROOT name = ..." */
static gboolean
read_instruction (PhHloParser *parser, PhHloComputation *computation)
{
  PhHloInstruction *instruction;
  const char *word;
  gboolean root;
  guint line, column;

  if (g_cancellable_set_error_if_cancelled (parser->hlo->source->cancellable, &parser->error))
    return FALSE;
  ph_hlo_peek (parser);
  ph_text_place (&parser->line, parser->begin, parser->p, &line, &column);
  root = ph_hlo_is_word (parser, "ROOT");
  if (root)
    parser->p += strlen ("ROOT");
  word = ph_hlo_word (parser);
  if (word == NULL)
    return ph_hlo_fail (parser, parser->p, "an instruction (name = f32[] add(x, y)) or '}' is expected here");
  instruction = ph_hlo_new_instruction (parser->hlo, ph_intern (word));
  instruction->line = line;
  instruction->column = column;
  if (!ph_hlo_expect (parser, "=") || !read_rhs (parser, instruction, TRUE))
    return FALSE;
  g_ptr_array_add (computation->instructions, instruction);
  if (root)
    computation->root = instruction;
  return TRUE;
}

gboolean
ph_hlo_instructions (PhHloParser *parser, PhHloComputation *computation)
{
  while (!ph_hlo_take (parser, "}"))
    if (!read_instruction (parser, computation))
      return FALSE;
  if (computation->instructions->len == 0)
    return ph_hlo_fail (parser, parser->p, "computation '%s' has no instructions", computation->name);
  if (computation->root == NULL)
    computation->root = computation->instructions->pdata[computation->instructions->len - 1];
  return parser->error == NULL;
}

/* ── top level ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
read_rest (PhHloParser *parser)
{
  while (ph_hlo_take (parser, ","))
    {
      if (ph_hlo_word (parser) == NULL)
        return TRUE;
      if (ph_hlo_take (parser, "="))
        {
          ph_hlo_peek (parser);
          if (!ph_hlo_skip (parser))
            return FALSE;
        }
    }
  return TRUE;
}

/* Names, places and stack frames, by number; metadata points at them. */
static gboolean
read_table (PhHloParser *parser, GHashTable *table, gboolean names)
{
  gint64 number;

  while (ph_hlo_int (parser, &number))
    {
      gint64 *row;

      if (names)
        {
          g_autofree char *name = ph_hlo_string (parser);

          if (name == NULL)
            return FALSE;
          g_hash_table_insert (table, GINT_TO_POINTER ((int) number), (gpointer) ph_intern (name));
          continue;
        }
      row = ph_hlo_alloc (parser->hlo, 4 * sizeof *row); /* file, line, column; or location, parent */
      if (!ph_hlo_expect (parser, "{"))
        return FALSE;
      while (!ph_hlo_take (parser, "}"))
        {
          g_autofree char *key = NULL;
          gint64 value;

          ph_hlo_take (parser, ",");
          key = g_strdup (ph_hlo_word (parser));
          if (key == NULL || !ph_hlo_expect (parser, "=") || !ph_hlo_int (parser, &value))
            return ph_hlo_fail (parser, parser->p, "name=number is expected here");
          if (g_str_equal (key, "file_name_id") || g_str_equal (key, "file_location_id"))
            row[0] = value;
          else if (g_str_equal (key, "line") || g_str_equal (key, "parent_frame_id"))
            row[1] = value;
          else if (g_str_equal (key, "column"))
            row[2] = value;
        }
      g_hash_table_insert (table, GINT_TO_POINTER ((int) number), row);
    }
  return parser->error == NULL;
}

static gboolean
read_frames (PhHloParser *parser)
{
  g_autoptr (GHashTable) files = g_hash_table_new (NULL, NULL), functions = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL), frames = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer key, value;

  for (;;)
    {
      GHashTable *table = NULL;

      if (ph_hlo_is_word (parser, "FileNames"))
        table = files;
      else if (ph_hlo_is_word (parser, "FunctionNames"))
        table = functions;
      else if (ph_hlo_is_word (parser, "FileLocations"))
        table = places;
      else if (ph_hlo_is_word (parser, "StackFrames"))
        table = frames;
      if (table == NULL)
        break;
      ph_hlo_word (parser);
      if (!read_table (parser, table, table == files || table == functions))
        return FALSE;
    }
  if (g_hash_table_size (frames) == 0)
    return TRUE;
  if (parser->frames == NULL)
    {
      parser->frames = g_hash_table_new (NULL, NULL);
      g_ptr_array_add (parser->hlo->tables, parser->frames);
    }
  g_hash_table_iter_init (&iter, frames);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const PhWhere *where = NULL;
      const gint64 *chain[32];
      int at = GPOINTER_TO_INT (key);
      guint n = 0;

      /* A caller's number is smaller than its callee's: following only such links cannot loop. */
      for (const gint64 *row = value; row != NULL && n < G_N_ELEMENTS (chain);)
        {
          chain[n++] = row;
          if (row[1] <= 0 || row[1] >= at)
            break;
          at = (int) row[1];
          row = g_hash_table_lookup (frames, GINT_TO_POINTER (at));
        }
      while (n-- > 0)
        {
          const gint64 *place = g_hash_table_lookup (places, GINT_TO_POINTER ((int) chain[n][0]));
          const char *file = place != NULL ? g_hash_table_lookup (files, GINT_TO_POINTER ((int) place[0])) : NULL;

          if (file != NULL)
            where = ph_where_new (file, (guint) CLAMP (place[1], 0, G_MAXINT), (guint) CLAMP (place[2], 0, G_MAXINT), FALSE,
                                  where);
        }
      if (where != NULL)
        g_hash_table_insert (parser->frames, key, (gpointer) where);
    }
  return TRUE;
}

static gboolean
read_header (PhHloParser *parser)
{
  const char *word;

  parser->p += strlen ("HloModule");
  word = ph_hlo_word (parser);
  if (word == NULL)
    return ph_hlo_fail (parser, parser->p, "the name of the module is expected here");
  parser->module = ph_hlo_add_module (parser->hlo, ph_intern (word));
  parser->computation = NULL;
  parser->frames = NULL;
  ph_hlo_take (parser, ":");
  return read_rest (parser) && read_frames (parser);
}

static PhHloInstruction *
add_bare (PhHloParser *parser, PhHloComputation *computation, const char *name, const char *opcode, const PhHloShape *shape)
{
  PhHloInstruction *instruction = ph_hlo_new_instruction (parser->hlo, ph_intern (name));

  instruction->opcode = ph_intern (opcode);
  instruction->shape = shape;
  instruction->place = (gsize) (parser->p - parser->begin);
  ph_text_place (&parser->line, parser->begin, parser->p, &instruction->line, &instruction->column);
  g_ptr_array_add (computation->instructions, instruction);
  return instruction;
}

/* A body that a book writes as {...}: the parameters of the signature, and one instruction for all that was left out. */
static gboolean
read_elided (PhHloParser *parser, PhHloComputation *computation, const char *signature, const PhHloShape *result)
{
  const char *back = parser->p;
  PhHloInstruction *root;

  parser->p = signature;
  for (gint64 i = 0; ph_hlo_take (parser, i == 0 ? "(" : ","); i++)
    {
      const char *word = ph_hlo_word (parser);
      const PhHloShape *shape;

      if (word == NULL) /* no parameter */
        break;
      word = ph_intern (word);
      if (!ph_hlo_expect (parser, ":") || (shape = ph_hlo_shape (parser)) == NULL)
        return FALSE;
      add_bare (parser, computation, word, "parameter", shape)->number = i;
    }
  parser->p = back;
  root = add_bare (parser, computation, "elided", "elided", result);
  for (guint i = 0; i + 1 < computation->instructions->len; i++)
    g_array_append_val (root->operands, ((PhHloInstruction *) computation->instructions->pdata[i])->name);
  computation->root = root;
  return TRUE;
}

/* Reads "ENTRY %main (x: f32[]) -> f32[] {", or a single instruction that stands for a whole module. */
static gboolean
read_computation (PhHloParser *parser)
{
  const char *from, *word, *signature;
  const PhHloShape *result = NULL;
  gboolean entry;
  PhHloComputation *computation;

  ph_hlo_peek (parser);
  from = parser->p;
  entry = ph_hlo_is_word (parser, "ENTRY");
  if (entry)
    parser->p += strlen ("ENTRY");
  else if (ph_hlo_is_word (parser, "ROOT"))
    parser->p += strlen ("ROOT");
  word = ph_hlo_word (parser);
  if (word == NULL)
    return ph_hlo_fail (parser, from, "no module: HloModule, ENTRY or the name of a computation is expected here");
  if (parser->module == NULL)
    parser->module = ph_hlo_add_module (parser->hlo, ph_intern (""));
  if (ph_hlo_peek (parser) == '=') /* an instruction alone */
    {
      if (parser->computation == NULL)
        parser->computation = ph_hlo_add_computation (parser->hlo, parser->module, ph_intern (""));
      parser->p = from;
      if (!read_instruction (parser, parser->computation))
        return FALSE;
      if (parser->computation->root == NULL || !g_str_has_prefix (from, "ROOT"))
        parser->computation->root = g_ptr_array_index (parser->computation->instructions,
                                                       parser->computation->instructions->len - 1);
      return TRUE;
    }
  if (g_hash_table_contains (parser->module->by_name, ph_intern (word)))
    return ph_hlo_fail (parser, from, "computation '%s' is defined twice; modules in one file are split by a line // -----",
                        word);
  parser->computation = computation = ph_hlo_add_computation (parser->hlo, parser->module, ph_intern (word));
  computation->entry = entry;
  ph_text_place (&parser->line, parser->begin, from, &computation->line, &computation->column);
  ph_hlo_peek (parser);
  signature = parser->p;
  if (ph_hlo_peek (parser) == '(' && !ph_hlo_skip_bracket (parser))
    return FALSE;
  if (ph_hlo_take (parser, "->") && (result = ph_hlo_shape (parser)) == NULL)
    return FALSE;
  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  if (ph_hlo_take (parser, "...") ? !read_elided (parser, computation, signature, result) || !ph_hlo_expect (parser, "}")
                                  : !ph_hlo_instructions (parser, computation))
    return FALSE;
  parser->computation = NULL;
  return read_rest (parser);
}

/* Reads up to @end. A part without a header may go on with the module above that has one, but no entry: what splits them is a comment. */
static gboolean
read_part (PhHloParser *parser, const char *end)
{
  const PhHloModule *above = parser->module;
  gboolean goes_on = above != NULL && above->error == NULL && *above->name != '\0';

  for (guint i = 0; goes_on && i < above->computations->len; i++)
    goes_on = !((const PhHloComputation *) above->computations->pdata[i])->entry;
  parser->end = end;
  parser->module = goes_on ? parser->module : NULL;
  parser->computation = NULL;
  parser->depth = 0;
  while (ph_hlo_peek (parser) != 0)
    if (ph_hlo_is_word (parser, "HloModule") ? !read_header (parser) : !read_computation (parser))
      return FALSE;
  return parser->error == NULL;
}

/* Reads what stands from @from to @end, where each header begins a module; one that is broken gets its error. FALSE: cancelled. */
static gboolean
read_modules (PhHloParser *parser, const char *from, const char *end)
{
  for (const char *next; from < end; from = next)
    {
      next = g_strstr_len (from, end - from, "\n" HEADER);
      next = next != NULL ? next + 1 : end;
      parser->p = from;
      if (read_part (parser, next))
        continue;
      if (!g_error_matches (parser->error, PH_ERROR, PH_ERROR_INVALID))
        return FALSE;
      ph_hlo_break_module (parser->hlo, parser->module != NULL ? parser->module : ph_hlo_add_module (parser->hlo, ph_intern ("")),
                           g_steal_pointer (&parser->error));
    }
  return TRUE;
}

gboolean
ph_hlo_parse (PhHlo *hlo, const char *text, gsize size, GError **error)
{
  g_autofree char *copy = NULL;
  g_autoptr (GString) word = g_string_new (NULL);
  g_autoptr (GArray) splits = NULL;
  PhHloParser parser = { .hlo = hlo, .word = word };
  gboolean ok = TRUE;

  copy = g_malloc (size + 1); /* parsing numbers needs the terminating NUL */
  memcpy (copy, text, size);
  copy[size] = '\0';
  parser.begin = parser.p = copy;
  splits = ph_text_split (copy, size, HEADER);
  for (guint i = 0; ok && i < splits->len; i++)
    {
      const char *from = g_array_index (splits, PhSplit, i).from;

      i = g_array_index (splits, PhSplit, i).last;
      ok = read_modules (&parser, from, g_array_index (splits, PhSplit, i).to);
    }
  if (!ok)
    g_propagate_error (error, parser.error);
  return ok;
}
