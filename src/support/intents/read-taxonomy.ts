import { type Issue, type ReadValue, readAs } from '../../contract/error-info.ts';
import { Taxonomy } from '../../contract/taxonomy.ts';

/** Upper bound of reported issues. */
const MAX_ISSUES = 20;

/** Validates a taxonomy from outside: its shape, its regular expressions and its templates. Never throws. */
export const readTaxonomy = (value: unknown): ReadValue<Taxonomy> => {
  const read = readAs(Taxonomy, value);
  if (!read.ok) return read;
  const issues = [...templateIssues(read.value), ...patternIssues(read.value)].slice(0, MAX_ISSUES);
  return issues.length > 0 ? { ok: false, issues } : read;
};

const patternIssues = ({ intents }: Taxonomy): Issue[] =>
  intents.flatMap(({ required_facts: facts }, intent) =>
    facts.flatMap(({ patterns = [] }, fact) =>
      patterns.flatMap((pattern, at) =>
        issueOf(`intents.${intent}.required_facts.${fact}.patterns.${at}`, checkPattern(pattern)),
      ),
    ),
  );

type Template = Taxonomy['general_template'];

const templateIssues = ({ intents, general_template: general }: Taxonomy): Issue[] => [
  ...intents.flatMap((intent, at) => [
    ...issuesIn(intent.reply_template ?? {}, `intents.${at}.reply_template`),
    ...issuesIn(intent.fallback_template ?? {}, `intents.${at}.fallback_template`),
    ...issuesIn(intent.auto_send.template ?? {}, `intents.${at}.auto_send.template`),
  ]),
  ...issuesIn(general, 'general_template'),
];

const issuesIn = (template: Template, path: string): Issue[] =>
  typeof template === 'string'
    ? issueOf(path, checkTemplate(template))
    : Object.entries(template).flatMap(([language, text]) => issueOf(`${path}.${language}`, checkTemplate(text)));

const issueOf = (path: string, message: string | undefined): Issue[] =>
  message === undefined ? [] : [{ path, message }];

const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'customer_name',
  'product',
  'subject',
  'knowledge',
  'missing_information',
]);

/** The problem of a reply template, as the end of a sentence; undefined when it is valid. */
const checkTemplate = (template: string): string | undefined => {
  for (const [, name = ''] of template.matchAll(/\{([a-z_]{1,40})\}/g)) {
    if (!PLACEHOLDERS.has(name)) return `holds {${name}}, which is no known placeholder`;
  }
  for (const name of ['{knowledge}', '{missing_information}']) {
    const lines = template.split('\n').filter((line) => line.includes(name));
    if (lines.length > 1) return `holds ${name} more than once`;
    if (lines.some((line) => line.trim() !== name))
      return `holds ${name} beside other words: it needs a line of its own`;
  }
  return undefined;
};

/** Upper bound of the ways to match a pattern at one place of a text. */
const MAX_WAYS = 1000;
/** Upper bound of the characters that a pattern can match. */
const MAX_LENGTH = 1000;

/**
 * Checks that a regular expression of a taxonomy cannot become slow on any message: it must compile with the flags `iu`, bound every
 * repeat, and have neither lookarounds nor back references. Its cost then grows linearly with the length of the text.
 *
 * @returns The problem, as the end of a sentence that begins with the pattern's name; undefined when it is valid.
 */
export const checkPattern = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'iu');
  } catch {
    return 'is no regular expression with the flags iu';
  }
  if (/\\(?:k<|[1-9])/.test(withoutEscapedBackslashes(pattern))) return 'refers back to a group, which can be slow';
  if (/\(\?<?[=!]/.test(withoutEscapedBackslashes(pattern))) return 'looks ahead or behind, which can be slow';
  const { ways, length } = patternCost(pattern);
  if (ways === Number.POSITIVE_INFINITY) return 'repeats without end, which can be slow: give a bound, as in \\d{1,12}';
  if (ways > MAX_WAYS) return 'can match in too many ways, which can be slow: give its repeats smaller bounds';
  return length > MAX_LENGTH ? `can match more than ${MAX_LENGTH} characters, which can be slow` : undefined;
};

const withoutEscapedBackslashes = (pattern: string): string => pattern.replaceAll('\\\\', '');

/** The cost of a regular expression, or of a part of one, at one place of a text. */
interface PatternCost {
  /** Upper bound of the ways to match; `Infinity` when a repeat is unbounded. */
  ways: number;
  /** Upper bound of the characters of a match. */
  length: number;
}

/**
 * Upper bound of the cost of a regular expression at one place of a text: alternatives add up, sequences multiply, a repeat counts each
 * number of repetitions.
 *
 * @param pattern Compiles with the flag `u` and has no lookarounds.
 */
export const patternCost = (pattern: string): PatternCost => {
  const tokens = pattern.match(TOKEN) ?? [];
  const open = [newGroup()];
  for (const token of tokens) {
    const group = open.at(-1) ?? newGroup();
    if (token.startsWith('(')) open.push(newGroup());
    else if (token === ')') addItem(open.at(-2) ?? newGroup(), closed(open.pop() ?? newGroup()));
    else if (token === '|') Object.assign(group, newGroup(), { before: closed(group) });
    else if (QUANTIFIER.test(token)) group.item = repeated(group.item, token);
    else addItem(group, { ways: 1, length: 1 });
  }
  return closed(open[0] ?? newGroup());
};

/** A character class, an escape, the beginning of a group, a quantifier, or one character. */
const TOKEN =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c.|.)|\((?:\?(?:<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{\d)/;

/** A group that is being parsed. */
interface Group {
  /** Cost of the alternatives so far. */
  before: PatternCost;
  /** Cost of the current alternative without its last item. */
  sequence: PatternCost;
  item: PatternCost;
}

const EMPTY: PatternCost = { ways: 1, length: 0 };
const newGroup = (): Group => ({ before: { ways: 0, length: 0 }, sequence: EMPTY, item: EMPTY });

const joined = (left: PatternCost, right: PatternCost): PatternCost => ({
  ways: left.ways * right.ways,
  length: left.length + right.length,
});

const closed = ({ before, sequence, item }: Group): PatternCost => {
  const last = joined(sequence, item);
  return { ways: before.ways + last.ways, length: Math.max(before.length, last.length) };
};

const addItem = (group: Group, item: PatternCost): void => {
  group.sequence = joined(group.sequence, group.item);
  group.item = item;
};

const repeated = ({ ways, length }: PatternCost, quantifier: string): PatternCost => {
  const [least, most] = timesOf(quantifier);
  if (most === Number.POSITIVE_INFINITY) return { ways: most, length: most };
  if (ways === 1) return { ways: most - least + 1, length: length * most };
  let sum = 0;
  for (let times = least; times <= most && sum < Number.MAX_SAFE_INTEGER; times += 1) sum += ways ** times;
  return { ways: sum, length: length * most };
};

/** Larger bounds count as unbounded. */
const MAX_TIMES = 999;

const timesOf = (quantifier: string): [least: number, most: number] => {
  if (quantifier.startsWith('?')) return [0, 1];
  if (!quantifier.startsWith('{')) return [0, Number.POSITIVE_INFINITY];
  const [least = '0', most = least] = quantifier.replace(/[{}?]/g, '').split(',');
  const isBounded = most !== '' && Number(most) <= MAX_TIMES;
  return [Number(least), isBounded ? Number(most) : Number.POSITIVE_INFINITY];
};
