#!/bin/sh
# files.sh: fails when a file with text for people is missing in POTFILES, or when a translation has errors or gaps.
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$(dirname "$0")/.." || exit 1
status=0
for file in $(grep -lE '(^|[^A-Za-z0-9_])(_|N_|ngettext) ?\("' app/*.c views/*.c core/console/commands/commands-*.c core/draw/*.c passes/pipeline.c) resources/ui/*.ui; do
  grep -qx "$file" po/POTFILES || { echo "po/POTFILES has no $file"; status=1; }
done
for file in $(cat po/POTFILES); do
  [ -f "$file" ] || { echo "po/POTFILES has $file, which is not there"; status=1; }
done
template=$(mktemp)
trap 'rm -f "$template"' EXIT
xgettext --from-code=UTF-8 -k_ -kN_ -kC_:1c,2 -kngettext:1,2 -o "$template" -f po/POTFILES || status=1
for language in $(cat po/LINGUAS); do
  msgfmt --check --statistics -o /dev/null "po/$language.po" || status=1
  said=$(msgcmp "po/$language.po" "$template" 2>&1) || { echo "po/$language.po: translate these, after msgmerge -U with meson's peephole-pot"; status=1; }
  # What is left over would be translated and read again by everybody after.
  case "$said" in *'is not used'*) status=1 ;; esac
  [ -z "$said" ] || echo "$said"
done
exit $status
