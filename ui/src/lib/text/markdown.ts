// Renders untrusted Markdown to DOM nodes that cannot run scripts, load resources or navigate, and have no ids. The sanitized nodes are
// inserted directly, never serialized to text again.
import { escapeInvisible } from './invisible-characters';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';

/** The maximum length of rendered text, in UTF-16 units. A longer text is shown unrendered, because layout would take long. */
const LONGEST = 400_000;

const escape = (text: string, what = /[&<>"]/g): string =>
  text.replace(what, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]!);

const marked = new Marked({
  gfm: true,
  renderer: {
    // An image would be loaded from elsewhere, so only its text is shown.
    image: ({ text, title }) => `<em>${escape(text || title || 'picture')}</em>`,
    html: ({ text }) => knownTags(text),
    // After an open `<kbd>` or `<script>` tag, the parser treats text as HTML. It is escaped here.
    text(token) {
      if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens);
      return escape(token.text, /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|\w+);)|[<>"]/gi);
    },
    code: ({ text, lang }) =>
      `<pre${lang ? ` data-lang="${escape(lang)}"` : ''}><code>${lang === 'diff' ? diffLines(text) : escape(text)}\n</code></pre>`,
  },
});

/** Keeps tags for structure, without attributes. Other tags are shown as text. */
function knownTags(html: string): string {
  const pieces = html.replace(/<!--[\s\S]*?-->/g, '').split(/(<\/?[a-z][^>]*>)/i);
  const shown = pieces.map((piece, index) => {
    const tag =
      index % 2
        ? /^<(\/?)(details|summary|strong|em|br|sub|sup|kbd|ins|del|mark)(?=[\s/>])/i.exec(piece)
        : null;
    return tag ? `<${tag[1]}${tag[2]}>` : escape(piece);
  });
  return shown.join('');
}

function diffLines(text: string): string {
  const lines = text.split('\n').map((line) => {
    const type =
      line[0] === '+' ? 'added' : line[0] === '-' ? 'removed' : line.startsWith('@@') ? 'hunk' : '';
    return type ? `<span class="diff-${type}">${escape(line)}</span>` : escape(line);
  });
  return lines.join('\n');
}

const tags =
  'a abbr b blockquote br code dd del details dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre s span strong sub summary sup table tbody td th thead tr ul';

/** Renders Markdown to safe nodes. Links have their address only in `data-href`, so that only our click handler opens them. */
export function markdownNodes(source: string): DocumentFragment {
  let html: string;
  const text = escapeInvisible(source);
  try {
    html = text.length > LONGEST ? '' : marked.parse(text, { async: false });
  } catch {
    // Thousands of nested brackets exhaust the parser.
    html = '';
  }
  if (!html && text.trim()) return asWritten(text);
  const clean = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags.split(' '),
    ALLOWED_ATTR: ['href', 'title', 'class', 'data-lang', 'align', 'start', 'open'],
    ALLOWED_URI_REGEXP: /^https?:\/\//i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ADD_ATTR: ['data-lang'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of clean.querySelectorAll('a')) {
    const href = link.getAttribute('href');
    link.removeAttribute('href');
    if (!href) continue;
    link.setAttribute('data-href', href);
    link.setAttribute('role', 'link');
    link.setAttribute('tabindex', '0');
    link.setAttribute('title', href);
  }
  // Wide blocks can be scrolled with the keyboard.
  for (const block of clean.querySelectorAll('pre')) block.setAttribute('tabindex', '0');
  for (const styled of clean.querySelectorAll('[class]')) {
    if (!/^diff-(added|removed|hunk)$/.test(styled.className)) styled.removeAttribute('class');
  }
  return clean;
}

function asWritten(text: string): DocumentFragment {
  const all = document.createDocumentFragment();
  const block = document.createElement('pre');
  block.textContent = text;
  all.append(block);
  return all;
}
