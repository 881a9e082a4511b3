// What a page gains where scripts run: buttons to copy, the step view's slider, and search, facets, sorting and keys for
// the list of findings.
// Without it everything is there and reads the same. The page is XML too: the two characters that open markup there are
// not used.
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

// A button beside every text that is there to be copied, and one at the top of its finding.
const copyButton = (block) => {
  const name = 'Copy ' + block.dataset.copy;
  const button = make('button', { type: 'button', textContent: name });
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = name; }, 2000);
  };
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      say('Copied');
    } catch {
      // Where the clipboard is not given to a file, the text is at least selected.
      block.closest('details')?.setAttribute('open', '');
      getSelection().selectAllChildren(block);
      say('Selected: press Ctrl+C');
    }
  });
  return button;
};
for (const block of document.querySelectorAll('pre[data-copy]')) {
  block.before(copyButton(block));
  block.closest('article')?.querySelector('.actions')?.append(copyButton(block));
}

// The list. What is searched and chosen stands in the address, behind #findings? as in a query
const list = document.querySelector('.cards.findings');
const cards = list ? [...list.children] : [];
const facets = ['target', 'version', 'verdict', 'grade', 'op', 'dtype', 'alias', 'blame'];
// The page's own order, by grade and with known ones last, needs no key.
const orders = { 'most severe first': null, target: (card) => card.dataset.target, verdict: (card) => card.dataset.verdict,
                 nodes: (card) => card.dataset.nodes.padStart(6, '0') };
const valuesOf = (card, facet) => (card.dataset[facet] || '').split('|').filter(Boolean);
const controls = {};
const begun = '#findings';

const stateOfAddress = () => new URLSearchParams(location.hash.startsWith(begun) ? location.hash.slice(begun.length + 1) : '');
const wanted = () => {
  const state = new URLSearchParams();
  for (const [name, control] of Object.entries(controls)) if (control.value) state.set(name, control.value);
  return state;
};
const apply = () => {
  const words = controls.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const card of cards) {
    const text = (card.textContent + ' ' + Object.values(card.dataset).join(' ')).toLowerCase();
    const fits = [words.every((word) => text.includes(word)),
                  facets.every((facet) => !controls[facet]?.value || valuesOf(card, facet).includes(controls[facet].value))]
      .every(Boolean);
    card.hidden = !fits;
    shown += fits;
  }
  const key = orders[controls.sort.value || 'most severe first'];
  const sorted = key ? [...cards].sort((a, b) => key(a).localeCompare(key(b))) : cards;
  list.append(...sorted);
  controls.count.textContent = shown === cards.length ? '' : shown + ' of ' + cards.length;
};
const changed = () => {
  apply();
  const state = wanted().toString();
  history.replaceState(null, '', begun + (state ? '?' + state : ''));
  for (const back of document.querySelectorAll('.back a[href="#findings"], .back a[href^="#findings?"]')) back.href = location.hash;
};
const restore = () => {
  if (!location.hash.startsWith(begun)) return;
  const state = stateOfAddress();
  for (const [name, control] of Object.entries(controls)) if ('value' in control) control.value = state.get(name) || '';
  apply();
};

if (cards.length > 1) {
  const bar = make('form', { className: 'filters', role: 'search' });
  bar.addEventListener('submit', (event) => event.preventDefault());
  const labelled = (text, control) => {
    const label = make('label', { textContent: text[0].toUpperCase() + text.slice(1) });
    label.append(control);
    bar.append(label);
    return control;
  };
  controls.q = labelled('Search', make('input', { type: 'search', placeholder: 'any word ( / )' }));
  controls.q.addEventListener('input', changed);
  const choose = (name, label, values, none) => {
    const select = make('select', {});
    select.append(make('option', { value: '', textContent: none }));
    for (const value of values) select.append(make('option', { value, textContent: value }));
    select.addEventListener('change', changed);
    controls[name] = labelled(label, select);
  };
  for (const facet of facets) {
    const values = [...new Set(cards.flatMap((card) => valuesOf(card, facet)))].sort();
    if (values.length > 1) choose(facet, facet === 'blame' ? 'pass' : facet, values, 'any');
  }
  choose('sort', 'order', Object.keys(orders).slice(1), 'most severe first');
  const count = make('output', { className: 'quiet' });
  bar.append(count);
  list.before(bar);
  controls.count = { set textContent(text) { count.textContent = text; } };
  addEventListener('hashchange', restore);
  restore();
}

// The step view of a finding: one step marked in the arena, the graph, the table of errors and the list, chosen by a
// slider, by a click on any of them, or played up to the overwrite.
const stepper = (place) => {
  const article = place.closest('article');
  const items = [...article.querySelectorAll('.steps li[data-step]')];
  if (items.length === 0) return;
  const figure = article.querySelector('svg.graph');
  // Where the first step is the one to see, all are played.
  const until = Math.min(Number(place.dataset.until), items.length - 1) || items.length - 1;
  const label = make('label', { textContent: 'Step ' });
  const slider = make('input', { type: 'range', min: 0, max: items.length - 1, value: until });
  const play = make('button', { type: 'button', textContent: 'Play to step ' + until });
  const output = make('output', {});
  output.setAttribute('aria-live', 'polite');
  label.append(slider);
  place.append(label, play, output);

  const show = (step) => {
    slider.value = step;
    const node = items[step].dataset.node;
    for (const item of items) item.classList.toggle('now', Number(item.dataset.step) === step);
    for (const slot of article.querySelectorAll('.arena [data-first]')) {
      const first = Number(slot.dataset.first), last = Number(slot.dataset.last);
      slot.classList.toggle('future', first > step);
      slot.classList.toggle('past', step > last);
      slot.classList.toggle('now', first === step);
    }
    for (const mark of article.querySelectorAll('.arena [data-at]')) mark.classList.toggle('future', Number(mark.dataset.at) > step);
    for (const head of article.querySelectorAll('.arena text[data-step]')) head.classList.toggle('now', Number(head.dataset.step) === step);
    const done = new Set(items.slice(0, step + 1).map((item) => item.dataset.node));
    for (const item of items) {
      if (!item.dataset.node) continue;
      const box = figure?.querySelector('.n' + item.dataset.node);
      box?.classList.toggle('now', item.dataset.node === node);
      box?.classList.toggle('future', !done.has(item.dataset.node));
    }
    for (const row of article.querySelectorAll('.errors tr[data-node]')) row.classList.toggle('now', row.dataset.node === node);
    output.textContent = '#' + step + ' ' + [...items[step].children].map((part) => part.textContent).join(' · ');
  };
  // What is chosen stands in the address, as ?step=3#f-7KQ2.
  const go = (step) => {
    show(step);
    history.replaceState(null, '', '?step=' + step + '#' + article.id);
  };
  slider.addEventListener('input', () => go(Number(slider.value)));
  let timer = 0;
  play.addEventListener('click', () => {
    clearInterval(timer);
    let step = 0;
    show(step);
    timer = setInterval(() => {
      if (step === until) clearInterval(timer);
      else show(++step);
    }, 700);
  });
  const choose = (element, step) => {
    if (!element) return;
    element.classList.add('chosen');
    element.addEventListener('click', () => { clearInterval(timer); go(step); });
  };
  for (const item of items) {
    const step = Number(item.dataset.step);
    choose(item, step);
    if (!item.dataset.node) continue;
    choose(figure?.querySelector('.n' + item.dataset.node), step);
    for (const row of article.querySelectorAll('.errors tr[data-node="' + item.dataset.node + '"]')) choose(row, step);
  }
  for (const slot of article.querySelectorAll('.arena [data-first]')) {
    if (items.length > Number(slot.dataset.first)) choose(slot, Number(slot.dataset.first));
  }
  const asked = new URLSearchParams(location.search).get('step');
  if (asked !== null) show(Math.min(Math.max(0, Number(asked) || 0), items.length - 1));
};
for (const place of document.querySelectorAll('.stepper')) stepper(place);

// Keys: / to search, j and k to go on and back, Esc to the list.
const links = () => cards.filter((card) => !card.hidden).map((card) => card.querySelector('a.id'));
addEventListener('keydown', (event) => {
  const typing = event.target.matches?.('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const open = document.querySelector('article.finding:target') || document.querySelector('article.finding :target')?.closest('article');
  if (event.key === 'Escape') {
    if (typing) event.target.blur();
    else if (open) location.hash = open.querySelector('.back a')?.getAttribute('href') || begun;
    return;
  }
  const article = open?.id ? open : null;
  if (typing) return;
  if (event.key === '/' ? controls.q : false) {
    event.preventDefault();
    if (open) location.hash = begun;
    controls.q.focus();
  }
  if (!['j', 'k'].includes(event.key)) return;
  const step = event.key === 'j' ? 1 : -1;
  const all = links();
  if (article) {
    const at = all.findIndex((link) => link.hash === '#' + article.id);
    const next = all[at + step];
    if (next) location.hash = next.hash;
    return;
  }
  const at = all.indexOf(document.activeElement);
  (all[at + step] || (at === -1 ? all[step > 0 ? 0 : all.length - 1] : all[at]))?.focus();
});
