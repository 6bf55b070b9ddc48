'use strict';
(() => {
const $ = id => document.getElementById(id), data = JSON.parse($('data').textContent), body = document.body;
const svg = $('picture'), world = $('world'), stage = $('stage'), slider = $('slider');
const NS = 'http://www.w3.org/2000/svg', FOREVER = 1e9;
const lives = [...world.querySelectorAll('[data-b],[data-d]')].filter(e => !e.dataset.s);
const cards = [...world.querySelectorAll('.c')], pills = [...world.querySelectorAll('.p')], edges = [...world.querySelectorAll('.e')];
const num = (v, other) => v === undefined ? other : +v;
const title = c => c?.look.querySelector('.t')?.textContent || '';
const at = (e, t) => e.b <= t && t < e.d;
const make = (name, attrs, text) => {
  const e = document.createElementNS(NS, name);
  for (const k in attrs) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text;
  return e;
};
for (const e of [...lives, ...cards, ...pills]) { e.b = num(e.dataset.b, 0); e.d = num(e.dataset.d, FOREVER); }
for (const text of svg.querySelectorAll('[textLength]')) text.setAttribute('lengthAdjust', 'spacingAndGlyphs');
const look = e => $(e.querySelector('use').getAttribute('href').slice(1));
for (const c of cards) {
  c.look = look(c);
  const r = c.look.querySelector('.b');
  c.w = +r.getAttribute('width'); c.h = +r.getAttribute('height'); c.rx = +r.getAttribute('rx');
  [c.x, c.y] = c.getAttribute('transform').match(/-?[\d.]+/g).map(Number);
  c.i = c.dataset.i; c.k = c.dataset.k; c.sig = c.dataset.g;
}
const slots = new Map();
for (const c of cards) { if (!slots.has(c.k)) slots.set(c.k, []); slots.get(c.k).push(c); }
for (const e of edges) {
  const s = (e.dataset.s || '').split(',').map(Number);
  e.spans = [];
  for (let i = 0; i + 1 < s.length; i += 2) e.spans.push({ b: s[i], d: s[i + 1] < 0 ? FOREVER : s[i + 1] });
  e.there = t => e.spans.some(x => x.b <= t && t < x.d);
}

// ── positions: a time counts rewrites, a step ends at one ──
const steps = data.steps, busy = steps.filter(s => s.n > 0), first = data.first, last = data.last;
let time = last, since = last, by = 'step', diff = true, chosen = null;
const stepOf = t => busy.find(s => s.t - s.n < t && t <= s.t);
const label = t => {
  const s = stepOf(t);
  if (!s) return t <= 0 ? 'the model as it is in its file' : 'position ' + t;
  return 'step ' + s.k + ' of ' + data.count + ': ' + s.p + (t < s.t ? ', rewrite ' + (t - s.t + s.n) + ' of ' + s.n : '');
};
const stops = [first, ...busy.map(s => s.t).filter(t => t > first && t <= last)];

function ends (e) {                     // a line ends where its box ends now, which may be smaller than its place
  if (!e.dataset.f && !e.dataset.o) return;
  let d = e.line ??= e.dataset.l || e.getAttribute('d');
  const points = d.match(/-?[\d.]+/g).map(Number), n = points.length;
  const clamp = (v, from, size, by) => Math.min(Math.max(v, from + by), from + size - by);
  const ended = (k, [x, y], on) => {
    const all = k === undefined ? null : slots.get(k), c = all && (all.find(q => at(q, time)) || all.find(q => at(q, since)));
    if (!c) return null;
    const [sx, sy, sw, sh] = data.slots[k], bottom = y >= sy + sh - 1, right = x >= sx + sw - 1;
    let end;
    if (bottom || y <= sy + 1) end = [clamp(x, c.x, c.w, 4), bottom ? c.y + c.h : c.y];
    else if (right || x <= sx + 1) end = [right ? c.x + c.w : c.x, clamp(y, c.y, c.h, 4)];
    else return null;
    const r = c.h / 2, dx = end[0] - on[0], dy = end[1] - on[1], far = Math.hypot(dx, dy) || 1;
    if (c.rx < r - 1) return end;
    for (let t = 0; t <= r; t += 0.5) { // half circles end a pill
      const p = [end[0] + t * dx / far, end[1] + t * dy / far];
      if (Math.hypot(p[0] - clamp(p[0], c.x, c.w, r), p[1] - c.y - r) <= r + 0.1) return p;
    }
    const mx = clamp(end[0], c.x, c.w, r), my = c.y + r, away = Math.hypot(end[0] - mx, end[1] - my) || 1;
    return [mx + r / away * (end[0] - mx), my + r / away * (end[1] - my)];
  };
  const fix = (k, place, on) => {         // what is too short has no direction, which an arrow needs
    const end = ended(k, place, on);
    return end && Math.hypot(end[0] - place[0], end[1] - place[1]) < 1 ? null : end;
  };
  const join = (card, place, on) => {   // the inner points of the curve between both, or null: a straight line
    const x = place[0] - card[0], y = place[1] - card[1], dx = on[0] - place[0], dy = on[1] - place[1], far = Math.hypot(dx, dy);
    if (Math.abs(x * dy - y * dx) < 0.5 * far) return null;
    const bow = far > 0.1 ? 0.4 * Math.hypot(x, y) / far : 0;
    return [Math.abs(y) > Math.abs(x) ? [card[0], card[1] + y / 2] : [card[0] + x / 2, card[1]], [place[0] - bow * dx, place[1] - bow * dy]];
  };
  const start = points.slice(0, 2), end = points.slice(n - 2), after = points.slice(2, 4), before = points.slice(n - 4, n - 2);
  const a = fix(e.dataset.f, start, after), z = fix(e.dataset.o, end, before);
  if (a) {
    const inner = join(a, start, after);
    d = 'M' + a + (inner ? `C${inner[0]} ${inner[1]} ${start}` : 'L' + start) + d.slice(d.search(/[LC]/));
  }
  if (z) {
    const inner = join(z, end, before);
    d += inner ? `C${inner[1]} ${inner[0]} ${z}` : 'L' + z;
  }
  e.setAttribute('d', d);
}

const ring = (c, kind, by) => make('rect', { class: kind, x: -by, y: -by, width: c.w + 2 * by, height: c.h + 2 * by, rx: c.rx + by });
const badge = (x, y, sign, kind) => {
  const k = make('g', { class: 'k' + kind, transform: `translate(${x} ${y})` });
  k.append(make('circle', { r: 9 }), make('text', {}, sign));
  return k;
};
function mark (c, kind, gone) {         // 'new', 'gone', 'chg', '' or null: not there; gone: the card that it took the place of
  if (c.mark === kind && c.gone === gone) return;
  c.mark = kind;
  c.gone = gone;
  c.classList.toggle('off', kind === null);
  for (const k of ['new', 'gone', 'chg']) c.classList.toggle(k, kind === k);
  for (const old of c.querySelectorAll(':scope>.o,:scope>.k,:scope>.v')) old.remove();
  if (!kind || !c.w) return;
  c.append(ring(c, 'o', 1.5));
  if (gone) {
    const behind = make('rect', { class: 'v', x: 8, y: 8, width: c.w, height: c.h, rx: c.rx });
    behind.append(make('title', {}, 'instead of ' + title(gone)));
    c.prepend(behind);
    c.append(badge(c.w + 8, c.h + 8, '\u2212', ' r'));
  }
  c.append(badge(0, 0, kind === 'new' ? '+' : kind === 'gone' ? '\u2212' : '~', ''));
}

function show () {
  const was = diff ? since : time, marked = [];
  svg.classList.toggle('a', was !== time);
  for (const e of lives) if (!e.classList.contains('c') && !e.classList.contains('p')) e.classList.toggle('off', !at(e, time));
  for (const group of slots.values()) {
    const now = group.find(c => at(c, time)), before = was === time ? now : group.find(c => at(c, was));
    for (const c of group) {
      let kind = null;
      if (c === now) kind = c === before ? '' : before && before.i === c.i ? (before.sig === c.sig ? '' : 'chg') : 'new';
      else if (c === before && !now) kind = 'gone';
      mark(c, kind, kind === 'new' ? before : undefined);
      if (kind) marked.push(c);
    }
  }
  for (const p of pills) mark(p, at(p, time) ? (was === time || at(p, was) ? '' : 'new') : was !== time && at(p, was) ? 'gone' : null);
  for (const e of edges) {
    const now = e.there(time), before = was === time ? now : e.there(was);
    e.classList.toggle('off', !now && !before);
    e.classList.toggle('new', now && !before);
    e.classList.toggle('gone', before && !now);
    if (now || before) ends(e);
  }
  for (const g of data.groups) {
    const e = $('g' + g.k), text = e && e.querySelector('.gd');
    if (!text) continue;
    let k = 0;
    while (k + 1 < g.s.length && g.s[k + 1][0] <= time) k++;
    text.textContent = g.s[k][1];
    e.querySelector('.gc').textContent = was !== time && g.s[k][0] === time ? g.s[k][2] : '';
  }
  const s = stepOf(time);
  $('where').textContent = label(time) + (was !== time ? ' \u2014 ' + count(marked) : '');
  slider.value = time;
  slider.setAttribute('aria-valuetext', label(time));
  for (const li of document.querySelectorAll('#steps li')) {
    li.classList.toggle('on', s ? +li.dataset.k === s.k : li.dataset.k === '0');
    li.classList.toggle('later', +li.dataset.t > time);
  }
  $('first').disabled = $('back').disabled = time <= first;
  $('end').disabled = $('next').disabled = time >= last;
  rewrites(s);
  inspect();
  return marked;
}

function count (marked) {
  const n = k => marked.filter(c => c.mark === k && c.classList.contains('c')).length;
  const parts = [['+', n('new')], ['\u2212', n('gone') + marked.filter(c => c.gone).length], ['~', n('chg')]].filter(x => x[1] > 0).map(x => x[0] + x[1]);
  return parts.length ? parts.join(' ') : 'nothing that is drawn';
}

function go (t, from, quietly) {
  t = Math.max(first, Math.min(last, t));
  since = from === undefined ? (t === first ? t : by === 'step' ? Math.max(...stops.filter(s => s < t)) : t - 1) : from;
  time = t;
  const marked = show();
  if (marked.length && marked.filter(seen).length * 2 < marked.length) centre(marked);
  if (!quietly) try { history.replaceState(null, '', '#' + time); } catch { /* a page within a page has no address */ }
}
const move = (way, kind) => {
  by = kind;
  if (kind === 'step') go(way > 0 ? stops.find(s => s > time) ?? last : stops.filter(s => s < time).pop() ?? first);
  else go(time + way);
};

function rewrites (s) {
  const box = $('rewrites');
  if (box.step !== s) {
    box.step = s;
    box.replaceChildren();
    if (s) {
      const h = document.createElement('h2');
      h.textContent = 'Rewrites of ' + s.p;
      box.append(h);
      for (let i = 0; i < Math.min(s.n, 400); i++) {
        const r = data.rewrites[s.t - s.n + i - data.base], b = document.createElement('button');
        b.textContent = data.words[r[0]] + (r[2] ? '  n' + r[2] : '');
        b.title = data.words[r[1]];
        b.t = s.t - s.n + i + 1;
        b.onclick = () => { by = 'rewrite'; go(b.t); };
        box.append(b);
      }
      const why = document.createElement('p');
      why.id = 'why';
      box.append(why);
    }
  }
  for (const b of box.querySelectorAll('button')) b.classList.toggle('on', b.t === time && since === time - 1);
  const why = $('why'), r = data.rewrites[time - 1 - data.base];
  if (why) why.textContent = since === time - 1 && r ? data.words[r[1]] : '';
}

// ── what is chosen ──
function rows (title, list) {
  const parts = [];
  if (!list || !list.length) return parts;
  const h = document.createElement('h3'), dl = document.createElement('dl');
  h.textContent = title;
  for (const [k, v] of list) {
    const dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = k; dd.textContent = v;
    dl.append(dt, dd);
  }
  return [h, dl];
}
const made = (t, what) => {
  const r = data.rewrites[t - 1 - data.base], s = stepOf(t);
  return r && s ? [[what, 'step ' + s.k + ', ' + s.p], ['rule', data.words[r[0]]], ['why', data.words[r[1]]]] : [];
};
function inspect () {
  const box = $('inspector');
  for (const c of world.querySelectorAll('.sel')) c.classList.remove('sel');
  for (const r of world.querySelectorAll('.y')) r.remove();
  for (const e of world.querySelectorAll('.lit')) e.classList.remove('lit');
  box.replaceChildren();
  box.classList.toggle('idle', !chosen);
  if (!chosen) { box.innerHTML = data.help; return; }
  const mine = cards.filter(c => c.i === chosen), now = mine.find(c => at(c, time)) || mine.find(c => c.mark === 'gone');
  const said = (data.nodes[chosen] || []).filter((f, i) => i === 0 || f[7] <= time).pop(), word = w => data.words[w] || '';
  const pairs = list => list.reduce((all, w, i) => (i % 2 ? all[all.length - 1].push(word(w)) : all.push([word(w)]), all), []);
  const facts = said && { o: word(said[0]), m: word(said[1]), w: word(said[2]), d: said[3], a: pairs(said[4]), i: pairs(said[5]), u: pairs(said[6]) };
  const h = document.createElement('h2');
  h.textContent = title(now || mine[0]) + (facts ? '  n' + chosen : '');
  box.append(h);
  if (facts) {
    if (facts.d >= 0) { const p = document.createElement('p'); p.textContent = data.words[facts.d]; box.append(p); }
    box.append(...rows('Node', [['operator', facts.o], ...(facts.m ? [['name', facts.m]] : []), ...(facts.w ? [['from', facts.w]] : [])]));
    box.append(...rows('Attributes', facts.a), ...rows('Inputs', facts.i), ...rows('Outputs', facts.u));
  } else if (mine[0])
    box.append(...rows('Value', [['type', (now || mine[0]).look.querySelector('.m')?.textContent || '']]));
  if (now?.gone) box.append(...rows('Instead of', [[title(now.gone), 'n' + now.gone.i]]));
  const born = Math.min(...mine.map(c => c.b)), died = Math.max(...mine.map(c => c.d));
  box.append(...rows('History', [...(born > 0 ? made(born, 'made by') : facts ? [['made by', 'the file']] : []), ...(died < FOREVER ? made(died, 'removed by') : [])]));
  if (!now) return;
  now.classList.add('sel');
  now.append(ring(now, 'y', 2));
  for (const e of edges) if (e.dataset.a === now.k || e.dataset.z === now.k) e.classList.add('lit');
}

// ── looking around ──
let scale = 1, ox = 0, oy = 0;
const put = () => world.setAttribute('transform', `translate(${ox.toFixed(2)} ${oy.toFixed(2)}) scale(${scale.toFixed(4)})`);
const room = () => stage.getBoundingClientRect();
const seen = c => {
  const r = room(), x = c.x * scale + ox, y = c.y * scale + oy;
  return x > -c.w * scale / 2 && x < r.width - c.w * scale / 2 && y > -c.h * scale / 2 && y < r.height - c.h * scale / 2;
};
function centre (list) {
  const r = room(), all = list.filter(c => c.w);
  if (!all.length) return;
  const x0 = Math.min(...all.map(c => c.x)), x1 = Math.max(...all.map(c => c.x + c.w)), y0 = Math.min(...all.map(c => c.y)), y1 = Math.max(...all.map(c => c.y + c.h));
  if ((x1 - x0) * scale > r.width * .9 || (y1 - y0) * scale > r.height * .9) { centre([all[0]]); return; }
  ox = r.width / 2 - (x0 + x1) / 2 * scale; oy = r.height / 2 - (y0 + y1) / 2 * scale;
  put();
}
function zoom (by, x, y) {
  const r = room(), old = scale;
  x ??= r.width / 2; y ??= r.height / 2;
  scale = Math.max(.03, Math.min(4, scale * by));
  ox = x - (x - ox) * scale / old; oy = y - (y - oy) * scale / old;
  put();
}
function fit () {
  const r = room(), w = data.width + 40, h = data.height + 40;
  scale = Math.min(1.4, r.width / w, r.height / h);
  ox = (r.width - data.width * scale) / 2;
  oy = (r.height - data.height * scale) / 2;
  put();
}
function start () {                     // the whole where that can be read, else its beginning
  fit();
  if (scale >= .6) return;
  const there = cards.filter(c => at(c, time)), top = there.length ? Math.min(...there.map(c => c.y)) : 0;
  const up = there.find(c => c.y === top), r = room();
  scale = Math.max(scale, Math.min(.8, r.width / (data.width + 40)), .5);
  oy = 24 - top * scale;
  ox = data.width * scale <= r.width ? (r.width - data.width * scale) / 2 : r.width / 2 - (up ? up.x + up.w / 2 : 0) * scale;
  put();
}
const fingers = new Map();
let travelled = 0;
stage.addEventListener('pointerdown', e => { fingers.set(e.pointerId, e); travelled = fingers.size > 1 ? 99 : 0; });
stage.addEventListener('pointermove', e => {
  const old = fingers.get(e.pointerId);
  if (!old) return;
  const dx = e.clientX - old.clientX, dy = e.clientY - old.clientY;
  travelled += Math.abs(dx) + Math.abs(dy);
  if (travelled > 5 && !stage.hasPointerCapture(e.pointerId)) { stage.setPointerCapture(e.pointerId); stage.classList.add('drag'); }
  if (fingers.size === 2) {
    const other = [...fingers.values()].find(f => f.pointerId !== e.pointerId), r = room();
    const far = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    zoom(far(e, other) / Math.max(far(old, other), 1), (e.clientX + other.clientX) / 2 - r.left, (e.clientY + other.clientY) / 2 - r.top);
  }
  ox += dx / fingers.size; oy += dy / fingers.size;
  put();
  fingers.set(e.pointerId, e);
});
for (const end of ['pointerup', 'pointercancel']) stage.addEventListener(end, e => { fingers.delete(e.pointerId); stage.classList.remove('drag'); });
stage.addEventListener('click', e => {
  if (travelled > 5) return;
  const c = e.target.closest('.c');
  chosen = c ? c.i : null;
  inspect();
});
stage.addEventListener('wheel', e => {
  e.preventDefault();
  const r = room();
  if (e.ctrlKey || !e.shiftKey && Math.abs(e.deltaX) < 1 && Math.abs(e.deltaY) >= 50) zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top);
  else { ox -= e.shiftKey ? e.deltaY : e.deltaX; oy -= e.shiftKey ? 0 : e.deltaY; put(); }
}, { passive: false });

// ── search ──
let hits = [], hit = -1;
function search () {
  const text = $('find').value.trim().toLowerCase();
  for (const r of world.querySelectorAll('.w')) r.remove();
  hits = !text ? [] : cards.filter(c => !c.classList.contains('off') &&
    (('n' + c.i) === text || c.look.textContent.toLowerCase().includes(text) || (data.nodes[c.i] || []).some(f => (data.words[f[1]] || '').toLowerCase().includes(text))));
  hits.sort((a, b) => a.y - b.y || a.x - b.x);
  for (const c of hits) c.append(ring(c, 'w', 4));
  hit = -1;
  $('found').textContent = text ? hits.length + ' found' : '';
}
function next (way) {
  if (!hits.length) return;
  hit = (hit + way + hits.length) % hits.length;
  chosen = hits[hit].i;
  if (scale < .5) scale = .8;
  centre([hits[hit]]);
  $('found').textContent = hit + 1 + ' of ' + hits.length;
  inspect();
}
$('find').addEventListener('input', search);
$('find').addEventListener('keydown', e => {
  if (e.key === 'Enter') { next(e.shiftKey ? -1 : 1); e.preventDefault(); }
  if (e.key === 'Escape') { $('find').value = ''; search(); $('find').blur(); }
  e.stopPropagation();
});

// ── buttons and keys ──
const theme = () => {
  const dark = body.dataset.theme ? body.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  body.dataset.theme = document.documentElement.dataset.theme = dark ? 'light' : 'dark';
};
const changes = () => { diff = !diff; $('diff').setAttribute('aria-pressed', diff); show(); };
const click = { first: () => { by = 'step'; go(first); }, back: () => move(-1, 'step'), next: () => move(1, 'step'), end: () => { by = 'step'; go(last); },
  diff: changes, theme, fit, list: () => body.classList.toggle('list') };
for (const id in click) $(id).onclick = click[id];
slider.min = first; slider.max = last;
slider.oninput = () => { by = stops.includes(+slider.value) ? 'step' : 'rewrite'; go(+slider.value); };
for (const li of document.querySelectorAll('#steps li')) li.onclick = () => { if (!li.classList.contains('idle')) { by = 'step'; go(+li.dataset.t); body.classList.remove('list'); } };
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target === slider && e.key.startsWith('Arrow') && e.key !== 'ArrowUp' && e.key !== 'ArrowDown' && false) return;
  const keys = { ArrowRight: () => move(1, e.shiftKey ? 'rewrite' : 'step'), ArrowLeft: () => move(-1, e.shiftKey ? 'rewrite' : 'step'),
    ArrowDown: () => move(1, 'rewrite'), ArrowUp: () => move(-1, 'rewrite'), Home: click.first, End: click.end, '/': () => $('find').focus(),
    c: changes, t: theme, f: fit, 0: fit, '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(.8), Escape: () => { chosen = null; inspect(); } };
  if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
});
addEventListener('hashchange', () => { const t = parseInt(location.hash.slice(1)); if (t >= first && t <= last && t !== time) { by = stops.includes(t) ? 'step' : 'rewrite'; go(t); } });

const idle = document.querySelectorAll('#steps li.idle').length;
if (idle) {
  const b = document.createElement('button');
  b.id = 'idle';
  b.textContent = idle === 1 ? '1 pass found nothing to do' : idle + ' passes found nothing to do';
  b.onclick = () => b.setAttribute('aria-expanded', $('steps').classList.toggle('all'));
  b.setAttribute('aria-expanded', false);
  $('steps').append(b);
}
body.classList.add('js');
svg.removeAttribute('viewBox');
start();
const asked = parseInt(location.hash.slice(1));
const to = asked >= first && asked <= last ? asked : busy.length === 1 ? last : -1;      // of one step: what it did
if (to >= 0) { by = stops.includes(to) ? 'step' : 'rewrite'; go(to, undefined, true); } else show();
})();
