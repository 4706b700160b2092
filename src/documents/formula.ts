import type { Element, Nodes } from 'hast';
import { elementChildren, elementsOf, lineOf, propertyOf } from './hast.ts';
import { scripted } from './script-marks.ts';

/** A formula on one line: as it was written where the page says so, else `(a + b)/c`, `x²`, `√(y)` by its elements (MathML Core). */
export function formulaOf(math: Element): string {
  const source = elementsOf(math).find(
    (each) => each.tagName === 'annotation' && /tex/i.test(propertyOf(each, 'encoding') ?? ''),
  );
  return source === undefined
    ? written(math).replace(/\s+/g, ' ').trim()
    : plainTex(lineOf(source));
}

/** Without the style in which Wikipedia wraps each formula. */
export function plainTex(tex: string): string {
  return /^\{\\(?:display|text)style\s+([\s\S]*)\}$/.exec(tex)?.[1] ?? tex;
}

function written(node: Nodes): string {
  if (node.type === 'text') return node.value.trim();
  if (node.type !== 'element') return '';
  const [first, second, third] = elementChildren(node).map(written);
  const base = first ?? '';
  switch (node.tagName) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'msup':
    case 'mover':
      return base + scripted(second ?? '', 'sup');
    case 'msub':
    case 'munder':
      return base + scripted(second ?? '', 'sub');
    case 'msubsup':
    case 'munderover':
      return base + scripted(second ?? '', 'sub') + scripted(third ?? '', 'sup');
    case 'mfrac':
      return `${grouped(base)}/${grouped(second ?? '')}`;
    case 'msqrt':
      return `√${grouped(inner(node))}`;
    case 'mroot':
      return `${scripted(second ?? '', 'sup')}√${grouped(base)}`;
    case 'mtr':
      return `${inner(node, ' ')}; `;
    case 'mo':
      return /^[=<>≤≥≠≈→±]$/.test(inner(node)) ? ` ${inner(node)} ` : inner(node);
    default:
      return inner(node);
  }
}

const inner = (node: Element, separator = ''): string => node.children.map(written).join(separator);

const grouped = (text: string): string => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
