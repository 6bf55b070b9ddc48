/* page-private.h: the parts of a page.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/page.h"

G_BEGIN_DECLS

/* page-picture.c: all boxes and lines of all times between @first and @last as one SVG; those that are not there at @last are hidden. @ends: set to
 * the places of boxes whose lines end where their text does, as JSON: {"12":[x,y,width,height]}. */
void ph_page_add_picture (GString *out, PhScene *scene, int first, int last, GString *ends);
/* page-facts.c: steps, rewrites, closed groups and what is known of each node, as JSON without "<". @model and @history: (nullable history) moved through
 * it, and back. */
void ph_page_add_facts (GString *out, const PhPageOptions *options, PhScene *scene, int first, int last, const char *ends);
/* The list of steps, as items. */
void ph_page_add_steps (GString *out, PhHistory *history, int first, int last);

G_END_DECLS
