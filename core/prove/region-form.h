/* region-form.h: the form that equal rewrites of different weights share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/magnitudes.h"
#include "core/prove/trial.h"

G_BEGIN_DECLS

/* The form of a region: its large constants stand for any numbers, as its inputs do, and constants that a rule computed are
 * computed from them by the rule's recipe. What is proved of a form over the field holds for all weights; so twenty layers of
 * one kind are proved once, and of each it remains to be seen that its constants are what their recipes give. */
struct _PhRegionForm
{
  GBytes *key;                /* equal keys, equal forms                                                     */
  GPtrArray *tensors;         /* (element-type PhTensor) that the key names by where they lie: not owned     */
  GHashTable *variables;      /* PhTensor -> which one it is, from 1 on; of the side before                  */
  GHashTable *sizes;          /* (nullable) see core/prove/field-sizes.h: forms of other numbers of channels are the same one */
  gint64 batch, image;        /* with @sizes: the images that it is tried on are as large                    */
  GPtrArray *made;            /* (element-type PhTensor) of the side after alone, each with a recipe         */
  const PhFieldReport *known; /* (nullable) what was found of the form before: not owned                     */
};

/* NULL: it has no large constants, or there are others than those whose form can be told: infinite ones, or computed ones that
 * nothing is recorded of. (transfer full) */
PhRegionForm *ph_region_form_new (const PhRegion *region, PhModel *before, PhModel *after, const PhTrialOptions *options,
                                  PhMagnitudes *magnitudes);
void ph_region_form_free (PhRegionForm *form);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhRegionForm, ph_region_form_free)

G_END_DECLS
