/* view-state.h: how the picture of a document is seen: form, colours, groups, part, layout, zoom. The window and `render` draw by it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/arrangement.h"
#include "core/document/view-fields.h"
#include "core/draw/paint.h"
#include "core/draw/viewport.h"

G_BEGIN_DECLS

typedef struct _PhDocument PhDocument;

/* Belongs to a document, in its thread. Signals: changed (guint field); zoom-asked (char *words): "in", "fit", "3.5 20 1.5". */
#define PH_TYPE_VIEW_STATE (ph_view_state_get_type ())
G_DECLARE_FINAL_TYPE (PhViewState, ph_view_state, PH, VIEW_STATE, GObject)

PhViewState *ph_view_state_new (PhDocument *document); /* which it does not own */
/* Another model is open, or none: what was said about nodes and groups holds no more. The document says so. */
void ph_view_state_forget (PhViewState *view);
/* Another inside is shown: all of it. Whoever calls it says so by ph_view_state_emit(). */
gboolean ph_view_state_forget_part (PhViewState *view);
void ph_view_state_emit (PhViewState *view, PhViewField field);

/* The words behind a field's name. */
gboolean ph_view_state_set (PhViewState *view, PhViewField field, const char *const *words, GError **error);
gboolean ph_view_state_say (PhViewState *view, const char *line, GError **error); /* "view color cost" */
/* What sets it to what it is: "around n4 2". (transfer full) */
char *ph_view_state_text (PhViewState *view, PhViewField field);
gboolean ph_view_state_is_default (PhViewState *view, PhViewField field);
/* By the place of the word in its row: PH_FORM_SIDE, PH_COLOR_COST, PH_LAYOUT_DOT. */
guint ph_view_state_get (PhViewState *view, PhViewField field);
const char *ph_view_state_word (PhViewState *view, PhViewField field); /* "side" */
/* on and off; auto is on. */
gboolean ph_view_state_is_on (PhViewState *view, PhViewField field);

const PhArrangement *ph_view_state_get_arrangement (PhViewState *view);
/* As it was when what is still shown was laid out. */
void ph_view_state_set_arrangement (PhViewState *view, const PhArrangement *arrangement);
/* With `group auto` as the model was when that was first asked: a picture does not turn into another one as it grows. */
gboolean ph_view_state_is_grouped (PhViewState *view);

/* What the nodes are coloured by now: NULL while nothing is known of it. (transfer full) (nullable) */
PhMeasure *ph_view_state_dup_measure (PhViewState *view);
gboolean ph_view_state_knows_color (PhViewState *view);
void ph_view_state_set_query (PhViewState *view, const char *text, PhMeasure *measure); /* takes neither */

/* Where the window stands, told by it; `view zoom X Y ZOOM` goes there again. */
void ph_view_state_note_zoom (PhViewState *view, const PhView *at);

G_END_DECLS
