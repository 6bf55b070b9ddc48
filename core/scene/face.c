/* face.c: the texts on a box: operator, main attributes, constants, output shape.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/face.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "core/escape.h"
#include "core/large-pages.h"
#include "core/ops/dialect.h"
#include "core/ops/op-list.h"
#include "core/scene/face-text.h"
#include "core/scene/scene.h"
#include "core/scene/short-type.h"

struct _PhFaces
{
  GArray *faces; /* (element-type PhFace)                                */
  GStringChunk *strings;
  GHashTable *equal;     /* Place -> id of an equal constant that the node had there before */
  GHashTable *changes;   /* node -> number of changes that no other sign shows */
  GHashTable *widths[2]; /* text -> PangoLayout width in 1/8 points; plain, bold */
  GHashTable *titles;    /* operator's or box's name, interned -> title; there are few distinct ones on very many nodes */
  GHashTable *types;     /* PhType -> TypeText                                   */
  PangoContext *context; /* (nullable) after finish                              */
  PangoLayout *layouts[2];
  GPtrArray *dimensions; /* (element-type char*) long names of the inputs', A first */
};

/* The texts of a type, strings of the chunk. */
typedef struct
{
  const char *shape, *whole;
} TypeText; /* @shape: (nullable) */

static guint
mix (guint hash, guint with)
{
  return (hash ^ with) * 0x9e3779b1u + (hash >> 15);
}

/* A use of a constant; the input belongs to it, since a node may read two equal constants. */
typedef struct
{
  PhId node, value;
  guint input;
} Place;

static guint
place_hash (gconstpointer data)
{
  const Place *place = data;

  return mix (mix (mix (0, place->node), place->value), place->input);
}

static gboolean
place_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Place)) == 0;
}

PhFaces *
ph_faces_new (PhGraph *graph, guint expected)
{
  PhFaces *faces = g_new0 (PhFaces, 1);
  g_autoptr (PangoFontDescription) font = pango_font_description_from_string (PH_FACE_FONT);
  cairo_font_options_t *options = cairo_font_options_create ();

  faces->faces = ph_large_array (FALSE, sizeof (PhFace), expected);
  faces->dimensions = graph != NULL ? ph_long_dimensions (graph) : g_ptr_array_new ();
  faces->strings = g_string_chunk_new (4096);
  faces->equal = g_hash_table_new_full (place_hash, place_equal, g_free, NULL);
  faces->changes = g_hash_table_new (NULL, NULL);
  faces->titles = g_hash_table_new (NULL, NULL);
  faces->types = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  faces->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  pango_cairo_context_set_font_options (faces->context, options);
  pango_cairo_context_set_resolution (faces->context, 96);
  pango_context_set_round_glyph_positions (faces->context, FALSE);
  cairo_font_options_destroy (options);
  for (int bold = 0; bold < 2; bold++)
    {
      faces->widths[bold] = g_hash_table_new (NULL, NULL); /* strings of the chunk are unique: by address */
      faces->layouts[bold] = pango_layout_new (faces->context);
      pango_font_description_set_absolute_size (font, (bold ? PH_FACE_TITLE_SIZE : PH_FACE_TEXT_SIZE) * PANGO_SCALE);
      pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
      pango_layout_set_font_description (faces->layouts[bold], font);
    }
  return faces;
}

void
ph_faces_finish (PhFaces *faces)
{
  for (int bold = 0; bold < 2; bold++)
    {
      g_clear_pointer (&faces->widths[bold], g_hash_table_unref);
      g_clear_object (&faces->layouts[bold]);
    }
  g_clear_object (&faces->context);
}

void
ph_faces_free (PhFaces *faces)
{
  ph_faces_finish (faces);
  g_hash_table_unref (faces->equal);
  g_hash_table_unref (faces->changes);
  g_hash_table_unref (faces->titles);
  g_hash_table_unref (faces->types);
  g_string_chunk_free (faces->strings);
  g_ptr_array_unref (faces->dimensions);
  g_array_unref (faces->faces);
  g_free (faces);
}

const char *
ph_faces_string (PhFaces *faces, const char *text)
{
  g_autofree char *shown = ph_escape (text, FALSE);

  return g_string_chunk_insert_const (faces->strings, shown);
}

const char *
ph_faces_name (PhFaces *faces, const char *name)
{
  return ph_escape_is_plain (name) ? name : ph_faces_string (faces, name);
}

/* Returns the width of @text, which is from ph_faces_string(). */
static float
width_of (PhFaces *faces, const char *text, gboolean bold)
{
  gpointer known = g_hash_table_lookup (faces->widths[bold], text);

  if (known == NULL)
    {
      int width;

      pango_layout_set_text (faces->layouts[bold], text, -1);
      pango_layout_get_size (faces->layouts[bold], &width, NULL);
      known = GINT_TO_POINTER (1 + (int) (8.0 * width / PANGO_SCALE));
      g_hash_table_insert (faces->widths[bold], (gpointer) text, known);
    }
  return GPOINTER_TO_INT (known) / 8.0f;
}

/* Returns at most @max characters of @text, with an ellipsis if it was longer. */
static const char *
shortened (PhFaces *faces, const char *text, glong max)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1), *cut = NULL;

  g_strdelimit (valid, "\n\r\t", ' ');
  if (g_utf8_strlen (valid, -1) <= max)
    return ph_faces_string (faces, valid);
  cut = g_utf8_substring (valid, 0, max - 1);
  g_autofree char *with = g_strconcat (cut, "…", NULL);
  return ph_faces_string (faces, with);
}

char *
ph_face_shape (PhFaces *faces, const PhType *type)
{
  GString *text;

  if (type == NULL)
    return g_strdup ("");
  if (type->kind == PH_KIND_SEQUENCE)
    return g_strdup ("sequence");
  if (type->kind == PH_KIND_OPTIONAL)
    return g_strdup ("optional");
  if (type->kind == PH_KIND_OPAQUE)
    return g_strdup (type->name);
  if (!type->has_rank)
    return g_strdup ("?");
  if (type->rank == 0)
    return g_strdup ("scalar");
  text = g_string_new (NULL);
  for (guint i = 0; i < type->rank; i++)
    {
      g_autofree char *whole = ph_dim_to_string (type->dims[i]), *dim = ph_dimension_to_short (whole, faces->dimensions);

      if (i > 0)
        g_string_append (text, "×");
      if (g_utf8_strlen (dim, -1) > 14)
        g_string_append (text, "…");
      else
        g_string_append (text, dim);
    }
  return g_string_free (text, FALSE);
}

/* "float 3×4" */
static char *
type_text (PhFaces *faces, const PhType *type)
{
  g_autofree char *shape = ph_face_shape (faces, type);

  return type == NULL || type->kind == PH_KIND_OPAQUE ? g_steal_pointer (&shape)
                                                      : g_strdup_printf ("%s %s", ph_dtype_name (type->dtype), shape);
}

static const TypeText *
text_of_type (PhFaces *faces, const PhType *type)
{
  TypeText *text = g_hash_table_lookup (faces->types, type);

  if (text == NULL)
    {
      g_autofree char *shape = ph_face_shape (faces, type), *whole = type_text (faces, type);

      text = g_new (TypeText, 1);
      *text = (TypeText) { *shape != '\0' ? shortened (faces, shape, 34) : NULL, ph_faces_string (faces, whole) };
      g_hash_table_insert (faces->types, (gpointer) type, text);
    }
  return text;
}

const char *
ph_faces_type (PhFaces *faces, const PhType *type)
{
  return text_of_type (faces, type)->whole;
}

static const char *
title_of (PhFaces *faces, const char *op_type)
{
  const char *title = g_hash_table_lookup (faces->titles, op_type);

  if (title == NULL)
    {
      title = shortened (faces, op_type, 30);
      g_hash_table_insert (faces->titles, (gpointer) op_type, (gpointer) title);
    }
  return title;
}

/* Finds the operator, also by its name in an older version. */
static const PhOp *
op_of (const PhNode *node)
{
  return node->op != NULL ? node->op : ph_dialect_find_op (node->domain, node->op_type);
}

static PhFamily
family_of (const PhNode *node)
{
  const PhOp *op = op_of (node);

  const PhForeignOp *foreign = op == NULL ? ph_dialect_find_foreign (node->domain, node->op_type) : NULL;

  return op != NULL ? op->family : foreign != NULL ? foreign->family : PH_FAMILY_OTHER;
}

static PhMotif motif_of (const PhNode *node);

/* Returns the most important node of a fused node: an attention, for example, also contains products. */
static PhNode *
main_node (PhNode *node)
{
  static const guint8 worth[PH_N_MOTIFS]
      = { [PH_MOTIF_SOFTMAX] = 5, [PH_MOTIF_CONV] = 4, [PH_MOTIF_PRODUCT] = 3, [PH_MOTIF_NORM] = 2, [PH_MOTIF_SMOOTH] = 2,
          [PH_MOTIF_CURVE] = 1,   [PH_MOTIF_POOL] = 1, [PH_MOTIF_CONCAT] = 1,  [PH_MOTIF_GATE] = 1 };
  PhNode *best = NULL;

  if (!ph_node_is_fused (node))
    return node;
  PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[0])
    if (best == NULL || worth[motif_of (inner)] > worth[motif_of (best)])
      best = inner;
  return best != NULL ? main_node (best) : node;
}

static PhMotif
motif_of (const PhNode *node)
{
  const PhOp *op;

  node = main_node ((PhNode *) node);
  op = op_of (node);
  return op != NULL && !ph_node_is_fused (node) ? op->motif : PH_MOTIF_NONE;
}

/* Lists the operators of a fused node in order; a nested body counts as one. */
static void
list_body (PhFaces *faces, PhFace *face, const PhGraph *body)
{
  PH_FOREACH_NODE (node, body)
    {
      if (node->op == &ph_op_Constant)
        continue;
      if (face->n_body == PH_FACE_BODY)
        {
          face->n_more++;
          continue;
        }
      face->body_family[face->n_body] = ph_node_is_fused (node) ? PH_FAMILY_FUSED : family_of (node);
      face->body[face->n_body++] = ph_faces_string (faces, node->op_type);
    }
}

/* Returns FALSE if there is no room for the row. */
static gboolean
add_row (PhFaces *faces, PhFace *face, PhNode *node, guint input, PhTensor *tensor)
{
  g_autofree char *what = ph_face_tensor (faces, tensor), *row = NULL;
  const guint n_formal = node->op != NULL ? ph_op_n_inputs (node->op, NULL, NULL) : 0;
  const char *name = input < n_formal ? node->op->inputs[input].name : NULL;

  row = name != NULL ? g_strdup_printf (ph_tensor_count (tensor) <= 4 ? "%s = %s" : "%s %s", name, what) : g_strdup (what);
  /* Short ones share a line. */
  if (face->n_rows > 0 && g_utf8_strlen (face->rows[face->n_rows - 1], -1) + g_utf8_strlen (row, -1) <= 20)
    {
      g_autofree char *both = g_strdup_printf ("%s · %s", face->rows[face->n_rows - 1], row);

      face->rows[face->n_rows - 1] = ph_faces_string (faces, both);
    }
  else if (face->n_rows < PH_FACE_ROWS)
    face->rows[face->n_rows++] = shortened (faces, row, 26);
  else
    return FALSE;
  return TRUE;
}

/* Adds rows for the constants that a node reads; if there are very many, the last one has the number of the others. */
static void
add_rows (PhFaces *faces, PhFace *face, PhNode *node)
{
  guint in_last = 0, left = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = node->inputs->pdata[i];
      const guint n_rows = face->n_rows;

      if (value == NULL || value->tensor == NULL || ph_scene_draws_input (value))
        continue;
      if (left > 0 || !add_row (faces, face, node, i, value->tensor))
        left++;
      else
        in_last = face->n_rows > n_rows ? 1 : in_last + 1;
    }
  if (left > 0)
    {
      g_autofree char *more = g_strdup_printf ("and %u more", left + in_last);

      face->rows[face->n_rows - 1] = ph_faces_string (faces, more);
    }
}

/* ── faces ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static guint
add_face (PhFaces *faces, PhFace *face)
{
  float width = width_of (faces, face->title, TRUE) + (face->family == PH_FAMILY_FUSED ? 24 : 0); /* the mark of an inside */
  guint n_lines = face->n_rows + (face->detail != NULL) + (face->shape != NULL);

  if (face->detail != NULL)
    width = MAX (width, width_of (faces, face->detail, FALSE));
  for (guint i = 0; i < face->n_rows; i++)
    width = MAX (width, width_of (faces, face->rows[i], FALSE));
  if (face->shape != NULL)
    width = MAX (width, width_of (faces, face->shape, FALSE));
  for (guint i = 0; i < face->n_body; i++)
    width = MAX (width, (face->n_body > 1 ? 2 : 1) * (width_of (faces, face->body[i], FALSE) + 12));
  face->width = ceilf (MAX (width + 2 * PH_FACE_MARGIN, 64));
  face->height = PH_FACE_HEADER + (n_lines > 0 ? n_lines * PH_FACE_ROW + 8 : 0)
                 + (face->n_body > 0 ? (face->n_body + 1) / 2 * PH_FACE_CHIP + (face->n_more > 0 ? PH_FACE_ROW : 0) + 4 : 0);
  g_array_append_val (faces->faces, *face);
  return faces->faces->len - 1;
}

static guint
add_pill (PhFaces *faces, PhFace *face)
{
  face->width = ceilf (width_of (faces, face->title, FALSE) + 14);
  face->height = PH_PILL_HEIGHT;
  g_array_append_val (faces->faces, *face);
  return faces->faces->len - 1;
}

static PhId
known_as (PhFaces *faces, PhId node, guint input, PhId value)
{
  const Place place = { node, value, input };
  gpointer known = g_hash_table_size (faces->equal) > 0 ? g_hash_table_lookup (faces->equal, &place) : NULL;

  return known != NULL ? GPOINTER_TO_UINT (known) : value;
}

void
ph_faces_note_equal (PhFaces *faces, PhId node, guint input, PhId known, PhId value)
{
  const Place place = { node, value, input };

  g_hash_table_insert (faces->equal, g_memdup2 (&place, sizeof place), GUINT_TO_POINTER (known_as (faces, node, input, known)));
}

void
ph_faces_note_change (PhFaces *faces, PhId node)
{
  gpointer n = g_hash_table_lookup (faces->changes, GUINT_TO_POINTER (node));

  g_hash_table_insert (faces->changes, GUINT_TO_POINTER (node), GUINT_TO_POINTER (GPOINTER_TO_UINT (n) + 1));
}

void
ph_faces_set_own_types (PhFaces *faces, guint index, guint types)
{
  g_array_index (faces->faces, PhFace, index).own_types = types;
}

static guint
node_signature (PhFaces *faces, const PhNode *node)
{
  guint hash = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      hash = mix (hash, value != NULL ? known_as (faces, node->id, i, value->id) : 0);
    }
  for (guint i = 0; i < node->attrs->len; i++)
    hash = mix (hash, ph_attr_hash (node->attrs->pdata[i]));
  return mix (hash, GPOINTER_TO_UINT (g_hash_table_lookup (faces->changes, GUINT_TO_POINTER (node->id))));
}

static guint
body_signature (PhFaces *faces, guint hash, const PhGraph *body)
{
  PH_FOREACH_NODE (node, body)
    {
      hash = mix (mix (hash, g_str_hash (node->op_type)), node_signature (faces, node));
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        hash = body_signature (faces, hash, node->graphs->pdata[i]);
    }
  return hash;
}

static guint
signature_of (PhFaces *faces, const PhNode *node)
{
  guint hash = node_signature (faces, node);

  for (guint i = 0; ph_node_is_fused (node) && i < node->graphs->len; i++)
    hash = body_signature (faces, hash, node->graphs->pdata[i]);
  return hash;
}

guint
ph_faces_add_again (PhFaces *faces, guint index, const PhNode *node)
{
  PhFace face = g_array_index (faces->faces, PhFace, index);

  face.signature = signature_of (faces, node);
  g_array_append_val (faces->faces, face);
  return faces->faces->len - 1;
}

guint
ph_faces_add_node (PhFaces *faces, PhNode *node)
{
  PhFace face = {
    NULL,
  };
  g_autoptr (GString) detail = g_string_new (NULL);
  const gboolean fused = ph_node_is_fused (node);
  const PhForeignOp *foreign;
  PhNode *described;
  const PhFunction *function = ph_node_function (node);
  const gboolean named = ph_dialect_is_box (node) && *node->name != '\0'; /* a module of a file, for example */

  face.family = fused || function != NULL ? PH_FAMILY_FUSED : family_of (node);
  face.title = title_of (faces, named ? node->name : node->op_type);
  face.motif = motif_of (node);
  foreign = node->op == NULL ? ph_dialect_find_foreign (node->domain, node->op_type) : NULL;
  face.short_name = named              ? node->op_type
                    : node->op != NULL ? node->op->short_name
                    : foreign != NULL  ? foreign->short_name
                                       : NULL;
  face.name = *node->name != 0 ? ph_faces_name (faces, node->name) : NULL;
  if (ph_dialect_has_blocks (node))
    {
      g_autofree char *block = ph_node_block (node);

      face.block = ph_faces_string (faces, block);
    }
  if (fused || function != NULL)
    list_body (faces, &face, fused ? node->graphs->pdata[0] : function->graph);
  described = main_node (node);
  ph_face_window (detail, described);
  if (detail->len == 0 && described == node)
    ph_face_attributes (detail, node);
  if (detail->len > 0)
    face.detail = shortened (faces, detail->str, 34);
  add_rows (faces, &face, node);
  face.signature = signature_of (faces, node);
  for (guint i = 0; i < node->outputs->len; i++)
    face.types = mix (face.types, GPOINTER_TO_UINT (((PhValue *) node->outputs->pdata[i])->type));
  face.own_types = face.types;
  if (node->outputs->len > 0)
    face.shape = text_of_type (faces, ((PhValue *) node->outputs->pdata[0])->type)->shape;
  return add_face (faces, &face);
}

guint
ph_faces_add_value (PhFaces *faces, const PhValue *value, gboolean output)
{
  PhFace face = {
    NULL,
  };
  g_autofree char *type = type_text (faces, value->type);

  if (value->is_input && value->tensor != NULL && ph_tensor_count (value->tensor) == 1)
    {
      g_autofree char *number = ph_face_tensor (faces, value->tensor), *both = g_strdup_printf ("%s = %s", type, number);

      g_free (type);
      type = g_steal_pointer (&both);
    }
  face.family = PH_FAMILY_IO;
  face.title = shortened (faces, value->name, 30);
  face.name = ph_faces_name (faces, value->name);
  if (value->type != NULL)
    face.shape = shortened (faces, type, 34);
  /* An output that another node makes now has a new line, and is no change of its own: no count has one. */
  face.signature = mix (output ? PH_NO_ID : value->id, GPOINTER_TO_UINT (value->type));
  return add_face (faces, &face);
}

guint
ph_faces_add_constant (PhFaces *faces, PhNode *node)
{
  const PhValue *value = node->outputs->pdata[0];
  PhTensor *tensor = ph_value_constant (value);
  const PhAttr *attr = node->attrs->len == 1 ? node->attrs->pdata[0] : NULL;
  g_autofree char *text = tensor != NULL                              ? ph_face_tensor (faces, tensor)
                          : attr != NULL && attr->kind == PH_ATTR_REF ? ph_attr_value_to_string (attr)
                                                                      : ph_face_shape (faces, value->type);
  PhFace face = {
    NULL,
  };

  face.family = PH_FAMILY_CONSTANT;
  face.title = shortened (faces, *text != 0 ? text : node->op_type, 22);
  face.name = *node->name != 0 ? ph_faces_name (faces, node->name) : NULL;
  face.signature = node_signature (faces, node);
  return add_pill (faces, &face);
}

/* Adds the face of a pill, a single line. */
guint
ph_faces_add_text (PhFaces *faces, const char *title, const char *detail, PhFamily family)
{
  PhFace face = {
    NULL,
  };

  face.family = family;
  face.title = shortened (faces, title, 22);
  if (detail != NULL)
    face.detail = shortened (faces, detail, 34);
  face.signature = g_str_hash (title);
  return add_pill (faces, &face);
}

const PhFace *
ph_faces_get (PhFaces *faces, guint index)
{
  return &g_array_index (faces->faces, PhFace, index);
}
