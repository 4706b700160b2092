import { describe, expect, it } from 'vitest';
import {
  hashArticle,
  normaliseArticle,
} from '../../../src/knowledge/articles/normalise-article.ts';
import cases from './audiences.json' with { type: 'json' };

const reply = (audience: unknown, content: string) => ({
  id: 'a.md',
  title: 'T',
  url: 'https://kb.example/a',
  content,
  metadata: { intent: [], device: [], last_updated: '2024-01-02', audience },
});
const audiencesOf = (audience: unknown, content = 'Text.') =>
  normaliseArticle(reply(audience, content), { articleUrl: () => '' }).article.audiences;

describe('the audience of an article', () => {
  it.each([
    ...(cases.metadata as [string, unknown, string[] | null][]),
    ['nothing', undefined, null] as const,
  ])('is read from metadata with %s', (_, audience, expected) =>
    expect(audiencesOf(audience)).toEqual(expected ?? undefined),
  );
  it.each(cases.frontMatter as [string, string, string[]][])(
    'is read from front matter with %s',
    (_, lines, expected) =>
      expect(audiencesOf(undefined, `---\n${lines}\n---\nText.`)).toEqual(expected),
  );
  it('is limited to the first twenty audiences', () => {
    expect(audiencesOf(Array.from({ length: 25 }, (_, at) => `group${at}`))).toHaveLength(20);
  });
  it('is read from front matter without a closing line', () => {
    expect(audiencesOf(undefined, '---\ntitle: T\naudience: staff\n\nText.')).toEqual(['staff']);
    expect(
      audiencesOf(undefined, '---\ntitle: T\n\nThe word\naudience: means listeners.'),
    ).toBeUndefined();
  });
  it('is the intersection of metadata and front matter', () => {
    expect(audiencesOf(['staff', 'sales'], '---\naudience: [sales, legal]\n---\nText.')).toEqual([
      'sales',
    ]);
    expect(audiencesOf(['staff'], '---\naudience: legal\n---\nText.')).toEqual(['none']);
  });
  it('has a warning when an invalid audience is dropped', () => {
    const { warnings } = normaliseArticle(reply(['the staff'], 'Text.'), { articleUrl: () => '' });
    expect(warnings.join(' ')).toMatch(/Left out some of its audiences.*Shown to no one/);
  });
  it('is part of the hash of an article', async () => {
    const hashes = [undefined, ['staff'], ['sales']].map((audience) =>
      hashArticle(reply(audience, 'Text.')),
    );
    expect(new Set(await Promise.all(hashes)).size).toBe(3);
  });
});
