import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareSource } from '../../src/grounding/support/prepare-source.ts';
import { checkSupport, SUPPORTED_FROM } from '../../src/grounding/support-check.ts';
import { splitSentences } from '../../src/text/split-sentences.ts';
import { SUPPORT_PAIRS } from './support-pairs.ts';

const scoreOf = (answer: string, text: string, title = '') =>
  checkSupport(answer, [prepareSource({ text, title })]).score;
const doubtsOf = (answer: string, text: string) =>
  checkSupport(answer, [prepareSource({ text })]).sentences.flatMap(({ doubts }) => doubts.map(({ reason }) => reason));

const MANUAL = `# Care

Descale the boiler every 60 days, or every 30 days with hard water. Never open the boiler while it is under pressure.

- Clean the grinder weekly.
- Wash the jug by hand; it must not go into the dishwasher.

| Part | Warranty |
| --- | --- |
| Grinder | 24 months |
| Boiler | 12 months |

The Barista II has two boilers. It heats up in 90 seconds. Support answers on working days between 9:00 and 17:00.`;

describe('checkSupport()', () => {
  describe.each(SUPPORT_PAIRS)('of $source', ({ source, supported, changed }) => {
    it('takes the sentence itself', () => {
      expect(checkSupport(source, [prepareSource({ text: source })])).toMatchObject({
        sentences: [{ probability: 1, doubts: [] }],
      });
    });

    it(`takes: ${supported}`, () => {
      expect(scoreOf(supported, source)).toBeGreaterThanOrEqual(SUPPORTED_FROM);
    });

    it.each(changed)('doubts another %s: %s', (_kind, sentence) => {
      expect(scoreOf(sentence, source)).toBeLessThan(scoreOf(supported, source));
    });
  });

  it('keeps to the figures that docs/support-check.md states for these pairs', () => {
    const sentences = SUPPORT_PAIRS.flatMap(({ source, changed }) =>
      changed.map(([kind, sentence]) => ({ kind, isFlagged: scoreOf(sentence, source) < SUPPORTED_FROM })),
    );
    const stated = readFileSync(new URL('../../docs/support-check.md', import.meta.url), 'utf8');
    const flagged = sentences.filter(({ isFlagged }) => isFlagged).length;
    expect(stated).toContain(`flags ${flagged} of ${sentences.length} minimal changes`);
    expect(SUPPORT_PAIRS.length + sentences.length).toBeGreaterThanOrEqual(80);
  });

  it.each([
    ['number-not-in-source', 'Descale the boiler every 45 days.'],
    ['name-not-in-source', 'The boiler was built by Gaggia.'],
    ['negation-differs', 'Do not clean the grinder weekly.'],
    ['antonym', 'Clean the grinder daily.'],
    ['unit-differs', 'It heats up in 90 minutes.'],
    ['words-not-in-source', 'Technicians offer maintenance plans for restaurants.'],
    ['quantifier-differs', 'Support always answers on working days between 9:00 and 17:00.'],
    ['speaks-of-itself', 'I clean the grinder weekly.'],
  ])('gives %s as a reason', (reason, sentence) => {
    expect(doubtsOf(sentence, MANUAL)).toContain(reason);
  });

  it('tells which sentence of which source supports best, and where it stands', () => {
    const sources = [prepareSource({ text: 'Returns are free.' }), prepareSource({ text: MANUAL })];
    const [sentence] = checkSupport('You should clean the grinder weekly.', sources).sentences;
    expect(sentence?.best).toMatchObject({ source: 1, text: '- Clean the grinder weekly.' });
    expect(MANUAL.slice(sentence?.best?.start, sentence?.best?.end)).toBe(sentence?.best?.text);
  });

  it('counts a title as said near every sentence', () => {
    const text = 'It costs 20 euros. Shipping is free.';
    expect(scoreOf('The Apollo II costs 20 euros.', text, 'Apollo II')).toBeGreaterThan(
      scoreOf('The Apollo II costs 20 euros.', text),
    );
  });

  it('takes an answer that states nothing', () => {
    expect(checkSupport('', [])).toEqual({ score: 1, sentences: [] });
    expect(checkSupport('...', []).score).toBe(1);
  });

  it('supports nothing without a source', () => {
    expect(checkSupport('Clean the grinder weekly.', []).score).toBeLessThan(SUPPORTED_FROM);
  });

  it('reads part of a sentence without its denial as another statement', () => {
    expect(scoreOf('Open the boiler while it is under pressure.', MANUAL)).toBeLessThan(SUPPORTED_FROM);
  });

  it('reads numbers as the same however they are written', () => {
    const source = 'The club has twelve teams and 1,200 members since the 1970s.';
    expect(scoreOf('The club has 12 teams.', source)).toBeGreaterThan(0.9);
    expect(scoreOf('The club has 1200 members.', source)).toBeGreaterThan(0.9);
    expect(scoreOf('The bridge opened in the 1970s.', 'The bridge opened in 1975.')).toBeGreaterThan(0.9);
  });

  it('judges a long sentence in pieces, so that what stands at its end is read', () => {
    const long = `${'The grinder is cleaned weekly, '.repeat(40)}and Gaggia sells cheese from the moon for 99 dollars.`;
    const { sentences } = checkSupport(long, [prepareSource({ text: MANUAL })]);
    expect(sentences.length).toBeGreaterThan(2);
    expect(sentences.at(-1)?.probability).toBeLessThan(SUPPORTED_FROM);
    expect(sentences[0]?.probability).toBeGreaterThanOrEqual(SUPPORTED_FROM);
  });

  it('supports every sentence of a source, in any order', () => {
    const start = MANUAL.indexOf('Descale');
    const spans = splitSentences(MANUAL, { start, end: MANUAL.indexOf('\n', start) });
    const sentences = spans.map((span) => MANUAL.slice(span.start, span.end));
    fc.assert(
      fc.property(fc.shuffledSubarray(sentences, { minLength: 1 }), (chosen) => {
        const { sentences: checked } = checkSupport(chosen.join('\n\n'), [prepareSource({ text: MANUAL })]);
        expect(checked.every(({ probability }) => probability === 1)).toBe(true);
      }),
    );
  });

  it('supports whatever text by itself', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 5, mode: 'sentences' }), (text) => {
        expect(scoreOf(text, text)).toBeGreaterThan(0.98);
      }),
    );
  });

  it('lowers the score for each number that is added and stands in no source', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 9999 }),
        fc.constantFrom(...SUPPORT_PAIRS),
        (number, { source, supported }) => {
          fc.pre(!source.includes(String(number)));
          const withNumber = supported.replace(/\.$/, ` and ${number}.`);
          expect(scoreOf(withNumber, source)).toBeLessThan(scoreOf(supported, source));
        },
      ),
    );
  });

  it('gives probabilities between 0 and 1 for any two texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.string({ maxLength: 400 }), (answer, text) => {
        const { score, sentences } = checkSupport(answer, [prepareSource({ text })]);
        for (const value of [score, ...sentences.map(({ probability }) => probability)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('is quick whatever it is given', () => {
    const startedMs = performance.now();
    for (const piece of [
      'a. ',
      'A. ',
      'not ',
      '5, ',
      'Kilo Alpha ',
      'then x ',
      '| a ',
      'x'.repeat(100),
      '\n',
      '- a\n',
    ]) {
      const text = piece.repeat(8000 / piece.length);
      checkSupport(
        `${text}!`,
        Array.from({ length: 5 }, () => prepareSource({ text })),
      );
    }
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });
});
