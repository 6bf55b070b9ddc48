/* pager.c: shows long output page by page: space, b, arrows, Home, End, / and n, q.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/pager.h"

#include <string.h>

struct _PhPager
{
  char *text;
  GPtrArray *lines; /* (element-type char*) rows of the screen, with their colours */
  guint rows, columns, top;
  gboolean searching, missing, done;
  GString *typed; /* the search text */
  GString *key;   /* the start of a key of several bytes */
};

/* Bytes of the sequence of colour at @p, or 0. */
static gsize
sequence (const char *p)
{
  const gsize n = p[0] == '\033' && p[1] == '[' ? strspn (p + 2, "0123456789;") + 2 : 0;

  return n > 0 && p[n] != '\0' ? n + 1 : 0;
}

static void
add_rows (PhPager *pager, const char *line, const char *end)
{
  const char *start = line;
  guint width = 0;

  for (const char *p = line; p < end;)
    {
      const gsize n = sequence (p);
      const gunichar c = n > 0 ? 0 : g_utf8_get_char (p);
      const guint wide = n > 0 || g_unichar_iszerowidth (c) ? 0 : c == '\t' ? 8 - width % 8 : g_unichar_iswide (c) ? 2 : 1;

      if (width > 0 && width + wide > pager->columns)
        {
          g_ptr_array_add (pager->lines, g_strndup (start, (gsize) (p - start)));
          start = p;
          width = 0;
        }
      width += wide;
      p = n > 0 ? p + n : g_utf8_next_char (p);
    }
  g_ptr_array_add (pager->lines, g_strndup (start, (gsize) (end - start)));
}

static void
wrap (PhPager *pager)
{
  const char *p = pager->text;

  g_ptr_array_set_size (pager->lines, 0);
  while (*p != '\0')
    {
      const char *end = strchrnul (p, '\n');

      add_rows (pager, p, end);
      p = *end != '\0' ? end + 1 : end;
    }
}

static guint
page_rows (const PhPager *pager)
{
  return MAX (pager->rows, 2) - 1;
}

static guint
last_top (const PhPager *pager)
{
  return pager->lines->len > page_rows (pager) ? pager->lines->len - page_rows (pager) : 0;
}

PhPager *
ph_pager_new (const char *text, guint rows, guint columns)
{
  PhPager *pager;

  if (rows < 3 || columns < 10)
    return NULL;
  pager = g_new0 (PhPager, 1);
  pager->text = g_utf8_make_valid (text, -1);
  pager->lines = g_ptr_array_new_with_free_func (g_free);
  pager->typed = g_string_new (NULL);
  pager->key = g_string_new (NULL);
  pager->rows = rows;
  pager->columns = columns;
  wrap (pager);
  if (pager->lines->len >= rows)
    return pager;
  ph_pager_free (pager);
  return NULL;
}

void
ph_pager_free (PhPager *pager)
{
  if (pager == NULL)
    return;
  g_free (pager->text);
  g_ptr_array_unref (pager->lines);
  g_string_free (pager->typed, TRUE);
  g_string_free (pager->key, TRUE);
  g_free (pager);
}

void
ph_pager_resize (PhPager *pager, guint rows, guint columns)
{
  if (rows == pager->rows && columns == pager->columns)
    return;
  pager->rows = rows;
  pager->columns = MAX (columns, 1);
  wrap (pager);
  pager->top = MIN (pager->top, last_top (pager));
}

char *
ph_pager_page (PhPager *pager)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < page_rows (pager) && pager->top + i < pager->lines->len; i++)
    g_string_append_printf (out, "%s\033[0m\n", (char *) pager->lines->pdata[pager->top + i]);
  return g_string_free (out, FALSE);
}

char *
ph_pager_draw (PhPager *pager)
{
  GString *out = g_string_new ("\033[?1049h\033[H");
  const guint n = page_rows (pager), end = MIN (pager->top + n, pager->lines->len);
  g_autofree char *status = pager->searching
                                ? g_strdup_printf ("/%s", pager->typed->str)
                                : g_strdup_printf ("%s%u-%u of %u   space b / n Home End q", pager->missing ? "not found   " : "",
                                                   pager->top + 1, end, pager->lines->len);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "\033[K%s\033[0m\n", pager->top + i < end ? (char *) pager->lines->pdata[pager->top + i] : "");
  if (g_utf8_strlen (status, -1) > (glong) pager->columns - 1)
    *g_utf8_offset_to_pointer (status, pager->columns - 1) = '\0';
  g_string_append_printf (out, pager->searching ? "%s\033[K" : "\033[7m%s\033[0m\033[K", status);
  return g_string_free (out, FALSE);
}

char *
ph_pager_leave (PhPager *pager)
{
  return g_strdup ("\033[?1049l");
}

gboolean
ph_pager_is_done (PhPager *pager)
{
  return pager->done;
}

/* ── keys ── */

/* Returns a row in lower case without its colours. */
static char *
plain_row (const char *row)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (const char *p = row; *p != '\0';)
    {
      const gsize n = sequence (p);

      if (n == 0)
        g_string_append_c (out, *p);
      p += MAX (n, 1);
    }
  return g_utf8_casefold (out->str, -1);
}

static void
search (PhPager *pager, gboolean back, gboolean from_here)
{
  g_autofree char *wanted = g_utf8_casefold (pager->typed->str, -1);
  const guint n = pager->lines->len;

  pager->missing = FALSE;
  for (guint i = from_here ? 0 : 1; *wanted != '\0' && i <= n; i++)
    {
      const guint at = back ? (pager->top + n - i) % n : (pager->top + i) % n;
      g_autofree char *row = plain_row (pager->lines->pdata[at]);

      if (strstr (row, wanted) != NULL)
        {
          pager->top = MIN (at, last_top (pager));
          return;
        }
    }
  pager->missing = TRUE;
}

static void
move (PhPager *pager, int by)
{
  pager->top = by < 0 && (guint) -by > pager->top ? 0 : MIN (pager->top + (guint) by, last_top (pager));
}

static void
search_key (PhPager *pager, const char *key)
{
  const gsize n = strlen (key);

  if (*key == '\r' || *key == '\n')
    {
      pager->searching = FALSE;
      search (pager, FALSE, TRUE);
    }
  else if (*key == '\003' || *key == '\033')
    pager->searching = FALSE;
  else if (*key == 0x7f || *key == '\b')
    {
      if (pager->typed->len == 0)
        pager->searching = FALSE;
      else
        g_string_truncate (pager->typed, (gsize) (g_utf8_prev_char (pager->typed->str + pager->typed->len) - pager->typed->str));
    }
  else if (n > 1 || (guchar) *key >= 0x20)
    g_string_append (pager->typed, key);
}

/* Returns FALSE if the key has no meaning. */
static gboolean
act (PhPager *pager, const char *key)
{
  /* clang-format off */
  static const struct { const char *keys[6]; char does; } table[] = {
    { { " ", "f", "\006", "\033[6~" }, ' ' }, { { "b", "\002", "\033[5~" }, 'b' },
    { { "\r", "\n", "j", "\033[B", "\033OB" }, 'j' }, { { "k", "\033[A", "\033OA" }, 'k' },
    { { "g", "<", "\033[H", "\033OH", "\033[1~" }, 'g' }, { { "G", ">", "\033[F", "\033OF", "\033[4~" }, 'G' },
    { { "d" }, 'd' }, { { "u" }, 'u' }, { { "/" }, '/' }, { { "n" }, 'n' }, { { "N" }, 'N' }, { { "q", "Q", "\003", "\004" }, 'q' },
  };
  /* clang-format on */
  const int page = (int) page_rows (pager);
  char does = 0;

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    for (guint k = 0; k < G_N_ELEMENTS (table[i].keys) && table[i].keys[k] != NULL; k++)
      if (g_str_equal (table[i].keys[k], key))
        does = table[i].does;
  pager->missing = FALSE;
  switch (does)
    {
    case ' ':
      /* A page past the end quits, as in other pagers. */
      pager->done = pager->top == last_top (pager);
      move (pager, page);
      break;
    case 'b': move (pager, -page); break;
    case 'j': move (pager, 1); break;
    case 'k': move (pager, -1); break;
    case 'd': move (pager, page / 2); break;
    case 'u': move (pager, -(page / 2)); break;
    case 'g': pager->top = 0; break;
    case 'G': pager->top = last_top (pager); break;
    case '/':
      pager->searching = TRUE;
      g_string_truncate (pager->typed, 0);
      break;
    case 'n':
    case 'N': search (pager, does == 'N', FALSE); break;
    case 'q': pager->done = TRUE; break;
    default: return *key == '\033';
    }
  return TRUE;
}

/* Returns the number of bytes of the first key at @keys, or 0 if it is incomplete. */
static gsize
key_length (const char *keys, gsize n)
{
  gsize i = 2;

  if (keys[0] != '\033')
    return MIN (n, (gsize) g_utf8_skip[(guchar) keys[0]]);
  if (n < 2)
    return 1;
  if (keys[1] == 'O')
    return n < 3 ? 0 : 3;
  if (keys[1] != '[')
    return 2;
  while (i < n && !g_ascii_isalpha (keys[i]) && keys[i] != '~')
    i++;
  return i < n ? i + 1 : 0;
}

char *
ph_pager_type (PhPager *pager, const char *keys, gsize n, gsize *n_used)
{
  const gsize before = pager->key->len;
  gsize at = 0;

  g_string_append_len (pager->key, keys, (gssize) n);
  while (!pager->done && at < pager->key->len)
    {
      const gsize length = key_length (pager->key->str + at, pager->key->len - at);
      g_autofree char *key = g_strndup (pager->key->str + at, length);

      if (length == 0)
        break;
      if (pager->searching)
        search_key (pager, key);
      else if (!act (pager, key))
        {
          pager->done = TRUE;
          break;
        }
      at += length;
    }
  *n_used = pager->done ? MAX (at, before) - before : n;
  g_string_erase (pager->key, 0, (gssize) at);
  return pager->done ? g_strdup ("") : ph_pager_draw (pager);
}
