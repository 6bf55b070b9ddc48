/* arguments.c: parses a command's usage as a grammar, to know which arguments may follow. "[STEP [STEP] | PASS] [--stat]": words in
 * capitals are kinds, those in lower case are literals, brackets enclose optional parts, a separate bar separates alternatives, dots
 * repeat. An option's value follows it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/command-words.h"

#define MAX_GROUPS 32

typedef enum
{
  OPEN,
  CLOSE,
  BAR,
  WORD
} Kind;

typedef struct
{
  Kind kind;
  char *text;               /* of a word                                                     */
  guint group, alternative; /* that contains it                                              */
  guint position;           /* among the arguments; of a word that is no option and no option's value */
  gboolean option, value, repeats;
} Token;

typedef struct
{
  guint parent, parent_alternative, start, alternative;
  gboolean entered; /* partly typed                                                  */
  guint chosen;     /* then: the alternative                                         */
} Group;

typedef struct
{
  GArray *tokens;
  Group groups[MAX_GROUPS];
  guint n_groups;
} Grammar;

static void
clear_token (gpointer data)
{
  g_free (((Token *) data)->text);
}

static void
add_token (Grammar *grammar, Kind kind, guint group, const char *text, guint *position)
{
  const gboolean dots = text != NULL && g_str_has_suffix (text, "...");
  Token token = { kind, g_strdup (text), group, grammar->groups[group].alternative, 0 };
  const Token *before = grammar->tokens->len > 0 ? &g_array_index (grammar->tokens, Token, grammar->tokens->len - 1) : NULL;

  if (kind == WORD)
    {
      token.option = g_str_has_prefix (text, "--");
      token.value = !token.option && before != NULL && before->kind == WORD && before->option;
      token.repeats = dots;
      if (!token.option && !token.value)
        token.position = (*position)++;
    }
  g_array_append_val (grammar->tokens, token);
}

static void
parse (Grammar *grammar, const char *arguments)
{
  g_auto (GStrv) words = g_strsplit (arguments != NULL ? arguments : "", " ", -1);
  guint at = 0, position = 0;

  grammar->tokens = g_array_new (FALSE, FALSE, sizeof (Token));
  g_array_set_clear_func (grammar->tokens, clear_token);
  grammar->n_groups = 1;
  for (guint w = 0; words[w] != NULL; w++)
    {
      const char *text = words[w];
      guint n_closed = 0, length, depth = 0;

      if (*text == '\0')
        continue;
      if (g_str_equal (text, "|"))
        {
          add_token (grammar, BAR, at, NULL, NULL);
          grammar->groups[at].alternative++;
          position = grammar->groups[at].start;
          continue;
        }
      for (; *text == '[' && grammar->n_groups < MAX_GROUPS; text++)
        {
          Group *group = &grammar->groups[grammar->n_groups];

          *group = (Group) { at, grammar->groups[at].alternative, position };
          at = grammar->n_groups++;
          add_token (grammar, OPEN, at, NULL, NULL);
        }
      /* Counts the brackets that close earlier groups; those inside "STEP[.REWRITE]" close their own. */
      length = (guint) strlen (text);
      for (guint i = 0; i < length; i++)
        if (text[i] == '[')
          depth++;
        else if (text[i] == ']' && depth > 0)
          depth--;
        else if (text[i] == ']')
          n_closed++;
      g_autofree char *word = g_strndup (text, length - n_closed);
      add_token (grammar, WORD, at, word, &position);
      for (; n_closed > 0 && at > 0; n_closed--)
        {
          add_token (grammar, CLOSE, at, NULL, NULL);
          at = grammar->groups[at].parent;
        }
    }
}

static gboolean
is_literal (const char *word)
{
  return word[strspn (word, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

/* Determines which alternative of each group @typed chose. */
static void
enter (Grammar *grammar, char **typed, guint n)
{
  for (guint i = 0; i < grammar->tokens->len; i++)
    {
      const Token *token = &g_array_index (grammar->tokens, Token, i);
      Group *group = &grammar->groups[token->group];

      if (token->kind != WORD || token->option || token->value || token->position >= n)
        continue;
      if (!group->entered
          || (is_literal (token->text) && token->position == group->start && g_str_equal (typed[token->position], token->text)))
        group->chosen = token->alternative;
      group->entered = TRUE;
    }
}

static gboolean
is_open (const Grammar *grammar, guint group, guint alternative)
{
  for (;; alternative = grammar->groups[group].parent_alternative, group = grammar->groups[group].parent)
    {
      if (grammar->groups[group].entered && grammar->groups[group].chosen != alternative)
        return FALSE;
      if (group == 0)
        return TRUE;
    }
}

/* Returns the arguments among the words in @line, without options and their values. (transfer full) */
static char **
typed_arguments (const Grammar *grammar, char **words, guint n, const char **option)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();

  *option = NULL;
  for (guint w = 0; w < n; w++)
    {
      if (*option == NULL && !g_str_has_prefix (words[w], "--"))
        g_strv_builder_add (out, words[w]);
      else if (*option != NULL)
        *option = NULL;
      else
        for (guint i = 0; i + 1 < grammar->tokens->len; i++)
          if (g_array_index (grammar->tokens, Token, i).option
              && g_str_equal (g_array_index (grammar->tokens, Token, i).text, words[w])
              && g_array_index (grammar->tokens, Token, i + 1).value)
            *option = words[w];
    }
  return g_strv_builder_end (out);
}

static void
append_word (GString *out, const char *word)
{
  if (out->len > 0 && out->str[out->len - 1] != '[')
    g_string_append_c (out, ' ');
  g_string_append (out, word);
}

char *
ph_arguments_next (const char *arguments, char **words, guint n)
{
  Grammar grammar = { NULL };
  const char *option = NULL;
  GString *out = g_string_new (NULL);
  g_auto (GStrv) typed = (parse (&grammar, arguments), typed_arguments (&grammar, words, n, &option));
  const guint n_typed = g_strv_length (typed);

  enter (&grammar, typed, n_typed);
  for (guint i = 0; i < grammar.tokens->len; i++)
    {
      const Token *token = &g_array_index (grammar.tokens, Token, i);

      if (token->kind != WORD)
        continue;
      if (option != NULL)
        {
          if (token->value && g_str_equal (g_array_index (grammar.tokens, Token, i - 1).text, option))
            append_word (out, token->text);
        }
      else if (token->option)
        append_word (out, token->text);
      else if (!token->value && is_open (&grammar, token->group, token->alternative)
               && (token->position == n_typed || (token->repeats && token->position < n_typed)))
        append_word (out, token->text);
    }
  g_array_unref (grammar.tokens);
  return g_string_free (out, FALSE);
}

char *
ph_arguments_rest (const char *arguments, char **words, guint n)
{
  Grammar grammar = { NULL };
  const char *option = NULL;
  GString *out = g_string_new (NULL);
  g_auto (GStrv) typed = (parse (&grammar, arguments), typed_arguments (&grammar, words, n, &option));
  const guint n_typed = g_strv_length (typed);

  enter (&grammar, typed, n_typed);
  for (guint i = 0; i < grammar.tokens->len; i++)
    {
      const Token *token = &g_array_index (grammar.tokens, Token, i);
      const Group *group = &grammar.groups[token->group];
      const gboolean was_typed = token->option && g_strv_contains ((const char *const *) words, token->text);

      if (token->kind == WORD ? !is_open (&grammar, token->group, token->alternative)
                              : !is_open (&grammar, group->parent, group->parent_alternative) || group->entered)
        continue;
      /* An option already typed is removed with its brackets and its value. */
      if (was_typed && g_str_has_suffix (out->str, "["))
        {
          g_string_truncate (out, out->len - 1);
          g_strchomp (out->str);
          out->len = strlen (out->str);
          while (i + 1 < grammar.tokens->len && g_array_index (grammar.tokens, Token, i + 1).group == token->group)
            i++;
          continue;
        }
      switch (token->kind)
        {
        case OPEN: append_word (out, "["); break;
        case CLOSE: g_string_append_c (out, ']'); break;
        case BAR: append_word (out, "|"); break;
        default:
          if (token->option || token->value || token->repeats || token->position >= n_typed)
            append_word (out, token->text);
        }
    }
  g_array_unref (grammar.tokens);
  return g_string_free (out, FALSE);
}
