import { describe, expect, it } from 'vitest';
import { problemText, withoutOwnData } from '../../../src/knowledge/retrieval/problem-text.ts';
import cases from './problem-text.json' with { type: 'json' };

describe('problemText()', () => {
  it.each(cases.texts)('%s', (_what, message, text) => expect(problemText(message).text).toBe(text));
  it.each(cases.quoted)('omits quoted mail: %j', (quoted) => {
    expect(problemText(`The light is still amber.\n\n${quoted}`).text).toBe('The light is still amber.');
  });

  it('keeps the lines of a log that name a fault, without their times', () => {
    const log = [
      '2026-10-02 18:22:10 miner  HB0 chain ok',
      '2026-10-02 18:22:11 net    link up',
      '2026-10-02 18:22:12 miner  E22 hashboard 0: 13 chips not responding',
    ];
    const expected = ['miner  HB0 chain ok', 'miner  E22 hashboard 0: 13 chips not responding', 'What does that mean?'];
    expect(problemText(`What does that mean?\n${log.join('\n')}`).sentences).toEqual(expected);
  });

  it('puts rare lines of a log before frequent ones, each once regardless of its numbers', () => {
    const line = (at: number) =>
      at % 5 === 4 ? `E40 supply ${at}.1 V, restarting board` : `HB0 chain: 60/60 chips, 6.9${at} TH/s`;
    const log = Array.from({ length: 30 }, (_, at) => `2026-10-02 18:22:${10 + at} miner  ${line(at)}`);
    expect(problemText(`It restarts.\n${log.join('\n')}`).sentences).toEqual([
      'miner  E40 supply 4.1 V, restarting board',
      'miner  HB0 chain: 60/60 chips, 6.90 TH/s',
      'It restarts.',
    ]);
  });

  it('omits case, order and serial numbers from the search', () => {
    const problem = problemText('I sent A2-004711 in under RMA-204518. Does KB5034441 help against E40?');
    expect(withoutOwnData(problem).text).toBe('I sent A in under RMA. Does KB5034441 help against E40?');
  });
  it.each(['Question', 'Re: Help needed!', 'UNACCEPTABLE', 'Frage', 'Support question', ''])(
    'omits a generic subject: %j',
    (subject) => expect(problemText('When are you open?', subject)).toEqual(problemText('When are you open?')),
  );

  it('puts the subject first, without its prefixes', () => {
    const expected = ['Dashboard not found', 'That did not work.'];
    expect(problemText('That did not work.', 'Re: AW: Dashboard not found').sentences).toEqual(expected);
  });

  it('splits numbered problems in one sentence', () => {
    expect(
      problemText('Two things: 1) it loses the (2.4 GHz) Wi-Fi, and 2) the fan rattles (see photo 1).').sentences,
    ).toEqual(['Two things: ', 'it loses the (2.4 GHz) Wi-Fi, and ', 'the fan rattles (see photo 1).']);
  });
  it('splits sentences that continue in lower case', () => {
    expect(problemText("Dust? its next to the cat's bed").sentences).toEqual(['Dust?', "its next to the cat's bed"]);
  });
});
