import { describe, expect, it } from 'vitest';
import { editionOf, retrieved, SAMPLE } from './sample-edition.ts';

const QUESTION = {
  intent: 'login_issue',
  message:
    'Default password apollo123 doesnt work anymore after updating to 3.4, i tried it ten times',
  metadata: { product: 'Apollo' },
};
const CURRENT = 'dashboard/log-in-and-password-reset.md';
const titles = async (...given: Parameters<typeof retrieved>) =>
  (await retrieved(...given)).sources_consulted.map(({ title }) => title);

describe('an old page', () => {
  it('does not rank above the current one on its subject, even with more of the words', async () => {
    expect(await titles(QUESTION)).toEqual([
      'Log in to the dashboard and reset a forgotten password',
    ]);
    expect(await titles({ ...QUESTION, include_weak: true })).toContain(
      'Apollo quick start card (2021)',
    );
  });
  it('is a source when there is no other, and is reported', async () => {
    const edition = editionOf(SAMPLE.filter(({ article }) => article.id !== CURRENT));
    const knowledge = await retrieved(QUESTION, { edition });
    expect(knowledge.sources_consulted.map(({ title }) => title)).toEqual([
      'Apollo quick start card (2021)',
    ]);
    expect(knowledge.gaps).toEqual([
      'The article “Apollo quick start card (2021)” was last changed in 2021, long before most others',
    ]);
  });
  it('is preferred when the question names its date or version', async () => {
    const message = 'Which password does the Apollo quick start card (2021) tell?';
    expect((await titles({ ...QUESTION, message }))[0]).toBe('Apollo quick start card (2021)');
    const solo = { intent: 'solo_mining', message: 'Requirements for solo mining (firmware 2.x)' };
    const knowledge = await retrieved({ ...solo, metadata: { product: 'Apollo' } });
    expect(knowledge.sources_consulted[0]?.title).toBe(
      'Requirements for solo mining (firmware 2.x)',
    );
    expect(knowledge.gaps).toEqual([]);
  });
});
