#include <string.h>
#include "core/console/console-private.h"
struct _PhTrace { int x; }; struct _PhSql { int x; };
PhTrace *ph_trace_new (void) { return g_new0 (PhTrace, 1); }
void ph_trace_free (PhTrace *t) { g_free (t); }
gboolean ph_trace_has (PhConsole *c, const char *n) { return FALSE; }
gboolean ph_trace_grad (PhCall *call, GError **error) { return ph_call_need_open (call, error); }
PhSql *ph_sql_new (PhDocument *d) { return g_new0 (PhSql, 1); }
void ph_sql_free (PhSql *s) { g_free (s); }
gboolean ph_sql_run (PhCall *call, GError **error) { g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "no SQL yet"); return FALSE; }
gboolean
ph_expression_run (PhCall *call, GError **error)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);
  g_autofree const char **names = g_new (const char *, n);
  g_autofree char *word = g_strndup (call->rest, strcspn (call->rest, " \t="));
  const char *nearest;

  for (guint i = 0; i < n; i++)
    names[i] = list[i]->name;
  nearest = ph_nearest (word, names, n);
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no command '%s'%s%s%s", word, nearest ? "; did you mean '" : ": `help` lists them", nearest ? nearest : "", nearest ? "'?" : "");
  return FALSE;
}
const PhCommandGroup ph_commands_query = { NULL, 0 };
char **ph_sql_names (void) { return g_new0 (char *, 1); }
#include "core/io/io.h"
static gboolean later (GError **error) { g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "files cannot be read or written yet"); return FALSE; }
__attribute__((weak)) gboolean ph_tensor_save (PhTensor *tensor, const char *name, const char *path, GError **error) { return later (error); }
__attribute__((weak)) char *ph_onnx_text_print (PhModel *model, gsize max_elements) { return g_strdup ("..."); }
