import { EXCERPT_MAX_LENGTH } from '../../contract/knowledge.ts';
import { type ParsedQuestion, parseQuestion, type QuestionTerm } from '../../grounding/parse-question.ts';
import { type Piece, type Section, sectionOfChunk, sentenceSpans, stemsIn } from '../../grounding/sections.ts';
import { cellAskedFor, cellsOf } from '../../grounding/units.ts';
import { cachedArticle, cachedChunk, type Edition } from '../../search/open-edition.ts';
import type { RankedSource } from './rank-sources.ts';

/**
 * The best passage of the found sections of a source, as plain text of at most 150 characters below its heading: whole sentences that fit, steps from
 * the first on, a table row with the names of its columns, or the one cell that the question needs.
 */
export const excerptOf = (
  edition: Edition,
  { article, chunks, text }: Pick<RankedSource, 'article' | 'chunks' | 'text'>,
): string => {
  const question = parseQuestion(edition, text);
  const { title, firstChunk } = cachedArticle(edition, article);
  const [best] = chunks
    .map((chunk) => ({ section: sectionOfChunk(edition, chunk), start: cachedChunk(edition, chunk).start }))
    .filter(({ section }, at, all) => all.findIndex((other) => other.section === section) === at)
    .flatMap(({ section, start }) =>
      passagesOf(edition, section, { question, above: openingOf(section, title), start }),
    )
    .sort((left, right) => right.held - left.held);
  // Everything found is an image, or boilerplate of many articles.
  if (best === undefined) return cutAtWord(plainLine(edition.chunk(chunks[0] ?? firstChunk).text), EXCERPT_MAX_LENGTH);
  const { section, above, shown } = best;
  const cell = cellAskedFor({ parts: [{ section, pieces: section.pieces }] }, question);
  const below = cell === undefined ? shown.map((statement) => statement.text).join(' ') : plainLine(cell);
  return cutAtWord(above + below, EXCERPT_MAX_LENGTH);
};

/** The passages of a section, and the share of the question's idf that each contains. */
const passagesOf = (
  edition: Edition,
  section: Section,
  { question, above, start }: { question: ParsedQuestion; above: string; start: number },
) => {
  const room = EXCERPT_MAX_LENGTH - above.length;
  const inHeadings = new Set(termsIn(stemsIn(edition, section.path.join('\n')), question));
  const statements = statementsOf(section, question, start - section.start);
  return statements.map((statement, at) => {
    const shown = startingAt(statements, at, room);
    const whole = shown.filter((_, place) => place === 0 || lengthOf(shown.slice(0, place + 1)) <= room);
    const own = new Set(whole.includes(statement) ? statement.terms : []);
    const further = new Set(whole.flatMap(({ terms }) => terms));
    const shareOf = (term: QuestionTerm): number =>
      own.has(term) ? 1 : further.has(term) ? FURTHER : inHeadings.has(term) ? ABOVE : 0;
    return { section, above, shown, held: question.terms.reduce((sum, term) => sum + term.idf * shareOf(term), 0) };
  });
};

/** Weight of a word of the question that occurs only later in the excerpt, or only in its headings. */
const FURTHER = 0.9;
const ABOVE = 0.5;

/** The heading, if it adds to the title and leaves room for the passage. */
const openingOf = ({ path }: Section, title: string): string => {
  const heading = plainLine(path.at(-1) ?? '');
  if (heading === '' || heading.length > MAX_HEADING || title.includes(heading)) return '';
  return /[.:?!]$/.test(heading) ? `${heading} ` : `${heading}: `;
};
const MAX_HEADING = 60;

const termsIn = (stems: readonly string[], { terms }: ParsedQuestion): QuestionTerm[] =>
  terms.filter(({ forms }) => stems.some((stem) => forms.has(stem)));

/** A sentence, list item or table row. */
interface Statement {
  piece: Piece;
  /** As displayed. */
  text: string;
  /** Words of the question that it contains. */
  terms: readonly QuestionTerm[];
}

/** In a long section, only passages this close to the start of the hit are considered, in UTF-16 units. */
const MAX_DISTANCE = 4000;
const MAX_STATEMENTS = 200;

const statementsOf = (section: Section, question: ParsedQuestion, found: number): Statement[] => {
  let head: { block: number; cells: string[] } | undefined;
  return section.pieces
    .filter(
      ({ isRepeated, kind, start }) => !isRepeated && (kind === 'head' || Math.abs(start - found) <= MAX_DISTANCE),
    )
    .flatMap((piece) =>
      sentenceSpans(section.text, piece).flatMap(({ start, end }, at): Statement[] => {
        const raw = section.text.slice(start, end);
        const terms = termsIn(piece.sentences[at] ?? [], question);
        if (piece.kind !== 'table' && piece.kind !== 'head' && piece.kind !== 'row')
          return [{ piece, terms, text: plainLine(raw) }];
        const cells = cellsOf(raw).map(plainLine);
        if (head?.block === piece.block)
          return /^[\s|:-]+$/.test(raw) ? [] : [{ piece, terms, text: rowText(head.cells, cells) }];
        head = { block: piece.block, cells };
        return [];
      }),
    )
    .filter(({ text }) => text !== '')
    .slice(0, MAX_STATEMENTS);
};

/** "Code: E60, Meaning: the fan stands still". */
const rowText = (head: readonly string[], cells: readonly string[]): string =>
  cells
    .flatMap((cell, at) => (cell === '' ? [] : head[at] ? `${head[at]}: ${cell}` : cell))
    .join(', ')
    .concat('.');

/** A statement with its introduction, or the steps from the first on if it is one of them, and as much of what follows as fits. */
const startingAt = (statements: readonly Statement[], at: number, room: number): Statement[] => {
  const { piece, text } = statements[at] as Statement;
  const first = statements.findIndex((each) => each.piece.block === piece.block);
  const shown = statements.slice(first - 1, first).filter((each) => piece.kind !== 'text' && isOpen(each));
  if (!piece.isStep && lengthOf(shown) + text.length > room) shown.pop();
  for (const statement of statements.slice(piece.isStep || piece.kind === 'code' ? first : at)) {
    const last = shown.at(-1);
    const isEnough = last !== undefined && !isOpen(last) && (!piece.isStep || lengthOf(shown) > room / 2);
    if (isEnough && lengthOf([...shown, statement]) > room) break;
    shown.push(statement);
  }
  return shown;
};

const isOpen = ({ text }: Statement): boolean => text.endsWith(':');

const lengthOf = (shown: readonly Statement[]): number => shown.reduce((sum, { text }) => sum + text.length + 1, -1);

/** Markdown on one line: links as their text, without markup. */
const plainLine = (markdown: string): string =>
  markdown
    .slice(0, 2000)
    .replace(/!?\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)/g, '$1')
    .replace(
      /^(?:[ \t]{0,20}(?:#{1,6}(?![^ \t\n])|>|[-*+](?![^ \t\n])|`{3}[^\n]{0,40}|~{3}[^\n]{0,40})[ \t]{0,8}){1,4}/gm,
      '',
    )
    .replace(/[*`]{1,3}|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])/gu, '')
    .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();

/** At most `length` UTF-16 units, cut after a word and marked, never within a surrogate pair. */
const cutAtWord = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const room = text.slice(0, length - 1);
  const space = /\s/.test(text.charAt(length - 1)) ? room.length : room.lastIndexOf(' ');
  const cut = space > length / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.replace(/[\s,;:.(–-]+$/u, '')}…`;
};
