#!/bin/bash
# browser.sh PEEP SOURCE: the page of a history in a real browser: arrow keys, slider, search, choosing a node, light and dark. Skipped without one.
# SPDX-License-Identifier: GPL-3.0-or-later
peep=$1 source=$2
for name in chromium chromium-browser google-chrome; do
  browser=$(command -v $name) && break
done
if [ -z "$browser" ]; then
  echo "there is no Chromium: skipped"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$peep" "$source/resources/examples/tour.onnxtxt" -c run -c "render $folder/x.html" >/dev/null || exit 1

# A person's keys and clicks, as events; what came of them stands in the page at its end.
cat >"$folder/hands.html" <<'END'
<script>
(() => {
  const said = [], $ = id => document.getElementById(id), where = () => $('where').textContent;
  const check = (what, ok) => said.push((ok ? 'ok ' : 'not ok ') + what);
  const key = (name, more) => document.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, ...more }));
  addEventListener('error', e => check('no error: ' + e.message, false));
  check('the script runs', document.body.classList.contains('js'));
  key('Home');
  check('Home leads to the file', where().startsWith('the model as it is in its file'));
  const seen = [where()];
  for (let i = 0; i < 3; i++) { key('ArrowRight'); seen.push(where()); }
  check('ArrowRight goes on by steps', new Set(seen).size === 4 && seen[1].startsWith('step '));
  check('what changed is marked', document.querySelectorAll('#world .new, #world .gone, #world .chg').length > 0);
  key('ArrowLeft');
  check('ArrowLeft goes back', where() === seen[2]);
  key('Home');
  key('ArrowDown');
  check('ArrowDown goes on by a rewrite', +$('slider').value === +$('slider').min + 1);
  $('slider').value = $('slider').max;
  $('slider').dispatchEvent(new Event('input', { bubbles: true }));
  const end = where();
  key('Home'); key('End');
  check('the slider leads where End does', end.split(' \u2014')[0] === where().split(' \u2014')[0] && $('end').disabled);
  key('Home');
  $('find').value = 'matmul';
  $('find').dispatchEvent(new Event('input', { bubbles: true }));
  check('the search finds', /^[1-9]\d* found$/.test($('found').textContent));
  $('find').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  check('Enter leads to the first', $('found').textContent.startsWith('1 of ') && document.querySelector('#world .sel') !== null);
  check('the inspector tells of it', /MatMul/.test($('inspector').textContent));
  key('Escape');
  check('Escape lets it go', document.querySelector('#world .sel') === null);
  const card = [...document.querySelectorAll('#world .c')].find(c => !c.classList.contains('off'));
  card.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  check('a click chooses', card.classList.contains('sel'));
  const ground = () => getComputedStyle(document.body).backgroundColor, before = ground();
  key('t');
  const after = ground();
  check('t turns light to dark', before !== after);
  key('t');
  check('and back', ground() === before);
  const pre = document.createElement('pre');
  pre.id = 'hands';
  pre.textContent = '\n@@' + said.join('\n@@') + '\n@@' + (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark ' : 'light ') + before + '\n';
  document.body.append(pre);
})();
</script>
END
cat "$folder/x.html" "$folder/hands.html" >"$folder/y.html"

look () {   # more options
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$folder/profile" --virtual-time-budget=8000 "$@" \
    --dump-dom "file://$folder/y.html" 2>"$folder/complaints" | sed -n 's/^@@//p'
}
light=$(look)
dark=$(look --blink-settings=preferredColorScheme=0)
if [ -z "$light" ]; then
  echo "the browser does not start here: skipped"
  tail -3 "$folder/complaints"
  exit 77
fi
echo "$light"
echo "$dark" | tail -1
echo "$light" | grep -q '^not ok' && exit 1
[ "$(echo "$light" | grep -c '^ok')" -eq 14 ] || exit 1
case $(echo "$dark" | tail -1) in
  dark*) [ "$(echo "$light" | tail -1 | cut -d' ' -f2-)" != "$(echo "$dark" | tail -1 | cut -d' ' -f2-)" ] || { echo "dark is as light"; exit 1; } ;;
esac
exit 0
