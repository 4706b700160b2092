import type { KnowledgeCheckInput } from './contract.ts';

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
export const MAX_LINES = 2000;
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
    const read = checkIn(content);
    if (typeof read === 'string') broken.push({ line: at + 1, problem: read });
    else checks.push({ line: at + 1, check: read });
  }
  return { checks, broken };
}

/** The check, or what is wrong with the line. */
const checkIn = (content: string): KnowledgeCheckInput | string => {
  if (content.length > MAX_LINE_LENGTH) return `it has more than ${MAX_LINE_LENGTH} characters`;
  const value = jsonIn(content);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object';
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
