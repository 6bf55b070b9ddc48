/* table.c: tables of replies: as wide as the terminal, as a list, as CSV, as Markdown. Every table of the console is written here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/console/reply-table.h"
#include "core/escape.h"
#include "core/number.h"

#define MAX_CELL 100 /* characters                                                    */
#define GAP      2   /* between columns                                               */
#define TEXT     32  /* a column of text is not cut below this while a minor one can go */
#define SHORT    8   /* nor below this while any column can be omitted                */
#define LINE     24  /* sentences are broken to this before other text is cut           */
#define READABLE 14  /* nor below this in a terminal that is wide enough              */
#define NARROW   80  /* columns                                                       */

typedef struct
{
  PhReply *reply;
  JsonArray *rows;
  const PhColumn *columns;
  guint n, n_rows;
  GPtrArray *cells; /* (element-type char*) row by row                               */
  guint *width;     /* of each column; 0: omitted                                    */
  guint sentence;   /* how wide sentences are at most                                */
} Table;

static guint
char_width (gunichar c)
{
  return c < 0x20 || g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

static guint
text_width (const char *text)
{
  guint width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    width += char_width (g_utf8_get_char (p));
  return width;
}

/* A cell is one line and, unless @whole, of limited length. */
static char *
cell_text (JsonNode *node, int digits, gboolean whole)
{
  g_autofree char *text = NULL;
  g_autofree char *valid = NULL;

  if (digits > 0 && node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_DOUBLE)
    {
      const double value = json_node_get_double (node);
      char format[16];

      /* 1234 ms, not 1.23e+03. */
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      return ph_number_to_string (fabs (value) >= pow (10, digits) && fabs (value) < 1e9 ? "%.0f" : format, value);
    }
  text = ph_json_cell (node);
  valid = g_utf8_make_valid (text, -1);

  g_strdelimit (valid, "\n\r\t", ' ');
  if (!whole && g_utf8_strlen (valid, -1) > MAX_CELL)
    {
      g_autofree char *cut = g_utf8_substring (valid, 0, MAX_CELL - 1);
      return g_strconcat (cut, "…", NULL);
    }
  return g_steal_pointer (&valid);
}

/* Cuts @text to @width columns, with an ellipsis if it is longer. */
static char *
cut_to (const char *text, guint width)
{
  const char *p = text;
  guint have = 0;

  if (text_width (text) <= width)
    return g_strdup (text);
  for (; *p != '\0' && have + char_width (g_utf8_get_char (p)) < width; p = g_utf8_next_char (p))
    have += char_width (g_utf8_get_char (p));
  return g_strdup_printf ("%.*s…", (int) (p - text), text);
}

static void
append_padded (GString *out, const char *text, guint width, gboolean right, gboolean last)
{
  guint have = text_width (text);

  if (right && width > have)
    g_string_append_printf (out, "%*s", (int) (width - have), "");
  g_string_append (out, text);
  if (!right && !last && width > have)
    g_string_append_printf (out, "%*s", (int) (width - have), "");
}

/* ── the terminal's width ── */

static guint
least_width (const Table *table, guint column, guint cap)
{
  if (table->width[column] == 0)
    return 0;
  if (table->columns[column].sentence)
    cap = table->sentence;
  return table->columns[column].right ? table->width[column]
                                      : MIN (table->width[column], MAX (cap, text_width (table->columns[column].title)));
}

/* Returns the table's width if text columns are at most @cap wide. */
static guint
total_width (const Table *table, guint cap)
{
  guint total = 0;

  for (guint c = 0; c < table->n; c++)
    if (table->width[c] > 0)
      total += least_width (table, c, cap) + (total > 0 ? GAP : 0);
  return total;
}

/* Returns the next column to omit: the last minor one, then the last; 0 if only the first is left. */
static guint
next_to_go (const Table *table, gboolean minor)
{
  for (guint c = table->n - 1; c > 0; c--)
    if (table->width[c] > 0 && (!minor || table->columns[c].minor))
      return c;
  return 0;
}

/* Cuts columns of text, all to the same width; where that would leave too little, leaves out columns. Returns how many. */
static guint
fit (Table *table)
{
  const guint room = table->reply->width, least = room < NARROW ? SHORT : READABLE;
  guint left_out = 0, cap = 0, go;

  if (room == 0 || table->reply->wide)
    return 0;
  table->sentence = TEXT;
  while (total_width (table, TEXT) > room && (go = next_to_go (table, TRUE)) > 0)
    {
      table->width[go] = 0;
      left_out++;
    }
  table->sentence = LINE;
  while (total_width (table, least) > room && (go = next_to_go (table, FALSE)) > 0)
    {
      table->width[go] = 0;
      left_out++;
    }
  for (guint c = 0; c < table->n; c++)
    cap = MAX (cap, table->width[c]);
  table->sentence = room;
  while (table->sentence > LINE && total_width (table, cap) > room)
    table->sentence--;
  while (cap > SHORT && total_width (table, cap) > room)
    cap--;
  while (table->sentence > SHORT && total_width (table, cap) > room)
    table->sentence--;
  for (guint c = 0; c < table->n; c++)
    if (table->width[c] > 0)
      table->width[c] = MIN (least_width (table, c, cap), MAX (room, SHORT));
  return left_out;
}

static gboolean
is_last (const Table *table, guint column)
{
  for (guint c = column + 1; c < table->n; c++)
    if (table->width[c] > 0)
      return FALSE;
  return TRUE;
}

static const char *
cell_at (const Table *table, guint row, guint column)
{
  return table->cells->pdata[row * table->n + column];
}

/* Returns TRUE if an earlier row has the same sentence of more than two lines, shown there in full. */
static gboolean
was_said (const Table *table, guint row, guint column)
{
  if (text_width (cell_at (table, row, column)) <= 2 * table->width[column])
    return FALSE;
  for (guint r = 0; r < row; r++)
    if (g_str_equal (cell_at (table, r, column), cell_at (table, row, column)))
      return TRUE;
  return FALSE;
}

/* Returns the part of @text that fits into @width columns: whole words, or a part of a longer one, to its last hyphen where that is not
 * in its first half. @rest is set to the remainder. */
static char *
take_line (const char *text, guint width, const char **rest)
{
  const char *p = text, *space = NULL, *hyphen = NULL;
  guint have = 0;

  for (; *p != '\0' && (p == text || have + char_width (g_utf8_get_char (p)) <= width); p = g_utf8_next_char (p))
    {
      if (*p == ' ')
        space = p;
      if (*p == '-' && 2 * have > width)
        hyphen = p + 1;
      have += char_width (g_utf8_get_char (p));
    }
  if (*p != '\0' && *p != ' ' && (space != NULL || hyphen != NULL))
    p = space != NULL ? space : hyphen;
  *rest = p + strspn (p, " ");
  return g_strndup (text, (gsize) (p - text));
}

/* Writes one line of a row and advances @rest in each column. Continuation lines are indented, so that they do not read like rows of their
 * own. */
static void
say_line (const Table *table, const char **rest, const gboolean *whole, gboolean first, gboolean dim)
{
  GString *out = table->reply->text;

  g_string_append (out, dim ? PH_STYLE_DIM : "");
  for (guint c = 0; c < table->n; c++)
    {
      const PhColumn *column = &table->columns[c];
      g_autofree char *cell = NULL;
      gboolean styled;

      if (table->width[c] == 0)
        continue;
      if (whole[c])
        {
          const guint indent = first || is_last (table, c) || *rest[c] == '\0' || table->width[c] <= SHORT ? 0 : 2;
          g_autofree char *words = take_line (rest[c], table->width[c] - indent, &rest[c]);

          cell = g_strdup_printf ("%*s%s", (int) indent, "", words);
        }
      else
        {
          cell = cut_to (rest[c], table->width[c]);
          rest[c] = "";
        }
      styled = !dim && column->style != NULL && *cell != '\0' && !g_str_has_suffix (cell, "+0") && !g_str_has_suffix (cell, "-0")
               && !g_str_has_suffix (cell, "~0");
      if (styled)
        g_string_append (out, column->style);
      append_padded (out, cell, table->width[c], column->right, is_last (table, c));
      if (styled)
        g_string_append (out, PH_STYLE_RESET);
      g_string_append (out, is_last (table, c) ? "" : "  ");
    }
  g_string_append (out, dim ? PH_STYLE_RESET "\n" : "\n");
}

static void
say_row (const Table *table, guint row)
{
  const gboolean dim = table->columns[0].dim != NULL
                       && json_object_get_int_member (json_array_get_object_element (table->rows, row), table->columns[0].dim)
                              == 0;
  g_autofree const char **rest = g_new (const char *, table->n);
  g_autofree gboolean *whole = g_new (gboolean, table->n);
  gboolean more, first = TRUE;

  for (guint c = 0; c < table->n; c++)
    {
      rest[c] = cell_at (table, row, c);
      whole[c] = table->columns[c].sentence && text_width (rest[c]) > table->width[c] && !was_said (table, row, c);
    }
  do
    {
      say_line (table, rest, whole, first, dim);
      first = more = FALSE;
      for (guint c = 0; c < table->n; c++)
        more = more || (table->width[c] > 0 && *rest[c] != '\0');
    }
  while (more);
}

static void
say_table (Table *table)
{
  GString *out = table->reply->text;

  for (guint c = 0; c < table->n; c++)
    {
      table->width[c] = MAX (text_width (table->columns[c].title), 1);
      for (guint r = 0; r < table->n_rows; r++)
        table->width[c] = MAX (table->width[c], text_width (cell_at (table, r, c)));
    }
  const guint left_out = fit (table);

  g_string_append (out, PH_STYLE_BOLD);
  for (guint c = 0; c < table->n; c++)
    if (table->width[c] > 0)
      {
        g_autofree char *title = cut_to (table->columns[c].title, table->width[c]);

        append_padded (out, title, table->width[c], table->columns[c].right, is_last (table, c));
        g_string_append (out, is_last (table, c) ? "" : "  ");
      }
  g_string_append (out, PH_STYLE_RESET "\n");
  for (guint r = 0; r < table->n_rows; r++)
    say_row (table, r);
  if (left_out > 0)
    g_string_append_printf (out, PH_STYLE_DIM "%u of %u columns are not shown: --wide, or `mode list`" PH_STYLE_RESET "\n",
                            left_out, table->n);
}

/* ── other forms ── */

/* Writes "title value" lines, row by row. */
static void
say_list (const Table *table)
{
  guint width = 0;

  for (guint c = 0; c < table->n; c++)
    width = MAX (width, text_width (table->columns[c].title));
  for (guint r = 0; r < table->n_rows; r++)
    {
      g_string_append (table->reply->text, r > 0 ? "\n" : "");
      for (guint c = 0; c < table->n; c++)
        {
          g_string_append (table->reply->text, PH_STYLE_BOLD);
          append_padded (table->reply->text, table->columns[c].title, width, FALSE, FALSE);
          g_string_append_printf (table->reply->text, PH_STYLE_RESET "  %s\n", cell_at (table, r, c));
        }
    }
}

/* Appends a cell as in RFC 4180, except that lines end with LF. */
static void
append_csv (GString *out, const char *cell)
{
  if (strpbrk (cell, "\",\n\r") == NULL)
    {
      g_string_append (out, cell);
      return;
    }
  g_string_append_c (out, '"');
  for (const char *p = cell; *p != '\0'; p++)
    g_string_append (out, *p == '"' ? "\"\"" : (char[]) { *p, '\0' });
  g_string_append_c (out, '"');
}

static void
write_csv (const Table *table)
{
  GString *out = table->reply->csv;

  if (out == NULL)
    out = table->reply->csv = g_string_new (NULL);
  else
    g_string_append_c (out, '\n');
  for (guint c = 0; c < table->n; c++)
    {
      append_csv (out, table->columns[c].title);
      g_string_append_c (out, c + 1 < table->n ? ',' : '\n');
    }
  for (guint r = 0; r < table->n_rows; r++)
    for (guint c = 0; c < table->n; c++)
      {
        append_csv (out, cell_at (table, r, c));
        g_string_append_c (out, c + 1 < table->n ? ',' : '\n');
      }
}

static void
append_markdown (GString *out, const char *cell)
{
  for (const char *p = cell; *p != '\0'; p++)
    g_string_append (out, *p == '|' ? "\\|" : (char[]) { *p, '\0' });
}

static void
say_markdown (const Table *table)
{
  GString *out = table->reply->text;

  for (guint c = 0; c < table->n; c++)
    {
      g_string_append (out, "| ");
      append_markdown (out, table->columns[c].title);
      g_string_append (out, c + 1 < table->n ? " " : " |\n");
    }
  for (guint c = 0; c < table->n; c++)
    g_string_append_printf (out, "| ---%s%s", table->columns[c].right ? ":" : "", c + 1 < table->n ? " " : " |\n");
  for (guint r = 0; r < table->n_rows; r++)
    for (guint c = 0; c < table->n; c++)
      {
        g_string_append (out, "| ");
        append_markdown (out, cell_at (table, r, c));
        g_string_append (out, c + 1 < table->n ? " " : " |\n");
      }
  g_string_append_c (out, '\n'); /* the following text is not a row */
}

void
ph_reply_table (PhReply *reply, JsonArray *rows, const PhColumn *columns, guint n)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint *width = g_new0 (guint, n);
  Table table = { reply, rows, columns, n, json_array_get_length (rows), cells, width, G_MAXUINT };
  const gboolean whole = reply->wide || reply->mode != PH_TABLES_TABLE;

  if (table.n_rows == 0 && reply->mode != PH_TABLES_CSV)
    return;
  for (guint r = 0; r < table.n_rows; r++)
    for (guint c = 0; c < n; c++)
      {
        /* CSV is for programs, which need full precision. */
        const int digits = reply->mode == PH_TABLES_CSV ? 0 : columns[c].digits;
        const char *prefix = columns[c].prefix != NULL && reply->mode != PH_TABLES_CSV ? columns[c].prefix : "";
        g_autofree char *text = cell_text (json_object_get_member (json_array_get_object_element (rows, r), columns[c].key),
                                           digits, whole || columns[c].sentence);

        g_ptr_array_add (cells, g_strconcat (*text != '\0' ? prefix : "", text, NULL));
      }
  switch (reply->mode)
    {
    case PH_TABLES_LIST: say_list (&table); break;
    case PH_TABLES_CSV: write_csv (&table); break;
    case PH_TABLES_MARKDOWN: say_markdown (&table); break;
    default: say_table (&table);
    }
}

/* ── sentences ── */

/* Returns the bytes at @p that are displayed as one character; a style has the width 0. */
static gsize
next_char (const char *p, guint *width)
{
  *width = *p == '\xff' ? 0 : char_width (g_utf8_get_char (p));
  return *p == '\xff' ? 2 : (gsize) (g_utf8_next_char (p) - p);
}

/* Appends one line, wrapped between words at the terminal's width; continuations are indented. */
static void
append_wrapped (GString *out, const char *line, gsize length, guint room)
{
  /* A line of a diff may begin with a colour, then its sign. */
  const char *sign = line + (*line == '\xff' ? 2 : 0);
  const gboolean changed = (*sign == '-' || *sign == '+') && sign[1] == ' ';
  const guint indent = MIN ((guint) strspn (sign + changed, " ") + changed + 2, room / 2);
  const char *start = line, *space = NULL;
  guint at = 0, width;

  for (const char *p = line; p < line + length;)
    {
      const gsize n = next_char (p, &width);

      if (*p == ' ' && at > indent)
        space = p;
      if (at + width > room && space != NULL)
        {
          g_string_append_len (out, start, space - start);
          g_string_append_printf (out, "\n%*s", (int) indent, "");
          at = indent;
          p = start = space + 1;
          space = NULL;
          continue;
        }
      at += width;
      p += n;
    }
  g_string_append_len (out, start, line + length - start);
}

static GString *
wrap_lines (const char *text, guint room, gboolean quoted)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0';)
    {
      const char *end = strchrnul (p, '\n');

      if (quoted && g_str_has_prefix (p, "  "))
        g_string_append_len (out, p, end - p);
      else
        append_wrapped (out, p, (gsize) (end - p), room);
      if (*end == '\n')
        g_string_append_c (out, '\n');
      p = *end == '\n' ? end + 1 : end;
    }
  return out;
}

void
ph_reply_wrap (PhReply *reply)
{
  g_autofree char *raw = NULL;

  if (reply->width < 20 || reply->wide || (reply->mode != PH_TABLES_TABLE && reply->mode != PH_TABLES_LIST))
    return;
  raw = g_string_free (g_steal_pointer (&reply->text), FALSE);
  reply->text = wrap_lines (raw, reply->width, FALSE);
}

char *
ph_reply_error_text (const PhReply *reply)
{
  static const char prefix[] = "error: ";
  g_autofree char *shown = ph_escape (reply->error->message, TRUE), *whole = NULL;

  if (reply->width < 20)
    return g_steal_pointer (&shown);
  whole = g_strconcat (prefix, shown, NULL);
  g_free (shown);
  shown = g_string_free (wrap_lines (whole, reply->width, TRUE), FALSE);
  return g_strdup (shown + strlen (prefix));
}
