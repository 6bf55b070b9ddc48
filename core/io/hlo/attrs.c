/* attrs.c: reads the attributes after the operands of an instruction in HLO text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "core/io/hlo/lexer.h"

static gboolean
is_computation (const char *name)
{
  /* clang-format off */
  static const char *const names[] = {
    "calls", "to_apply", "body", "condition", "select", "scatter", "comparator", "true_computation", "false_computation",
    "branch_computations", "called_computations"
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      return TRUE;
  return FALSE;
}

static gboolean
add_call (PhHloParser *parser, PhHloInstruction *instruction, const char *attr, guint index, gboolean inside)
{
  PhHloCall call = { .attr = ph_hlo_body_name (instruction->opcode, attr, index), .place = (gsize) (parser->p - parser->begin) };
  const char *word;

  if (inside)
    {
      PhHloComputation *outer = parser->computation;
      g_autofree char *name = g_strdup_printf ("%s.%s", instruction->name, call.attr);

      call.inside = parser->computation = ph_hlo_add_computation (parser->hlo, NULL, ph_intern (name));
      if (!ph_hlo_expect (parser, "{") || !ph_hlo_enter (parser) || !ph_hlo_instructions (parser, call.inside))
        return FALSE;
      parser->depth--;
      parser->computation = outer;
      call.name = call.inside->name;
    }
  else
    {
      word = ph_hlo_word (parser);
      if (word == NULL)
        return ph_hlo_fail (parser, parser->p, "the name of a computation is expected here");
      call.name = ph_intern (word);
    }
  g_array_append_val (instruction->calls, call);
  return TRUE;
}

/* "%name", "{%a, %b}", or the computation itself between "{" and "}". */
static gboolean
read_computations (PhHloParser *parser, PhHloInstruction *instruction, const char *attr)
{
  const char *from = parser->p;
  gboolean names, inside;
  char next;

  if (ph_hlo_peek (parser) != '{')
    return add_call (parser, instruction, attr, 0, FALSE);
  from = parser->p;
  parser->p++;
  next = ph_hlo_peek (parser);
  inside = next == '{';
  names = next == '}' || (ph_hlo_word (parser) != NULL && strchr (",}", ph_hlo_peek (parser)) != NULL);
  parser->p = from;
  if (!names && !inside)
    return add_call (parser, instruction, attr, 0, TRUE);
  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  for (guint i = 0; !ph_hlo_take (parser, "}"); i++)
    {
      if (i > 0 && !ph_hlo_expect (parser, ","))
        return FALSE;
      ph_hlo_peek (parser);
      if (!add_call (parser, instruction, attr, i, inside))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_after (PhHloParser *parser, PhHloInstruction *instruction)
{
  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  while (!ph_hlo_take (parser, "}"))
    {
      const char *name = ph_hlo_word (parser);

      if (name == NULL)
        return ph_hlo_fail (parser, parser->p, "the name of an instruction is expected here");
      name = ph_intern (name);
      g_array_append_val (instruction->after, name);
      ph_hlo_take (parser, ",");
    }
  return TRUE;
}

/* ── metadata ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
read_metadata (PhHloParser *parser, PhHloInstruction *instruction)
{
  g_autofree char *file = NULL;
  gint64 line = 0, column = 0, frame = 0;

  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  while (!ph_hlo_take (parser, "}"))
    {
      g_autofree char *key = NULL, *text = NULL;
      gint64 number = 0;

      ph_hlo_take (parser, ",");
      key = g_strdup (ph_hlo_word (parser));
      if (key == NULL || !ph_hlo_expect (parser, "="))
        return ph_hlo_fail (parser, parser->p, "name=value is expected here");
      switch (ph_hlo_peek (parser))
        {
        case '"':
          text = ph_hlo_string (parser);
          if (text == NULL)
            return FALSE;
          break;
        case '{':
        case '[':
          if (!ph_hlo_skip_bracket (parser))
            return FALSE;
          break;
        default:
          if (!ph_hlo_int (parser, &number) && ph_hlo_word (parser) == NULL)
            return ph_hlo_fail (parser, parser->p, "a value is expected here");
        }
      if (text != NULL && g_str_equal (key, "op_name"))
        instruction->scope = ph_hlo_scope (text);
      else if (text != NULL && g_str_equal (key, "source_file"))
        file = g_steal_pointer (&text);
      else if (g_str_equal (key, "source_line"))
        line = number;
      else if (g_str_equal (key, "source_column"))
        column = number;
      else if (g_str_equal (key, "stack_frame_id"))
        frame = number;
    }
  if (frame > 0 && parser->frames != NULL)
    instruction->where = g_hash_table_lookup (parser->frames, GINT_TO_POINTER ((int) frame));
  if (instruction->where == NULL && file != NULL && *file != '\0')
    instruction->where = ph_where_new (ph_intern (file), (guint) CLAMP (line, 0, G_MAXINT), (guint) CLAMP (column, 0, G_MAXINT),
                                       FALSE, NULL);
  return TRUE;
}

/* ── attributes made of numbers ────────────────────────────────────────────────────────────────────────────────────── */

/* "slice={[0:4], [2:8:2]}" */
static gboolean
read_slice (PhHloParser *parser, PhHloInstruction *instruction)
{
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (gint64)), limits = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) strides = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  while (!ph_hlo_take (parser, "}"))
    {
      gint64 start, limit, stride = 1;

      if (starts->len > 0 && !ph_hlo_expect (parser, ","))
        return FALSE;
      if (!ph_hlo_expect (parser, "[") || !ph_hlo_int (parser, &start) || !ph_hlo_expect (parser, ":")
          || !ph_hlo_int (parser, &limit) || (ph_hlo_take (parser, ":") && !ph_hlo_int (parser, &stride))
          || !ph_hlo_expect (parser, "]"))
        return ph_hlo_fail (parser, parser->p, "[first:end:step] is expected here");
      g_array_append_val (starts, start);
      g_array_append_val (limits, limit);
      g_array_append_val (strides, stride);
    }
  ph_hlo_add_ints (parser->hlo, instruction, "start_indices", starts);
  ph_hlo_add_ints (parser->hlo, instruction, "limit_indices", limits);
  ph_hlo_add_ints (parser->hlo, instruction, "strides", strides);
  return TRUE;
}

/* Splits "1_2_0x3_4" at "x" and puts number j of each group into @into[j]. A third number may be missing. */
static gboolean
split (const char *text, guint parts, GArray **into)
{
  g_auto (GStrv) groups = g_strsplit (text, "x", -1);

  for (guint i = 0; groups[i] != NULL; i++)
    {
      g_auto (GStrv) numbers = g_strsplit (groups[i], "_", -1);

      for (guint j = 0; j < parts; j++)
        {
          gint64 value = 0;

          if (j >= g_strv_length (numbers))
            {
              if (parts < 3 || j < 2)
                return FALSE;
            }
          else
            {
              char *end;

              errno = 0;
              value = g_ascii_strtoll (numbers[j], &end, 10);
              if (errno != 0 || end == numbers[j] || *end != '\0')
                return FALSE;
            }
          g_array_append_val (into[j], value);
        }
    }
  return TRUE;
}

/* "padding=0_1_0x2_2" of pad: low, high and between. */
static gboolean
read_padding (PhHloParser *parser, PhHloInstruction *instruction)
{
  const char *from = parser->p;
  g_autoptr (GArray) low = g_array_new (FALSE, FALSE, sizeof (gint64)), high = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) interior = g_array_new (FALSE, FALSE, sizeof (gint64));
  GArray *into[] = { low, high, interior };
  g_autofree char *text = NULL;

  ph_hlo_peek (parser);
  from = parser->p;
  if (!ph_hlo_skip (parser))
    return FALSE;
  text = ph_hlo_span (from, parser->p);
  if (!split (text, 3, into))
    return ph_hlo_fail (parser, from, "padding (low_high_between, with x from dimension to dimension) is expected here, not '%s'",
                        text);
  ph_hlo_add_ints (parser->hlo, instruction, "edge_padding_low", low);
  ph_hlo_add_ints (parser->hlo, instruction, "edge_padding_high", high);
  ph_hlo_add_ints (parser->hlo, instruction, "interior_padding", interior);
  return TRUE;
}

/* "window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=... rhs_dilate=... rhs_reversal=...}" */
static gboolean
read_window (PhHloParser *parser, PhHloInstruction *instruction)
{
  static const struct
  {
    const char *key, *attr;
  } keys[] = {
    { "size", "window_dimensions" },      { "stride", "window_strides" },        { "lhs_dilate", "base_dilations" },
    { "rhs_dilate", "window_dilations" }, { "rhs_reversal", "window_reversal" },
  };

  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  while (!ph_hlo_take (parser, "}"))
    {
      g_autofree char *key = NULL, *text = NULL;
      g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (gint64)),
                         second = g_array_new (FALSE, FALSE, sizeof (gint64));
      GArray *into[] = { first, second };
      const char *from;

      ph_hlo_take (parser, ",");
      key = g_strdup (ph_hlo_word (parser));
      if (key == NULL || !ph_hlo_expect (parser, "="))
        return ph_hlo_fail (parser, parser->p, "name=value is expected here");
      ph_hlo_peek (parser);
      from = parser->p;
      parser->p += strcspn (from, " ,}\t\r\n");
      text = ph_hlo_span (from, parser->p);
      if (!split (text, g_str_equal (key, "pad") ? 2 : 1, into))
        return ph_hlo_fail (parser, from, "numbers with x between them are expected here, not '%s'", text);
      if (g_str_equal (key, "pad"))
        {
          g_autoptr (GArray) both = g_array_new (FALSE, FALSE, sizeof (gint64));

          for (guint i = 0; i < first->len; i++)
            {
              g_array_append_val (both, g_array_index (first, gint64, i));
              g_array_append_val (both, g_array_index (second, gint64, i));
            }
          ph_hlo_add_ints (parser->hlo, instruction, "padding", both);
        }
      for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
        if (g_str_equal (keys[i].key, key))
          ph_hlo_add_ints (parser->hlo, instruction, keys[i].attr, first);
    }
  return TRUE;
}

/* ── the rest ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Parses @text as integers between braces, a number, true or false; anything else is kept as text. */
static PhAttr *
attr_of_text (const char *name, const char *text)
{
  const gsize length = strlen (text);
  char *end;

  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    return ph_attr_new_int (name, *text == 't');
  if (*text == '{' && text[length - 1] == '}' && strspn (text + 1, "0123456789-, ") == length - 2)
    {
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
      const char *p = text + 1;

      for (;;)
        {
          gint64 value;

          p += strspn (p, " ");
          if (*p == '}' && values->len == 0)
            return ph_attr_new_ints (name, NULL, 0);
          errno = 0;
          value = g_ascii_strtoll (p, &end, 10);
          if (end == p || errno != 0)
            break;
          g_array_append_val (values, value);
          p = end + strspn (end, " ");
          if (*p == '}')
            return ph_attr_new_ints (name, (const gint64 *) (gpointer) values->data, values->len);
          if (*p++ != ',')
            break;
        }
    }
  if (g_ascii_isdigit (*text) || (*text == '-' && g_ascii_isdigit (text[1])))
    {
      gint64 value;
      double real;

      errno = 0;
      value = g_ascii_strtoll (text, &end, 10);
      if (*end == '\0' && errno == 0)
        return ph_attr_new_int (name, value);
      real = g_ascii_strtod (text, &end);
      if (*end == '\0')
        return ph_attr_new_float (name, (float) real);
    }
  return ph_attr_new_string (name, text);
}

static gboolean
read_plain (PhHloParser *parser, PhHloInstruction *instruction, const char *name)
{
  g_autofree char *text = NULL;
  const char *from;

  if (ph_hlo_peek (parser) == '"')
    {
      text = ph_hlo_string (parser);
      if (text == NULL)
        return FALSE;
      ph_hlo_add_attr (parser->hlo, instruction, ph_attr_new_string (name, text));
      return TRUE;
    }
  from = parser->p;
  if (*from == '{' ? !ph_hlo_skip_bracket (parser) : !ph_hlo_skip (parser))
    return FALSE;
  text = ph_hlo_span (from, parser->p);
  if (g_str_equal (name, "index") && g_str_equal (instruction->opcode, "get-tuple-element"))
    {
      char *end;

      instruction->number = g_ascii_strtoll (text, &end, 10);
      if (end == text || *end != '\0')
        return ph_hlo_fail (parser, from, "the number of an element is expected here, not '%s'", text);
      return TRUE;
    }
  if (*text != '\0')
    ph_hlo_add_attr (parser->hlo, instruction, attr_of_text (name, text));
  return TRUE;
}

gboolean
ph_hlo_attrs (PhHloParser *parser, PhHloInstruction *instruction)
{
  while (ph_hlo_take (parser, ","))
    {
      const char *word = ph_hlo_word (parser), *name;
      gboolean ok;

      if (word == NULL)
        return TRUE;
      name = ph_intern (word);
      if (!ph_hlo_expect (parser, "="))
        return FALSE;
      if (is_computation (name))
        ok = read_computations (parser, instruction, name);
      else if (g_str_equal (name, "metadata"))
        ok = read_metadata (parser, instruction);
      else if (g_str_equal (name, "control-predecessors"))
        ok = read_after (parser, instruction);
      else if (g_str_equal (name, "slice") && ph_hlo_peek (parser) == '{')
        ok = read_slice (parser, instruction);
      else if (g_str_equal (name, "padding") && g_str_equal (instruction->opcode, "pad"))
        ok = read_padding (parser, instruction);
      else if (g_str_equal (name, "window") && ph_hlo_peek (parser) == '{')
        ok = read_window (parser, instruction);
      else
        ok = read_plain (parser, instruction, name);
      if (!ok)
        return FALSE;
    }
  return parser->error == NULL;
}
