// Filters as one types: elements that contain all the words stay, with their headings.
const input = document.querySelector('input[type=search]');
const output = document.querySelector('.search output');
const nothing = document.querySelector('.nothing');
const contents = document.querySelector('.contents');
const links = new Map([...document.querySelectorAll('nav li > a')].map((a) => [a.hash.slice(1), a]));
const sections = [...document.querySelectorAll('main section')];
const units = [...document.querySelectorAll('.entity, main tbody[id], main tbody:not([id]) > tr')]
  .filter((unit) => unit.matches('.entity') || !unit.closest('.entity'))
  .map((element) => ({ element, text: element.textContent.toLowerCase() }));

function filter() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = units.filter(({ text }) => words.every((word) => text.includes(word)));
  const kept = new Set(found.map(({ element }) => element));
  for (const { element } of units) element.hidden = !kept.has(element);
  for (const section of sections) {
    const holds = [...kept].some((element) => section.contains(element));
    const apart = words.length > 0 && !section.matches('.entity');
    section.hidden = words.length > 0 && !holds;
    for (const child of section.children) {
      if (child.matches('figure, .facts, p, ul')) child.hidden = apart;
      if (child.matches('.grid')) child.hidden = apart && ![...kept].some((e) => child.contains(e));
    }
    const link = links.get(section.id);
    if (link) link.parentElement.hidden = section.hidden;
  }
  nothing.hidden = found.length > 0;
  output.value = words.length ? `${found.length} of ${units.length}` : '';
  mark(words);
}

function mark(words) {
  if (!window.Highlight) return;
  const ranges = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (words.length && walker.nextNode()) {
    const text = walker.currentNode.data.toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + word.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}

input.addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape' && document.activeElement === input) {
    input.value = '';
    filter();
  }
});
// A link may lead to an element that the search has hidden.
window.addEventListener('hashchange', () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target || !target.closest('[hidden]')) return;
  input.value = '';
  filter();
  target.scrollIntoView();
});

// On a small screen the contents begin closed.
if (matchMedia('(max-width: 72rem)').matches) contents.open = false;
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    for (const link of links.values()) link.classList.remove('current');
    links.get(target.id)?.classList.add('current');
  }
}, { rootMargin: '0px 0px -80% 0px' });
for (const section of sections) seen.observe(section);
