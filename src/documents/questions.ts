import type { Element, ElementContent, Root } from 'hast';
import { element, isElement, lineOf, type Parent, words } from './hast.ts';

/** A block of a page in its order, whatever holds it. */
interface Block {
  kind: 'heading' | 'question' | 'other';
  node: ElementContent;
  /** Level of a heading; 0 for other blocks. */
  depth: number;
  /** The words that ask or name, and those that follow them in the same paragraph. */
  head: ElementContent[];
  rest: ElementContent[];
  /** Whether what follows begins in the same line. */
  isRunIn: boolean;
  /** The place behind the part of the page that a label opens and that ends before the page goes on. */
  end?: number;
}

const MAX_QUESTION = 250;

/**
 * Makes headings of the questions that a page has as paragraphs, labels of folded parts, terms or items, so that each answer is a section,
 * one level below the heading above. Other paragraphs in bold stay as they are: as headings they cost a point of the facts that
 * answers show.
 */
export function headQuestions(root: Root): void {
  const blocks: Block[] = [];
  collect(root, blocks);
  let depth = 1;
  let from = 0;
  for (const [at, block] of blocks.entries()) {
    if (block.kind !== 'heading') continue;
    readPart(blocks, { from, to: at, depth: Math.min(6, depth + 1) });
    depth = block.depth;
    from = at + 1;
  }
  readPart(blocks, { from, to: blocks.length, depth: Math.min(6, depth + 1) });
}

/** What stands between two headings. */
function readPart(
  blocks: readonly Block[],
  { from, to, depth }: { from: number; to: number; depth: number },
): void {
  const part = blocks.slice(from, to);
  const questions = part.filter(({ kind }) => kind === 'question').length;
  for (let at = from; at < to; at += 1) {
    const block = blocks[at];
    if (block?.kind !== 'question') continue;
    const isSeveral = !block.isRunIn || questions > 1;
    const hasText = block.rest.length > 0 || (at + 1 < to && blocks[at + 1]?.kind === 'other');
    // Behind a folded part the page goes on with what its label does not name.
    const after = block.end === undefined ? undefined : blocks[block.end];
    if (isSeveral && hasText && (after === undefined || after.kind !== 'other'))
      become(block, depth);
  }
}

function become({ node, head, rest }: Block, depth: number): void {
  if (node.type !== 'element') return;
  const heading = element(
    `h${depth}`,
    head.flatMap((each) => (isMark(each) ? each.children : [each])),
  );
  node.tagName = 'div';
  node.children = rest.length === 0 ? [heading] : [heading, element('p', rest)];
}

const HOLDERS = new Set(['div', 'section', 'article', 'main', 'details', 'dl', 'dd']);

function collect(parent: Parent, blocks: Block[]): void {
  for (const child of parent.children as ElementContent[]) {
    if (isElement(child, 'ul', 'ol')) openQuestions(child);
    if (child.type !== 'element' || !HOLDERS.has(child.tagName)) {
      if (child.type === 'element' || lineOf(child) !== '') blocks.push(blockOf(child));
      continue;
    }
    const first = blocks.length;
    collect(child, blocks);
    const label = blocks[first];
    if (child.tagName === 'details' && label !== undefined) label.end = blocks.length;
  }
}

const isMark = (node: ElementContent): node is Element => isElement(node, 'strong', 'b', 'em', 'i');
const isSpace = (node: ElementContent): boolean => node.type === 'text' && node.value.trim() === '';

function blockOf(node: ElementContent): Block {
  const block: Block = { kind: 'other', node, depth: 0, head: [], rest: [], isRunIn: false };
  if (node.type !== 'element') return block;
  if (/^h[1-6]$/.test(node.tagName))
    return { ...block, kind: 'heading', depth: Number(node.tagName[1]) };
  if (node.tagName === 'dt') {
    const term = lineOf(node);
    const isQuestion = term.length <= MAX_QUESTION && ASKS.test(term);
    return isQuestion ? { ...block, kind: 'question', head: node.children } : block;
  }
  if (node.tagName !== 'p') return block;
  const question = questionIn(node);
  return question === undefined ? block : { ...block, ...question, kind: 'question' };
}

const ASKS = /[?？؟;]["'»”’)]*$/u;
/** `Q:` or `F1.`: a letter that tells questions from answers. */
const LETTER = /^(\p{Lu})\d{0,3}[.:：](?:\s|$)/u;

/** A paragraph that asks, or begins with a question: in bold or italics, or after a letter. */
function questionIn(paragraph: Element): Pick<Block, 'head' | 'rest' | 'isRunIn'> | undefined {
  const nodes = paragraph.children.slice(paragraph.children.findIndex((node) => !isSpace(node)));
  if (paragraph.properties.dataQuestion === true) return { head: nodes, rest: [], isRunIn: false };
  const line = firstLine(nodes);
  const ways = [
    { ...line, isRunIn: false },
    { head: nodes, rest: [], isRunIn: false },
    { head: nodes.slice(0, 1), rest: nodes.slice(1), isRunIn: true },
  ];
  return ways.find(({ head, rest }) => {
    const text = lineOf(element('p', head));
    if (text.length > MAX_QUESTION || !ASKS.test(text)) return false;
    const isMarked = head.every((node) => isMark(node) || isSpace(node));
    return (
      isMarked ||
      (LETTER.test(text) && (rest.length === 0 || LETTER.test(lineOf(element('p', rest)))))
    );
  });
}

/** What stands before the first end of a line, and what behind it. */
function firstLine(nodes: readonly ElementContent[]): {
  head: ElementContent[];
  rest: ElementContent[];
} {
  const at = nodes.findIndex(
    (node) => isElement(node, 'br') || (node.type === 'text' && node.value.includes('\n')),
  );
  const end = nodes[at];
  if (end === undefined) return { head: [...nodes], rest: [] };
  const head = nodes.slice(0, at);
  const rest = nodes.slice(at + 1);
  if (end.type !== 'text') return { head, rest };
  const [first = '', ...others] = end.value.split('\n');
  return { head: [...head, words(first)], rest: [words(others.join('\n')), ...rest] };
}

const INLINE_BLOCKS = ['p', 'ul', 'ol', 'pre', 'div', 'blockquote', 'table', 'details', 'dl'];

/** A list whose items all begin with a question becomes what its items hold. */
function openQuestions(list: Element): void {
  const items = list.children.filter((child): child is Element => isElement(child, 'li'));
  if (items.length < 2) return;
  const contents = items.map(paragraphFirst);
  const areQuestions = contents.every(([first, ...others]) => {
    const answer = others.find((node) => !isSpace(node));
    if (!isElement(first, 'p')) return false;
    const question = questionIn(first);
    if (question !== undefined) return question.rest.length > 0 || answer !== undefined;
    const [asking, answering] = [first, answer].map(
      (node) => LETTER.exec(node === undefined ? '' : lineOf(node))?.[1],
    );
    first.properties.dataQuestion =
      asking !== undefined && answering !== undefined && asking !== answering;
    return first.properties.dataQuestion;
  });
  if (!areQuestions) return;
  list.tagName = 'div';
  for (const [at, item] of items.entries()) {
    item.tagName = 'div';
    item.children = contents[at] ?? [];
  }
}

/** The content of an item, the words that it begins with as a paragraph. */
function paragraphFirst({ children }: Element): ElementContent[] {
  const from = children.findIndex((node) => !isSpace(node));
  const block = children.findIndex((node) => isElement(node, ...INLINE_BLOCKS));
  const end = block === -1 ? children.length : block;
  return end <= from
    ? children.slice(from)
    : [element('p', children.slice(from, end)), ...children.slice(end)];
}
