// What a page gains where scripts run: buttons to copy, and search, facets, sorting and keys for the list of findings.
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
const orders = { 'as given': null, target: (card) => card.dataset.target, verdict: (card) => card.dataset.verdict,
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
  const key = orders[controls.sort.value || 'as given'];
  const sorted = key ? [...cards].sort((a, b) => key(a).localeCompare(key(b))) : cards;
  list.append(...sorted);
  controls.count.textContent = shown === cards.length ? '' : shown + ' of ' + cards.length;
};
const changed = () => {
  apply();
  const state = wanted().toString();
  history.replaceState(null, '', begun + (state ? '?' + state : ''));
  for (const back of document.querySelectorAll('.back a')) back.href = location.hash;
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
    const label = make('label', { textContent: text });
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
  choose('sort', 'order', Object.keys(orders).slice(1), 'as given');
  const count = make('output', { className: 'quiet' });
  bar.append(count);
  list.before(bar);
  controls.count = { set textContent(text) { count.textContent = text; } };
  addEventListener('hashchange', restore);
  restore();
}

// Keys: / to search, j and k to go on and back, Esc to the list.
const links = () => cards.filter((card) => !card.hidden).map((card) => card.querySelector('a.id'));
addEventListener('keydown', (event) => {
  const typing = event.target.matches?.('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const article = document.querySelector('article.finding:target');
  if (event.key === 'Escape') {
    if (typing) event.target.blur();
    else if (article) location.hash = document.querySelector('.back a')?.getAttribute('href') || begun;
    return;
  }
  if (typing) return;
  if (event.key === '/' ? controls.q : false) {
    event.preventDefault();
    if (article) location.hash = begun;
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
