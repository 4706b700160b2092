import { type Piece, type Section, stemsOf } from '../../knowledge/edition/sections.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { ParsedQuestion } from '../understand/parse-question.ts';
import HEADING_ROLES from './heading-roles.json' with { type: 'json' };

/** Pieces of one section that are shown together. */
export interface UnitPart {
  section: Section;
  pieces: readonly Piece[];
}

/**
 * A self-contained part of an article that can be shown as an answer: a section, a procedure from its introduction to its end, a paragraph
 * with the list, table or code that it introduces, the head of a table with some of its rows.
 */
export interface Unit {
  parts: readonly [UnitPart, ...UnitPart[]];
  kind: 'section' | 'window' | 'group' | 'procedure' | 'items' | 'rows' | 'sections';
  /** Visible characters, without headings. */
  size: number;
  /** It does not begin with the first piece of its section. */
  isLater: boolean;
  /** It ends before the end of its list. */
  isCut: boolean;
}

/** Maximum size of a unit, and of a procedure, in visible characters. */
export const UNIT_SIZE = 600;
const PROCEDURE_SIZE = 1400;

/** The units of consecutive sections of one article. */
export function unitsOf(sections: readonly Section[]): Unit[] {
  const units = sections.flatMap(unitsOfSection);
  for (let at = 0; at < sections.length; at++) units.push(...joinedSections(sections, at));
  const isWhole = units.some(
    ({ kind, parts }) => kind === 'sections' && parts.length >= sections.length,
  );
  if (!isWhole) units.push(...joined(sections));
  return units;
}

const sizeOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { size }) => sum + size + 1, 0);

const unitsOfSection = (section: Section): Unit[] => {
  const pieces = section.pieces.filter(({ isRepeated }) => !isRepeated);
  const [first] = pieces;
  if (first === undefined) return [];
  const units: Unit[] = [];
  const add = (kind: Unit['kind'], shown: readonly Piece[], isCut = false) => {
    const size = sizeOf(shown);
    if (shown.length === 0 || (kind === 'group' && size < 40)) return;
    units.push({
      parts: [{ section, pieces: shown }],
      kind,
      size,
      isLater: shown[0] !== first && shown[0]?.start !== first.start,
      isCut,
    });
  };
  const whole = sizeOf(pieces);
  const groups = groupsOf(pieces);
  const isProcedure = (shown: readonly Piece[]) => shown.some(({ isStep }) => isStep);
  const fits = (shown: readonly Piece[]) =>
    sizeOf(shown) <= (isProcedure(shown) ? PROCEDURE_SIZE : UNIT_SIZE);
  if (fits(pieces)) {
    add('section', pieces);
    if (whole > 300 && groups.length > 1) for (const group of groups) add('group', group);
    return units;
  }
  let lastEnd = -1;
  groups.forEach((group, from) => {
    if (!fits(group)) {
      for (const part of partsOf(group)) add(part.kind, part.pieces, part.isCut);
      return;
    }
    if (groups.length <= 14) add(isProcedure(group) ? 'procedure' : 'group', group);
    let to = from;
    const shown = [...group];
    let size = sizeOf(shown);
    for (
      let next = groups[to + 1];
      next !== undefined && to - from < MAX_WINDOW;
      next = groups[to + 1]
    ) {
      size += sizeOf(next);
      if (size > UNIT_SIZE) break;
      shown.push(...next);
      to++;
    }
    if (to > from && to > lastEnd) {
      add('window', shown);
      lastEnd = to;
    }
  });
  // Everything can be shown: also a short line between two long lists.
  const covered = new Set(units.flatMap(({ parts }) => parts.flatMap((part) => part.pieces)));
  for (const group of groups) if (group.some((piece) => !covered.has(piece))) add('window', group);
  return units;
};

/** Maximum number of groups in a window after the first. */
const MAX_WINDOW = 16;

/** Groups a list, table or code block with the paragraph before it, and a note with its subject. */
const groupsOf = (pieces: readonly Piece[]): Piece[][] => {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isSameBlock = last?.block === piece.block;
    const isAnnounced = last?.kind === 'text' && (piece.kind !== 'text' || last.announces);
    if (group && (isSameBlock || isAnnounced)) group.push(piece);
    else groups.push([piece]);
  }
  return groups;
};

/** The parts to show of a group that is too large as a whole. */
const partsOf = (
  group: readonly Piece[],
): { kind: Unit['kind']; pieces: Piece[]; isCut: boolean }[] => {
  const listed = group.filter(({ kind }) => kind === 'item' || kind === 'row');
  const leading = group.slice(
    0,
    group.findIndex(({ kind }) => kind === 'item' || kind === 'row'),
  );
  if (listed.length < 2)
    return packed(group).map((pieces) => ({ kind: 'group', pieces, isCut: false }));
  const isRows = listed[0]?.kind === 'row';
  // The rows of a table are chosen by the question; its head is always shown.
  const before = introductionOf(leading);
  const apart = packed(leading.slice(0, leading.length - before.length)).map((pieces) => ({
    kind: 'group' as const,
    pieces,
    isCut: false,
  }));
  if (isRows) return [...apart, { kind: 'rows', pieces: [...before, ...listed], isCut: true }];
  const isProcedure = listed.some(({ isStep }) => isStep);
  const room = (isProcedure ? PROCEDURE_SIZE : UNIT_SIZE) - sizeOf(before);
  const parts: Piece[][] = [];
  for (const item of listed) {
    const part = parts.at(-1);
    if (part && sizeOf(part) + item.size <= room) part.push(item);
    else parts.push([item]);
  }
  // The introduction of a procedure asks for its first steps: a later part is shown for what it says itself.
  const shown = parts.map((part, at) => ({
    kind: isProcedure ? ('procedure' as const) : ('items' as const),
    pieces: isProcedure && at > 0 ? part : [...before, ...part],
    isCut: part.at(-1) !== listed.at(-1),
  }));
  return [...apart, ...shown];
};

/** Maximum size, in visible characters, of the text before a list that each of its parts repeats, without the introducing paragraph. */
const INTRODUCTION_SIZE = 300;

/** The introduction of a list: the head of a table, the introducing paragraph, and preceding pieces that fit. */
const introductionOf = (leading: readonly Piece[]): Piece[] => {
  const first = leading.findLastIndex(
    (piece, at) =>
      at > 0 && piece.kind !== 'head' && sizeOf(leading.slice(at - 1)) > INTRODUCTION_SIZE,
  );
  return leading.slice(Math.max(0, first));
};

/** Splits a group into parts that fit; a piece stays with the one that introduces it. */
const packed = (group: readonly Piece[]): Piece[][] => {
  const packs: Piece[][] = [];
  for (const piece of group) {
    const pack = packs.at(-1);
    const size = pack === undefined ? 0 : sizeOf(pack);
    const isAnnounced = pack?.at(-1)?.announces === true && piece.kind !== 'text';
    if (pack && (isAnnounced || size + piece.size <= PROCEDURE_SIZE)) pack.push(piece);
    else packs.push([piece]);
  }
  return packs;
};

/** Maximum size of joined sections, in visible characters. */
const SECTIONS_SIZE = 900;

/** A section joined with its subsections, and adjacent sections such as symptom and cause. */
const joinedSections = (sections: readonly Section[], at: number): Unit[] => {
  const first = sections[at];
  if (first === undefined || first.pieces.length === 0) return [];
  const units: Unit[] = [];
  const add = (members: readonly Section[]) => units.push(...joined(members));
  const below: Section[] = [];
  for (const section of sections.slice(at + 1)) {
    if (
      section.path.length <= first.path.length ||
      !first.path.every((name, depth) => section.path[depth] === name)
    )
      break;
    below.push(section);
  }
  if (below.length > 0) add([first, ...below]);
  const next = sections[at + 1];
  const isSibling =
    next !== undefined &&
    next.path.length === first.path.length &&
    first.path.slice(0, -1).every((name, depth) => next.path[depth] === name);
  if (
    isSibling &&
    next !== undefined &&
    first.path.length > 0 &&
    isTrouble(first) &&
    isTrouble(next)
  ) {
    add([first, next]);
    const third = sections[at + 2];
    if (third !== undefined && third.path.length === first.path.length && isTrouble(third))
      add([first, next, third]);
  }
  return units;
};

/** Joins several sections into one unit; empty when they do not fit. */
const joined = (members: readonly Section[]): Unit[] => {
  const parts = members
    .map(
      (section): UnitPart => ({
        section,
        pieces: section.pieces.filter(({ isRepeated }) => !isRepeated),
      }),
    )
    .filter(({ pieces }) => pieces.length > 0);
  const size = parts.reduce((sum, { pieces }) => sum + sizeOf(pieces), 0);
  const [head, ...rest] = parts;
  if (head === undefined || rest.length === 0 || size > SECTIONS_SIZE) return [];
  return [{ parts: [head, ...rest], kind: 'sections', size, isLater: false, isCut: false }];
};

/** Whether a section is a symptom, a cause or a resolution. */
const isTrouble = ({ path }: Pick<Section, 'path'>): boolean =>
  PART_OF_ACCOUNT.test(path.at(-1) ?? '');
const PART_OF_ACCOUNT = new RegExp(HEADING_ROLES.account, 'i');

/** Cells read per table. */
const MAX_CELLS = 2000;

/**
 * The value of a table cell when the question names its row and its column: "Model III, Turbo: 45".
 *
 * @returns Undefined unless exactly one cell has a row and a column whose names the question contains in full.
 */
export function cellAskedFor(
  { parts }: Pick<Unit, 'parts'>,
  question: ParsedQuestion,
): string | undefined {
  if (!hasTable(parts)) return undefined;
  const found = parts.flatMap(({ section, pieces }) => {
    const tables = Map.groupBy(pieces.filter(isOfTable), ({ block }) => block);
    return [...tables.values()].flatMap((table) =>
      cellsIn(table.flatMap(rowsOf(section)), question),
    );
  });
  return found.length === 1 ? found[0] : undefined;
}

/** A row of a table. */
interface Row {
  cells: readonly string[];
  /** Stems of the cell at a place. */
  stems(at: number): readonly string[];
}

const rowsOf = oncePer(({ text }: Section) =>
  oncePer(({ start, end }: Piece): Row[] => text.slice(start, end).split('\n').map(readRow)),
);

const readRow = (line: string): Row => {
  const cells = cellsOf(line);
  const known: (readonly string[])[] = [];
  return {
    cells,
    stems: (at) => {
      known[at] ??= stemsOf(cells[at] ?? '');
      return known[at];
    },
  };
};

const cellsIn = ([head, , ...rows]: readonly Row[], question: ParsedQuestion): string[] => {
  if (head === undefined || head.cells.length < 2 || head.cells.length * rows.length > MAX_CELLS)
    return [];
  const columns = mostSaid(
    head.cells.slice(1).map((_, at) => head.stems(at + 1)),
    question,
  );
  if (columns.length === 0) return [];
  const named = mostSaid(
    rows.map(({ stems }) => stems(0)),
    question,
  );
  return named.flatMap((row) =>
    columns.flatMap((column) => {
      const [name, value] = [rows[row]?.cells[0], rows[row]?.cells[column + 1]];
      return value === undefined || value === ''
        ? []
        : [`${head.cells[column + 1]}, ${name}: ${value}`];
    }),
  );
};

/** The cells of a row as written, without white space around them. */
export function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/**
 * A unit with only those rows of its tables that the question names by their first cell in full, where it names any. A table among steps is
 * needed whole.
 */
export function withNamedRows(unit: Unit, question: ParsedQuestion): Unit {
  if (!hasTable(unit.parts)) return unit;
  let isNarrowed = false;
  const narrowed = ({ section, pieces }: UnitPart): UnitPart => {
    if (section.pieces.some(({ isStep }) => isStep)) return { section, pieces };
    const left = new Set(
      [
        ...Map.groupBy(
          pieces.filter(({ kind }) => kind === 'row'),
          ({ block }) => block,
        ).values(),
      ].flatMap((rows) => {
        const names = rows.map((row) => rowsOf(section)(row)[0]?.stems(0) ?? []);
        const named = new Set(mostSaid(names, question));
        return named.size === 0 ? [] : rows.filter((_, at) => !named.has(at));
      }),
    );
    isNarrowed ||= left.size > 0;
    return left.size === 0
      ? { section, pieces }
      : { section, pieces: pieces.filter((piece) => !left.has(piece)) };
  };
  const [first, ...rest] = unit.parts;
  const parts: Unit['parts'] = [narrowed(first), ...rest.map(narrowed)];
  if (!isNarrowed) return unit;
  return { ...unit, parts, size: parts.reduce((sum, { pieces }) => sum + sizeOf(pieces), 0) };
}

/** Most units have no table. */
const hasTable = (parts: Unit['parts']): boolean =>
  parts.some(({ pieces }) => pieces.some(isOfTable));
const isOfTable = ({ kind }: Piece): boolean => kind === 'head' || kind === 'row';

/** The first cells of the rows of a unit's tables that are a single word, as its stem. */
export function rowNamesIn({ parts }: Pick<Unit, 'parts'>): string[] {
  return parts.flatMap(({ section, pieces }) =>
    pieces
      .filter(({ kind }) => kind === 'row')
      .flatMap(rowsOf(section))
      .flatMap(({ stems }) => (stems(0).length === 1 ? stems(0) : [])),
  );
}

/** Indexes of the names, as stems, that the question contains in full; of overlapping names, only the longer. */
const mostSaid = (names: readonly (readonly string[])[], { terms }: ParsedQuestion): number[] => {
  const said = names.flatMap((stems, at) => {
    const isSaid =
      stems.length > 0 &&
      stems.every((stem) => terms.some(({ forms, weight }) => weight === 1 && forms.has(stem)));
    return isSaid ? [{ at, stems }] : [];
  });
  return said
    .filter(
      ({ stems }) =>
        !said.some(
          (other) =>
            other.stems.length > stems.length && stems.every((stem) => other.stems.includes(stem)),
        ),
    )
    .map(({ at }) => at);
};
