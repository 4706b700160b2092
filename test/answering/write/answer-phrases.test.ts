import { describe, expect, it } from 'vitest';
import PHRASES from '../../../src/answering/write/answer-phrases.json' with { type: 'json' };
import { answerPhrases, filled } from '../../../src/answering/write/answer-phrases.ts';
import { LACK_IN_LANGUAGE } from '../../../src/contract/core/lack-of-information.ts';
import { aggregate } from '../../../src/librarians/delegation/aggregate.ts';
import { answerExtractively, onlyOneNote } from '../../../src/librarians/web-search/answer.ts';
import { errorInfo } from '../../../src/platform/context/error-info-of.ts';

const LANGUAGES = Object.keys(PHRASES) as (keyof typeof PHRASES)[];
const OTHERS = LANGUAGES.filter((language) => language !== 'en');
const english: Readonly<Record<string, string>> = PHRASES.en;
const namesIn = (phrase: string): string[] =>
  [...phrase.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

/** Words of English alone that our sentences begin or join with. */
const ENGLISH =
  /\b(?:the|from|answer|found|nothing|not|shortened|read on|our price|offers|because|it is)\b/i;

describe.each(LANGUAGES)('The phrases in %s', (language) => {
  it('are complete and have the same values to fill in', () => {
    const own: Readonly<Record<string, string>> = PHRASES[language];
    expect(Object.keys(own).sort()).toEqual(Object.keys(english).sort());
    for (const [name, phrase] of Object.entries(own)) {
      // The difference of sources is said in English alone.
      const wanted = namesIn(english[name] ?? '').filter(
        (each) => name !== 'conflict' || each !== 'difference',
      );
      expect([
        name,
        namesIn(phrase).filter((each) => each !== 'difference' || name !== 'conflict'),
      ]).toEqual([name, wanted]);
      if (name !== 'onlyEnglish') expect(phrase).toMatch(/\S/);
    }
    expect(Object.keys(LACK_IN_LANGUAGE)).toContain(language);
  });
});

describe.each(OTHERS)('An answer for somebody who asks in %s', (language) => {
  const phrases = answerPhrases(language);
  const source = { name: 'Α', url: 'https://docs.example.com/a' };
  it('of several librarians has no English sentence, and names a partner as it registered', () => {
    const branches = [
      {
        to: 'navigator',
        query: 'Α?',
        response: { answer: `${'Β '.repeat(3000)}.`, sources: [source], confidence: 0.9 },
      },
      { to: 'partner.xq-7', query: 'Γ?', response: { error: errorInfo('TIMEOUT') } },
      {
        to: 'partner.other',
        query: 'Δ?',
        response: { answer: 'Ε', error: errorInfo('DATA_SOURCE_ERROR') },
      },
      {
        to: 'semantic',
        query: 'Α?',
        response: { answer: phrases.lack, sources: [], metadata: { closest: [] } },
      },
    ].map((branch) => ({ ...branch, request: branch }));
    const nameOf = (id: string) => (id === 'partner.xq-7' ? 'Ωμέγα' : undefined);
    const { answer = '' } = aggregate(branches, { language, nameOf });
    expect(answer).toContain(
      filled(phrases.noAnswerFrom, { question: '“Γ?”', name: 'Ωμέγα', why: phrases.whyLate }),
    );
    expect(answer).toContain(phrases.shortened);
    expect(answer).not.toContain('xq-7');
    expect(answer.replaceAll(/navigator|semantic|other/g, '')).not.toMatch(ENGLISH);
  });
  it('from the web has none', () => {
    const product = { name: 'Ζ', priceCents: 999, currency: 'EUR', alsoNamed: ['Η'] };
    const result = {
      title: 'Θ',
      url: 'https://shop.example/x',
      snippet: '',
      price: { cents: 899, currency: 'EUR' },
    };
    const comparison = {
      cheapest: result,
      cheapestCents: 899,
      internalCents: 999,
      currency: 'EUR',
      others: [result],
      notCompared: 2,
    };
    // Only the members that are worded.
    const findings = { results: [result], product, comparison, isAboutPrice: true } as never;
    const texts = [
      answerExtractively(findings, phrases),
      answerExtractively({ results: [result], isAboutPrice: false } as never, phrases),
      answerExtractively({ results: [], product, isAboutPrice: true } as never, phrases),
      onlyOneNote(product as never, phrases) ?? '',
    ];
    for (const text of texts) expect(text.replaceAll(/\]\([^)]*\)/g, '')).not.toMatch(ENGLISH);
    expect(texts[0]).toContain(filled(phrases.notCompared, { count: '2' }));
  });
});
