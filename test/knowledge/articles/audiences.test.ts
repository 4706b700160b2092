import { describe, expect, it } from 'vitest';
import { hashArticle, normaliseArticle } from '../../../src/knowledge/articles/normalise-article.ts';

const reply = (audience: unknown, content: string) => ({
  ...{ id: 'a.md', title: 'T', url: 'https://kb.example/a', content },
  metadata: { intent: [], device: [], last_updated: '2024-01-02', audience },
});
const audiencesOf = (audience: unknown, content = 'Text.') =>
  normaliseArticle(reply(audience, content), { articleUrl: () => '' }).article.audiences;
const frontMatter = (lines: string) => audiencesOf(undefined, `---\n${lines}\n---\nText.`);

const NO_ONE = ['none'];
const GROUPS = Array.from({ length: 25 }, (_, at) => `group${at}`);

describe('the audience of an article', () => {
  it.each([
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['a list', ['staff', 'sales'], ['staff', 'sales']],
    ['one name', 'staff', ['staff']],
    ['a name with white space and capitals', [' Staff '], ['staff']],
    ['a name twice', ['staff', 'staff'], ['staff']],
    ['an empty list', [], NO_ONE],
    ['an empty name', [''], NO_ONE],
    ['an invalid name', ['the staff'], NO_ONE],
    ['a name of 65 letters', ['a'.repeat(65)], NO_ONE],
    ['a star', ['*'], NO_ONE],
    ['a number', 7, NO_ONE],
    ['an object', { staff: true }, NO_ONE],
    ['some invalid names', ['staff', 'the sales', 5], ['staff']],
    ['more than twenty names', GROUPS, GROUPS.slice(0, 20)],
  ])('is read from metadata with %s', (_, audience, expected) => {
    expect(audiencesOf(audience)).toEqual(expected);
  });

  it.each([
    ['a list', 'audience: [staff, sales]', ['staff', 'sales']],
    ['a list of lines', 'audience:\n  - staff\n  - sales', ['staff', 'sales']],
    ['one name', 'audience: staff', ['staff']],
    ['the plural', 'audiences: staff', ['staff']],
    ['a capital letter', 'Audience: staff', ['staff']],
    ['no value', 'audience:', NO_ONE],
    ['a list written as a text', 'audience: staff, sales', NO_ONE],
    ['broken YAML', 'title: "Broken\naudience: staff', ['staff']],
    ['broken YAML and no value', 'title: "Broken\naudience:\n  - staff', NO_ONE],
  ])('is read from front matter with %s', (_, lines, expected) => {
    expect(frontMatter(lines)).toEqual(expected);
  });

  it('is read from front matter without a closing line', () => {
    expect(audiencesOf(undefined, '---\ntitle: T\naudience: staff\n\nText.')).toEqual(['staff']);
    expect(audiencesOf(undefined, '---\ntitle: T\n\nThe word\naudience: means listeners.')).toBeUndefined();
  });

  it('is the intersection of metadata and front matter', () => {
    expect(audiencesOf(['staff', 'sales'], '---\naudience: [sales, legal]\n---\nText.')).toEqual(['sales']);
    expect(audiencesOf(['staff'], '---\naudience: legal\n---\nText.')).toEqual(NO_ONE);
  });

  it('has a warning when an invalid audience is dropped', () => {
    const { warnings } = normaliseArticle(reply(['the staff'], 'Text.'), { articleUrl: () => '' });
    expect(warnings.join(' ')).toMatch(/Left out some of its audiences.*Shown to no one/);
  });

  it('is part of the hash of an article', async () => {
    const hashes = [undefined, ['staff'], ['sales']].map((audience) => hashArticle(reply(audience, 'Text.')));
    expect(new Set(await Promise.all(hashes)).size).toBe(3);
  });
});
