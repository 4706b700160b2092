import { cellsOf } from '../../answering/passages/units.ts';
import type { ParsedQuestion } from '../../answering/understand/parse-question.ts';
import { stemsOf } from '../../knowledge/edition/sections.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';

/** What a block is narrowed by. */
export interface Narrowing {
  question: Pick<ParsedQuestion, 'terms'>;
  /** The customer's product, in lower case; undefined when it is not known exactly. */
  product: string | undefined;
  /** All devices that articles are labelled with, in lower case. */
  devices: readonly string[];
}

/**
 * A table or a list of alternatives with only what is for the customer: columns, rows and items of other devices go, and so do rows and items
 * whose labels the message speaks less of than of the best one. A numbered list stays whole.
 *
 * @param block Markdown of one table, or of a list with all items on lines of their own.
 */
export function narrowBlock(block: string, kind: 'rows' | 'items', narrowing: Narrowing): string {
  return kind === 'rows' ? narrowTable(block, narrowing) : narrowList(block, narrowing);
}

const narrowTable = (table: string, narrowing: Narrowing): string => {
  const [head, rule, ...rows] = table.split('\n').map(cellsOf);
  if (head === undefined || rule === undefined || rows.length === 0) return table;
  const isOther = otherDevice(narrowing);
  const columns = head
    .map((cell, at) => (at > 0 && isOther(cell) ? -1 : at))
    .filter((at) => at >= 0);
  const own = rows.filter(([first = '']) => !isOther(first));
  const isOfDevice = (row: readonly string[]): boolean =>
    devicesNamedIn(row[0] ?? '', narrowing.devices).length > 0;
  const labelled = (row: readonly string[]): string => row[isOfDevice(row) ? 1 : 0] ?? '';
  const shown = mostSpokenOf(own.length === 0 ? rows : own, labelled, narrowing);
  if (shown.length === rows.length && columns.length === head.length) return table;
  const line = (cells: readonly string[]): string =>
    `| ${columns.map((at) => cells[at] ?? '').join(' | ')} |`;
  return [head, rule, ...shown].map(line).join('\n');
};

const narrowList = (list: string, narrowing: Narrowing): string => {
  const items = list.split(/\n(?=[-*+]\s)/);
  if (!items.every((item) => LABELLED.test(item))) return list;
  const isOther = otherDevice(narrowing);
  const own = items.filter((item) => !isOther(labelOf(item)));
  return mostSpokenOf(own.length === 0 ? items : own, labelOf, narrowing).join('\n');
};

/** An item that begins with what it is about, up to a colon. */
const LABELLED = /^[-*+]\s[^:：\n]{1,100}[:：]/u;
const labelOf = (item: string): string => LABELLED.exec(item)?.[0] ?? '';

/** Whether a label names other devices than the customer's. */
const otherDevice = ({ product, devices }: Narrowing): ((label: string) => boolean) => {
  if (product === undefined || !devices.includes(product)) return () => false;
  return (label) => {
    const named = devicesNamedIn(label, devices);
    return named.length > 0 && !named.includes(product);
  };
};

/** Fewer alternatives are shown as they are. */
const LEAST_ALTERNATIVES = 3;
/** Share of the best one's weight that an alternative needs to be shown beside it. */
const SHARE = 0.6;

/** Words of a label that the message needs to speak of it, unless it has all of them. */
const LEAST_WORDS = 2;

/** The alternatives whose labels have most words of the message; all of them when it speaks of none. A word of every label weighs nothing. */
const mostSpokenOf = <T>(
  alternatives: readonly T[],
  labelled: (each: T) => string,
  { question }: Narrowing,
): readonly T[] => {
  if (alternatives.length < LEAST_ALTERNATIVES) return alternatives;
  const labels = alternatives.map((each) => new Set(stemsOf(labelled(each))));
  const spoken = question.terms.filter(({ weight }) => weight === 1).map(({ forms }) => forms);
  const weights = labels.map((label) => {
    const shared = [...label].filter((stem) => spoken.some((forms) => forms.has(stem)));
    if (shared.length < Math.min(LEAST_WORDS, label.size)) return 0;
    return shared.reduce(
      (sum, stem) =>
        sum + Math.log(labels.length / labels.filter((other) => other.has(stem)).length),
      0,
    );
  });
  const best = Math.max(...weights);
  return best === 0
    ? alternatives
    : alternatives.filter((_, at) => (weights[at] ?? 0) >= SHARE * best);
};
