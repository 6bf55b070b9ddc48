/* stays.c: lists the nodes that a conversion could not convert, with reasons.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/stays.h"

typedef struct
{
  char *reason;
  GPtrArray *names; /* (element-type utf8) owned, each once */
} Reason;

struct _PhStays
{
  GPtrArray *reasons; /* (element-type Reason) in the order of their first operators */
};

static void
reason_free (gpointer data)
{
  Reason *reason = data;

  g_free (reason->reason);
  g_ptr_array_unref (reason->names);
  g_free (reason);
}

PhStays *
ph_stays_new (void)
{
  PhStays *stays = g_new (PhStays, 1);

  stays->reasons = g_ptr_array_new_with_free_func (reason_free);
  return stays;
}

void
ph_stays_free (PhStays *stays)
{
  g_ptr_array_unref (stays->reasons);
  g_free (stays);
}

void
ph_stays_clear (PhStays *stays)
{
  g_ptr_array_set_size (stays->reasons, 0);
}

gboolean
ph_stays_any (PhStays *stays)
{
  return stays->reasons->len > 0;
}

void
ph_stays_add (PhStays *stays, const char *name, const char *why)
{
  Reason *reason = NULL;

  for (guint i = 0; i < stays->reasons->len && reason == NULL; i++)
    if (g_str_equal (((Reason *) stays->reasons->pdata[i])->reason, why))
      reason = stays->reasons->pdata[i];
  if (reason == NULL)
    {
      reason = g_new (Reason, 1);
      *reason = (Reason) { g_strdup (why), g_ptr_array_new_with_free_func (g_free) };
      g_ptr_array_add (stays->reasons, reason);
    }
  if (!g_ptr_array_find_with_equal_func (reason->names, name, g_str_equal, NULL))
    g_ptr_array_add (reason->names, g_strdup (name));
}

void
ph_stays_note (PhStays *stays, PhPassRun *run)
{
  for (guint i = 0; i < stays->reasons->len; i++)
    {
      const Reason *reason = stays->reasons->pdata[i];
      g_autoptr (GString) names = g_string_new (NULL);

      for (guint k = 0; k < reason->names->len; k++)
        g_string_append_printf (names, "%s%s",
                                k == 0                       ? ""
                                : k + 1 < reason->names->len ? ", "
                                                             : " and ",
                                (char *) reason->names->pdata[k]);
      ph_pass_note (run, "%s %s: %s", names->str, reason->names->len > 1 ? "stay" : "stays", reason->reason);
    }
}
