import { decodeHTML } from 'entities';

/** Removes tags, and scripts and styles with their content. Linear: each character is read once. */
export function textBetweenTags(html: string): string {
  const parts: string[] = [];
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      parts.push(html.slice(at));
      break;
    }
    parts.push(html.slice(at, open));
    const name = /^[a-z]+/.exec(lower.slice(open + 1, open + 12))?.[0] ?? '';
    const from = WITHOUT_TEXT.has(name) ? lower.indexOf(`</${name}`, open) : open;
    const close = from === -1 ? -1 : html.indexOf('>', from);
    at = close === -1 ? html.length : close + 1;
  }
  return decodeHTML(parts.join(' '))
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}

const WITHOUT_TEXT = new Set(
  'script style iframe object applet noscript template svg math canvas select textarea'.split(' '),
);
