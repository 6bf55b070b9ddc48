/* dialect.c: the sets of operators that Peephole knows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

#include "core/ops/op-list.h"

/* clang-format off */
static const struct { const char *name; const PhOp *now; } former_onnx[] = {
  { "Upsample", &ph_op_Resize }, { "Scatter", &ph_op_ScatterElements }, { NULL },
};
/* clang-format on */

const PhDialect ph_dialect_onnx = { .domain = "", .title = "ONNX", .former = (gconstpointer) former_onnx };
const PhDialect ph_dialect_ml = { .domain = "ai.onnx.ml", .title = "ONNX ML" };
const PhDialect ph_dialect_microsoft = { .domain = "com.microsoft", .title = "ONNX Runtime" };
const PhDialect ph_dialect_nchwc = { .domain = "com.microsoft.nchwc", .title = "ONNX Runtime" };

#define DIALECT(name) &ph_dialect_##name,
static const PhDialect *const dialects[] = { &ph_dialect_onnx, &ph_dialect_ml, &ph_dialect_microsoft, &ph_dialect_nchwc,
                                             PH_FOREIGN_DIALECTS };
#undef DIALECT

const PhDialect *const *
ph_dialect_list (guint *n)
{
  *n = G_N_ELEMENTS (dialects);
  return dialects;
}

const PhDialect *
ph_dialect_find (const char *domain)
{
  for (guint i = 0; i < G_N_ELEMENTS (dialects); i++)
    if (g_str_equal (dialects[i]->domain, domain))
      return dialects[i];
  return NULL;
}

const PhOp *
ph_dialect_find_op (const char *domain, const char *name)
{
  const PhOp *op = ph_op_find (domain, name);
  const PhDialect *dialect = ph_dialect_find (domain);

  for (guint i = 0; op == NULL && dialect != NULL && dialect->former != NULL && dialect->former[i].name != NULL; i++)
    if (g_str_equal (dialect->former[i].name, name))
      return dialect->former[i].now;
  return op;
}

static gpointer
index_foreign (gpointer data)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (dialects); i++)
    for (const PhForeignOp *op = dialects[i]->foreign; op != NULL && op->name != NULL; op++)
      g_hash_table_insert (index, g_strdup_printf ("%s\n%s", dialects[i]->domain, op->name), (gpointer) op);
  return index;
}

const PhForeignOp *
ph_dialect_find_foreign (const char *domain, const char *name)
{
  static GOnce once = G_ONCE_INIT;
  g_autofree char *key = NULL;

  if (ph_dialect_find (domain) == NULL || ph_dialect_find (domain)->foreign == NULL)
    return NULL;
  g_once (&once, index_foreign, NULL);
  key = g_strdup_printf ("%s\n%s", domain, name);
  return g_hash_table_lookup (once.retval, key);
}

const char *
ph_dialect_name_foreign (PhModel *model)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  const char *domain = NULL;
  const PhDialect *dialect;
  guint most = 0;

  for (guint i = 0; i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];
      guint n;

      if (node == NULL)
        continue;
      if (*node->domain == '\0')
        return NULL;
      n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, node->domain)) + 1;
      g_hash_table_insert (counts, (gpointer) node->domain, GUINT_TO_POINTER (n));
      if (n > most)
        {
          most = n;
          domain = node->domain;
        }
    }
  dialect = domain != NULL ? ph_dialect_find (domain) : NULL;
  return dialect != NULL ? dialect->title : domain;
}

gboolean
ph_dialect_has_blocks (const PhNode *node)
{
  const PhDialect *dialect = node->op == NULL ? ph_dialect_find (node->domain) : NULL;

  return dialect != NULL && dialect->has_blocks;
}

gboolean
ph_dialect_is_box (const PhNode *node)
{
  return node->graphs != NULL && g_str_equal (node->domain, "hlo")
         && (g_str_equal (node->op_type, "module") || g_str_equal (node->op_type, "computation"));
}
