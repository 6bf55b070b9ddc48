/* page.h: a history as one page for a browser: the same stable picture, its steps and rewrites by keys and a slider.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/draw.h"
#include "core/draw/export.h"

G_BEGIN_DECLS

/* Positions @from to @to of @history (nullable: the model as it stands), as HTML that needs no other file. Without JavaScript it
 * shows what is there at @to. @model is moved through the history, and back. (transfer full) */
typedef struct
{
  PhModel *model;
  PhHistory *history; /* (nullable)                                            */
  PhId inside;        /* what is drawn, PH_NO_ID: the main graph               */
  PhPosition from, to;
  PhSceneOptions scene; /* ph_render_scene_options() */
  const char *title;    /* of the model: "lenet.onnx"                            */
} PhPageOptions;
char *ph_page_print (const PhPageOptions *options, PhRenderFacts *facts, GCancellable *cancellable, GError **error);
gboolean ph_page_save (const PhPageOptions *options, const char *path, PhRenderFacts *facts, GCancellable *cancellable,
                       GError **error);

/* @text for HTML: valid UTF-8 without control characters, with & < > and quotes escaped. */
void ph_page_append_text (GString *out, const char *text);

G_END_DECLS
