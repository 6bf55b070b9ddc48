/* field-image.c: caches the images of constants in the field from comparison to comparison.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-tensor.h"

#include <string.h>

#include "core/run/recipe.h"

#define LEAST_ELEMENTS 64         /* fewer are computed sooner than looked up */
#define MOST_ELEMENTS  (16 << 20) /* of all that are remembered               */

/* A cached image with its key. Constants that represent another number at each point are not cached. */
typedef struct
{
  PhTensor *tensor;
  guint reading;
  guint32 *p, *q; /* q: (nullable)                            */
  guint met;
  gboolean used_recognised;
} Image;

struct _PhFieldImages
{
  GHashTable *table;   /* set of Image                             */
  GHashTable *recipes; /* PhTensor (owned) -> whether it equals its recipe */
  gsize n_elements;
  guint n_made;
};

static guint
image_hash (gconstpointer data)
{
  const Image *image = data;

  return g_direct_hash (image->tensor) ^ image->reading;
}

static gboolean
image_equal (gconstpointer a, gconstpointer b)
{
  const Image *x = a, *y = b;

  return x->tensor == y->tensor && x->reading == y->reading;
}

static void
image_free (gpointer data)
{
  Image *image = data;

  ph_tensor_unref (image->tensor);
  g_free (image->p);
  g_free (image->q);
  g_free (image);
}

PhFieldImages *
ph_field_images_new (void)
{
  PhFieldImages *self = g_new0 (PhFieldImages, 1);

  self->table = g_hash_table_new_full (image_hash, image_equal, image_free, NULL);
  self->recipes = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_tensor_unref, NULL);
  return self;
}

void
ph_field_images_free (PhFieldImages *self)
{
  g_hash_table_unref (self->table);
  g_hash_table_unref (self->recipes);
  g_free (self);
}

gboolean
ph_field_images_recipe_holds (PhFieldImages *self, PhTensor *tensor)
{
  gpointer holds;

  if (!g_hash_table_lookup_extended (self->recipes, tensor, NULL, &holds))
    {
      holds = GINT_TO_POINTER (ph_recipe_holds (tensor, NULL));
      g_hash_table_insert (self->recipes, ph_tensor_ref (tensor), holds);
    }
  return GPOINTER_TO_INT (holds);
}

guint
ph_field_images_n_made (PhFieldImages *self)
{
  return self->n_made;
}

/* Returns TRUE if the image is cached. Readings of signs use many primes, each only once. */
static gboolean
is_remembered (PhField *field, const PhFieldTensor *tensor)
{
  return field->images != NULL && tensor->is_constant && PH_FIELD_P == PH_FIELD_USUAL_P && !(field->reading & PH_FIELD_EULER)
         && ph_dtype_is_float (tensor->dtype) && tensor->count >= LEAST_ELEMENTS && !ph_tensor_is_splat (tensor->known);
}

static Image
image_of (PhField *field, PhFieldTensor *tensor)
{
  return (Image) { .tensor = tensor->known, .reading = field->reading & (PH_FIELD_RECOGNISE | PH_FIELD_EXP) };
}

gboolean
ph_field_image_find (PhField *field, PhFieldTensor *tensor)
{
  const Image wanted = is_remembered (field, tensor) ? image_of (field, tensor) : (Image) { 0 };
  const Image *image = wanted.tensor != NULL ? g_hash_table_lookup (field->images->table, &wanted) : NULL;

  if (image == NULL || (image->q == NULL) != (tensor->q == NULL))
    return FALSE;
  memcpy (tensor->p, image->p, tensor->count * sizeof *image->p);
  if (image->q != NULL)
    memcpy (tensor->q, image->q, tensor->count * sizeof *image->q);
  field->met |= image->met;
  field->used_recognised |= image->used_recognised;
  return TRUE;
}

void
ph_field_image_note (PhField *field, PhFieldTensor *tensor)
{
  PhFieldImages *images = field->images;
  Image *image;

  if (!is_remembered (field, tensor))
    return;
  images->n_made++;
  if (field->salted || images->n_elements + tensor->count > MOST_ELEMENTS)
    return;
  image = g_new (Image, 1);
  *image = image_of (field, tensor);
  ph_tensor_ref (image->tensor);
  image->p = g_memdup2 (tensor->p, tensor->count * sizeof *tensor->p);
  image->q = tensor->q != NULL ? g_memdup2 (tensor->q, tensor->count * sizeof *tensor->q) : NULL;
  image->met = field->met;
  image->used_recognised = field->used_recognised;
  images->n_elements += tensor->count;
  g_hash_table_add (images->table, image);
}
