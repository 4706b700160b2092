import { describe, expect, it } from 'vitest';
import { levelOf, NavigatorResponse, PARTIAL_BELOW } from '../../src/contract/navigator-response.ts';
import { shippedWordVectors } from '../../src/dev/run/shipped-word-vectors.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { HEDGE } from '../../src/navigator/compose-answer.ts';
import type { NavigatorAnswer } from '../../src/navigator/navigator-answer.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { answeringModelOf } from '../../src/search/answering-model.ts';
import type { Article } from '../../src/search/article.ts';
import { OFF_TOPIC_QUESTIONS } from '../../src/search/fit-edition.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import cases from './answer-from-edition.json' with { type: 'json' };
import { ARTICLES, openSmallKb } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const ask = (question: string) => answerFromEdition(edition, question, { vectors: shippedWordVectors() });
const [FIRST] = ARTICLES as [Article];
/** The small knowledge base with an article added or replaced. */
const withArticle = (given: Partial<Article> & Pick<Article, 'id' | 'text'>) =>
  openSmallKb([...ARTICLES.filter(({ id }) => id !== given.id), { ...FIRST, title: given.id, ...given }]);

const brokenRules = (of: Edition, { knowledge: known = knowledge, question = '', answer }: BrokenRulesInput) =>
  validateNavigatorResponse(answer.response, known, {
    query: question,
    vouched: answeringModelOf(of).topics.join(' '),
    closest: answer.closest,
  });
interface BrokenRulesInput {
  knowledge?: typeof knowledge;
  question?: string;
  answer: NavigatorAnswer;
}

const DESCALE = 'How do I descale the boiler?';
const PUMPE = 'Die Pumpe saugt das Wasser aus dem Tank und drückt es durch den Filter.';
const OUT_OF_DOMAIN = 'Can I get a mortgage for a flat in Berlin?';
const QUESTIONS = cases.questions;

describe('answerFromEdition()', () => {
  it('shows a whole procedure below its article and heading', () => {
    const { response } = ask(DESCALE);
    expect(response.answer).toMatch(/^From “Descale the boiler” \(care\/descale\.md\):\n\n/);
    expect(response.answer).toContain(
      '**Steps**\n\nTo descale the boiler:\n\n1. Empty the water tank.\n2. Pour in one sachet of citric acid and 1.2 litres of water.\n3. Hold **Rinse** for 5 seconds.\n4. Wait until the lamp goes out.',
    );
    expect(response.sources).toContainEqual(expect.objectContaining({ file: 'care/descale.md', section: 'Steps' }));
  });

  it('shows a whole table, and code with its introduction', () => {
    expect(ask('Which encryption does the Wi-Fi need?').response.answer).toContain(
      '| Setting | Value |\n| --- | --- |\n| Band | 2.4 GHz |\n| Encryption | WPA2 |\n| Port | 8883 |',
    );
    expect(ask('How do I join a Wi-Fi network from the command line?').response.answer).toContain(
      '**From the command line**\n\nJoin a network from a terminal:\n\n```sh\nbrewctl wifi join --ssid <name>\n```',
    );
  });

  it('shows the header and the right row of a large table as one table, each a separate excerpt', () => {
    const row = (drink: string, grams: number) =>
      `| ${drink} | ${grams} g | ${'The crema is thick. '.repeat(4).trim()} |`;
    const drinks = ['Mocha', 'Ristretto', 'Lungo', 'Cortado', 'Doppio', 'Macchiato', 'Affogato', 'Americano'];
    const rows = drinks.map((drink, at) => row(drink, 20 + 7 * at));
    const text = `| Drink | Dose | Note |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
    const base = withArticle({ id: 'doses.md', title: 'Doses', text });
    const answer = answerFromEdition(base.edition, 'What is the dose of a cortado?');
    expect(answer.response.answer).toContain(`| Drink | Dose | Note |\n| --- | --- | --- |\n${row('Cortado', 41)}`);
    expect(answer.response.answer).not.toContain('Lungo');
    const expected = ['| Drink | Dose | Note |\n| --- | --- | --- |', row('Cortado', 41)];
    expect(answer.response.sources[0]?.excerpts?.map(({ quote }) => quote)).toEqual(expected);
    expect(brokenRules(base.edition, { knowledge: base.knowledge, answer })).toEqual([]);
  });

  it('returns every excerpt with its offsets in the article and its edition', () => {
    for (const question of QUESTIONS) {
      const { verdict, response } = ask(question);
      expect(response.sources.length > 0, question).toBe(verdict === 'answer');
      for (const { file, excerpts = [], edition: name } of response.sources) {
        expect(name).toBe('e1');
        expect(excerpts.length).toBeGreaterThan(0);
        for (const { quote, start, end } of excerpts)
          expect(knowledge.article(file)?.text.slice(start, end)).toBe(quote);
      }
    }
  });

  it('shows the article of the device that the question names, and no other', () => {
    for (const [device, degrees, other] of [
      ['Barista I', '45', '90'],
      ['Barista II', '90', '45'],
    ]) {
      const { response } = ask(`How do I take out the upper burr of the ${device} grinder?`);
      expect(response.answer).toContain(`${degrees} degrees`);
      expect(response.answer).not.toContain(`${other} degrees`);
    }
  });

  it('shows nothing about devices that the question does not name', () => {
    const [, grinder] = ARTICLES as [Article, Article];
    const cups = { ...FIRST, id: 'cups.md', title: 'Cups', text: 'Two cups fit.', devices: ['Barista II'] };
    const base = openSmallKb([...ARTICLES.filter(({ id }) => !id.startsWith('care/grinder')), grinder, cups]);
    const answerFor = (device: string) =>
      answerFromEdition(base.edition, `How do I take out the upper burr of the ${device} grinder?`).response.answer;
    expect(answerFor('Barista I')).toContain('45 degrees');
    expect(answerFor('Barista II')).not.toContain('45 degrees');
  });

  it('names the device of each passage when the question names none', () => {
    const { response } = ask('How do I take out the upper burr of the grinder?');
    expect(response.answer).toMatch(/From “Clean the grinder of the Barista I” .*45 degrees/s);
    expect(response.answer).toMatch(/From “Clean the grinder of the Barista II” .*90 degrees/s);
  });

  it('lowers its confidence when sources conflict, and states the reason', () => {
    const { response, probability } = ask('What is the factory setting of the brewing temperature?');
    expect(probability).toBeLessThan(PARTIAL_BELOW);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toMatch(/sources conflict \(taste\/\w+\.md, \w+.*: \d+ instead of \d+\)/i);
  });

  it('names the words of the question that the passages lack', () => {
    const { response, verdict } = ask('How often must the boiler be descaled in Reykjavik?');
    if (verdict === 'answer') expect(response.confidenceReason).toContain('"reykjavik" is missing');
    expect(ask(DESCALE).response.confidenceReason).toContain('hold every informative word');
  });

  it('starts an uncertain answer with a warning, and links close articles that it does not show', () => {
    const answers = ARTICLES.flatMap(({ text }) => text.match(/[\p{L}-]{6,}/gu) ?? []).map((word) =>
      ask(`${word} steam gauge`),
    );
    const given = answers.filter(({ verdict }) => verdict === 'answer');
    const isUncertain = ({ response }: NavigatorAnswer) => response.answer.includes(HEDGE);
    const uncertain = given.filter(isUncertain);
    expect(uncertain.length).toBeGreaterThan(0);
    expect(given.filter(({ probability }) => probability < PARTIAL_BELOW).every(isUncertain)).toBe(true);
    for (const answer of uncertain) {
      const { response, closest } = answer;
      expect(response.answer.startsWith(`${HEDGE}\n\nFrom “`)).toBe(true);
      expect(closest.length).toBeLessThanOrEqual(3);
      const [shown = '', links = ''] = response.answer.split('Other articles that come close:');
      const others = closest.filter(({ title }) => !shown.includes(`“${title}”`));
      for (const { title, url } of others) expect(links).toContain(`- [${title}](${url})`);
      expect(links.split('\n- ')).toHaveLength(others.length + 1);
      expect(brokenRules(edition, { answer })).toEqual([]);
    }
    for (const { response } of given.filter((answer) => !isUncertain(answer)))
      expect(response.answer).not.toContain('Other articles that come close');
  });

  it('returns a confidence that agrees with its probability, answering or declining', () => {
    const words = ARTICLES.flatMap(({ text }) => text.match(/\p{L}{4,}/gu) ?? []);
    const questions = words.map(
      (word, at) => `${word} ${words[(at * 7) % words.length]} ${at % 2 ? 'zebra' : ''} ${at % 3 ? '' : 'mortgage'}`,
    );
    for (const question of [...questions, ...QUESTIONS]) {
      const { response, probability, verdict } = ask(question);
      expect(response.confidence, question).toBe(levelOf(probability));
      if (verdict !== 'answer') expect(response.confidence, question).toBe('low');
    }
  });

  it('escapes raw HTML, and never shows a script', () => {
    expect(ask('How do I foam milk with the steam wand?').response.answer).toContain('\\<kbd>lower\\</kbd>');
    for (const question of ['script alert', 'What about <script>alert(2)</script> unknownword?', DESCALE])
      expect(ask(question).response.answer).not.toMatch(/(?<!\\)<script|alert\(1\)/);
  });

  it('escapes raw HTML in ids, titles, headings and devices', () => {
    const live = /(?<!\\)<[a-z/!?]/i;
    const tag = '<img src=x onerror=alert(1)>';
    const evil = ARTICLES.map((each) => ({
      ...each,
      id: `${tag}/${each.id}`,
      title: `${each.title} ${tag}`,
      text: each.text.replace(/^## (.*)$/gm, `## $1 ${tag}`),
      devices: each.devices.map((device) => `${device} ${tag}`),
    }));
    const base = openSmallKb(evil);
    for (const question of QUESTIONS) {
      const answer = answerFromEdition(base.edition, question);
      const { answer: shown, confidenceReason, relatedTopics, sources } = answer.response;
      const texts = [shown, confidenceReason, ...(relatedTopics ?? []), ...sources.map(({ relevance }) => relevance)];
      // A code block shows its tags literally.
      for (const text of texts) expect(text.replace(/```.*?```/gs, '')).not.toMatch(live);
      for (const { file } of sources) expect(file).toContain(`${tag}/`);
      expect(brokenRules(base.edition, { knowledge: base.knowledge, question, answer }), question).toEqual([]);
    }
  });

  it('keeps HTML in a name escaped when a quote contains a backtick', () => {
    const text = 'Cold milk foams best where a ` stands beside the jug.';
    const title = 'Milk `<img src=x onerror=alert(1)>` foam';
    const base = withArticle({ id: 'taste/milk.md', title, text });
    const { answer } = answerFromEdition(base.edition, 'Which milk foams best beside the jug?').response;
    expect(answer).toContain('foams best where a ` stands');
    expect(answer).toContain('\\<img');
  });

  it('finds an answer despite a typo, and reports the correction', () => {
    const { response } = ask('How often must the boiler be descaeld?');
    expect(response.answer).toContain('every 60 days');
    const read = expect.stringMatching(/^descale/);
    expect(response.searchStrategy?.corrections).toEqual([{ typed: 'descaeld', read }]);
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

  it('satisfies the rules and the schema of the navigator contract for any question', () => {
    const words = ARTICLES.flatMap(({ title, text }) => `${title} ${text}`.match(/[\p{L}\p{N}-]+/gu) ?? []);
    const questions = words.flatMap((_, at) =>
      at % 3 === 0
        ? [`How does ${words.slice(at, at + 3 + (at % 4)).join(' ')} ${at % 5 === 0 ? 'zebra 77' : ''}?`]
        : [],
    );
    for (const question of [...questions, ...QUESTIONS]) {
      const answer = ask(question);
      expect(NavigatorResponse.safeParse(answer.response).error?.issues, question).toBeUndefined();
      expect(brokenRules(edition, { question, answer }), question).toEqual([]);
    }
  });
});

describe('answerFromEdition() without an answer', () => {
  it('returns the closest articles as links and as data when a model found no answer in them', () => {
    const { response, verdict, closest, sources } = answerFromEdition(edition, DESCALE, { reading: 'declines' });
    expect(verdict).toBe('no-information');
    expect(sources).toEqual([]);
    expect(response).toMatchObject({ sources: [], outOfDomain: false, confidence: 'low' });
    expect(closest[0]).toEqual({
      title: 'Descale the boiler',
      file: 'care/descale.md',
      url: 'https://docs.example.com/care/descale.md',
      heading: expect.any(String),
    });
    expect(response.answer).toMatch(
      /^I don't have information about "How do I descale the boiler\?" in my knowledge base\.\n\nThe closest articles:\n\n- \[Descale the boiler\]\(https:\/\/docs\.example\.com\/care\/descale\.md\)/,
    );
  });

  it('recognises an out-of-domain question, and names the topics of the knowledge base', () => {
    const { response, verdict, closest, probability } = ask(OUT_OF_DOMAIN);
    expect(verdict).toBe('out-of-domain');
    expect(closest).toEqual([]);
    expect(probability).toBeLessThan(0.5);
    expect(response).toMatchObject({ sources: [], outOfDomain: true });
    expect(response.answer).toMatch(/^I don't have information about "Can I get .* subjects such as Barista I/);
    expect(response.confidenceReason).toContain('does not contain "get", "mortgage" or "flat"');
  });

  it('treats a question without any known word as out of domain', () => {
    // Without out-of-domain questions that share a word, the fit cannot separate them.
    const parts = 'valve rotor stator gasket manifold impeller flange bearing coupling spindle nozzle piston'.split(
      ' ',
    );
    const faults = 'vibration cavitation corrosion leakage overheating misalignment'.split(' ');
    const sentence = (part: string, fault: string) =>
      `When there is ${fault} of the ${part}, it damages the turbine and you inspect the ${parts[0]}. `;
    const textOf = (part: string) =>
      faults.map((fault) => `## ${part} ${fault}\n\n${sentence(part, fault).repeat(3)}`).join('\n\n');
    const { edition: turbines } = openSmallKb(
      parts.map((part) => ({ ...FIRST, id: `${part}.md`, title: `Turbine ${part}`, text: textOf(part) })),
    );
    expect(answerFromEdition(turbines, OUT_OF_DOMAIN).verdict).toBe('out-of-domain');
    expect(answerFromEdition(turbines, 'inspect impeller cavitation').verdict).not.toBe('out-of-domain');
  });

  it('links no article for an out-of-domain question', () => {
    const declined = OFF_TOPIC_QUESTIONS.map((question) => ask(question)).filter(
      ({ response }) => response.outOfDomain,
    );
    expect(declined.length).toBeGreaterThan(0);
    for (const { closest, response } of declined) {
      expect(closest).toEqual([]);
      expect(response.answer).not.toContain('](');
    }
  });

  it('links the rest of a long procedure within the rules of the navigator contract', () => {
    const steps = Array.from({ length: 40 }, (_, at) => `${at + 1}. Turn the wheel ${at} times, then wait.`).join('\n');
    const base = withArticle({ id: 'wheel.md', title: 'Wheel', text: `To reset the wheel:\n\n${steps}` });
    const question = 'How do I reset the wheel?';
    const answer = answerFromEdition(base.edition, question);
    expect(answer.response.answer).toContain('The steps go on in [Wheel](');
    expect(brokenRules(base.edition, { knowledge: base.knowledge, question, answer })).toEqual([]);
  });

  it('does not answer with the best of few unrelated articles', () => {
    const few = openSmallKb(ARTICLES.slice(0, 8)).edition;
    const isAnswered = (question: string) => answerFromEdition(few, question).sources.length > 0;
    expect(QUESTIONS.slice(0, 7).filter((question) => !isAnswered(question))).toEqual([]);
    expect(OFF_TOPIC_QUESTIONS.filter(isAnswered).length).toBeLessThan(0.1 * OFF_TOPIC_QUESTIONS.length);
  });

  it('uses the singular for a single article', () => {
    const one = openSmallKb([FIRST]).edition;
    expect(answerFromEdition(one, OUT_OF_DOMAIN).response.confidenceReason).toContain('The only article was searched');
    expect(ask(OUT_OF_DOMAIN).response.confidenceReason).toContain('All 12 articles were searched');
  });

  it('repeats a question on one line, shortened and escaped', () => {
    const { response } = ask(`Can I get <img src=x> a\n\n# mortgage for a "flat" ${'in Berlin '.repeat(30)}?`);
    const [, repeated = ''] = /about "(.*)"/.exec(response.answer.split('\n')[0] ?? '') ?? [];
    expect(repeated).toMatch(/^Can I get \\<img src=x> a # mortgage for a 'flat' in/);
    expect(repeated.length).toBeLessThan(130);
  });

  it.each([
    ['Wie oft muss der Kessel entkalkt werden?', /^Unsere Artikel gibt es nur auf Englisch/],
    ['请问如何清洗锅炉?', /^我们的文章只有英文版/],
    ['Como posso limpar o moinho da Barista II?', /^Os nossos artigos estão apenas em inglês/],
  ])('states in the language of the question that the articles are in English: %s', (question, opening) => {
    const { response, verdict, closest } = ask(question);
    expect(verdict).toBe('no-information');
    expect(response).toMatchObject({ sources: [], outOfDomain: false, confidence: 'low' });
    expect(response.answer).toMatch(opening);
    expect(response.answer).not.toContain("I don't have");
    const links = response.answer.split('\n').filter((line) => line.startsWith('- ['));
    expect(links).toHaveLength(closest.length);
    // The introduction of links is followed by links.
    expect(response.answer.split('\n\n')).toHaveLength(closest.length > 0 ? 3 : 1);
  });

  it('does not claim "only in English" when the articles are in another language', () => {
    const texts = [PUMPE, 'Wenn die Lampe nicht leuchtet, ist der Tank leer.'];
    const articles = texts.map((text, at) => ({ ...FIRST, id: `${at}.md`, title: `Teil ${at}`, text }));
    const { edition: german } = openSmallKb(articles);
    const { response } = answerFromEdition(german, "Comment est-ce que je peux nettoyer la machine avec de l'eau ?");
    expect(response.answer).toMatch(/^I don't have information in your language/);
    expect(answerFromEdition(german, 'Wie saugt die Pumpe das Wasser aus dem Tank?').verdict).toBe('answer');
  });

  it('does not derive the language of a knowledge base from a few words', () => {
    const rows = (at: number) => Array.from({ length: 9 }, (_, row) => `| E${at}${row} | pump ${row} | valve ${at} |`);
    const codes = (at: number) => `| Code | Pump | Valve |\n| --- | --- | --- |\n${rows(at).join('\n')}`;
    const { edition: tables } = openSmallKb([
      { ...FIRST, id: 'de.md', title: 'Hinweis', text: PUMPE },
      ...Array.from({ length: 8 }, (_, at) => ({ ...FIRST, id: `${at}.md`, title: `E${at}`, text: codes(at) })),
    ]);
    const { response } = answerFromEdition(tables, 'What does the code E37 of the pump mean?');
    expect(response.answer).not.toContain('in your language');
  });

  it.each(['???', 'the of and', '\u0007\u0000 ', '🎉'])(
    'asks a clarifying question from the knowledge base when the question is underspecified: %j',
    (question) => {
      const { response, verdict } = ask(question);
      expect(verdict).toBe('underspecified');
      expect(response).toMatchObject({ sources: [], outOfDomain: false, confidence: 'low' });
      expect(response.answer).toMatch(/Which one is it about \(Barista I or Barista II\).*\?/);
    },
  );

  it('returns no passage for an empty knowledge base', () => {
    const { response, closest } = answerFromEdition(openSmallKb([]).edition, DESCALE);
    expect(response).toMatchObject({ sources: [], confidence: 'low' });
    expect(closest).toEqual([]);
  });
});
