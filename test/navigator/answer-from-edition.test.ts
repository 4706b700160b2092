import { describe, expect, it } from 'vitest';
import { levelOf } from '../../src/contract/confidence.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { answerFromEdition } from '../../src/navigator/answer-from-edition.ts';
import { validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';
import { answeringModelOf } from '../../src/search/answering-model.ts';
import { ARTICLES, openSmallKb } from './small-kb.ts';

const { edition, knowledge } = openSmallKb();
const ask = (question: string) => answerFromEdition(edition, question);

const QUESTIONS = [
  'How do I descale the boiler?',
  'How often must the boiler be descaled?',
  'How do I clean the grinder?',
  'How do I clean the grinder of the Barista II?',
  'How do I join a Wi-Fi network from the command line?',
  'Which encryption does the Wi-Fi need?',
  'What is the factory setting of the brewing temperature?',
  'Who won the football world cup?',
  'Can I roast beans with the water filter?',
];

describe('answerFromEdition()', () => {
  it('quotes whole steps where the question asks how', () => {
    const { response } = ask('How do I descale the boiler?');
    expect(response.answer).toMatch(/^According to care\/descale\.md, Steps:\n\nTo descale the boiler:\n\n1\. Empty/);
    expect(response.answer).toContain('4. Wait until the lamp goes out.');
  });

  it('quotes a sentence and cites file and section behind it', () => {
    const { response } = ask('How often must the boiler be descaled?');
    expect(response.answer).toBe(
      'Descale the boiler every 60 days, or every 30 days with hard water. (care/descale.md, How often)',
    );
    expect(response).toMatchObject({ confidence: 'high', outOfDomain: false });
  });

  it('quotes a whole table, and a whole code block with what introduces it', () => {
    expect(ask('Which encryption does the Wi-Fi need?').response.answer).toContain(
      '| Encryption | WPA2 |\n| Port | 8883 |',
    );
    expect(ask('How do I join a Wi-Fi network from the command line?').response.answer).toContain(
      'Join a network from a terminal:\n\n```sh\nbrewctl wifi join --ssid <name>\n```',
    );
  });

  it('shows the head and the right row of a longer table as one table, each an excerpt of its own', () => {
    const rows = ['Mocha', 'Ristretto', 'Lungo', 'Cortado', 'Doppio', 'Macchiato'].map(
      (drink, at) => `| ${drink} | ${20 + 7 * at} g |`,
    );
    const [first] = ARTICLES;
    const table = {
      ...(first as (typeof ARTICLES)[number]),
      id: 'doses.md',
      title: 'Doses',
      text: `| Drink | Dose |\n| --- | --- |\n${rows.join('\n')}\n`,
    };
    const base = openSmallKb([...ARTICLES, table]);
    const { response } = answerFromEdition(base.edition, 'What is the dose of a cortado?');
    expect(response.answer).toContain('doses.md, Doses:\n\n| Drink | Dose |\n| --- | --- |\n| Cortado | 41 g |');
    expect(response.answer).not.toContain('Lungo');
    expect(response.answer.split('Cortado')).toHaveLength(2);
    expect(response.sources[0]?.excerpts?.map(({ quote }) => quote)).toEqual([
      '| Drink | Dose |\n| --- | --- |',
      '| Cortado | 41 g |',
    ]);
    expect(validateNavigatorResponse(response, base.knowledge)).toEqual([]);
  });

  it('gives every excerpt with offsets into the article and the edition it is cut from', () => {
    for (const question of [
      'How do I descale the boiler?',
      'Which encryption does the Wi-Fi need?',
      'When is the seal replaced?',
    ]) {
      for (const { file, excerpts = [], edition: name } of ask(question).response.sources) {
        expect(name).toBe('e1');
        expect(excerpts.length).toBeGreaterThan(0);
        for (const { quote, start, end } of excerpts)
          expect(knowledge.article(file)?.text.slice(start, end)).toBe(quote);
      }
    }
  });

  it('quotes the article of the device that the question names, and no other', () => {
    for (const [device, degrees, other] of [
      ['Barista I', '45', '90'],
      ['Barista II', '90', '45'],
    ]) {
      const { response } = ask(`How far do I turn the upper burr of the ${device} grinder?`);
      expect(response.answer).toContain(`${degrees} degrees`);
      expect(response.answer).not.toContain(`${other} degrees`);
    }
  });

  it('does not pass off another device for the one that is named', () => {
    const base = openSmallKb([
      ...ARTICLES.filter(({ id }) => id !== 'care/grinder-ii.md'),
      { ...(ARTICLES[0] as (typeof ARTICLES)[number]), id: 'care/descale-ii.md', devices: ['Barista II'] },
    ]);
    const { response } = answerFromEdition(base.edition, 'How far do I turn the upper burr of the Barista II grinder?');
    expect(response.answer).toMatch(
      /^I don't have information about this for Barista II\.\n\nFor Barista I: .*45 degrees/,
    );
    expect(response.confidenceReason).toContain('the source is about Barista I, not about Barista II');
  });

  it('says for which device each answer holds where the question names none', () => {
    const { response } = ask('How far do I turn the upper burr of the grinder?');
    expect(response.answer).toMatch(
      /For Barista I: Remove[^\n]*45 degrees[^\n]*\n\nFor Barista II: Remove[^\n]*90 degrees/,
    );
    expect(response.confidenceReason).toContain('the question names no device');
  });

  it('lowers its confidence and says why where sources conflict', () => {
    const { response, evidence } = ask('What is the factory setting of the brewing temperature?');
    expect(evidence).toBeGreaterThan(0.8);
    expect(response.confidence).toBe('low');
    expect(response.confidenceReason).toMatch(/sources conflict \(taste\/\w+\.md, \w+.*: \d+ instead of \d+\)/i);
  });

  it('names a number of the question that the source does not have', () => {
    const { response, probability, evidence } = ask('Does the boiler have a 3 litre tank?');
    expect(response.confidenceReason).toContain('the source does not mention 3');
    expect(probability).toBeLessThan(evidence);
  });

  it('tells where its doubt comes from when every word of the question is there', () => {
    const { response } = ask('boiler zero bar gauge tank');
    expect(response.confidence).not.toBe('high');
    expect(response.confidenceReason).toMatch(/missing|about \d+ % were answered correctly/);
  });

  it('says that it is not sure where an answer is improbable, and denies nothing', () => {
    const answers = ARTICLES.flatMap(({ text }) => text.match(/[\p{L}-]{6,}/gu) ?? []).map((word) =>
      ask(`${word} steam gauge`),
    );
    const hedged = answers.filter(({ verdict, probability }) => verdict === 'answer' && probability < 0.3);
    expect(hedged.length).toBeGreaterThan(0);
    for (const { response } of hedged) {
      expect(response.answer).toMatch(/^I'm not sure that this answers the question\. The closest passage:\n\n/);
      expect(validateNavigatorResponse(response, knowledge)).toEqual([]);
    }
  });

  it('gives a word and a number that agree, answering or declining', () => {
    const words = ARTICLES.flatMap(({ text }) => text.match(/\p{L}{4,}/gu) ?? []);
    const questions = words.map(
      (word, at) => `${word} ${words[(at * 7) % words.length]} ${at % 2 ? 'zebra' : ''} ${at % 3 ? '' : 'mortgage'}`,
    );
    for (const question of [...questions, '???', 'xqzt vbnm', 'Can I get a mortgage for a flat in Berlin?']) {
      const { response, probability } = ask(question);
      expect(response.confidence, question).toBe(levelOf(probability));
    }
  });

  it('takes a question that names a device or a code of the knowledge base for one of its own', () => {
    const [first] = ARTICLES;
    const codes = {
      ...(first as (typeof ARTICLES)[number]),
      id: 'codes.md',
      title: 'Codes',
      text: 'E40 means that the tank is empty.',
    };
    const base = openSmallKb([...ARTICLES, codes]);
    const verdictOf = (question: string) => answerFromEdition(base.edition, question).verdict;
    expect(verdictOf('Can I get a mortgage for a flat in Berlin?')).toBe('out-of-domain');
    expect(verdictOf('Can I get a mortgage for E41 in Berlin?')).toBe('out-of-domain');
    expect(verdictOf('Can I get a mortgage for E40 in Berlin?')).not.toBe('out-of-domain');
    expect(verdictOf('Can I get a mortgage for a Barista II in Berlin?')).not.toBe('out-of-domain');
  });

  it('does not speak of a best passage where there is none', () => {
    expect(ask('Can I get a mortgage for a flat in Berlin?').response.confidenceReason).toContain(
      'no passage shares a word',
    );
  });

  it('shows raw HTML instead of passing it on, and never quotes a script', () => {
    expect(ask('How do I foam milk with the steam wand?').response.answer).toContain('\\<b>lower\\</b>');
    expect(ask('script alert').response.answer).not.toContain('<script');
    expect(ask('What about <script>alert(2)</script> unknownword?').response.answer).not.toMatch(/(?<!\\)<script/);
  });

  it('shows raw HTML in ids, titles, headings and devices instead of passing it on', () => {
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
      const { response } = answerFromEdition(base.edition, question);
      const { answer, confidenceReason, relatedTopics, sources } = response;
      const texts = [answer, confidenceReason, ...(relatedTopics ?? []), ...sources.map(({ relevance }) => relevance)];
      // A code block shows its tags literally.
      for (const text of texts) expect(text.replace(/```.*?```/gs, '')).not.toMatch(live);
      for (const { file } of sources) expect(file).toContain(`${tag}/`);
      expect(validateNavigatorResponse(response, base.knowledge, { query: question, vouched: answer })).toEqual([]);
    }
  });

  it('does not let a backtick in a quote lay bare what a name has as code', () => {
    const text = 'Cold milk foams best where a ` stands beside the jug.';
    const title = 'Milk `<img src=x onerror=alert(1)>` foam';
    const base = openSmallKb(ARTICLES.map((each) => (each.id === 'taste/milk.md' ? { ...each, title, text } : each)));
    const { answer } = answerFromEdition(base.edition, 'Which milk foams best?').response;
    expect(answer).toContain('foams best where a ` stands');
    expect(answer).toContain('\\<img');
  });

  it('finds an answer through a typing mistake and reports how it read it', () => {
    const { response } = ask('How often must the boiler be descaeld?');
    expect(response.answer).toContain('every 60 days');
    expect(response.searchStrategy?.corrections).toEqual([
      { typed: 'descaeld', read: expect.stringMatching(/^descale/) },
    ]);
  });

  it('says that it lacks information where the subject is right and nothing is written', () => {
    const { response, verdict } = ask('What colour is the boiler?');
    expect(verdict).toBe('no-information');
    expect(response).toMatchObject({ sources: [], outOfDomain: false });
    expect(response.answer).toMatch(/^I don't have information about "What colour is the boiler\?"/);
  });

  it.each(['Who won the football cup final last night?', 'Can I get a mortgage for a flat in Berlin?'])(
    'tells a foreign question from a missing answer: %s',
    (question) => {
      const { response, verdict } = ask(question);
      expect(verdict).toBe('out-of-domain');
      expect(response).toMatchObject({ sources: [], outOfDomain: true });
      expect(response.answer).toMatch(
        /seems to be outside my domain.*My knowledge base is about subjects such as Barista I/,
      );
    },
  );

  it.each(['???', 'the of and', '请问如何清洗锅炉?', 'xqzt vbnm plok', '\u0007\u0000 ', '🎉'])(
    'asks for other words where there is nothing to look up: %j',
    (question) => {
      const { response } = ask(question);
      expect(response).toMatchObject({ sources: [], outOfDomain: false });
      expect(response.answer).toMatch(/^I don't have information .*Please ask again in other words/);
    },
  );

  it('offers headings of other evidence as related topics, none of them cited', () => {
    const { response } = ask('How do I descale the boiler?');
    expect(response.relatedTopics).toEqual(['How often', 'Safety']);
  });

  it('is the same for the same question, and quick and bounded for a huge one', () => {
    expect(ask('When is the seal replaced?')).toEqual(ask('When is the seal replaced?'));
    const huge = ask('boiler descale '.repeat(8000));
    expect(huge.response.answer.length).toBeLessThan(4000);
  });

  it('answers without any edition content by saying so', () => {
    const empty = openSmallKb([]).edition;
    expect(answerFromEdition(empty, 'How do I descale the boiler?').response).toMatchObject({ sources: [] });
  });

  it('breaks no rule of seed 004 and fits its schema, whatever is asked', () => {
    const words = ARTICLES.flatMap(({ title, text }) => `${title} ${text}`.match(/[\p{L}\p{N}-]+/gu) ?? []);
    const vouched = answeringModelOf(edition).topics.join(' ');
    for (let at = 0; at + 5 < words.length; at += 3) {
      const question = `How does ${words.slice(at, at + 3 + (at % 4)).join(' ')} ${at % 5 === 0 ? 'zebra 77' : ''}?`;
      const { response, closest } = ask(question);
      expect(NavigatorResponse.safeParse(response).error?.issues, question).toBeUndefined();
      expect(validateNavigatorResponse(response, knowledge, { query: question, vouched, closest }), question).toEqual(
        [],
      );
    }
  });
});
