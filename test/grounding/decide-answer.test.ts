import { describe, expect, it } from 'vitest';
import { editionOf } from '../../src/dev/eval-retrieval.ts';
import { decideAnswer } from '../../src/grounding/decide-answer.ts';
import { DEFAULT_MODEL } from '../../src/search/answering-model.ts';
import { searchEdition } from '../../src/search/search-edition.ts';

const TEXTS = [
  'The fan hums loudly when dust blocks it.',
  'Order seals from the shop.',
  'Wheels squeak without grease.',
];
const edition = editionOf({
  name: 'machines',
  articles: TEXTS.map((text, at) => ({
    ...{ id: `${at}.md`, title: '', url: '', text, intents: [], devices: [] },
    lastUpdated: '2026-01-01T00:00:00Z',
  })),
});
const QUESTION = 'the fan and the seals';
const byWords = searchEdition(edition, QUESTION);

/** A question whose words are of the domain with this probability, and answered by the best source with 0.27. */
const modelWith = (domain: number) => ({
  ...DEFAULT_MODEL,
  domain: { weights: [], bias: Math.log(domain / (1 - domain)) },
  answer: { weights: [], bias: -1 },
});

/** With cosines of the first and of the second hit; what the first comes to, by meaning alone, is in the comment. */
const near = (first: number, second: number) => ({
  ...byWords,
  model: 'text-embedding-3-small',
  hits: byWords.hits.map((hit, at) => ({ ...hit, similarity: at === 0 ? first : second })),
});
const LIKELY = near(0.6, 0.52); // 0.6
const VERY_LIKELY = near(0.7, 0.55); // 0.93
const UNLIKELY = near(0.3, 0.29); // 0.03

const verdictOf = (outcome: Parameters<typeof decideAnswer>[0], domain: number) =>
  decideAnswer(outcome, modelWith(domain), { question: QUESTION }).verdict;

describe('decideAnswer() with meanings', () => {
  it('answers where words leave it open and the meaning probably answers', () => {
    expect(verdictOf(byWords, 0.3)).toBe('no-information');
    expect(verdictOf(LIKELY, 0.3)).toBe('answer');
    expect(verdictOf(UNLIKELY, 0.3)).toBe('no-information');
  });

  it('overrules words that are foreign only by a meaning that very probably answers', () => {
    expect(verdictOf(byWords, 0.1)).toBe('out-of-domain');
    expect(verdictOf(LIKELY, 0.1)).toBe('out-of-domain');
    expect(verdictOf(VERY_LIKELY, 0.1)).toBe('answer');
    expect(decideAnswer(VERY_LIKELY, modelWith(0.1), { question: QUESTION }).answer).toBeLessThanOrEqual(0.7);
  });

  it('counts a meaning only for what is quoted', () => {
    const [best, second] = VERY_LIKELY.hits.map(({ chunk }) => chunk);
    const decided = (quoted: number[]) => decideAnswer(VERY_LIKELY, modelWith(0.3), { question: QUESTION, quoted });
    expect(decided([best ?? -1])).toMatchObject({ verdict: 'answer', isByMeaning: true });
    expect(decided([second ?? -1]).verdict).toBe('no-information');
    expect(decided([second ?? -1]).answer).toBeLessThan(decided([best ?? -1]).answer);
  });

  it('does not add up two weak signs to an answer where words are foreign', () => {
    const uncertain = near(0.59, 0.54); // 0.44
    expect(decideAnswer(uncertain, modelWith(0.15), { question: QUESTION }).answer).toBeGreaterThan(0.5);
    expect(verdictOf(uncertain, 0.15)).toBe('out-of-domain');
  });

  it.each([0.05, 0.3, 0.6, 0.95])('declines nothing that words alone answer, domain %d', (domain) => {
    for (const outcome of [UNLIKELY, LIKELY, VERY_LIKELY])
      expect([verdictOf(byWords, domain), 'answer']).toContain(verdictOf(outcome, domain));
  });

  it('is surer of an answer that words and meaning agree on', () => {
    const sureness = (outcome: Parameters<typeof decideAnswer>[0]) =>
      decideAnswer(outcome, modelWith(0.9), { question: QUESTION }).answer;
    expect(sureness(UNLIKELY)).toBeGreaterThanOrEqual(sureness(byWords));
    expect(sureness(LIKELY)).toBeGreaterThan(sureness(UNLIKELY));
    expect(sureness(VERY_LIKELY)).toBeGreaterThan(sureness(LIKELY));
  });
});
