/* view-state.h: how the picture of a document is seen: form, colours, groups, part, layout, zoom. The window and `render` draw by it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/paint.h"
#include "core/draw/viewport.h"

G_BEGIN_DECLS

typedef struct _PhDocument PhDocument;

/* One row of the table each; `view NAME WORD...` sets it. */
typedef enum
{
  PH_VIEW_FORM,
  PH_VIEW_DIFF,
  PH_VIEW_FOLLOW,
  PH_VIEW_COLOR,
  PH_VIEW_LEGEND,
  PH_VIEW_VALUES,
  PH_VIEW_EDGES,
  PH_VIEW_COMPACT,
  PH_VIEW_GROUP,
  PH_VIEW_OPEN,
  PH_VIEW_PART,
  PH_VIEW_ZOOM,
  PH_VIEW_LAYOUT,
  PH_VIEW_DIRECTION,
  PH_N_VIEW_FIELDS
} PhViewField;

/* A word that a field can be set to; what has a title is an action of the window. */
typedef struct
{
  const char *word;
  const char *title;    /* (nullable) not yet translated                     */
  const char *summary;  /* (nullable) likewise                               */
  const char *shortcut; /* (nullable) GTK accelerators, separated by |       */
  const char *icon;     /* (nullable)                                        */
} PhViewWord;

typedef struct
{
  const char *name, *summary;
  const char *heading;     /* (nullable) of the menu that its actions stand in, not yet translated */
  const char *more;        /* (nullable) what it can be set to besides, as the arguments of a command are written */
  const PhViewWord *words; /* the first is the default; the last has none */
  gboolean of_model;       /* means nothing while no model is open, and is forgotten with it */
} PhViewRow;

const PhViewRow *ph_view_row (PhViewField field);
gboolean ph_view_find (const char *name, PhViewField *field);

typedef enum
{
  PH_FORM_OVERLAY,
  PH_FORM_SIDE,
  PH_FORM_TEXT,
  PH_N_FORMS
} PhForm;

typedef enum
{
  PH_PART_ALL,
  PH_PART_AROUND,  /* what lies @steps around @from               */
  PH_PART_PATHS,   /* all that lies between @from and @to         */
  PH_PART_TOUCHED, /* what the present step changed, and next to it */
} PhPartKind;

/* What a picture is laid out for. Sets and arrays are shared with workers: never changed, always replaced. */
typedef struct
{
  gboolean compact;   /* one position alone                                               */
  guint group;        /* 0: where the model is large, 1: yes, 2: no                       */
  guint open;         /* 0: as many groups as fit, 1: all, 2: none; but for               */
  GHashTable *opened; /* (nullable) paths of groups and "n42" that are open               */
  GHashTable *closed; /* (nullable) and that are closed                                   */
  PhPartKind part;
  PhId from, to;
  guint steps;
  GArray *also;     /* (nullable) (element-type PhId) shown with what lies around @from  */
  GHashTable *keep; /* (nullable) ids of what the part has                              */
} PhArrangement;

void ph_arrangement_copy (PhArrangement *to, const PhArrangement *from);
void ph_arrangement_clear (PhArrangement *arrangement);
gboolean ph_arrangement_equal (const PhArrangement *a, const PhArrangement *b);
/* @large: what `group auto` groups. Borrows the sets. */
void ph_arrangement_fill (const PhArrangement *arrangement, gboolean large, PhSceneOptions *options);

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
