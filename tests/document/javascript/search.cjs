// Opens a page, does to it what a reader does, and tells after each step what can still be seen.
const { readFileSync } = require('node:fs');
const { JSDOM } = require('jsdom');

// jsdom lays nothing out: no screen is small in it, and nothing comes into view.
function beforeParse(window) {
  window.matchMedia = () => ({ matches: false });
  window.IntersectionObserver = class {
    observe() {}
  };
  window.Element.prototype.scrollIntoView = () => {};
}

function seen(document, selector) {
  return [...document.querySelectorAll(selector)].filter((element) => !element.closest('[hidden]'));
}

function state({ document }) {
  return {
    found: document.querySelector('.search output').value,
    entities: seen(document, '.entity').map((element) => element.id),
    patterns: seen(document, 'tbody[id]').map((element) => element.id),
    sections: seen(document, 'main section').map((element) => element.id),
    contents: seen(document, 'nav li > a').map((element) => element.hash.slice(1)),
    pictures: seen(document, 'main figure').length,
    nothing: seen(document, '.nothing').length === 1,
    focused: document.activeElement.type === 'search',
  };
}

async function act(window, [action, text]) {
  const input = window.document.querySelector('input[type=search]');
  if (action === 'type') {
    input.value = text;
    input.dispatchEvent(new window.Event('input', { bubbles: true }));
  } else if (action === 'press') {
    const target = window.document.activeElement;
    target.dispatchEvent(new window.KeyboardEvent('keydown', { key: text, bubbles: true }));
  } else if (action === 'follow') {
    window.location.hash = text;
    await new Promise((done) => window.addEventListener('hashchange', done, { once: true }));
  }
  return state(window);
}

async function main() {
  const { page, actions } = JSON.parse(readFileSync(0, 'utf8'));
  const { window } = new JSDOM(page, { runScripts: 'dangerously', url: 'file:///page.html', beforeParse });
  const states = [state(window)];
  for (const action of actions) {
    states.push(await act(window, action));
  }
  console.log(JSON.stringify(states));
}

main();
