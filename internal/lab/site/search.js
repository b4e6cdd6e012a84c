'use strict';

// find returns the pages that have all words of query, those with a word in the title first, then those
// with one in a heading.
function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = [];
  for (const page of pages) {
    const title = page.title.toLowerCase();
    const heads = page.heads.toLowerCase();
    const text = page.text.toLowerCase();
    if (!words.every((w) => title.includes(w) || text.includes(w))) continue;
    let rank = 0;
    for (const w of words) rank += (title.includes(w) ? 100 : 0) + (heads.includes(w) ? 40 : 0) + Math.min(text.split(w).length - 1, 20);
    const at = Math.max(0, text.indexOf(words[0]) - 40);
    found.push({page, rank, around: page.text.slice(at, at + 140)});
  }
  return found.sort((a, b) => b.rank - a.rank).slice(0, 12);
}

const query = document.getElementById('query');
const list = document.getElementById('found');
query.addEventListener('input', () => {
  const found = find(query.value);
  list.replaceChildren(...found.map(({page, around}) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = document.body.dataset.root + page.to;
    link.textContent = page.title;
    const text = document.createElement('p');
    text.textContent = `… ${around} …`;
    item.append(link, text);
    return item;
  }));
  if (found.length === 0 && query.value.trim()) list.append(Object.assign(document.createElement('li'), {textContent: 'Nothing found'}));
  list.hidden = query.value.trim() === '';
});
document.addEventListener('keydown', (e) => {
  if (e.key === '/' && document.activeElement !== query) {
    e.preventDefault();
    query.focus();
  } else if (e.key === 'Escape') {
    query.value = '';
    list.hidden = true;
  }
});
