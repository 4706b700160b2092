import { tryReadXml } from './read-xml.ts';

interface Level {
  start: number;
  format: string;
  /** `%1.%2.` */
  text: string;
  style: string;
}

interface List {
  abstractId: string;
  /** Numbers at which levels restart when this list is first used. */
  starts: Map<number, number>;
}

/** The number of a paragraph, as Word shows it. */
interface WordNumber {
  value: number;
  /** `2.1`, `(a)`; empty where none is shown. */
  label: string;
}

/** Counts the paragraphs of lists, which may go on after other paragraphs, or restart. */
export interface WordNumbers {
  /** The level of a list that a style stands for. */
  levelOf(numId: string, style: string): number;
  /** Undefined for a bullet, and for a list that is not defined. */
  next(numId: string, level: number): WordNumber | undefined;
}

const MAX_LEVEL = 9;
const MAX_LABEL = 40;

export function readWordNumbers(xml: string): WordNumbers {
  const { levels, lists } = numberingIn(xml);
  const counts = new Map<string, (number | undefined)[]>();
  const used = new Set<string>();
  const levelIn = (abstractId: string, level: number): Level | undefined =>
    levels.get(`${abstractId} ${level}`);
  return {
    levelOf: (numId, style) => {
      const { abstractId = '' } = lists.get(numId) ?? {};
      for (let level = 0; level < MAX_LEVEL; level += 1)
        if (levelIn(abstractId, level)?.style === style) return level;
      return 0;
    },
    next: (numId, level) => {
      const list = lists.get(numId);
      const own = list === undefined ? undefined : levelIn(list.abstractId, level);
      if (list === undefined || own === undefined || own.format === 'bullet') return undefined;
      const count = counts.get(list.abstractId) ?? [];
      counts.set(list.abstractId, count);
      const start = used.has(`${numId} ${level}`) ? undefined : list.starts.get(level);
      used.add(`${numId} ${level}`);
      if (start !== undefined) count[level] = undefined;
      const value = count[level] === undefined ? (start ?? own.start) : (count[level] ?? 0) + 1;
      count[level] = value;
      count.length = level + 1;
      const label = own.text
        .replace(/%([1-9])/g, (_, digit: string) => {
          const at = Number(digit) - 1;
          const other = levelIn(list.abstractId, at);
          return numeral(count[at] ?? other?.start ?? 1, other?.format ?? 'decimal');
        })
        .slice(0, MAX_LABEL);
      return { value, label: own.format === 'none' ? '' : label.trim() };
    },
  };
}

function numberingIn(xml: string): { levels: Map<string, Level>; lists: Map<string, List> } {
  const levels = new Map<string, Level>();
  const lists = new Map<string, List>();
  let abstractId = '';
  let list: List | undefined;
  let level: Level | undefined;
  let override = 0;
  tryReadXml(xml, {
    open: (name, attributes) => {
      const value = attributes['w:val'] ?? '';
      if (name === 'abstractNum') abstractId = attributes['w:abstractNumId'] ?? '';
      if (name === 'num') {
        list = { abstractId: '', starts: new Map() };
        lists.set(attributes['w:numId'] ?? '', list);
      }
      if (name === 'abstractNumId' && list !== undefined) list.abstractId = value;
      if (name === 'lvlOverride') override = Number(attributes['w:ilvl']);
      if (name === 'startOverride') list?.starts.set(override, Number(value));
      if (name === 'lvl' && list === undefined) {
        level = { start: 1, format: 'decimal', text: '', style: '' };
        levels.set(`${abstractId} ${attributes['w:ilvl']}`, level);
      }
      if (level === undefined || list !== undefined) return;
      if (name === 'start') level.start = Number(value) || 0;
      if (name === 'numFmt') level.format = value;
      if (name === 'lvlText') level.text = value;
      if (name === 'pStyle') level.style = value;
    },
    close: (name) => {
      if (name === 'num') list = undefined;
      if (name === 'lvl') level = undefined;
    },
  });
  return { levels, lists };
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function numeral(value: number, format: string): string {
  if (format === 'decimalZero') return String(value).padStart(2, '0');
  const isUpper = format.startsWith('upper');
  if (value < 1 || value > 4000 || !/Letter|Roman/.test(format)) return String(value);
  let text = '';
  if (format.endsWith('Letter'))
    text = String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
  else {
    let left = value;
    for (const [amount, sign] of ROMAN)
      while (left >= amount) {
        text += sign;
        left -= amount;
      }
  }
  return isUpper ? text.toUpperCase() : text;
}
