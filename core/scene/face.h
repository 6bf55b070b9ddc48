/* face.h: the words on a box: operator, main attributes, constants, output shape.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

G_BEGIN_DECLS

#define PH_FACE_ROWS 6
#define PH_FACE_BODY 6

/* Immutable; strings live in the PhFaces. */
typedef struct
{
  const char *title;              /* "Conv"                                    */
  const char *detail;             /* (nullable) "3×3, stride 2, pad 1"         */
  const char *rows[PH_FACE_ROWS]; /* "W  64×3×7×7", "B = 0.5"                  */
  guint n_rows;
  const char *body[PH_FACE_BODY]; /* of a fused node: the operators in it      */
  guint8 body_family[PH_FACE_BODY];
  guint n_body, n_more; /* n_more: how many did not fit              */
  const char *shape;    /* (nullable) "1×64×56×56"                   */
  const char *name;     /* (nullable) of the node                    */
  const char *block;    /* (nullable) in which the node is, where its dialect has blocks */
  PhFamily family;
  PhMotif motif;
  const char *short_name; /* (nullable) */
  guint signature;        /* of operator, attributes, inputs, bodies: differs when the node changed */
  guint types;            /* of the outputs                            */
  guint own_types;        /* those types that it did not only take over from what makes its inputs; see record.c */
  float width, height;    /* in points, as drawn at zoom 1             */
} PhFace;

/* The faces of one scene, with their strings and a measure of text. Belongs to one thread at a time. */
typedef struct _PhFaces PhFaces;

/* @graph: (nullable) whose long names of dimensions are letters on the faces. @expected: how many there may be. */
PhFaces *ph_faces_new (PhGraph *graph, guint expected);
void ph_faces_free (PhFaces *faces);
const char *ph_faces_string (PhFaces *faces, const char *text);
const char *ph_faces_name (PhFaces *faces, const char *name); /* likewise of an interned name, whose address may be new */
guint ph_faces_add_node (PhFaces *faces, PhNode *node);
guint ph_faces_add_value (PhFaces *faces, const PhValue *value, gboolean output);
guint ph_faces_add_constant (PhFaces *faces, PhNode *node); /* a pill with its value */
guint ph_faces_add_text (PhFaces *faces, const char *title, const char *detail, PhFamily family);
const PhFace *ph_faces_get (PhFaces *faces, guint index);
void ph_faces_set_own_types (PhFaces *faces, guint index, guint types);
/* While a history is read, of the faces that are made from then on: @value at this @input of @node is a constant equal to @known; a
 * tensor of @node's attributes or a body of it changed. */
void ph_faces_note_equal (PhFaces *faces, PhId node, guint input, PhId known, PhId value);
void ph_faces_note_change (PhFaces *faces, PhId node);
/* Face @index, which looks the same though a body of @node changed. */
guint ph_faces_add_again (PhFaces *faces, guint index, const PhNode *node);
/* Ends the measuring: what it needs of Pango is freed, so that any thread may read the faces. */
void ph_faces_finish (PhFaces *faces);

/* "1×64×56×56", "batch×128", "A×8×⌈B/2⌉", "scalar", "" while unknown. (transfer full) */
char *ph_face_shape (PhFaces *faces, const PhType *type);
const char *ph_faces_type (PhFaces *faces, const PhType *type); /* likewise, as ph_faces_string() */

/* Geometry of a box's inside, at zoom 1. */
#define PH_FACE_HEADER     24.0f
#define PH_FACE_ROW        16.0f
#define PH_FACE_CHIP       21.0f /* an operator of a fused node's body */
#define PH_FACE_MARGIN     10.0f
#define PH_FACE_FONT       "Cantarell, Inter, DejaVu Sans"
#define PH_FACE_TITLE_SIZE 13.0
#define PH_FACE_TEXT_SIZE  11.0
#define PH_PILL_HEIGHT     18.0f
#define PH_PILL_GAP        10.0f /* between the pills and their box */

G_END_DECLS
