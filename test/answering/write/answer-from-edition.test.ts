import { describe, expect, it } from 'vitest';
import offTopicQuestions from '../../../src/answering/passages/off-topic-questions.json' with {
  type: 'json',
};
import { answerFromEdition } from '../../../src/answering/write/answer-from-edition.ts';
import PHRASES from '../../../src/answering/write/answer-phrases.json' with { type: 'json' };
import { answerPhrases } from '../../../src/answering/write/answer-phrases.ts';
import type { NavigatorAnswer } from '../../../src/answering/write/navigator-answer.ts';
import { validateNavigatorResponse } from '../../../src/answering/write/validate-navigator-response.ts';
import { levelOf, PARTIAL_BELOW } from '../../../src/contract/core/confidence-level.ts';
import { NavigatorResponse } from '../../../src/contract/core/navigator-response.ts';
import type { Article } from '../../../src/knowledge/articles/article.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { listOf } from '../check/articles-for-test.ts';
import cases from './answer-from-edition.json' with { type: 'json' };
import { ARTICLES, OFTEN, openSmallKb } from './small-kb.ts';

const HEDGE = answerPhrases('en').hedge;
const SMALL = openSmallKb();
const [FIRST] = ARTICLES as [Article];
const article = (id: string, text: string, more: Partial<Article> = {}): Article => ({
  ...FIRST,
  id,
  title: id,
  text,
  ...more,
});
/** The small knowledge base with an article added or replaced. */
const withArticle = (added: Article) =>
  openSmallKb([...ARTICLES.filter(({ id }) => id !== added.id), added]);
const ask = (question: string) =>
  answerFromEdition(SMALL.edition, question, { vectors: shippedWordVectors() });
const answerIn = ({ edition }: typeof SMALL, question: string) =>
  answerFromEdition(edition, question);
const brokenRules = (answer: NavigatorAnswer, question = '', { knowledge } = SMALL) =>
  validateNavigatorResponse(answer.response, knowledge, {
    query: question,
    frame: answer.frame,
  });
const wordsOf = (pattern: RegExp) =>
  ARTICLES.flatMap(({ title, text }) => `${title} ${text}`.match(pattern) ?? []);
const DESCALE = 'How do I descale the boiler?';
const PUMPE = 'Die Pumpe saugt das Wasser aus dem Tank und drückt es durch den Filter.';
const OUT_OF_DOMAIN = 'Can I get a mortgage for a flat in Berlin?';
const QUESTIONS = cases.questions;
const OFF_TOPIC = Object.values(offTopicQuestions).flat();

describe('answerFromEdition()', () => {
  it.each(cases.shown as [string, string, string[], string[]][])(
    'shows %s',
    (_what, question, shown, hidden) => {
      const { answer } = ask(question).response;
      for (const text of shown) expect(answer).toContain(text);
      for (const text of hidden) expect(answer.replaceAll('\\<', '')).not.toContain(text);
    },
  );
  it('shows the header and the right row of a large table as one table, each a separate excerpt', () => {
    const head = '| Drink | Dose | Note |\n| --- | --- | --- |';
    const row = (drink: string, grams: number) =>
      `| ${drink} | ${grams} g | ${'The crema is thick. '.repeat(4).trim()} |`;
    const drinks = [
      'Mocha',
      'Ristretto',
      'Lungo',
      'Cortado',
      'Doppio',
      'Macchiato',
      'Affogato',
      'Americano',
    ];
    const rows = drinks.map((drink, at) => row(drink, 20 + 7 * at)).join('\n');
    const base = withArticle(article('doses.md', `${head}\n${rows}\n`, { title: 'Doses' }));
    const answer = answerIn(base, 'What is the dose of a cortado?');
    expect(answer.response.answer).toContain(`${head}\n${row('Cortado', 41)}`);
    expect(answer.response.answer).not.toContain('Lungo');
    expect(answer.response.sources[0]?.excerpts?.map(({ quote }) => quote)).toEqual([
      head,
      row('Cortado', 41),
    ]);
    expect(brokenRules(answer, '', base)).toEqual([]);
  });
  it('returns every excerpt with its offsets in the article and its edition', () => {
    for (const question of QUESTIONS) {
      const { verdict, response } = ask(question);
      expect(response.sources.length > 0, question).toBe(verdict === 'answer');
      for (const { file, excerpts = [], edition } of response.sources) {
        expect(edition).toBe('e1');
        expect(excerpts.length).toBeGreaterThan(0);
        for (const { quote, start, end } of excerpts)
          expect(SMALL.knowledge.article(file)?.text.slice(start, end)).toBe(quote);
      }
    }
    const steps = expect.objectContaining({ file: 'care/descale.md', section: 'Steps' });
    expect(ask(DESCALE).response.sources).toContainEqual(steps);
  });
  it('shows nothing about devices that the question does not name', () => {
    const cups = article('cups.md', 'Two cups fit.', { title: 'Cups', devices: ['Barista II'] });
    const base = openSmallKb([...ARTICLES.filter(({ id }) => id !== 'care/grinder-ii.md'), cups]);
    const answerFor = (device: string) =>
      answerIn(base, `How do I take out the upper burr of the ${device} grinder?`).response.answer;
    expect(answerFor('Barista I')).toContain('45 degrees');
    expect(answerFor('Barista II')).not.toContain('45 degrees');
  });
  it('lowers its confidence when sources conflict, and states the reason', () => {
    const { response, probability } = ask(
      'What is the factory setting of the brewing temperature?',
    );
    expect(probability).toBeLessThan(PARTIAL_BELOW);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toMatch(/sources conflict \([\w ,]+: \d+ instead of \d+\)/i);
  });
  it.each(Object.keys(PHRASES))(
    'says why it is sure, or not, in the language of who asks: %s',
    (language) => {
      const { sureHigh, sureMedium, sureLow, heldAll, noAnswer, searchedAll } =
        answerPhrases(language);
      const reasonOf = (question: string) =>
        answerFromEdition(SMALL.edition, question, { vectors: shippedWordVectors(), language })
          .response;
      const found = reasonOf('boiler descale');
      expect(found.sources).not.toEqual([]);
      expect(found.confidenceReason).toMatch(
        new RegExp(`^(?:${sureHigh}|${sureMedium}|${sureLow}): `),
      );
      expect(found.confidenceReason).toContain(heldAll);
      const declined = reasonOf('Zugspitze 4711');
      const [before = ''] = searchedAll.split('{count}');
      expect(declined.confidenceReason).toMatch(new RegExp(`^(?:${sureHigh}|${sureLow}): `));
      expect(declined.confidenceReason).toContain(before);
      expect(declined.confidenceReason.includes(noAnswer)).toBe(!declined.outOfDomain);
    },
  );
  it('lists no words of another language as missing', () => {
    const { response } = answerFromEdition(SMALL.edition, 'Wie lange dauert der Versand?', {
      language: 'de',
    });
    expect(response.confidenceReason).toContain(answerPhrases('de').uncovered);
    expect(response.confidenceReason).toContain(answerPhrases('de').onlyEnglish);
    expect(response.confidenceReason).not.toContain('"');
  });
  it('names the words of the question that the passages lack', () => {
    const { response, verdict } = ask('How often must the boiler be descaled in Reykjavik?');
    if (verdict === 'answer') expect(response.confidenceReason).toContain('missing: "reykjavik"');
    expect(ask(DESCALE).response.confidenceReason).toContain('hold every informative word');
  });
  it('starts an uncertain answer with a warning, and links close articles that it does not show', () => {
    const given = wordsOf(/[\p{L}-]{6,}/gu)
      .map((word) => ask(`${word} steam gauge`))
      .filter(({ verdict }) => verdict === 'answer');
    const isUncertain = ({ response }: NavigatorAnswer) => response.answer.includes(HEDGE);
    const uncertain = given.filter(isUncertain);
    expect(uncertain.length).toBeGreaterThan(0);
    expect(given.filter(({ probability }) => probability < PARTIAL_BELOW).every(isUncertain)).toBe(
      true,
    );
    for (const answer of uncertain) {
      const { response, closest } = answer;
      expect(response.answer.startsWith(`${HEDGE}\n\nFrom [`)).toBe(true);
      expect(closest.length).toBeLessThanOrEqual(3);
      const [shown = '', links = ''] = response.answer.split('Other articles that come close:');
      const others = closest.filter(({ title }) => !shown.includes(`[${title}]`));
      for (const { title, url } of others) expect(links).toContain(`[${title}](${url})`);
      expect(links.split('](')).toHaveLength(others.length + 1);
      expect(brokenRules(answer)).toEqual([]);
    }
    for (const { response } of given.filter((answer) => !isUncertain(answer)))
      expect(response.answer).not.toContain('Other articles that come close');
  });
  it('satisfies the rules and the schema of the navigator contract, with a matching confidence, for any question', () => {
    const words = wordsOf(/[\p{L}\p{N}-]+/gu);
    const long = words.filter((word) => /^\p{L}{4,}$/u.test(word));
    const questions = [
      ...words.flatMap((_, at) =>
        at % 3 === 0
          ? [
              `How does ${words.slice(at, at + 3 + (at % 4)).join(' ')} ${at % 5 === 0 ? 'zebra 77' : ''}?`,
            ]
          : [],
      ),
      ...long.map(
        (word, at) =>
          `${word} ${long[(at * 7) % long.length]} ${at % 2 ? 'zebra' : ''} ${at % 3 ? '' : 'mortgage'}`,
      ),
    ];
    for (const question of [...questions, ...QUESTIONS]) {
      const answer = ask(question);
      const { response, probability, verdict } = answer;
      expect(NavigatorResponse.safeParse(response).error?.issues, question).toBeUndefined();
      expect(brokenRules(answer, question), question).toEqual([]);
      expect(levelOf(probability), question).toBe(
        verdict === 'answer' ? response.confidence : 'low',
      );
      if (verdict !== 'answer')
        expect(response.confidence, question).toBe(response.outOfDomain ? 'high' : 'low');
    }
  });
  it('escapes raw HTML in ids, titles, headings and devices', () => {
    const live = /(?<!\\)<[a-z/!?]/i;
    const tag = '<img src=x onerror=alert(1)>';
    const base = openSmallKb(
      ARTICLES.map(({ id, title, text, devices, ...rest }) => ({
        ...rest,
        id: `${tag}/${id}`,
        title: `${title} ${tag}`,
        text: text.replace(/^## (.*)$/gm, `## $1 ${tag}`),
        devices: devices.map((device) => `${device} ${tag}`),
      })),
    );
    for (const question of QUESTIONS) {
      const answer = answerIn(base, question);
      const { answer: shown, confidenceReason, relatedTopics, sources } = answer.response;
      const texts = [
        shown,
        confidenceReason,
        ...(relatedTopics ?? []),
        ...sources.map(({ relevance }) => relevance),
      ];
      // A code block shows its tags literally.
      for (const text of texts) expect(text.replace(/```.*?```/gs, '')).not.toMatch(live);
      for (const { file } of sources) expect(file).toContain(`${tag}/`);
      expect(brokenRules(answer, question, base), question).toEqual([]);
    }
  });
  it('keeps HTML in a name escaped when a quote contains a backtick', () => {
    const text = 'Cold milk foams best where a ` stands beside the jug.';
    const milk = article('taste/milk.md', text, {
      title: 'Milk `<img src=x onerror=alert(1)>` foam',
    });
    const { answer } = answerIn(
      withArticle(milk),
      'Which milk foams best beside the jug?',
    ).response;
    expect(answer).toContain('foams best where a ` stands');
    expect(answer).toContain('\\<img');
  });
  it('reports the correction of a typo', () => {
    const { searchStrategy } = ask(OFTEN.replace('descaled', 'descaeld')).response;
    expect(searchStrategy?.corrections).toEqual([
      { typed: 'descaeld', read: expect.stringMatching(/^descale/) },
    ]);
  });
  it('offers headings of other evidence as related topics, none of them cited', () => {
    for (const question of QUESTIONS) {
      const { relatedTopics = [], sources } = ask(question).response;
      for (const { section } of sources) expect(relatedTopics).not.toContain(section);
    }
    expect(ask(DESCALE).response.relatedTopics).toContain('Safety');
  });
  it('is deterministic, and bounded for a huge question', () => {
    expect(ask(DESCALE)).toEqual(ask(DESCALE));
    expect(ask('boiler descale '.repeat(8000)).response.answer.length).toBeLessThanOrEqual(1500);
  });
  it('links the rest of a long procedure within the rules of the navigator contract', () => {
    const steps = listOf(40, (at) => `${at + 1}. Turn the wheel ${at} times, then wait.`);
    const base = withArticle(
      article('wheel.md', `To reset the wheel:\n\n${steps}`, { title: 'Wheel' }),
    );
    const question = 'How do I reset the wheel?';
    const answer = answerIn(base, question);
    expect(answer.response.answer).toContain('The steps go on in [Wheel](');
    expect(brokenRules(answer, question, base)).toEqual([]);
  });
  it('answers from an article without a title, which is named by its file', () => {
    const untitled = ARTICLES.map((each) => ({
      ...each,
      title: '',
      id: each.id.replace('/', '-').replace('.md', ''),
    }));
    const base = openSmallKb(untitled);
    const { response, verdict, sources } = answerIn(base, OFTEN);
    expect(verdict).toBe('answer');
    expect(response.answer).toContain('From [Care descale](');
    expect(sources[0]?.name).toBe('Care descale');
  });
});

describe('answerFromEdition() without an answer', () => {
  it('links as text and as data what a model calls related, and nothing else, when it found no answer', () => {
    const url = 'https://docs.example.com/care/descale.md';
    const related = [
      { title: 'Descale the boiler', file: 'care/descale.md', url, heading: 'Steps' },
    ];
    const lack = "I don't have information about this.";
    const answer = answerFromEdition(SMALL.edition, DESCALE, { reading: { related } });
    expect(answer).toMatchObject({ verdict: 'no-information', sources: [], closest: related });
    expect(answer.response).toMatchObject({ sources: [], outOfDomain: false, confidence: 'low' });
    expect(answer.response.answer).toBe(
      `${lack}\n\nThe closest articles:\n\n- [Descale the boiler](${url}) – Steps`,
    );
    const bare = answerFromEdition(SMALL.edition, DESCALE, { reading: { related: [] } });
    expect([bare.response.answer, bare.closest]).toEqual([lack, []]);
  });
  it('recognises an out-of-domain question', () => {
    const { response, verdict, closest, probability } = ask(OUT_OF_DOMAIN);
    expect([verdict, closest]).toEqual(['out-of-domain', []]);
    expect(probability).toBeLessThan(0.5);
    // That it is out of domain is sure; that nothing is answered, too.
    expect(response).toMatchObject({ sources: [], outOfDomain: true, confidence: 'high' });
    expect(response.confidenceReason).toMatch(/^High confidence: the question is outside/);
    expect(response.answer).toMatch(
      /^I don't have information about this\. Our articles do not seem to cover this\.$/,
    );
    expect(response.confidenceReason).toContain('does not contain "get", "mortgage" or "flat"');
    expect(response.confidenceReason).toContain('All 12 articles were searched');
    const { confidenceReason } = answerIn(openSmallKb([FIRST]), OUT_OF_DOMAIN).response;
    expect(confidenceReason).toContain('The only article was searched');
  });
  it('treats a question without any known word as out of domain', () => {
    // Without out-of-domain questions that share a word, the fit cannot separate them.
    const parts =
      'valve rotor stator gasket manifold impeller flange bearing coupling spindle nozzle piston';
    const faults = 'vibration cavitation corrosion leakage overheating misalignment'.split(' ');
    const textOf = (part: string) =>
      faults
        .map(
          (fault) =>
            `When there is ${fault} of the ${part}, it damages the turbine and you inspect the valve. `,
        )
        .map((sentence, at) => `## ${part} ${faults[at]}\n\n${sentence.repeat(3)}`)
        .join('\n\n');
    const turbines = openSmallKb(
      parts
        .split(' ')
        .map((part) => article(`${part}.md`, textOf(part), { title: `Turbine ${part}` })),
    );
    expect(answerIn(turbines, OUT_OF_DOMAIN).verdict).toBe('out-of-domain');
    expect(answerIn(turbines, 'inspect impeller cavitation').verdict).not.toBe('out-of-domain');
  });
  it('links no article for an out-of-domain question', () => {
    const declined = OFF_TOPIC.map(ask).filter(({ response }) => response.outOfDomain);
    expect(declined.length).toBeGreaterThan(0);
    for (const { closest, response } of declined) {
      expect([closest, response.relatedTopics]).toEqual([[], []]);
      expect(response.answer).not.toContain('](');
    }
  });
  it('names topics without their numbers, and when it declines those of the linked articles alone', () => {
    const topical = openSmallKb([
      article(
        'pump.md',
        '## 2. What colour has the pump light?\n\nThe pump light is green.\n\n## 3.4.0 (2026-03-17)\n\nThe pump light is new.',
      ),
      ...ARTICLES.slice(0, 8),
    ]);
    const { relatedTopics } = answerIn(topical, 'Which bank paid for the pump in Sweden?').response;
    expect(relatedTopics).toEqual(['What colour has the pump light?']);
    const declined = [...QUESTIONS, ...OFF_TOPIC]
      .map(ask)
      .filter(({ verdict }) => verdict !== 'answer');
    for (const { closest, response } of declined) {
      const linked = ARTICLES.filter(({ id }) => closest.some(({ file }) => file === id));
      const text = JSON.stringify(linked);
      for (const topic of response.relatedTopics ?? []) expect(text).toContain(topic);
    }
  });
  it('does not answer with the best of few unrelated articles', () => {
    const few = openSmallKb(ARTICLES.slice(0, 8));
    const isAnswered = (question: string) => answerIn(few, question).sources.length > 0;
    expect(QUESTIONS.slice(0, 7).filter((question) => !isAnswered(question))).toEqual([]);
    expect(OFF_TOPIC.filter(isAnswered).length).toBeLessThan(0.1 * OFF_TOPIC.length);
  });
  it('repeats nothing of the question', () => {
    const { response } = ask('Can I get <img src=x> a\n\n# mortgage for a "flat" in Berlin?');
    expect(response.answer).toMatch(/^I don't have information about this\./);
    expect(response.answer).not.toMatch(/mortgage|img|flat|Berlin/);
  });
  it.each(cases.foreign)(
    'states in the language of %s that the articles are in English',
    (question, opening) => {
      const { response, verdict, closest } = ask(question);
      expect(verdict).toBe('no-information');
      expect(response).toMatchObject({ sources: [], outOfDomain: false, confidence: 'low' });
      expect(response.answer.startsWith(opening)).toBe(true);
      expect(response.answer).not.toContain("I don't have");
      expect(response.answer.match(/^- \[/gm) ?? []).toHaveLength(closest.length);
      // The introduction of links is followed by links.
      expect(response.answer.split('\n\n')).toHaveLength(closest.length > 0 ? 3 : 1);
    },
  );
  it('answers a question in English in an English frame, though German articles have most of its words', () => {
    const login =
      'Mit dem Microsoft Account melden sich Editoren an: das ist Single Sign On, und das Log in geht dann schnell.';
    const german = openSmallKb([article('1.md', PUMPE), article('2.md', login)]);
    const { response } = answerIn(
      german,
      'can editors log in with their microsoft account (single sign on)?',
    );
    expect(response.answer).toMatch(/^From /);
  });
  it('does not claim "only in English" when the articles are in another language', () => {
    const lampe = 'Wenn die Lampe nicht leuchtet, ist der Tank leer.';
    const german = openSmallKb([article('1.md', PUMPE), article('2.md', lampe)]);
    const { response } = answerIn(
      german,
      "Comment est-ce que je peux nettoyer la machine avec de l'eau ?",
    );
    expect(response.answer).toMatch(/^Je n'ai pas d'informations à ce sujet en français\./);
    expect(answerIn(german, 'Wie saugt die Pumpe das Wasser aus dem Tank?').verdict).toBe('answer');
  });
  it('does not derive the language of a knowledge base from a few words', () => {
    const codes = (at: number) =>
      `| Code | Pump | Valve |\n| --- | --- | --- |\n${listOf(9, (row) => `| E${at}${row} | pump ${row} | valve ${at} |`)}`;
    const tables = Array.from({ length: 8 }, (_, at) =>
      article(`${at}.md`, codes(at), { title: `E${at}` }),
    );
    const base = openSmallKb([article('de.md', PUMPE, { title: 'Hinweis' }), ...tables]);
    const { answer } = answerIn(base, 'What does the code E37 of the pump mean?').response;
    expect(answer).not.toContain('in your language');
  });
  it.each(cases.underspecified)(
    'asks a clarifying question when the question is underspecified: %j',
    (question) => {
      const { response, verdict } = ask(question);
      expect(verdict).toBe('underspecified');
      expect(response).toMatchObject({ sources: [], outOfDomain: false, confidence: 'low' });
      expect(response.answer).toMatch(/Which one is it about \(Barista I or Barista II\).*\?/);
    },
  );
  it('returns no passage for an empty knowledge base', () => {
    const { response, closest } = answerIn(openSmallKb([]), DESCALE);
    expect([response.sources, response.confidence, closest]).toEqual([[], 'low', []]);
  });
});
