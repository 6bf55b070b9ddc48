/* wire-text.c: converts protobuf's text format to the wire format, so that a reader of the binary form reads both.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/wire.h"

#include <string.h>

#include "core/io/source.h"

#define MAX_DEPTH 100

typedef struct
{
  const char *begin, *at, *end;
  PhTextLine line;
  gint64 (*number_of) (const char *word);
  const char *why;
} Text;

static gboolean
fail (Text *text, const char *why)
{
  if (text->why == NULL)
    text->why = why;
  return FALSE;
}

static void
skip_blanks (Text *text)
{
  while (text->at < text->end)
    if (g_ascii_isspace (*text->at))
      text->at++;
    else if (*text->at == '#')
      while (text->at < text->end && *text->at != '\n')
        text->at++;
    else
      break;
}

static char
peek (Text *text)
{
  skip_blanks (text);
  return text->at < text->end ? *text->at : '\0';
}

static gboolean
take (Text *text, char c)
{
  if (peek (text) != c || text->at >= text->end)
    return FALSE;
  text->at++;
  return TRUE;
}

/* Takes a name, a number, or a word of an enumeration. (transfer full) (nullable) */
static char *
take_word (Text *text)
{
  const char *from;

  skip_blanks (text);
  from = text->at;
  while (text->at < text->end && (g_ascii_isalnum (*text->at) || strchr ("_.+-", *text->at) != NULL) && *text->at != '\0')
    text->at++;
  return text->at > from ? g_strndup (from, (gsize) (text->at - from)) : NULL;
}

static guint
take_digits (Text *text, guint base, guint most)
{
  guint value = 0;

  for (guint i = 0; i < most && text->at < text->end; i++)
    {
      const int digit = g_ascii_xdigit_value (*text->at);

      if (digit < 0 || digit >= (int) base)
        break;
      value = value * base + (guint) digit;
      text->at++;
    }
  return value;
}

static void
take_escape (Text *text, GByteArray *out)
{
  static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
  const char c = text->at < text->end ? *text->at : '\0';
  const char *letter = c != '\0' ? strchr (letters, c) : NULL;
  guint8 byte;

  if (g_ascii_isdigit (c))
    byte = (guint8) take_digits (text, 8, 3);
  else if (c == 'x' || c == 'X')
    {
      text->at++;
      byte = (guint8) take_digits (text, 16, 2);
    }
  else if (c == 'u' || c == 'U')
    {
      char utf8[6];
      guint value;

      text->at++;
      value = take_digits (text, 16, c == 'u' ? 4 : 8);
      if (g_unichar_validate (value))
        g_byte_array_append (out, (guint8 *) utf8, (guint) g_unichar_to_utf8 (value, utf8));
      return;
    }
  else
    {
      byte = (guint8) (letter != NULL ? bytes[letter - letters] : c);
      text->at += text->at < text->end ? 1 : 0;
    }
  g_byte_array_append (out, &byte, 1);
}

/* Strings that follow each other are one. */
static gboolean
take_string (Text *text, GByteArray *out)
{
  char quote;

  if (peek (text) != '"' && peek (text) != '\'')
    return fail (text, "a text in quotes is expected here");
  while ((quote = peek (text)) == '"' || quote == '\'')
    {
      text->at++;
      while (text->at < text->end && *text->at != quote)
        if (*text->at == '\\')
          {
            text->at++;
            take_escape (text, out);
          }
        else
          g_byte_array_append (out, (const guint8 *) text->at++, 1);
      if (text->at >= text->end)
        return fail (text, "a text in quotes has no end");
      text->at++;
    }
  return TRUE;
}

static gboolean take_message (Text *text, const PhTextMessage *message, GByteArray *out, char close, guint depth);

static void
put_line (Text *text, guint id, GByteArray *out)
{
  guint line, column;

  ph_text_place (&text->line, text->begin, text->at, &line, &column);
  ph_wire_put_number (out, id, line);
}

/* Parses a value, also of an unknown field. */
static gboolean
take_value (Text *text, const PhTextField *field, GByteArray *out, guint depth)
{
  const char c = peek (text);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *word = NULL;
  gint64 number;

  if (c == '{' || c == '<')
    {
      text->at++;
      if (field != NULL && field->kind == PH_TEXT_MESSAGE && field->message->line > 0)
        put_line (text, field->message->line, bytes);
      if (!take_message (text, field != NULL ? field->message : NULL, bytes, c == '{' ? '}' : '>', depth + 1))
        return FALSE;
      if (field != NULL && field->kind == PH_TEXT_MESSAGE)
        ph_wire_put_bytes (out, field->id, bytes->data, bytes->len);
      return TRUE;
    }
  if (c == '"' || c == '\'')
    {
      if (!take_string (text, bytes))
        return FALSE;
      if (field != NULL && field->kind == PH_TEXT_STRING)
        ph_wire_put_bytes (out, field->id, bytes->data, bytes->len);
      return TRUE;
    }
  word = take_word (text);
  if (word == NULL)
    return fail (text, "a value is expected here");
  if (field == NULL)
    return TRUE;
  switch (field->kind)
    {
    case PH_TEXT_FLOAT:
    case PH_TEXT_DOUBLE:
      {
        const double value = g_ascii_strtod (word, NULL);
        const float narrow = (float) value;
        guint32 bits;
        guint64 wide;

        memcpy (&bits, &narrow, sizeof bits);
        memcpy (&wide, &value, sizeof wide);
        ph_wire_put_fixed (out, field->id, field->kind == PH_TEXT_FLOAT ? bits : wide, field->kind == PH_TEXT_DOUBLE);
        return TRUE;
      }
    case PH_TEXT_BOOL: ph_wire_put_number (out, field->id, g_ascii_tolower (*word) == 't' || *word == '1'); return TRUE;
    case PH_TEXT_ENUM:
    case PH_TEXT_INT:
      number = g_ascii_isalpha (*word) && text->number_of != NULL ? text->number_of (word)
               : *word == '-'                                     ? g_ascii_strtoll (word, NULL, 0)
                                                                  : (gint64) g_ascii_strtoull (word, NULL, 0);
      if (g_ascii_isalpha (*word) && number < 0)
        return TRUE; /* a word of a later version */
      ph_wire_put_number (out, field->id, (guint64) number);
      return TRUE;
    case PH_TEXT_STRING:
    case PH_TEXT_MESSAGE:
    default: return fail (text, "a value of another kind is expected here");
    }
}

static const PhTextField *
find_field (const PhTextMessage *message, const char *name)
{
  for (guint i = 0; message != NULL && i < G_N_ELEMENTS (message->fields) && message->fields[i].name != NULL; i++)
    if (strcmp (message->fields[i].name, name) == 0)
      return &message->fields[i];
  return NULL;
}

/* Parses a name or "[type.googleapis.com/x.Y]": the name of an extension, or the type of an Any. */
static char *
take_name (Text *text)
{
  if (!take (text, '['))
    return take_word (text);
  while (text->at < text->end && *text->at != ']')
    text->at++;
  return take (text, ']') ? g_strdup ("[]") : NULL;
}

static gboolean
take_field (Text *text, const PhTextMessage *message, GByteArray *out, guint depth)
{
  g_autofree char *name = take_name (text);
  const PhTextField *field = name != NULL ? find_field (message, name) : NULL;
  gboolean colon;

  if (name == NULL)
    return fail (text, "the name of a field is expected here");
  colon = take (text, ':');
  if (!colon && peek (text) != '{' && peek (text) != '<')
    return fail (text, "':' or '{' is expected after the name of a field");
  if (take (text, '['))
    {
      if (take (text, ']'))
        return TRUE;
      do
        if (!take_value (text, field, out, depth))
          return FALSE;
      while (take (text, ','));
      return take (text, ']') || fail (text, "a list has no ']'");
    }
  return take_value (text, field, out, depth);
}

static gboolean
take_message (Text *text, const PhTextMessage *message, GByteArray *out, char close, guint depth)
{
  if (depth > MAX_DEPTH)
    return fail (text, "messages are nested too deep");
  while (TRUE)
    {
      const char c = peek (text);

      if (text->at >= text->end)
        return close == '\0' || fail (text, "a message has no end");
      if (close != '\0' && c == close)
        {
          text->at++;
          return TRUE;
        }
      if (!take_field (text, message, out, depth))
        return FALSE;
      if (!take (text, ','))
        take (text, ';');
    }
}

GByteArray *
ph_wire_from_text (const char *data, gsize size, const PhTextMessage *message, gint64 (*number_of) (const char *word),
                   guint *line, guint *column, const char **why)
{
  Text text = { .begin = data, .at = data, .end = data + size, .number_of = number_of };
  g_autoptr (GByteArray) out = g_byte_array_new ();

  if (take_message (&text, message, out, '\0', 0))
    return g_steal_pointer (&out);
  ph_text_place (&text.line, data, text.at, line, column);
  *why = text.why;
  return NULL;
}
