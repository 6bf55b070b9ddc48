/* tensor-view.h: the values of a tensor: statistics, a histogram, a heat map of a slice, the first elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

#define PH_TYPE_TENSOR_VIEW (ph_tensor_view_get_type ())
G_DECLARE_FINAL_TYPE (PhTensorView, ph_tensor_view, PH, TENSOR_VIEW, GtkWidget)

/* @name: suggested for the file that "save" writes. */
GtkWidget *ph_tensor_view_new (PhTensor *tensor, const char *name);

G_END_DECLS
