import type { Element, ElementContent, Root } from 'hast';
import { elementsOf, isElement, lineOf, textOf, words } from './hast.ts';
import MARKS from './script-marks.json' with { type: 'json' };

/** Marks of notes: a raised word with which a paragraph or line of the same document begins. */
export function noteMarksOf(root: Root): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const node of elementsOf(root)) {
    if (!isElement(node, 'p', 'li', 'div', 'td', 'dd')) continue;
    let isAtStart = true;
    for (const child of node.children) {
      if (isAtStart && isElement(child, 'sup')) marks.add(lineOf(child));
      isAtStart =
        isElement(child, 'br') ||
        (child.type === 'text' &&
          (child.value.trim() === '' ? isAtStart : /\n\s*$/.test(child.value)));
    }
  }
  return marks;
}

/** Looks no further than the first letter: the text before a mark grows with each. */
const hasText = (node: ElementContent): boolean =>
  node.type === 'text' ? /\S/.test(node.value) : 'children' in node && node.children.some(hasText);

/** The mark of a note, apart from what it follows. */
export function noteMark(mark: string, before: readonly ElementContent[]): string {
  return before.some(hasText) ? ` [${mark}]` : `[${mark}] `;
}

/** Raised and lowered text keeps its meaning: 10⁶, H₂O, x^(n+1), and the mark of a note apart from what it follows: 30 [2]. */
export function readScript(
  node: Element,
  before: readonly ElementContent[],
  { noteMarks, isLinked }: { noteMarks: ReadonlySet<string>; isLinked: boolean },
): ElementContent {
  const text = lineOf(node);
  if (text === '') return words(textOf(node) === '' ? '' : ' ');
  const inBrackets = /^\[+([^[\]]+)\]+$/.exec(text)?.[1];
  const isMark =
    inBrackets !== undefined ||
    (node.tagName === 'sup' &&
      (isLinked ||
        (noteMarks.size > 0 && text.split(/[\s,]+/).every((each) => noteMarks.has(each)))));
  if (isMark) return words(noteMark(inBrackets ?? text, before));
  const script = node.tagName === 'sup' ? 'sup' : 'sub';
  // Ordinals (1st, 2e, 3º) and trade marks read as they stand.
  const isPlain =
    script === 'sup' && /^\p{L}{1,4}$|^[™®©℠ºª*†‡]+$/u.test(text) && !hasSigns(text, script);
  return words(isPlain ? text : scripted(text, script));
}

const hasSigns = (text: string, script: 'sup' | 'sub'): boolean =>
  [...text].every((each) => Object.hasOwn(MARKS[script], each));

/** Raised or lowered characters where Unicode has all of them, else `^(n+1)`, `_k`. */
export function scripted(text: string, script: 'sup' | 'sub'): string {
  const table: Readonly<Record<string, string>> = MARKS[script];
  const characters = [...text];
  if (hasSigns(text, script)) return characters.map((each) => table[each]).join('');
  return `${script === 'sup' ? '^' : '_'}${characters.length > 1 ? `(${text})` : text}`;
}
