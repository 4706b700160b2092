import type { CheckResult, KnowledgeCheckInput } from '../contract.ts';
import { clean, cleanLine } from './terminal.ts';

/** How a line of a file of checks ended. */
export interface CheckedLine {
  line: number;
  /** Undefined for a line that is no check. */
  check?: KnowledgeCheckInput | undefined;
  /** Undefined when the check could not be run. */
  result?: CheckResult | undefined;
  /** Why the line is no check, or the check could not be run. */
  problem?: string | undefined;
  milliseconds: number;
}

/** What was expected, in one line. */
export function expectationOf({ contains, cites, declined }: KnowledgeCheckInput): string {
  if (declined === true) return 'to be declined';
  const parts = [
    ...(contains === undefined ? [] : [`an answer with “${cleanLine(contains)}”`]),
    ...(cites === undefined ? [] : [`the article ${cleanLine(cites)}`]),
  ];
  return parts.join(' from ');
}

/** What came, in one line. */
export function outcomeOf({ lacks, answer }: CheckResult): string {
  const citations = answer.cites.map(({ id }) => cleanLine(id)).join(', ');
  const outcomes = {
    answered: 'answered',
    unsure: 'answered in doubt',
    declined: 'declined',
    asks_back: 'asked back',
  };
  const outcome = outcomes[answer.outcome] ?? cleanLine(answer.outcome);
  const text = citations === '' ? outcome : `${outcome} from ${citations}`;
  const defects = lacks.flatMap((lack) => LACKS[lack] ?? []);
  return defects.length === 0 ? text : `${text}; ${defects.join(', ')}`;
}

const LACKS: Readonly<Record<string, string>> = {
  contains: 'the text does not stand in it',
  cites: 'the article is not cited',
};

const MAX_SHOWN = 600;

const shownAnswer = ({ answer }: CheckResult): string => {
  const text = clean(answer.text).trim();
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text;
};

const nameOf = ({ line, check }: CheckedLine): string =>
  check === undefined ? `line ${line}` : cleanLine(check.question);

/**
 * A report in the form of JUnit, as CI systems read it: a red check is a failure, a line that is no check or that could not be run an error.
 *
 * @param file The name of the file, for people.
 */
export function junitReport(lines: readonly CheckedLine[], file: string): string {
  const failures = lines.filter(({ result }) => result?.state === 'red').length;
  const errors = lines.filter(({ result }) => result === undefined).length;
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
  const time = seconds(lines.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
  const counts = `tests="${lines.length}" failures="${failures}" errors="${errors}" time="${time}"`;
  const cases = lines.map((line) => {
    const head = `<testcase classname="${xml(file)}" name="${xml(nameOf(line))}" time="${seconds(line.milliseconds)}"`;
    const body = problemIn(line);
    return body === undefined ? `    ${head}/>` : `    ${head}>\n      ${body}\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(file)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const problemIn = ({ line, check, result, problem = '' }: CheckedLine): string | undefined => {
  if (result === undefined || check === undefined)
    return `<error message="${xml(`line ${line}: ${cleanLine(problem)}`)}"/>`;
  if (result.state === 'green') return undefined;
  const message = `expected ${expectationOf(check)}; ${outcomeOf(result)}`;
  return `<failure message="${xml(message)}">${xml(`line ${line}\n${shownAnswer(result)}`)}</failure>`;
};

/** What XML 1.0 cannot hold, even as a reference, is left out (section 2.2); lone surrogates too. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const xml = (text: string): string =>
  clean(text)
    .replaceAll(NOT_IN_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');

/** A report in Markdown, for the summary of a run in CI: what is red in full, the rest as a number. */
export function markdownReport(lines: readonly CheckedLine[], file: string): string {
  const red = lines.filter(({ result }) => result?.state === 'red');
  const broken = lines.filter(({ result }) => result === undefined);
  const green = lines.length - red.length - broken.length;
  const head = `## Checks: ${green} of ${lines.length} green\n\n\`${markdown(file).replaceAll('`', '')}\`\n`;
  const rows = [...red, ...broken].map(
    (line) =>
      `| ${line.line} | ${markdown(nameOf(line))} | ${markdown(expectedIn(line))} | ${markdown(cameIn(line))} |`,
  );
  if (rows.length === 0) return head;
  return `${head}\n| line | question | expected | came |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

const expectedIn = ({ check }: CheckedLine): string =>
  check === undefined ? '–' : expectationOf(check);

const cameIn = ({ result, problem = '' }: CheckedLine): string =>
  result === undefined ? `not run: ${problem}` : outcomeOf(result);

/** Text that stays text within a table: no mark, no tag, no link, no mention. */
const markdown = (text: string): string =>
  cleanLine(text)
    .slice(0, MAX_SHOWN)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '&#64;')
    .replaceAll(/[\\`*_{}[\]()#+!|~]/g, String.raw`\$&`)
    .replaceAll(/:\/\//g, '&#58;//');
