import { describe, expect, it } from 'vitest';
import MODEL from '../../../src/answering/passages/answer-model.json' with { type: 'json' };
import {
  type FindOptions,
  type FoundAnswer,
  findAnswer,
  GATE_SIGNS,
  pickAnswer,
} from '../../../src/answering/passages/find-answer.ts';
import { passageMarkdown } from '../../../src/answering/passages/render-passage.ts';
import { candidateUnits } from '../../../src/answering/passages/unit-features.ts';
import {
  parseQuestion,
  questionWithTurn,
  type TextVectors,
} from '../../../src/answering/understand/parse-question.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { builtOf, editionOf, filler, listOf } from '../check/articles-for-test.ts';
import cases from './find-answer.json' with { type: 'json' };

const find = (
  edition: Edition,
  question: string,
  options: Partial<FindOptions> = {},
): FoundAnswer => {
  const { history = [] } = options;
  const whole = questionWithTurn(question, history);
  const searches = [searchEdition(edition, question, { history })];
  if (whole !== question) searches.push(searchEdition(edition, whole));
  return findAnswer(edition, question, { searches, ...options });
};
/** Options of a search in one article. */
const only = (edition: Edition, question: string, articleId: string): Partial<FindOptions> => ({
  searches: [searchEdition(edition, question, { filter: { articleId } })],
});
const shownOf = ({ passages }: FoundAnswer): string =>
  passages.map(({ unit }) => passageMarkdown(unit)).join('\n\n');
const idsOf = ({ passages }: FoundAnswer): string[] => [
  ...new Set(passages.map(({ source }) => source.id)),
];

/** Passages about other subjects. */
const OTHERS = ['lamps', 'cups', 'beans', 'doors'].map((thing) => ({
  id: `${thing}.md`,
  text: `The ${thing} are delivered in a box of their own.\n\nNobody counts the ${thing}.`,
}));

describe('findAnswer()', () => {
  const CRASH = 'Is damage after a crash by wrong assembly covered?';
  const PROCEDURE =
    'To reset the pump:\n\n1. Pull the plug.\n2. Wait a minute.\n3. Put the plug in again.';
  const HEAD = '| Part | Noise in dBA |\n| --- | --- |\n';
  const parts = ['grinder', 'boiler', 'lid', 'tray'];
  const edition = editionOf(
    {
      id: 'warranty.md',
      text: `## What is covered\n\n${filler('A boiler that leaks by itself is repaired.', 900)}\n\n## What is not covered\n\n${filler('Damage after a crash of the machine on the floor, or by wrong assembly.')}\n`,
    },
    {
      id: 'reset.md',
      title: 'Reset the pump',
      text: `${filler('The pump is made of steel and holds for long.', 900)}\n\n${PROCEDURE}\n\n${filler('A pump hums as it works.', 900)}`,
    },
    {
      id: 'noise.md',
      text: `${HEAD}${listOf(48, (at) => `| ${parts[Math.floor(at / 12)]} of model ${at % 12} in every mode | ${30 + (at % 12)} |`)}\n`,
    },
    ...OTHERS,
  );
  it.each([
    [
      'a procedure from its introduction to its end',
      'How do I reset the pump, plug in again?',
      [PROCEDURE],
      30,
    ],
    [
      'the requested row with the header of its table, and few others',
      'What is the noise of the grinder of model 7?',
      [`${HEAD}|`, '| grinder of model 7 in every mode | 37 |'],
      9,
    ],
  ])('shows %s', (_what, question, texts, mostLines) => {
    const shown = shownOf(find(edition, question));
    for (const text of texts) expect(shown).toContain(text);
    expect(shown.split('\n').length).toBeLessThanOrEqual(mostLines);
  });
  it('returns a passage with the headings above it, and the closest articles, best first, at any probability', () => {
    const found = find(edition, CRASH);
    const { passages, closest, articles, probability } = found;
    expect(passages[0]?.unit.parts[0].section.path).toEqual(['What is not covered']);
    expect(shownOf(found)).toContain('Damage after a crash');
    expect(closest[0]).toMatchObject({
      source: { id: 'warranty.md' },
      heading: 'What is not covered',
    });
    expect(articles.map(({ share }) => share)).toEqual(
      articles.map(({ share }) => share).toSorted((a, b) => b - a),
    );
    expect(articles.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(probability).toBeGreaterThan(0);
    expect(probability).toBeLessThan(1);
  });
  it('calls an article close that is at least a tenth as probable as the best one', () => {
    const mentions = Array.from({ length: 4 }, (_, at) => ({
      id: `lamp-${at}.md`,
      text: filler(`The lamp ${at} stands beside the pump.`, 400),
    }));
    const primed = {
      id: 'pump.md',
      title: 'Prime the pump',
      text: 'The pump primes itself when water is in the tank.',
    };
    const { closest, articles } = find(
      editionOf(primed, ...mentions),
      'How does the pump prime itself?',
    );
    const near = articles.filter(({ share }) => share >= 0.1 * (articles[0]?.share ?? 0));
    expect([near[0]?.source.id, near.length < articles.length]).toEqual(['pump.md', true]);
    expect(closest.map(({ source }) => source.id)).toEqual(near.map(({ source }) => source.id));
  });
  it('reads the sections of a long article that the search of each question returns', () => {
    const things = Array.from(
      { length: 60 },
      (_, at) => `${String.fromCharCode(97 + (at % 26))}${at}q`,
    );
    const text = things
      .map((thing) => `## Part ${thing}\n\nThe part ${thing} is oiled each year.`)
      .join('\n\n');
    const long = editionOf({ id: 'long.md', title: 'All parts', text }, ...OTHERS);
    for (const thing of [things[40], things[50]])
      expect(shownOf(find(long, `When is the part ${thing} oiled?`))).toContain(
        `The part ${thing} is oiled`,
      );
  });
  it('considers only units that may be shown and chunks that are allowed', () => {
    const isShown: FindOptions['isShown'] = (unit) =>
      !unit.parts.some(({ section }) => /not/.test(section.path[0] ?? ''));
    expect(shownOf(find(edition, CRASH, { isShown }))).not.toContain('crash');
    expect(idsOf(find(edition, CRASH, only(edition, CRASH, 'lamps.md')))).not.toContain(
      'warranty.md',
    );
  });
  it('respects the maximum length and number of passages', () => {
    const pumps = Array.from({ length: 6 }, (_, at) => ({
      id: `pump-${at}.md`,
      text: `The pump ${at} primes itself. ${filler(`It draws water ${at} from the tank.`, 400)}`,
    }));
    const ask = () => find(editionOf(...pumps), 'How does the pump prime itself?');
    expect(ask().passages.length).toBeGreaterThan(1);
    expect(shownOf(ask()).length).toBeLessThanOrEqual(1400);
    expect(ask().closest).toHaveLength(6);
  });
  it('finds nothing when no word of the question occurs, or in an empty edition', () => {
    for (const found of [find(edition, 'xqzt vbnm'), find(editionOf(), 'How do I reset the pump?')])
      expect(found).toMatchObject({ passages: [], closest: [], probability: 0 });
  });
  it.each([...cases.unusual, '`'.repeat(500), '\ud83d', '-'.repeat(4000)])(
    'has a probability for the unusual question %j',
    (question) => {
      const { probability } = find(edition, question);
      expect(probability).toBeGreaterThanOrEqual(0);
      expect(probability).toBeLessThanOrEqual(1);
    },
  );
  it('finds a paragraph among three million characters', () => {
    const text = `${listOf(44_500, (at) => `Paragraph ${at} on other things.\n`)}\nThe pump of the boiler works by pressure.\n\n${listOf(85_000, (at) => `| ${at} | [x](y |`)}`;
    expect(text.length).toBeGreaterThan(3_000_000);
    const found = find(
      editionOf({ id: 'a.md', title: 'Pumps', text }),
      'How does the boiler pump work?',
    );
    expect(shownOf(found)).toContain('works by pressure');
  });
  it('answers a second question from a large table', () => {
    const rows = listOf(12_000, (at) => `| pump ${at} | boiler ${at * 7} |`);
    const large = editionOf({
      id: 'a.md',
      title: 'Pumps',
      text: `| Pump | Boiler |\n| --- | --- |\n${rows}`,
    });
    find(large, 'How does the boiler pump work?');
    expect(shownOf(find(large, 'Which boiler has pump 77?'))).toContain('| pump 77 | boiler 539 |');
  });
});

describe('findAnswer() and devices', () => {
  const BURR = 'How do I take out the upper burr?';
  const burr = (device: string, degrees: number) => ({
    id: `${device}.md`,
    title: `Grinder of the ${device}`,
    devices: [device],
    text: `To take out the upper burr, turn it by ${degrees} degrees to the left.`,
  });
  const tray = (device: string, words: string) => `## ${device}\n\n${filler(words, 400)}\n\n`;
  const edition = editionOf(
    burr('Barista I', 45),
    burr('Barista II', 90),
    {
      id: 'all.md',
      title: 'Empty the tray',
      devices: ['Barista I', 'Barista II'],
      text: `${tray('Barista I', 'Press the tray down, then pull it to the front.')}${tray('Barista II', 'Lift the tray, then pull it to the side.')}`,
    },
    ...OTHERS,
  );

  it.each<[string, Partial<FindOptions>, string, string]>([
    [BURR.replace('?', ' of the Barista I?'), {}, 'Barista I.md', 'Barista II.md'],
    [BURR.replace('?', ' of the Barista II?'), {}, 'Barista II.md', 'Barista I.md'],
    [BURR.replace('?', ' of the barista 2?'), {}, 'Barista II.md', 'Barista I.md'],
    [BURR, { devices: ['Barista II'] }, 'Barista II.md', 'Barista I.md'],
  ])(
    "shows the article about the device that the question names or that is the user's: %s %j",
    (...row) => {
      const [question, options, own, other] = row;
      const found = find(edition, question, options);
      expect(idsOf(found)[0]).toBe(own);
      for (const { source } of found.passages) expect(source.id).not.toBe(other);
    },
  );
  it('shows the articles about all devices when none is known', () => {
    expect(idsOf(find(edition, BURR))).toEqual(
      expect.arrayContaining(['Barista I.md', 'Barista II.md']),
    );
  });
  it.each([
    ['Barista I', 'to the front', 'to the side'],
    ['Barista II', 'to the side', 'to the front'],
  ])(
    'shows the section of the device that the question names, and no other: %s',
    (device, own, other) => {
      const shown = shownOf(find(edition, `How do I pull out the tray of my ${device}?`));
      expect(shown).toContain(own);
      expect(shown).not.toContain(other);
    },
  );
  it('marks a passage about another device when there is no other passage', () => {
    const question = BURR.replace('?', ' of the Barista II?');
    const { passages } = find(edition, question, only(edition, question, 'Barista I.md'));
    expect(passages.map(({ isOtherDevice, devices }) => [isOtherDevice, devices])).toEqual([
      [true, ['barista i']],
    ]);
  });
  const DEVICES = cases.devices as [string, string[]][];
  it.each(DEVICES)(
    'reads a second number after a device as another device: %s',
    (question, devices) => {
      const kilns = editionOf({
        id: 'kiln.md',
        text: 'Empty the tray.',
        devices: ['Kiln', 'Kiln II', 'Kiln III'],
      });
      expect(find(kilns, question).question.devices).toEqual(devices);
    },
  );
});

describe('the words of a question', () => {
  it('weigh at most as much as in general English', () => {
    const { terms } = find(editionOf(...OTHERS), 'Is the frother now clean?').question;
    const idfOf = (wanted: string) => terms.find(({ word }) => word === wanted)?.idf;
    // The articles contain neither.
    expect(idfOf('now')).toBeLessThan(idfOf('frother') ?? 0);
  });
});

describe('the probability of an answer', () => {
  it('has a fitted weight for each of its features, and no other', () => {
    expect(Object.keys(MODEL.gate).toSorted()).toEqual(Object.keys(GATE_SIGNS).toSorted());
  });
  it('rises or falls with each feature as it must', () => {
    for (const [name, sign] of Object.entries(GATE_SIGNS))
      expect(MODEL.gate[name as keyof typeof MODEL.gate] * sign).toBeGreaterThan(0);
  });

  const featureOf = (
    edition: Edition,
    text: string,
    name: keyof typeof GATE_SIGNS,
    more: Partial<FindOptions> = {},
  ): number => {
    const options = { searches: [searchEdition(edition, text)], ...more };
    const question = parseQuestion(edition, text, options);
    const candidates = candidateUnits(edition, question, options);
    const { gate } = pickAnswer(edition, { question, candidates, options });
    return gate[Object.keys(GATE_SIGNS).indexOf(name)] ?? Number.NaN;
  };
  it('depends on how typical the words are that the question shares with the passages', () => {
    const articles = ['gasket', 'descaler', 'thermostat'].map((part) => ({
      id: `${part}.md`,
      text: `A worn ${part} is replaced as a whole. People change the way they think.`,
    }));
    const edition = openEdition(attachRepeatedBlocks(builtOf(...articles)));
    const typicalIn = (text: string) =>
      featureOf(edition, text, 'most typical word held', only(edition, text, 'gasket.md'));
    expect(typicalIn('Do people think?')).toBeLessThan(typicalIn('Is the gasket worn?'));
    expect(typicalIn('Do people think of a thermostat?')).toBe(typicalIn('Do people think?'));
  });
  it('depends on how close the question is to those of customers of unrelated services', () => {
    const edition = editionOf({
      id: 'pump.md',
      text: 'The pump draws water. A doctor or a bank may charge for it.',
    });
    const offTopic = (text: string, vectors?: TextVectors) =>
      featureOf(edition, text, 'off topic', { vectors });
    const shipped = shippedWordVectors();
    const bank = 'Can the bank charge me for a wire from my savings account?';
    const pump = 'Which gasket fits the impeller of the pump?';
    expect(offTopic(bank, shipped)).toBeGreaterThan(offTopic(pump, shipped) + 0.1);
    expect(offTopic(bank)).toBe(offTopic(pump));
  });
});

describe('findAnswer() and previous turns', () => {
  const article = (name: string, noise: string, undo: string) => ({
    id: `${name}.md`,
    title: name,
    text: `## Noise\n\n${filler(noise, 900)}\n\n## Undo\n\nTo undo that, ${undo} again.`,
  });
  const edition = editionOf(
    article('Pump', 'The pump hums loudly when it is dry.', 'open the valve'),
    article('Lid', 'The lid squeaks when its hinge is dry.', 'close the hinge'),
    ...OTHERS,
  );

  const TURNS = cases.turns as [string, string, string][];
  it.each(TURNS)(
    'answers about the subject of the previous turn unless it names one: %s %s',
    (question, text, id) => {
      const history = [{ speaker: 'user' as const, text }];
      expect(idsOf(find(edition, question, { history }))[0]).toBe(id);
      // The words count whatever the searches returned.
      expect(
        idsOf(
          find(edition, question, { history, searches: [searchEdition(edition, question)] }),
        )[0],
      ).toBe(id);
    },
  );
});
