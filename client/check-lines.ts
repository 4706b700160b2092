import type { CallOptions } from './connection.ts';
import type { Constellation } from './constellation.ts';
import { ConstellationError } from './constellation-error.ts';
import type { KnowledgeCheckInput, KnowledgeChecksWritten } from './contract.ts';

/** A check of a file with the number of its line, from 1. */
export interface CheckLine {
  line: number;
  check: KnowledgeCheckInput;
}

/** A line that is no check, and why. */
export interface BrokenLine {
  line: number;
  problem: string;
}

/** The most checks of a file, as of a workspace. */
const MAX_LINES = 2000;
const MAX_LINE_LENGTH = 20_000;
const MEMBERS = ['question', 'contains', 'cites', 'declined'];

/**
 * The checks of a file in JSONL: one JSON object a line, empty lines apart. What a member may hold is checked by the deployment.
 *
 * @example
 * readCheckLines('{"question": "Which port has to be open?", "contains": "8333"}\n').checks[0]?.line; // 1
 */
export function readCheckLines(text: string): { checks: CheckLine[]; broken: BrokenLine[] } {
  const checks: CheckLine[] = [];
  const broken: BrokenLine[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [at, content] of lines.entries()) {
    if (content.trim() === '') continue;
    if (checks.length + broken.length >= MAX_LINES) {
      const problem = `this line and those after it are not read: a file has at most ${MAX_LINES} checks`;
      broken.push({ line: at + 1, problem });
      break;
    }
    const check = checkIn(content);
    if (typeof check === 'string') broken.push({ line: at + 1, problem: check });
    else checks.push({ line: at + 1, check });
  }
  return { checks, broken };
}

/** The check, or what is wrong with the line. */
const checkIn = (content: string): KnowledgeCheckInput | string => {
  if (content.length > MAX_LINE_LENGTH) return `it has more than ${MAX_LINE_LENGTH} characters`;
  const value = jsonIn(content);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'it is not a JSON object';
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    return `it has the member ${JSON.stringify(unknown.slice(0, 40))}; known are ${MEMBERS.join(', ')}`;
  // Its members are looked at one by one.
  const { question, contains, cites, declined } = value as Record<string, unknown>;
  if (typeof question !== 'string' || question.trim() === '') return 'it has no question';
  const isAnswered = typeof contains === 'string' || typeof cites === 'string';
  if (isAnswered === (declined === true)) return 'it needs contains or cites, or declined alone';
  return value as KnowledgeCheckInput; // the deployment checks the rest
};

const jsonIn = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

/** Checks as lines of such a file, without what came of them. */
export function writeCheckLines(checks: readonly KnowledgeCheckInput[]): string {
  const lines = checks.map(({ question, contains, cites, declined }) =>
    JSON.stringify({ question, contains, cites, declined }),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Checks that are stored in one call. */
const AT_ONCE = 100;
/** After so many refused lines no further is tried. */
const MAX_REFUSED = 20;

/** What became of the checks of a file in a deployment. */
export interface SavedLines {
  written: KnowledgeChecksWritten;
  /** Lines that the deployment refused, with its reason; the others are stored. */
  broken: BrokenLine[];
}

/** Stores the checks of a file. A hundred of which one is refused are stored one by one, so that the others are. */
export async function saveCheckLines(
  client: Pick<Constellation, 'checks'>,
  checks: readonly CheckLine[],
  options: CallOptions = {},
): Promise<SavedLines> {
  const result: SavedLines = { written: { added: 0, changed: 0, unchanged: 0 }, broken: [] };
  const groups = Array.from({ length: Math.ceil(checks.length / AT_ONCE) }, (_, at) =>
    checks.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  while (groups.length > 0) {
    const group = groups.shift() ?? [];
    try {
      const written = await client.checks.put(
        group.map(({ check }) => check),
        options,
      );
      for (const name of ['added', 'changed', 'unchanged'] as const)
        result.written[name] += written[name];
    } catch (error) {
      if (!(error instanceof ConstellationError) || error.code !== 'INVALID_QUERY') throw error;
      const [{ line } = { line: 0 }] = group;
      if (group.length > 1) groups.unshift(...group.map((each) => [each]));
      else result.broken.push({ line, problem: error.message });
    }
    const next = groups[0]?.[0];
    if (result.broken.length < MAX_REFUSED || next === undefined) continue;
    result.broken.push({
      line: next.line,
      problem: 'this line and those after it are not stored: too many were refused',
    });
    break;
  }
  return result;
}
