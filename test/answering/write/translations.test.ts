import { describe, expect, it } from 'vitest';
import { takeInArticle } from '../../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { editionFor } from '../../../src/knowledge/edition/current-edition.ts';
import { attachWordVectors } from '../../../src/knowledge/edition/edition-vectors.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import { createRetriever } from '../../../src/knowledge/search/retrieve.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { answerQuestion } from '../../../src/librarians/navigator/answer-question.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { scriptedModel, seeking } from './scripted-model.ts';
import base from './translations.json' with { type: 'json' };

type Language = 'en' | 'de' | 'fr';
type Layout = keyof typeof LAYOUTS;
const LANGUAGES: readonly Language[] = ['en', 'de', 'fr'];

interface Placed {
  id: string;
  url: string;
  key?: string;
}

/** How sites and folders tell that pages are translations. */
const LAYOUTS = {
  'a folder for each language': (page, language) => ({ id: `${language}/${page}.md`, url: '' }),
  'folders beside the original': (page, language) => ({
    id: language === 'en' ? `docs/${page}.md` : `docs/${language}/${page}.md`,
    url: '',
  }),
  'a part of the name': (page, language) => ({
    id: language === 'en' ? `${page}.md` : `${page}.${language}.md`,
    url: '',
  }),
  'addresses alone': (page, language, at) => ({
    id: `kb-${at}`,
    url: `https://help.example/${language === 'en' ? '' : `${language}/`}${page}/`,
  }),
  'a key': (page, _language, at) => ({
    id: `kb-${at}`,
    url: `https://help.example/a/${at}`,
    key: page,
  }),
} satisfies Record<string, (page: string, language: Language, at: number) => Placed>;

const open = (layout: Layout, { without = '', audience = '' } = {}): Edition => {
  let at = 0;
  const entries = base.pages.flatMap((page) =>
    LANGUAGES.flatMap((language) => {
      at += 1;
      const name = `${language} ${page.name}`;
      if (name === without) return [];
      const { id, url, key }: Placed = LAYOUTS[layout](page.name, language, at);
      const front = key === undefined ? '' : `---\ntranslationKey: ${key}\n---\n\n`;
      const metadata = {
        intent: [],
        device: [],
        ...(name === audience ? { audience: ['staff'] } : {}),
      };
      const reply = { id, title: '', url, content: front + page.texts[language], metadata };
      return [
        takeInArticle(reply, {
          articleUrl: (each) => `https://kb.example/${encodeURIComponent(each)}`,
        }),
      ];
    }),
  );
  entries.sort((one, other) => (one.article.id < other.article.id ? -1 : 1));
  const built = buildEdition(entries, {
    id: 'e1',
    workspace: 'default',
    createdAt: '2026-01-01T00:00:00Z',
  });
  return openEdition(attachWordVectors(attachRepeatedBlocks(built), shippedWordVectors()));
};

const retrieve = createRetriever({ wordVectors: shippedWordVectors });
const options = { retrieve, wordVectors: shippedWordVectors, timeLeftMs: () => 20_000 };

/** Titles of what is shown and linked, by whether it is cited. */
const ask = async (edition: Edition, question: string) => {
  const { answer } = await answerQuestion(edition, question, options);
  const titleOf = (file: string) => edition.article(edition.findArticle(file)).title;
  return {
    cited: [...new Set(answer.response.sources.map(({ file }) => titleOf(file ?? '')))],
    closest: answer.closest.map(({ file }) => titleOf(file ?? '')),
  };
};
const titleOf = (page: (typeof base.pages)[number], language: Language): string =>
  /^# (.+)$/m.exec(page.texts[language])?.[1] ?? '';
const titlesIn = (language: Language) => base.pages.map((page) => titleOf(page, language));

describe('an article in several languages', () => {
  for (const layout of Object.keys(LAYOUTS) as Layout[]) {
    it(`is cited and linked in the language of the question: ${layout}`, async () => {
      const edition = open(layout);
      const wrong: string[] = [];
      for (const language of LANGUAGES) {
        for (const page of base.pages) {
          for (const question of page.questions[language]) {
            const { cited, closest } = await ask(edition, question);
            const own = titlesIn(language);
            const others = [...cited, ...closest].filter((title) => !own.includes(title));
            if (others.length > 0 || ![...cited, ...closest].includes(titleOf(page, language)))
              wrong.push(`${question}: ${[...cited, ...closest].join(', ')}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    });
  }

  it('answers from another language where the own one lacks the page, or hides it from the asker', async () => {
    const page = base.pages.find(({ name }) => name === 'vpn');
    if (page === undefined) throw new Error('no page');
    const lacking = open('a folder for each language', { without: 'fr vpn' });
    const hidden = editionFor(open('a folder for each language', { audience: 'fr vpn' }), []);
    for (const edition of [lacking, hidden]) {
      for (const question of page.questions.fr) {
        const found = searchEdition(edition, question).hits.map(
          ({ article }) => edition.article(article).id,
        );
        expect(found.filter((id) => /^(?:en|de)\/vpn/.test(id)).length).toBeGreaterThan(0);
        // One of them is enough.
        expect(new Set(found.filter((id) => id.endsWith('/vpn.md'))).size).toBe(1);
      }
    }
  });

  it('takes one place where the language of the question is in doubt', () => {
    const edition = open('a folder for each language');
    for (const query of ['VPN MTU 1400', 'XR-20']) {
      const { hits } = searchEdition(edition, query, { limit: 50 });
      const pages = hits.map(({ article }) => edition.article(article).id);
      const names = [...new Set(pages)].map((id) => id.replace(/^\w+\//, ''));
      expect(names.length).toBeGreaterThan(0);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('is shown to a model in the language of the question, even where its query is in another one', async () => {
    const edition = open('folders beside the original');
    const page = base.pages.find(({ name }) => name === 'vpn');
    const [question = ''] = page?.questions.de ?? [];
    const [inEnglish = ''] = page?.questions.en ?? [];
    const ai = scriptedModel({ text: '{}' });
    ai.queries = seeking(inEnglish, 'VPN MTU tunnel');
    await answerQuestion(edition, question, { ...options, ai });
    const shown = ai.calls.flatMap(({ given }) => given.passages.map(({ title }) => title ?? ''));
    expect(shown).toContain('VPN einrichten');
    for (const title of [...titlesIn('en'), ...titlesIn('fr')]) expect(shown).not.toContain(title);
  });

  it('keeps articles apart whose paths look alike but whose texts are in one language', () => {
    const text = (of: string) =>
      `# ${of}\n\nThe people of this department help with all questions about the router.`;
    const entries = [
      { id: 'guide.md', content: text('Guide for everybody') },
      { id: 'it/guide.md', content: text('Guide of the department') },
    ].map((each) =>
      takeInArticle(
        { ...each, title: '', url: '' },
        { articleUrl: (id) => `https://kb.example/kb/${id}` },
      ),
    );
    const edition = openEdition(
      buildEdition(entries, { id: 'e1', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' }),
    );
    const { hits } = searchEdition(
      edition,
      'Which department helps with questions about the router?',
    );
    expect(new Set(hits.map(({ article }) => article)).size).toBe(2);
  });
});
