import { escapeHtml } from './jsx.ts';
import { labelLine, noteLine, titleOf } from './note-lines.ts';
import { isNoteName } from './notes.ts';
import { attributesIn } from './tag-attributes.ts';

/** A container between lines of colons, or of slashes as in the blocks of PyMdown. */
export interface Container {
  mark: string;
  isNote: boolean;
}

const CONTAINER =
  /^([ \t>]{0,40})(:{3,20}|\/{3,20})[ \t]{0,3}\{?[.]?([A-Za-z][\w-]{0,40})\}?[ \t]{0,9}(?:\|[ \t]{0,9})?([^\n]{0,400})$/;

const BRACED = /^([ \t>]{0,40})(:{3,20})[ \t]{0,3}\{([^}\n]{1,300})\}[ \t]*$/;

const CLOSING = /^([ \t>]{0,40})(:{3,20}|\/{3,20})[ \t]*$/;

const LEAF =
  /^[ \t>]{0,40}::[A-Za-z][\w-]{0,40}(?:\[([^\]\n]{0,300})\])?(?:\{[^}\n]{0,300}\})?[ \t]*$/;

export function readContainer(line: string, open: Container[]): string[] | undefined {
  if (!/^[ \t>]{0,40}(?:::|\/\/\/)/.test(line)) return undefined;
  const leaf = LEAF.exec(line);
  if (leaf !== null) return leaf[1] ? ['', `<p>${escapeHtml(leaf[1])}</p>`, ''] : [''];
  const closing = CLOSING.exec(line);
  if (closing !== null) {
    const [, before = '', mark = ''] = closing;
    if (mark.startsWith('/') && open.length === 0) return undefined;
    const last = open.pop();
    return last?.isNote ? ['', `${before}</div>`, before] : [''];
  }
  const braced = BRACED.exec(line);
  const [, before = '', mark = '', name = '', rest = ''] =
    braced === null ? (CONTAINER.exec(line) ?? []) : bracedParts(braced);
  if (name === '') return undefined;
  const title = titleOf(rest);
  const kind = name.toLowerCase();
  if (/^(?:tab|tab-item|tabitem|tab-panel)$/.test(kind)) {
    open.push({ mark, isNote: false });
    return title === '' ? [''] : ['', before + labelLine(title), before];
  }
  const isNote = isNoteName(kind) || title !== '';
  open.push({ mark, isNote });
  return isNote ? ['', before + noteLine(isNoteName(kind) ? kind : '', title), before] : [''];
}

/** `::: {.callout-note title="…"}` of Quarto and Pandoc. */
function bracedParts([all, before = '', mark = '', inner = '']: string[]): string[] {
  const classes = [...inner.matchAll(/\.([\w-]{1,60})/g)].map(([, name = '']) =>
    name.replace(/^callout-/, ''),
  );
  const plain = /^[A-Za-z][\w-]*$/.test(inner) ? inner : undefined;
  const title = attributesIn(inner).named.get('title') ?? '';
  return [
    all ?? '',
    before,
    mark,
    plain ?? classes.find((name) => isNoteName(name)) ?? 'div',
    title === '' ? '' : `[${title}]`,
  ];
}
