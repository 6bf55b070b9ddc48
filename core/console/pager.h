/* pager.h: shows text that is longer than the screen page by page. It makes the text for the terminal and knows no terminal itself.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PhPager PhPager;

/* NULL: @text fits into @rows of @columns, with a row left for the prompt. */
PhPager *ph_pager_new (const char *text, guint rows, guint columns);
void ph_pager_free (PhPager *pager);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPager, ph_pager_free)
/* The other screen, and the page on it. (transfer full) */
char *ph_pager_draw (PhPager *pager);
void ph_pager_resize (PhPager *pager, guint rows, guint columns);
/* Takes what was typed, up to the key that ends it; @n_used: bytes taken. A key that means nothing here ends it too, and is not taken.
 * (transfer full) what is to be written */
char *ph_pager_type (PhPager *pager, const char *keys, gsize n, gsize *n_used);
gboolean ph_pager_is_done (PhPager *pager);
/* Back to the screen before; and the page that was seen last. (transfer full) */
char *ph_pager_leave (PhPager *pager);
char *ph_pager_page (PhPager *pager);

G_END_DECLS
