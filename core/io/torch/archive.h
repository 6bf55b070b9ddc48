/* archive.h: the members of a zip archive, and the pickles in it as inert data. Private to core/io/torch and the readers of its formats.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/source.h"
#include "core/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct
{
  char *name;
  gsize offset, packed, size;
  gboolean deflated;
} PhZipMember;
/* Members by name: only plain relative names, each once, deflated or stored, together not much larger than the file can hold. */
typedef struct
{
  PhSource *source;
  GHashTable *members;
  GPtrArray *list;
  gsize length;
} PhZip;

PhZip *ph_zip_open (PhSource *source, GError **error);
void ph_zip_free (PhZip *zip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhZip, ph_zip_free)
const PhZipMember *ph_zip_find (PhZip *zip, const char *name); /* (nullable) */
/* Where its bytes begin, after the local header and the name. FALSE with @error: the archive is damaged. */
gboolean ph_zip_locate (PhZip *zip, const PhZipMember *member, gsize *offset, GError **error);
GBytes *ph_zip_read (PhZip *zip, const PhZipMember *member, GError **error);
/* The tensor in @name, whose elements lie as @strides and @offset say, both in elements. */
PhTensor *ph_zip_tensor (PhZip *zip, const char *name, PhDType dtype, guint rank, const gint64 *dims, const gint64 *strides,
                         gint64 offset, GError **error);

/* What a pickle describes. Nothing is called: a call is kept as what it says. */
/* clang-format off */
typedef enum { PH_PICKLE_NONE, PH_PICKLE_BOOL, PH_PICKLE_INT, PH_PICKLE_FLOAT, PH_PICKLE_STRING, PH_PICKLE_TUPLE, PH_PICKLE_LIST, PH_PICKLE_DICT,
               PH_PICKLE_GLOBAL, PH_PICKLE_CALL, PH_PICKLE_OBJECT, PH_PICKLE_STORAGE, PH_PICKLE_MARK } PhPickleKind;

typedef struct _PhPickle PhPickle;
struct _PhPickle
{
  PhPickleKind kind;
  gint64       i;
  double       f;
  char        *text;          /* STRING; GLOBAL: "module.name"                                                     */
  GPtrArray   *items;         /* (element-type PhPickle); DICT: key, value, ...; CALL: callee, argument tuple; STORAGE: the tuple */
  PhPickle    *class, *state; /* (nullable) OBJECT                                                                 */
};
/* clang-format on */

typedef struct
{
  GPtrArray *all;
  PhPickle *root;
} PhPickles;
PhPickles *ph_pickle_read (PhSource *source, const char *member, GBytes *bytes, GError **error);
void ph_pickle_free (PhPickles *pickles);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPickles, ph_pickle_free)
const PhPickle *ph_pickle_get (const PhPickle *dict, const char *key); /* (nullable) of a dictionary or an object's state */
/* The tensor that @pickle describes, its elements from @zip's member PREFIX/data/KEY, in order whatever its strides. NULL without error:
 * it is none. */
PhTensor *ph_pickle_tensor (const PhPickle *pickle, PhZip *zip, const char *prefix, const char *folder, GError **error);

G_END_DECLS
