import type { Element, Root } from 'hast';
import {
  classesOf,
  elementChildren,
  elementsOf,
  isElement,
  lineOf,
  propertyOf,
  textOf,
  words,
} from './hast.ts';

/** What fonts and libraries of icons call themselves. */
const LIBRARY =
  / (?:(?:\S*-)?icons?(?:-\S*|__\S*)?|fa[bsrldt]?|fa-\S+|bi|bi-\S+|mdi\S*|glyphicon\S*|lucide\S*|octicon\S*|codicon\S*|ti|ti-\S+|ph|ph-\S+|twemoji|heroicon\S*) /;
const YES =
  /(?:^|[-_ ])(?:check|checkmark|check[-_ ]?(?:circle|square|bold)|tick|yes|done|task_alt)(?=[-_ ]|$)/;
const NO = /(?:^|[-_ ])(?:times|xmark|cross|close|x|no|remove|cancel|clear|ban|block)(?=[-_ ]|$)/;
/** Icons that are words until a font draws them. */
const LIGATURE = / material-(?:icons|symbols)\S* /;

/**
 * Icons by which a cell says yes or no, and those that strike a line of a list out, become signs or the words that they are called by for
 * those who do not see them; other names of icons, which a font draws, go.
 */
export function readIcons(root: Root): void {
  for (const node of elementsOf(root)) {
    if (
      isElement(node, 'i', 'span', 'mat-icon') &&
      (node.tagName === 'mat-icon' || LIGATURE.test(classesOf(node)))
    ) {
      const sign = signOf(lineOf(node).toLowerCase());
      node.children = sign === undefined ? [] : [words(sign)];
    }
    if (isElement(node, 'td', 'th')) labelCell(node);
    if (node.tagName === 'li') markItem(node);
  }
}

const MAX_INNER = 20;
const MAX_LABEL = 60;

function labelCell(cell: Element): void {
  const inner = elementsOf(cell);
  if (inner.length === 0 || inner.length > MAX_INNER || hasText(cell)) return;
  if (
    inner.some(
      (node) => propertyOf(node, 'alt') !== undefined || isElement(node, 'button', 'input'),
    )
  )
    return;
  const label = inner.map(nameOf).find((name) => name !== undefined && name.length <= MAX_LABEL);
  if (label !== undefined) cell.children = [words(label)];
}

/** Text that a reader sees: neither that of a drawing nor that for those who do not see the page. */
const hasText = (node: Element): boolean =>
  node.children.some((child) =>
    child.type === 'text'
      ? child.value.trim() !== ''
      : isElement(child) &&
        child.tagName !== 'svg' &&
        !UNSEEN.test(classesOf(child)) &&
        hasText(child),
  );
const UNSEEN = / (?:sr-only|visually-hidden|visuallyhidden|screen-reader-text) /;

function nameOf(node: Element): string | undefined {
  const title = elementChildren(node).find(
    ({ tagName }) => node.tagName === 'svg' && tagName === 'title',
  );
  const text = UNSEEN.test(classesOf(node)) ? lineOf(node) : '';
  return (
    propertyOf(node, 'ariaLabel') ??
    (title === undefined ? undefined : lineOf(title) || undefined) ??
    propertyOf(node, 'title') ??
    (text || iconSign(node))
  );
}

/** A cross before a line says that it does not hold. */
function markItem(item: Element): void {
  const at = item.children.findIndex((child) => child.type !== 'text' || child.value.trim() !== '');
  const first = item.children[at];
  if (!isElement(first, 'span', 'div', 'svg') || textOf(first).trim() !== '') return;
  if (iconSign(elementsOf(first).at(-1) ?? first) === '✗') item.children[at] = words('✗ ');
}

function iconSign(node: Element): string | undefined {
  const classes = classesOf(node);
  const isIcon = isElement(node, 'span', 'svg', 'use') && LIBRARY.test(classes);
  return isIcon ? signOf(classes) : undefined;
}

/** What the name of an icon says: yes, no, or neither. */
export function signOf(name: string): string | undefined {
  return YES.test(name) ? '✓' : NO.test(name) ? '✗' : undefined;
}
