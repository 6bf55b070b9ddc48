/* op.c: the registry of operators, and queries of their schemas.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/op-list.h"

#include <string.h>

#include "core/intern.h"

static const PhOp *const ops[] = {
#define PH_OP_ROW(name_) &ph_op_##name_,
  PH_OPS (PH_OP_ROW)
#undef PH_OP_ROW
};

/* Maps NULL, "" and "ai.onnx" to ONNX's own domain. */
static const char *
plain_domain (const char *domain)
{
  return domain == NULL || strcmp (domain, "ai.onnx") == 0 ? "" : domain;
}

static guint
op_hash (gconstpointer key)
{
  const PhOp *op = key;
  const char *domain = plain_domain (op->domain);

  return g_str_hash (op->name) ^ (*domain != '\0' ? g_str_hash (domain) : 0);
}

static gboolean
op_equal (gconstpointer a, gconstpointer b)
{
  const PhOp *x = a, *y = b;

  return strcmp (x->name, y->name) == 0 && strcmp (plain_domain (x->domain), plain_domain (y->domain)) == 0;
}

static const PhOp *
look_up (const char *domain, const char *name)
{
  static gsize once = 0;
  static GHashTable *table = NULL;

  if (g_once_init_enter (&once))
    {
      table = g_hash_table_new (op_hash, op_equal);
      for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
        g_hash_table_add (table, (gpointer) ops[i]);
      g_once_init_leave (&once, 1);
    }
  return g_hash_table_lookup (table, &(PhOp) { .name = name, .domain = domain });
}

#define RECENT 64 /* a power of two */

/* Looks up an operator. Recent lookups by interned names are cached per thread by pointer, which is safe since interned strings live
 * forever. */
const PhOp *
ph_op_find (const char *domain, const char *name)
{
  static _Thread_local struct
  {
    const char *domain, *name;
    const PhOp *op;
  } recent[RECENT];
  const guint at = (guint) (((gintptr) name >> 3 ^ (gintptr) name >> 9) & (RECENT - 1));

  if (domain == NULL || *domain == '\0')
    domain = NULL;
  if (recent[at].name != NULL && recent[at].name == name && recent[at].domain == domain)
    return recent[at].op;
  if (!ph_intern_is (name) || (domain != NULL && !ph_intern_is (domain)))
    return look_up (domain, name);
  recent[at].domain = domain;
  recent[at].name = name;
  return recent[at].op = look_up (domain, name);
}

const PhOp *const *
ph_op_list (guint *n)
{
  if (n != NULL)
    *n = G_N_ELEMENTS (ops);
  return ops;
}

guint
ph_op_n_inputs (const PhOp *op, guint *min, gboolean *variadic)
{
  guint n = 0, least = 0;

  for (; n < PH_MAX_ARGS && op->inputs[n].name != NULL; n++)
    if (!(op->inputs[n].flags & PH_ARG_OPTIONAL))
      least = n + 1;
  if (min != NULL)
    *min = least;
  if (variadic != NULL)
    *variadic = n > 0 && (op->inputs[n - 1].flags & PH_ARG_VARIADIC);
  return n;
}

guint
ph_op_n_outputs (const PhOp *op)
{
  guint n = 0;

  while (n < PH_MAX_ARGS && op->outputs[n].name != NULL)
    n++;
  return n;
}

static const PhOpArg *
formal (const PhOpArg *args, guint n, guint i)
{
  if (i < n)
    return &args[i];
  return n > 0 && (args[n - 1].flags & PH_ARG_VARIADIC) ? &args[n - 1] : NULL;
}

const PhOpArg *
ph_op_input (const PhOp *op, guint i)
{
  return formal (op->inputs, ph_op_n_inputs (op, NULL, NULL), i);
}

const PhOpAttr *
ph_op_attr (const PhOp *op, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    if (strcmp (op->attrs[i].name, name) == 0)
      return &op->attrs[i];
  return NULL;
}

static char *
dtypes_to_string (PhDTypes types)
{
  GString *out = g_string_new (NULL);

  for (PhDType dtype = PH_FLOAT; dtype < PH_N_DTYPES; dtype++)
    if (types & (G_GUINT64_CONSTANT (1) << dtype))
      g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", ph_dtype_name (dtype));
  return g_string_free (out, FALSE);
}

static gboolean
check_side (const PhOp *op, const PhNode *node, const PhOpArg *args, guint n_args, const GPtrArray *values, const char *side,
            PhDType *groups, GError **error)
{
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = g_ptr_array_index (values, i);
      const PhOpArg *arg = formal (args, n_args, i);

      if (arg == NULL)
        break;
      if (value == NULL || value->type == NULL || value->type->dtype == PH_UNDEFINED)
        continue;

      PhDType dtype = value->type->dtype;

      if (arg->types != 0 && !(arg->types & (G_GUINT64_CONSTANT (1) << dtype)))
        {
          g_autofree char *allowed = dtypes_to_string (arg->types);

          return ph_node_fail (node, error, PH_ERROR_ELEMENT_TYPE, "%s %u '%s' of %s is %s ('%s'), must be one of: %s", side, i,
                               arg->name, op->name, ph_dtype_name (dtype), value->name, allowed);
        }
      if (arg->group == '\0')
        continue;

      PhDType *bound = &groups[(guint8) arg->group & 127];

      if (*bound == PH_UNDEFINED)
        *bound = dtype;
      else if (*bound != dtype)
        return ph_node_fail (node, error, PH_ERROR_ELEMENT_TYPE,
                             "%s %u '%s' of %s is %s ('%s'), must be %s like the others of type %c", side, i, arg->name, op->name,
                             ph_dtype_name (dtype), value->name, ph_dtype_name (*bound), arg->group);
    }
  return TRUE;
}

static gboolean
check_counts (const PhOp *op, const PhNode *node, GError **error)
{
  guint min;
  gboolean variadic;
  guint max = ph_op_n_inputs (op, &min, &variadic), n_outputs = ph_op_n_outputs (op);
  gboolean many_outputs = n_outputs > 0 && (op->outputs[n_outputs - 1].flags & PH_ARG_VARIADIC);

  for (guint i = 0; i < min; i++)
    if (ph_node_input (node, i) == NULL && !(op->inputs[i].flags & PH_ARG_OPTIONAL))
      return ph_node_fail (node, error, PH_ERROR_TYPE, "input %u '%s' of %s is missing: give it a value", i, op->inputs[i].name,
                           op->name);
  if (node->inputs->len > max && !variadic)
    return ph_node_fail (node, error, PH_ERROR_TYPE, "has %u inputs, but %s takes at most %u", node->inputs->len, op->name, max);
  if (node->outputs->len > n_outputs && !many_outputs)
    return ph_node_fail (node, error, PH_ERROR_TYPE, "has %u outputs, but %s gives at most %u", node->outputs->len, op->name,
                         n_outputs);
  return TRUE;
}

int
ph_op_attr_place (const PhOpAttr *attr, const char *text, gsize size)
{
  int place = 0;

  for (const char *word = attr->words; word != NULL; place++)
    {
      const char *end = word + strcspn (word, "|");

      if ((gsize) (end - word) == size
          && (attr->any_case ? g_ascii_strncasecmp (word, text, size) : memcmp (word, text, size)) == 0)
        return place;
      word = *end != '\0' ? end + 1 : NULL;
    }
  return -1;
}

guint
ph_node_attr_word (const PhNode *node, const char *name)
{
  const char *text = ph_node_attr_string (node, name, NULL);

  return text != NULL ? (guint) MAX (ph_op_attr_place (ph_op_attr (node->op, name), text, strlen (text)), 0) : 0;
}

char *
ph_op_attr_words (const PhOpAttr *attr)
{
  g_auto (GStrv) words = NULL;

  if (attr->words == NULL || strcmp (attr->words, PH_ANY_TEXT) == 0)
    return NULL;
  words = g_strsplit (attr->words, "|", -1);
  for (guint i = g_strv_length (words); i > 0 && *words[i - 1] == '\0'; i--) /* an empty word comes last */
    g_clear_pointer (&words[i - 1], g_free);
  return g_strjoinv (", ", words);
}

static gboolean
check_words (const PhNode *node, const PhOpAttr *attr, const PhAttr *given, GError **error)
{
  const guint n = given->kind == PH_ATTR_STRINGS ? given->n : 1;

  if (attr->words == NULL || strcmp (attr->words, PH_ANY_TEXT) == 0)
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      GBytes *bytes = given->kind == PH_ATTR_STRINGS ? given->strings[i] : given->s;
      gsize size = 0;
      const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
      g_autofree char *words = NULL, *word = NULL;

      if (ph_op_attr_place (attr, text != NULL ? text : "", size) >= 0)
        continue;
      words = ph_op_attr_words (attr);
      word = g_strndup (text, MIN (size, 64));
      return ph_node_fail (node, error, PH_ERROR_TYPE, "its attribute '%s' is '%s', must be one of: %s", attr->name, word, words);
    }
  return TRUE;
}

gboolean
ph_op_check (const PhOp *op, const PhNode *node, GError **error)
{
  PhDType groups[128] = {
    PH_UNDEFINED,
  };

  if (!check_counts (op, node, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    {
      const PhAttr *given = op->attrs[i].words != NULL ? ph_node_attr (node, op->attrs[i].name) : NULL;

      if (given != NULL && given->kind == op->attrs[i].kind && !check_words (node, &op->attrs[i], given, error))
        return FALSE;
    }

  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    {
      const PhOpAttr *attr = &op->attrs[i];
      const PhAttr *given = attr->kind == PH_ATTR_GRAPH ? NULL : ph_node_attr (node, attr->name);

      if (attr->required && given == NULL && (attr->kind != PH_ATTR_GRAPH || ph_node_graph (node, attr->name) == NULL))
        return ph_node_fail (node, error, PH_ERROR_TYPE, "%s needs the attribute '%s'", op->name, attr->name);
      /* An opaque attribute may be a reference to a function's attribute of any kind. */
      if (given != NULL && given->kind != attr->kind && given->kind != PH_ATTR_OPAQUE)
        return ph_node_fail (node, error, PH_ERROR_TYPE, "the attribute '%s' of %s has the wrong kind", attr->name, op->name);
    }

  return check_side (op, node, op->inputs, ph_op_n_inputs (op, NULL, NULL), &node->inputs->array, "input", groups, error)
         && check_side (op, node, op->outputs, ph_op_n_outputs (op), &node->outputs->array, "output", groups, error);
}

gboolean
ph_node_commutes (const PhNode *node)
{
  const PhValue *x = ph_node_input (node, 0);

  if (node->op == NULL || !(node->op->flags & PH_OP_COMMUTATIVE))
    return FALSE;
  return (node->op != &ph_op_Max && node->op != &ph_op_Min)
         || (x != NULL && x->type != NULL && x->type->kind == PH_KIND_TENSOR && ph_dtype_is_integer (x->type->dtype));
}

/* Returns TRUE if all required inputs are present: the functions that count operations read them, but a file may omit any. */
static gboolean
has_inputs (const PhNode *node)
{
  gboolean variadic;
  const guint n = ph_op_n_inputs (node->op, NULL, &variadic);

  for (guint i = 0; i < node->inputs->len && n > 0; i++)
    if (node->inputs->pdata[i] == NULL && !(node->op->inputs[MIN (i, n - 1)].flags & PH_ARG_OPTIONAL))
      return FALSE;
  return TRUE;
}

gint64
ph_node_flops (const PhNode *node)
{
  if (ph_node_is_fused (node))
    {
      const PhGraph *body = g_ptr_array_index (node->graphs, 0);
      gint64 sum = 0;

      PH_FOREACH_NODE (inner, body)
        {
          gint64 flops = ph_node_flops (inner);

          if (flops < 0)
            return -1;
          sum += flops;
        }
      return sum;
    }
  if (node->outputs->len == 0)
    return 0;
  if (node->op == NULL)
    return -1;
  if (node->op->flops != NULL)
    return has_inputs (node) && ph_op_check (node->op, node, NULL) ? node->op->flops (node) : -1;
  if (node->op->flags & (PH_OP_DATA_MOVEMENT | PH_OP_SHAPE_ONLY))
    return 0;

  const PhValue *out = ph_node_output (node, 0);

  return out != NULL && out->type != NULL ? ph_type_count (out->type) : -1;
}

gboolean
ph_op_executable (const PhOp *op)
{
  return op->kernel != NULL || op->expand != NULL;
}

gboolean
ph_op_differentiable (const PhOp *op)
{
  if (op->grad_build != NULL)
    return TRUE;
  for (guint i = 0; i < PH_MAX_ARGS; i++)
    if (op->grad[i] != NULL)
      return TRUE;
  return FALSE;
}

PhGradientBy
ph_node_input_gradient (const PhNode *node, guint i)
{
  const PhOp *op = node->op;

  if (op == NULL)
    return PH_GRADIENT_REFUSED;
  if ((op->flags & PH_OP_NO_GRADIENT) != 0 || (i < 32 && (op->no_grad >> i & 1) != 0))
    return PH_GRADIENT_ZERO;
  if (i < 32 && (op->no_rule >> i & 1) != 0)
    return PH_GRADIENT_REFUSED;
  return op->grad_build != NULL || (i < PH_MAX_ARGS && op->grad[i] != NULL) ? PH_GRADIENT_RULE : PH_GRADIENT_REFUSED;
}

const char *
ph_family_name (PhFamily family)
{
  /* clang-format off */
  static const char *const names[PH_N_FAMILIES] = {
    [PH_FAMILY_OTHER] = "other", [PH_FAMILY_LINEAR] = "linear", [PH_FAMILY_ACTIVATION] = "activation", [PH_FAMILY_NORM] = "normalisation",
    [PH_FAMILY_POOL] = "pooling and reduction", [PH_FAMILY_ARITHMETIC] = "arithmetic", [PH_FAMILY_MOVEMENT] = "data movement",
    [PH_FAMILY_CONSTANT] = "constants", [PH_FAMILY_CONTROL] = "control flow", [PH_FAMILY_FUSED] = "fused", [PH_FAMILY_IO] = "inputs and outputs",
  };
  /* clang-format on */

  return names[family];
}

void
ph_op_get_name (const PhOp *op, const char **domain, const char **name)
{
  *domain = op->domain;
  *name = op->name;
}
