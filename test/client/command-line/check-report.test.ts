import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import {
  type CheckedLine,
  junitReport,
  markdownReport,
} from '../../../client/command-line/check-report.ts';
import type { CheckAnswer } from '../../../src/contract/wire/checks.ts';

const HOSTILE =
  '<script>alert(1)</script> & "quoted" ]]> @all [x](http://evil.example) | `code` \u0000\u001b[31m\ud800 \ufffe';
const answer: CheckAnswer = {
  outcome: 'answered',
  text: HOSTILE,
  cites: [{ id: 'a<b.md', title: HOSTILE }],
};
const lines: CheckedLine[] = [
  {
    line: 1,
    milliseconds: 12,
    check: { question: 'Green?', contains: 'x' },
    result: { state: 'green', lacks: [], answer },
  },
  {
    line: 2,
    milliseconds: 1500,
    check: { question: HOSTILE, contains: HOSTILE },
    result: { state: 'red', lacks: ['contains'], answer },
  },
  { line: 3, milliseconds: 0, problem: HOSTILE },
];

describe('the report for CI', () => {
  it('is JUnit XML with a failure, an error and their counts', () => {
    const report = junitReport(lines, 'a & b.jsonl');
    expect(report).toContain(
      '<testsuite name="a &amp; b.jsonl" tests="3" failures="1" errors="1" time="1.512">',
    );
    expect(report).toContain('<testcase classname="a &amp; b.jsonl" name="Green?" time="0.012"/>');
    expect(report).toMatch(
      /<failure message="expected an answer with “&lt;script&gt;[^"]*the text does not stand in it">line 2&#10;/,
    );
    expect(report).toContain('name="line 3"');
    expect(report).toMatch(/<error message="line 3: &lt;script&gt;/);
  });

  it('is well-formed whatever a text holds', () => {
    const report = junitReport(lines, HOSTILE);
    expect(XMLValidator.validate(report)).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
    expect(report).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    expect(report.isWellFormed()).toBe(true);
  });

  it('is Markdown in which nothing becomes a tag, a link, a mention or a cell', () => {
    const rows = markdownReport(lines, HOSTILE).trimEnd().split('\n');
    expect(rows[0]).toBe('## Checks: 1 of 3 green');
    const cells = rows
      .filter((row) => row.startsWith('| '))
      .map((row) => row.match(/(?<!\\)\|/g)?.length);
    expect(cells).toEqual([5, 5, 5, 5]);
    for (const row of rows.slice(1)) expect(row).not.toMatch(/<script|(?<!\\)\]\(|@all|http:\/\//);
  });

  it('has no table when all are green', () => {
    expect(markdownReport(lines.slice(0, 1), 'q.jsonl')).toBe(
      '## Checks: 1 of 1 green\n\n`q.jsonl`\n',
    );
  });
});
