import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from '../../src/text/detect-language.ts';
import customers from './customer-sentences.json' with { type: 'json' };
import messages from './detect-language.json' with { type: 'json' };
import later from './later-sentences.json' with { type: 'json' };

/** The tables were tuned on every second sentence, and on those of `later-sentences.json`. */
const casesOf = (sentences: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(sentences).flatMap(([name, texts]) =>
    texts.map((text, at) => ({ text, language: name === 'undefined' ? undefined : name, isUnseen: at % 2 === 1 })),
  );

const resultsOf = (name: string, cases: ReturnType<typeof casesOf>) => {
  const results = cases.map(({ text, language }) => ({ text, language, found: detectLanguage(text) }));
  const right = results.filter(({ language, found }) => language === found).length / results.length;
  const wrong =
    results.filter(({ language, found }) => found !== undefined && language !== found).length / results.length;
  console.log(
    `languages of ${results.length} messages, ${name}: ${right.toFixed(3)} right, ${wrong.toFixed(3)} taken for another`,
  );
  return { right, wrong };
};

describe('detectLanguage()', () => {
  it.each([
    ['used for tuning', false],
    ['held out from tuning', true],
  ])('detects the language of short messages %s', (name, ofUnseen) => {
    const { right, wrong } = resultsOf(
      name,
      casesOf(customers).filter(({ isUnseen }) => isUnseen === ofUnseen),
    );
    expect(right).toBeGreaterThanOrEqual(0.95);
    expect(wrong).toBeLessThanOrEqual(0.02);
  });

  it.each(["can't SSH in, permission denied (publickey)", "It doesn't log in", "I'm in, but it won't mine"])(
    'detects short English by its apostrophes, despite "in": %s',
    (text) => expect(detectLanguage(text)).toBe('en'),
  );

  it('rarely detects a wrong language in messages of few and rare words', () => {
    const { right, wrong } = resultsOf('in rare words', casesOf(later));
    expect(right).toBeGreaterThanOrEqual(0.88);
    expect(wrong).toBeLessThanOrEqual(0.04);
  });
  it.each(messages as [string, string | null][])('reads %j as %s', (text, language) =>
    expect(detectLanguage(text)).toBe(language ?? undefined),
  );
  it('ignores words that contain code characters, and reads the words beside them', () => {
    expect(detectLanguage('see /api/v2/status und das Gerät geht nicht mehr an, was kann ich tun?')).toBe('de');
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        /^(?:undefined|[a-z]{2})$/.test(String(detectLanguage(text))),
      ),
    );
  });
});
