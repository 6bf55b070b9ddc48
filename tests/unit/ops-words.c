/* ops-words.c: attributes that are words, over the registry.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/graph/edit.h"
#include "core/ops/op-list.h"

/* Whether @op takes @word as @attr, on inputs of which nothing is known. */
static gboolean
takes_word (const PhOp *op, const PhOpAttr *attr, const char *word, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (word, strlen (word));
  g_autoptr (PhAttr) given = attr->kind == PH_ATTR_STRINGS ? ph_attr_new_strings (attr->name, &bytes, 1)
                                                           : ph_attr_new_string (attr->name, word);
  const guint n_inputs = ph_op_n_inputs (op, NULL, NULL);
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_inputs + 1);
  PhNodeSpec spec = { .op = op,
                      .op_type = op->name,
                      .domain = op->domain != NULL ? op->domain : "",
                      .inputs = inputs,
                      .n_inputs = n_inputs,
                      .n_outputs = 1,
                      .attrs = &given,
                      .n_attrs = 1 };
  g_autoptr (GError) fault = NULL;
  PhNode *node;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);

      inputs[i] = ph_graph_add_input (model->graph, name, NULL, NULL, G_MAXUINT, &fault);
      g_assert_no_error (fault);
    }
  node = ph_graph_add_node (model->graph, &spec, &fault);
  g_assert_no_error (fault);
  return ph_op_check (op, node, error);
}

/* An attribute that is a word says which words it takes, its default among them; another one is refused, with these words. */
static void
test_words (void)
{
  guint n_ops, n_attrs = 0;
  const PhOp *const *ops = ph_op_list (&n_ops);

  for (guint i = 0; i < n_ops; i++)
    for (const PhOpAttr *attr = ops[i]->attrs; attr < ops[i]->attrs + G_N_ELEMENTS (ops[i]->attrs) && attr->name != NULL; attr++)
      {
        g_autoptr (GError) error = NULL;
        g_autofree char *words = ph_op_attr_words (attr), *fallback = NULL, *capital = NULL;

        if (attr->kind != PH_ATTR_STRING && attr->kind != PH_ATTR_STRINGS)
          {
            g_assert_null (attr->words);
            continue;
          }
        if (attr->words == NULL)
          g_error ("%s does not say which words its attribute '%s' takes", ops[i]->name, attr->name);
        if (words == NULL)
          {
            g_assert_cmpstr (attr->words, ==, PH_ANY_TEXT);
            continue;
          }
        n_attrs++;
        fallback = attr->fallback != NULL ? g_strndup (attr->fallback + 1, strlen (attr->fallback) - 2) : NULL;
        if (fallback != NULL && ph_op_attr_place (attr, fallback, strlen (fallback)) < 0)
          g_error ("the default of '%s' of %s is none of its words", attr->name, ops[i]->name);

        g_auto (GStrv) each = g_strsplit (attr->words, "|", -1);
        for (guint k = 0; each[k] != NULL; k++)
          {
            g_assert_cmpint (ph_op_attr_place (attr, each[k], strlen (each[k])), ==, k);
            takes_word (ops[i], attr, each[k], &error);
            if (error != NULL && strstr (error->message, "must be one of: ") != NULL
                && strstr (error->message, attr->name) != NULL)
              g_error ("%s: %s", ops[i]->name, error->message);
            g_clear_error (&error);
          }

        /* neither a longer one, nor a part, nor another case */
        capital = g_ascii_isupper (attr->words[0]) ? g_ascii_strdown (each[0], -1) : g_ascii_strup (each[0], -1);
        for (guint k = 0; k < 4; k++)
          {
            g_autofree char *longer = g_strconcat (each[0], "s", NULL), *part = g_strndup (each[0], 1);
            const char *wrong = k == 0 ? "bogus" : k == 1 ? longer : k == 2 ? part : capital;

            if (k == 3 && attr->any_case)
              continue;
            g_assert_false (takes_word (ops[i], attr, wrong, &error));
            if (strstr (error->message, attr->name) == NULL || strstr (error->message, words) == NULL
                || strstr (error->message, wrong) == NULL)
              g_error ("%s with %s = %s: %s", ops[i]->name, attr->name, wrong, error->message);
            g_clear_error (&error);
          }
      }
  g_assert_cmpuint (n_attrs, >, 40);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/words", test_words);
  return g_test_run ();
}
