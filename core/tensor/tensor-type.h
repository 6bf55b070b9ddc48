/* tensor-type.h: the name of the type, for headers that only pass tensors on.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* A tensor is reference-counted and, once shared, never written. Its elements are owned, borrowed from memory (GBytes),
 * still in a file (PhFile), or one element repeated (a splat: ones, zeros; light models are full of them, and none needs
 * memory until a kernel asks for its data). All functions are safe from any thread.
 *
 * Elements that cannot be had (the file changed, no memory) read as zeros or NaN, and the thread remembers why: who runs
 * work on a thread asks ph_tensor_take_fault() at its end. */
typedef struct _PhTensor PhTensor;
