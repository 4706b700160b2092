import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detectLanguage } from '../../src/language/detect-language.ts';
import customers from './customer-sentences.json' with { type: 'json' };
import messages from './detect-language.json' with { type: 'json' };
import later from './later-sentences.json' with { type: 'json' };

/** The tables were tuned on every second sentence, and on those of `later-sentences.json`. */
const casesOf = (sentences: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(sentences).flatMap(([name, texts]) =>
    texts.map((text, at) => ({
      text,
      language: name === 'undefined' ? undefined : name,
      isUnseen: at % 2 === 1,
    })),
  );

it.each([
  ['used for tuning', casesOf(customers).filter(({ isUnseen }) => !isUnseen), 0.95, 0.02],
  ['held out from tuning', casesOf(customers).filter(({ isUnseen }) => isUnseen), 0.95, 0.02],
  ['of few and rare words', casesOf(later), 0.88, 0.04],
])(
  'detects the language of short messages %s, and rarely a wrong one',
  (name, cases, leastRight, mostWrong) => {
    const results = cases.map(({ text, language }) => ({ language, found: detectLanguage(text) }));
    const shareOf = (count: typeof results) => count.length / cases.length;
    const right = shareOf(results.filter(({ language, found }) => language === found));
    const wrong = shareOf(
      results.filter(({ language, found }) => found !== undefined && language !== found),
    );
    console.log(
      `languages of ${cases.length} messages ${name}: ${right.toFixed(3)} right, ${wrong.toFixed(3)} wrong`,
    );
    expect(right).toBeGreaterThanOrEqual(leastRight);
    expect(wrong).toBeLessThanOrEqual(mostWrong);
  },
);
it.each(messages as [string, string | null][])('reads %j as %s', (text, language) =>
  expect(detectLanguage(text)).toBe(language ?? undefined),
);
it('accepts any text', () => {
  const isRead = (text: string) => /^(?:undefined|[a-z]{2})$/.test(String(detectLanguage(text)));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), isRead));
});
