/* view-state.c: the settings of a document's picture, with signals about changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/view-private.h"
#include "core/number.h"
#include "core/scene/scene.h"

#define GROUP_ABOVE 150 /* boxes: the window opens a model of more grouped */
#define GROUP_LONG  64  /* layers: likewise, for it would be a strip        */

struct _PhViewState
{
  GObject parent_instance;
  PhDocument *document;          /* unowned: it has this                                      */
  guint words[PH_N_VIEW_FIELDS]; /* of the fields that are one word                           */
  PhArrangement arrangement;
  gboolean counted, groups; /* the value of `group auto`, determined on first use        */
  char *query;              /* (nullable) SQL query of the colours                       */
  PhMeasure *measure;       /* (nullable) of colours by a run, a comparison or a query */
  PhView at;                /* the window's viewport; zoom 0: not set                    */
};

G_DEFINE_FINAL_TYPE (PhViewState, ph_view_state, G_TYPE_OBJECT)

enum
{
  CHANGED,
  ZOOM_ASKED,
  N_SIGNALS_HERE
};
static guint signals[N_SIGNALS_HERE];

/* Object */

static void
changed (PhViewState *self, PhViewField field)
{
  g_signal_emit (self, signals[CHANGED], 0, field);
}

static void
ph_view_state_finalize (GObject *object)
{
  PhViewState *self = PH_VIEW_STATE (object);

  ph_arrangement_clear (&self->arrangement);
  g_clear_pointer (&self->measure, ph_measure_unref);
  g_free (self->query);
  G_OBJECT_CLASS (ph_view_state_parent_class)->finalize (object);
}

static void
ph_view_state_class_init (PhViewStateClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ph_view_state_finalize;
  signals[CHANGED] = g_signal_new ("changed", PH_TYPE_VIEW_STATE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                   G_TYPE_UINT);
  signals[ZOOM_ASKED] = g_signal_new ("zoom-asked", PH_TYPE_VIEW_STATE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                      G_TYPE_STRING);
}

static void
ph_view_state_init (PhViewState *self)
{
}

static void
find_measure (PhViewState *self)
{
  const PhColorMode mode = self->words[PH_VIEW_COLOR];
  PhMeasure *found = NULL;

  if (mode == PH_COLOR_QUERY || !ph_color_mode_is_given (mode))
    return;
  if (ph_color_mode_is_measured (mode))
    found = ph_view_measure_of_profile (self->document, mode);
  else
    found = ph_view_measure_of_along (self->document);
  /* The last comparison holds until there is another. */
  if (found == NULL && mode == PH_COLOR_ERROR && self->measure != NULL)
    return;
  g_clear_pointer (&self->measure, ph_measure_unref);
  self->measure = found;
}

static void
on_measured (PhViewState *self)
{
  const PhColorMode mode = self->words[PH_VIEW_COLOR];
  PhMeasure *before = self->measure;

  if (mode == PH_COLOR_QUERY || !ph_color_mode_is_given (mode))
    return;
  find_measure (self);
  /* The measurement is no longer valid. */
  if (self->measure == NULL && before != NULL)
    self->words[PH_VIEW_COLOR] = PH_COLOR_FAMILY;
  if (self->measure != before)
    changed (self, PH_VIEW_COLOR);
}

PhViewState *
ph_view_state_new (PhDocument *document)
{
  PhViewState *self = g_object_new (PH_TYPE_VIEW_STATE, NULL);

  self->document = document;
  g_signal_connect_object (document, "profile-changed", G_CALLBACK (on_measured), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "along-changed", G_CALLBACK (on_measured), self, G_CONNECT_SWAPPED);
  return self;
}

void
ph_view_state_forget (PhViewState *self)
{
  self->arrangement.open = PH_OPEN_FIT;
  self->arrangement.part = PH_PART_ALL;
  self->counted = FALSE;
  self->at = (PhView) { 0 };
  ph_arrangement_clear (&self->arrangement);
  g_clear_pointer (&self->measure, ph_measure_unref);
  g_clear_pointer (&self->query, g_free);
  if (ph_color_mode_is_given (self->words[PH_VIEW_COLOR]))
    self->words[PH_VIEW_COLOR] = PH_COLOR_FAMILY;
}

/* Setting */

static gboolean
refuse (PhViewField field, const char *word, GError **error)
{
  const PhViewRow *row = ph_view_row (field);
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; row->words[i].word != NULL; i++)
    g_string_append_printf (known, "%s%s", i == 0 ? "" : row->words[i + 1].word != NULL ? ", " : " or ", row->words[i].word);
  g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s is %s, not '%s'", row->name, known->str, word);
  return FALSE;
}

static gboolean
find_word (PhViewField field, const char *const *words, guint *index, GError **error)
{
  const PhViewRow *row = ph_view_row (field);

  if (words[1] != NULL)
    return refuse (field, words[1], error);
  for (guint i = 0; row->words[i].word != NULL; i++)
    if (g_str_equal (row->words[i].word, words[0]))
      {
        *index = i;
        return TRUE;
      }
  return refuse (field, words[0], error);
}

static gboolean
set_arrangement (PhViewState *self, PhViewField field, const char *const *words, GError **error)
{
  PhArrangement next = { 0 };
  gboolean done;

  ph_arrangement_copy (&next, &self->arrangement);
  done = field == PH_VIEW_OPEN ? ph_arrangement_set_open (&next, words, error)
                               : ph_arrangement_set_part (&next, self->document, words, error);
  if (done)
    ph_arrangement_copy (&self->arrangement, &next);
  ph_arrangement_clear (&next);
  if (done)
    changed (self, field);
  return done;
}

/* Takes a word, or "X Y SCALE". */
static gboolean
set_zoom (PhViewState *self, const char *const *words, GError **error)
{
  g_autofree char *text = g_strjoinv (" ", (char **) words);
  PhView at;
  guint index;
  char *end;

  at.x = g_ascii_strtod (words[0], &end);
  if (end != words[0] && *end == '\0' && g_strv_length ((char **) words) == 3)
    {
      at.y = g_ascii_strtod (words[1], NULL);
      at.zoom = g_ascii_strtod (words[2], NULL);
      if (!(at.zoom > 0) || at.zoom > 1000)
        return refuse (PH_VIEW_ZOOM, text, error);
      self->at = at;
    }
  else if (!find_word (PH_VIEW_ZOOM, words, &index, error))
    return FALSE;
  else
    {
      self->words[PH_VIEW_ZOOM] = index;
      self->at = (PhView) { 0 };
    }
  g_signal_emit (self, signals[ZOOM_ASKED], 0, text);
  return TRUE;
}

/* Sets the colouring. Takes ownership; @measure NULL: derived from the model, a profile or a comparison. */
static void
set_color (PhViewState *self, PhColorMode mode, char *query, PhMeasure *measure)
{
  g_clear_pointer (&self->measure, ph_measure_unref);
  g_free (self->query);
  self->words[PH_VIEW_COLOR] = mode;
  self->words[PH_VIEW_LEGEND] = 0;
  self->query = query;
  self->measure = measure;
  if (measure == NULL)
    find_measure (self);
  changed (self, PH_VIEW_COLOR);
  changed (self, PH_VIEW_LEGEND);
}

static void
set_index (PhViewState *self, PhViewField field, guint index)
{
  self->words[field] = index;
  self->arrangement.compact = self->words[PH_VIEW_COMPACT] == 1;
  self->arrangement.group = self->words[PH_VIEW_GROUP];
  if (field == PH_VIEW_GROUP)
    {
      self->arrangement.open = PH_OPEN_FIT;
      g_clear_pointer (&self->arrangement.opened, g_hash_table_unref);
      g_clear_pointer (&self->arrangement.closed, g_hash_table_unref);
    }
  /* Two pictures side by side need marks of their changes. */
  if (field == PH_VIEW_FORM && index == PH_FORM_SIDE && !ph_view_state_is_on (self, PH_VIEW_DIFF))
    set_index (self, PH_VIEW_DIFF, 1);
  changed (self, field);
}

gboolean
ph_view_state_set (PhViewState *self, PhViewField field, const char *const *words, GError **error)
{
  const PhViewRow *row = ph_view_row (field);
  const char *const first[] = { row->words[0].word, NULL };
  guint index;

  g_return_val_if_fail (PH_IS_VIEW_STATE (self) && words[0] != NULL, FALSE);
  if (g_str_equal (words[0], "default"))
    words = first;
  if (row->of_model && !ph_document_is_open (self->document))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "nothing is open: `open FILE` first");
      return FALSE;
    }
  if (field == PH_VIEW_OPEN || field == PH_VIEW_PART)
    return set_arrangement (self, field, words, error);
  if (field == PH_VIEW_ZOOM)
    return set_zoom (self, words, error);
  if (!find_word (field, words, &index, error))
    return FALSE;
  if (field == PH_VIEW_COLOR)
    set_color (self, index, NULL, NULL);
  else if (self->words[field] != index)
    set_index (self, field, index);
  if (field == PH_VIEW_PAGE && !ph_view_state_is_on (self, PH_VIEW_BOTTOM))
    set_index (self, PH_VIEW_BOTTOM, 0);
  return TRUE;
}

gboolean
ph_view_state_say (PhViewState *self, const char *line, GError **error)
{
  g_auto (GStrv) words = NULL;
  PhViewField field;

  if (!g_shell_parse_argv (line, NULL, &words, error))
    return FALSE;
  if (g_strv_length (words) < 3 || !g_str_equal (words[0], "view") || !ph_view_find (words[1], &field))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "'%s' sets nothing: `view FIELD WORD` does", line);
      return FALSE;
    }
  return ph_view_state_set (self, field, (const char *const *) words + 2, error);
}

gboolean
ph_view_state_forget_part (PhViewState *self)
{
  if (self->arrangement.part == PH_PART_ALL)
    return FALSE;
  self->arrangement.part = PH_PART_ALL;
  g_clear_pointer (&self->arrangement.keep, g_hash_table_unref);
  g_clear_pointer (&self->arrangement.also, g_array_unref);
  return TRUE;
}

void
ph_view_state_emit (PhViewState *self, PhViewField field)
{
  changed (self, field);
}

void
ph_view_state_set_arrangement (PhViewState *self, const PhArrangement *arrangement)
{
  static const PhViewField fields[] = { PH_VIEW_COMPACT, PH_VIEW_GROUP, PH_VIEW_OPEN, PH_VIEW_PART };

  ph_arrangement_copy (&self->arrangement, arrangement);
  self->words[PH_VIEW_COMPACT] = arrangement->compact;
  self->words[PH_VIEW_GROUP] = arrangement->group;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    changed (self, fields[i]);
}

void
ph_view_state_set_query (PhViewState *self, const char *text, PhMeasure *measure)
{
  set_color (self, PH_COLOR_QUERY, g_strdup (text), ph_measure_ref (measure));
}

void
ph_view_state_note_zoom (PhViewState *self, const PhView *at)
{
  self->at = *at;
}

/* Reading */

char *
ph_view_state_text (PhViewState *self, PhViewField field)
{
  if (field == PH_VIEW_OPEN)
    return ph_arrangement_open_text (&self->arrangement);
  if (field == PH_VIEW_PART)
    return ph_arrangement_part_text (&self->arrangement);
  if (field == PH_VIEW_COLOR && self->query != NULL)
    {
      g_autofree char *quoted = g_shell_quote (self->query);

      return g_strdup_printf ("query %s", quoted);
    }
  if (field == PH_VIEW_ZOOM && self->at.zoom > 0)
    {
      GString *text = g_string_new (NULL);

      ph_number_append (text, "%.3f ", self->at.x);
      ph_number_append (text, "%.3f ", self->at.y);
      ph_number_append (text, "%.6g", self->at.zoom);
      return g_string_free (text, FALSE);
    }
  return g_strdup (ph_view_state_word (self, field));
}

gboolean
ph_view_state_is_default (PhViewState *self, PhViewField field)
{
  g_autofree char *text = ph_view_state_text (self, field);

  return g_str_equal (text, ph_view_row (field)->words[0].word);
}

guint
ph_view_state_get (PhViewState *self, PhViewField field)
{
  return self->words[field];
}

const char *
ph_view_state_word (PhViewState *self, PhViewField field)
{
  return ph_view_row (field)->words[self->words[field]].word;
}

gboolean
ph_view_state_is_on (PhViewState *self, PhViewField field)
{
  const char *word = ph_view_state_word (self, field);

  if (field == PH_VIEW_LEGEND && g_str_equal (word, "auto"))
    return self->words[PH_VIEW_COLOR] != PH_COLOR_FAMILY;
  if (field == PH_VIEW_GROUP && g_str_equal (word, "auto"))
    return ph_view_state_is_grouped (self);
  return g_str_equal (word, "on") || g_str_equal (word, "auto");
}

const PhArrangement *
ph_view_state_get_arrangement (PhViewState *self)
{
  return &self->arrangement;
}

gboolean
ph_view_state_is_grouped (PhViewState *self)
{
  PhModel *model = ph_document_get_model (self->document);

  if (self->arrangement.group != PH_GROUP_AUTO || model == NULL)
    return self->arrangement.group == PH_GROUP_ON;
  if (!self->counted)
    {
      self->counted = TRUE;
      self->groups = ph_scene_has_blocks (model) || ph_scene_count_drawn (model) > GROUP_ABOVE
                     || ph_scene_count_layers (model) > GROUP_LONG;
    }
  return self->groups;
}

PhMeasure *
ph_view_state_dup_measure (PhViewState *self)
{
  PhModel *model = ph_document_get_model (self->document);
  const PhColorMode mode = self->words[PH_VIEW_COLOR];

  if (self->measure != NULL)
    return ph_measure_ref (self->measure);
  return model != NULL ? ph_measure_new_of_model (model, mode) : NULL;
}

gboolean
ph_view_state_knows_color (PhViewState *self)
{
  return !ph_color_mode_is_given (self->words[PH_VIEW_COLOR]) || self->measure != NULL;
}
