import { describe, expect, it } from 'vitest';
import MODEL from '../../src/grounding/answer-model.json' with { type: 'json' };
import {
  type FindOptions,
  type FoundAnswer,
  findAnswer,
  GATE_FEATURES,
  pickAnswer,
} from '../../src/grounding/find-answer.ts';
import { parseQuestion, questionWithTurn } from '../../src/grounding/parse-question.ts';
import { passageMarkdown } from '../../src/grounding/render-passage.ts';
import { candidateUnits } from '../../src/grounding/unit-features.ts';
import { fitEdition } from '../../src/search/fit-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';
import { searchEdition } from '../../src/search/search-edition.ts';
import { builtOf, editionOf } from './articles-for-test.ts';

const find = (edition: Edition, question: string, options: Partial<FindOptions> = {}): FoundAnswer => {
  const { history = [] } = options;
  const whole = questionWithTurn(question, history);
  const searches = [searchEdition(edition, question, { history })];
  if (whole !== question) searches.push(searchEdition(edition, whole));
  return findAnswer(edition, question, { searches, ...options });
};
const shownOf = ({ passages }: FoundAnswer): string => passages.map(({ unit }) => passageMarkdown(unit)).join('\n\n');
const idsOf = ({ passages }: FoundAnswer): string[] => [...new Set(passages.map(({ source }) => source.id))];
const filler = (words: string, size = 900): string => `${words} `.repeat(Math.ceil(size / (words.length + 1))).trim();

/** Passages about other subjects. */
const OTHERS = ['lamps', 'cups', 'beans', 'doors'].map((thing) => ({
  id: `${thing}.md`,
  text: `The ${thing} are delivered in a box of their own.\n\nNobody counts the ${thing}.`,
}));

const WARRANTY = {
  id: 'warranty.md',
  title: 'Warranty',
  text: `## What is covered\n\n${filler('A boiler that leaks by itself is repaired.')}\n\n## What is not covered\n\n${filler('Damage after a crash of the machine on the floor, or by wrong assembly.', 500)}\n`,
};

describe('findAnswer()', () => {
  const edition = editionOf(
    WARRANTY,
    {
      id: 'reset.md',
      title: 'Reset the pump',
      text: `${filler('The pump is made of steel and holds for long.')}\n\nTo reset the pump:\n\n1. Pull the plug.\n2. Wait a minute.\n3. Put the plug in again.\n\n${filler('A pump hums as it works.')}`,
    },
    {
      id: 'noise.md',
      title: 'Noise',
      text: `| Part | Noise in dBA |\n| --- | --- |\n${['grinder', 'boiler', 'lid', 'tray'].flatMap((part) => Array.from({ length: 12 }, (_, at) => `| ${part} of model ${at} in every mode | ${30 + at} |`)).join('\n')}\n`,
    },
    ...OTHERS,
  );

  it('shows a passage with the headings above it', () => {
    const found = find(edition, 'Is damage after a crash by wrong assembly covered?');
    const [first] = found.passages;
    expect(first?.unit.parts[0].section.path).toEqual(['What is not covered']);
    expect(shownOf(found)).toContain('Damage after a crash');
  });

  it('reads the sections of a long article that the search of each question returns', () => {
    const things = Array.from({ length: 60 }, (_, at) => `${String.fromCharCode(97 + (at % 26))}${at}q`);
    const long = editionOf(
      {
        id: 'long.md',
        title: 'All parts',
        text: things.map((thing) => `## Part ${thing}\n\nThe part ${thing} is oiled each year.`).join('\n\n'),
      },
      ...OTHERS,
    );
    for (const thing of [things[40], things[50]])
      expect(shownOf(find(long, `When is the part ${thing} oiled?`))).toContain(`The part ${thing} is oiled`);
  });

  it('shows a procedure from its introduction to its end', () => {
    expect(shownOf(find(edition, 'How do I reset the pump, plug in again?'))).toContain(
      'To reset the pump:\n\n1. Pull the plug.\n2. Wait a minute.\n3. Put the plug in again.',
    );
  });

  it('shows the requested row with the header of its table, and few others', () => {
    const shown = shownOf(find(edition, 'What is the noise of the grinder of model 7?'));
    expect(shown).toContain('| Part | Noise in dBA |\n| --- | --- |\n|');
    expect(shown).toContain('| grinder of model 7 in every mode | 37 |');
    expect(shown.split('\n').length).toBeLessThan(10);
  });

  it('considers only units that may be shown and chunks that are allowed', () => {
    const question = 'Is damage after a crash covered?';
    const isShown: FindOptions['isShown'] = ({ parts }) =>
      !parts.some(({ section }) => /not/.test(section.path[0] ?? ''));
    expect(shownOf(find(edition, question, { isShown }))).not.toContain('crash');
    const searches = [searchEdition(edition, question, { filter: { articleId: 'lamps.md' } })];
    const isAllowed = (chunk: number) => edition.article(edition.index.articleOf(chunk)).id === 'lamps.md';
    expect(idsOf(find(edition, question, { searches, isAllowed }))).not.toContain('warranty.md');
  });

  it('respects the maximum length and number of passages', () => {
    const many = editionOf(
      ...Array.from({ length: 6 }, (_, at) => ({
        id: `pump-${at}.md`,
        text: `The pump ${at} primes itself. ${filler(`It draws water ${at} from the tank.`, 400)}`,
      })),
    );
    const found = find(many, 'How does the pump prime itself?');
    expect(found.passages.length).toBeGreaterThan(1);
    expect(shownOf(found).length).toBeLessThanOrEqual(1400);
    expect(find(many, 'How does the pump prime itself?', { room: 500 }).passages).toHaveLength(1);
    expect(find(many, 'How does the pump prime itself?', { limit: 1 }).passages).toHaveLength(1);
    expect(find(many, 'How does the pump prime itself?').closest).toHaveLength(6);
  });

  it('returns the closest articles with their best heading, best first, at any probability', () => {
    const { closest, articles, probability } = find(edition, 'Is damage after a crash by wrong assembly covered?');
    expect(closest[0]).toMatchObject({ source: { id: 'warranty.md' }, heading: 'What is not covered' });
    expect(articles.map(({ share }) => share)).toEqual(articles.map(({ share }) => share).toSorted((a, b) => b - a));
    expect(articles.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(probability).toBeGreaterThan(0);
    expect(probability).toBeLessThan(1);
  });

  it('finds nothing when no word of the question occurs, or in an empty edition', () => {
    for (const found of [find(edition, 'xqzt vbnm'), find(editionOf(), 'How do I reset the pump?')])
      expect(found).toMatchObject({ passages: [], closest: [], probability: 0 });
  });

  it.each([
    '',
    '   ',
    '???',
    '\u0000\u0007',
    '|',
    '`'.repeat(500),
    '[',
    '\ud83d',
    '\ud83d\ude00',
    '1. 2. 3.',
    '-'.repeat(4000),
  ])('accepts unusual questions: %j', (question) => {
    const found = find(edition, question);
    expect(found.probability).toBeGreaterThanOrEqual(0);
    expect(found.probability).toBeLessThanOrEqual(1);
  });
});

describe('findAnswer() and devices', () => {
  const grind = (degrees: number) => `To take out the upper burr, turn it by ${degrees} degrees to the left.`;
  const edition = editionOf(
    { id: 'one.md', title: 'Grinder of the Barista I', text: grind(45), devices: ['Barista I'] },
    { id: 'two.md', title: 'Grinder of the Barista II', text: grind(90), devices: ['Barista II'] },
    {
      id: 'all.md',
      title: 'Empty the tray',
      devices: ['Barista I', 'Barista II'],
      text: `## Barista I\n\n${filler('Press the tray down, then pull it out to the front.', 400)}\n\n## Barista II\n\n${filler('Lift the tray, then pull it out to the side.', 400)}\n`,
    },
    ...OTHERS,
  );

  it.each([
    ['Barista I', 'one.md', 'two.md'],
    ['Barista II', 'two.md', 'one.md'],
    ['barista 2', 'two.md', 'one.md'],
  ])('shows the article about %s, which the question names, and none about another device', (device, own, other) => {
    const ids = idsOf(find(edition, `How do I take out the upper burr of the ${device}?`));
    expect(ids[0]).toBe(own);
    expect(ids).not.toContain(other);
  });

  it('shows the section of the device that the question names, and no other', () => {
    const shown = shownOf(find(edition, 'How do I pull out the tray of my Barista II?'));
    expect(shown).toContain('to the side');
    expect(shown).not.toContain('to the front');
    const other = shownOf(find(edition, 'How do I pull out the tray of my Barista I?'));
    expect(other).toContain('to the front');
    expect(other).not.toContain('to the side');
  });

  it.each([
    ['Kiln 2 or 3, which is easier to empty?', ['kiln ii', 'kiln iii']],
    ['Which tray is bigger, Kiln III / 2?', ['kiln iii', 'kiln ii']],
    ['My Kiln III has not been emptied for 1 or 2 days', ['kiln iii']],
    ['My Kiln III stops every night at 2.', ['kiln iii']],
    ['My Kiln III takes 1 or 2.5 litres', ['kiln iii']],
    // No full name of a device.
    ['Which is easier to empty, 2 or 3?', []],
  ])('reads a second number after a device as another device: %s', (question, devices) => {
    const kilns = editionOf({ id: 'kiln.md', text: 'Empty the tray.', devices: ['Kiln', 'Kiln II', 'Kiln III'] });
    expect(find(kilns, question).question.devices).toEqual(devices);
  });

  it("treats the user's device as named in the question", () => {
    const question = 'How do I take out the upper burr?';
    expect(idsOf(find(edition, question))).toEqual(expect.arrayContaining(['one.md', 'two.md']));
    const own = idsOf(find(edition, question, { devices: ['Barista II'] }));
    expect(own[0]).toBe('two.md');
    expect(own).not.toContain('one.md');
  });

  it('marks a passage about another device when there is no other passage', () => {
    const question = 'How do I take out the upper burr of the Barista II?';
    const searches = [searchEdition(edition, question, { filter: { articleId: 'one.md' } })];
    const isAllowed = (chunk: number) => edition.article(edition.index.articleOf(chunk)).id === 'one.md';
    const { passages } = find(edition, question, { searches, isAllowed });
    expect(passages.map(({ isOtherDevice, devices }) => [isOtherDevice, devices])).toEqual([[true, ['barista i']]]);
  });
});

describe('words of the question', () => {
  it('weigh at most as much as in general English', () => {
    const { terms } = find(editionOf(...OTHERS), 'Is the frother now clean?').question;
    const idfOf = (wanted: string) => terms.find(({ word }) => word === wanted)?.idf;
    // The articles contain neither.
    expect(idfOf('now')).toBeLessThan(idfOf('frother') ?? 0);
  });
});

describe('the probability of an answer', () => {
  it('has a fitted weight for each of its features, and no other', () => {
    expect(Object.keys(MODEL.gate).toSorted()).toEqual(GATE_FEATURES.toSorted());
  });

  it('depends on how typical the words of the question are for the knowledge base', () => {
    const articles = ['gasket', 'descaler', 'thermostat'].map((part) => ({
      id: `${part}.md`,
      text: `A worn ${part} is replaced as a whole. People change the way they think.`,
    }));
    const edition = openEdition(fitEdition(builtOf(...articles)));
    const typicalIn = (text: string) => {
      const options = { searches: [searchEdition(edition, text)] };
      const question = parseQuestion(edition, text);
      const candidates = candidateUnits(edition, question, options);
      return pickAnswer(edition, { question, candidates, options }).gate[GATE_FEATURES.indexOf('most typical word')];
    };
    expect(typicalIn('Do people think?')).toBeLessThan(typicalIn('Is the gasket worn?') ?? 0);
  });
});

describe('a number with a unit', () => {
  const supply = (range: string) =>
    editionOf(
      {
        id: 'supply.md',
        title: 'Supply',
        text: `${filler('The supply is made of steel.')}\n\n## Mains\n\n| Mains | ${range} |\n| --- | --- |\n| Socket | C14 |\n`,
      },
      { id: 'cup.md', title: 'Cup 110', text: filler('A cup of type 110 holds some water.') },
      ...OTHERS,
    );
  const ask = (range: string, question = 'Does the supply take 110 volts?') => find(supply(range), question);

  it.each(['100 to 240 V', '100–240V', '100 - 240 volts'])('matches a range of the same unit: %s', (range) => {
    expect(shownOf(ask(range))).toContain(range);
    const outside = ask(range, 'Does the supply take 400 volts?');
    expect(ask(range).question.terms.find(({ word }) => word === '110')?.forms).toContain('240');
    expect(outside.question.terms.find(({ word }) => word === '400')?.forms).not.toContain('240');
  });

  it('matches degrees with °C', () => {
    const { terms } = ask('5 to 35 °C', 'Does the supply take 30 degrees?').question;
    expect(terms.find(({ word }) => word === '30')?.forms).toContain('35');
    expect(terms.find(({ word }) => word === 'degrees')?.forms).toContain('c');
  });

  it('does not match a range of another unit', () => {
    expect(ask('100 to 240 W').question.terms.find(({ word }) => word === '110')?.forms).not.toContain('240');
  });
});

describe('findAnswer() and previous turns', () => {
  const edition = editionOf(
    {
      id: 'pump.md',
      title: 'Pump',
      text: `## Noise\n\n${filler('The pump hums loudly when it is dry.')}\n\n## Undo\n\nTo undo that, open the valve again.`,
    },
    {
      id: 'lid.md',
      title: 'Lid',
      text: `## Noise\n\n${filler('The lid squeaks when its hinge is dry.')}\n\n## Undo\n\nTo undo that, close the hinge again.`,
    },
    ...OTHERS,
  );
  const turn = (text: string) => [{ speaker: 'user' as const, text }];
  it('answers a follow-up question about the subject of the previous turn', () => {
    const question = 'How do I undo that again?';
    expect(idsOf(find(edition, question, { history: turn('Why does the pump hum?') }))[0]).toBe('pump.md');
    expect(idsOf(find(edition, question, { history: turn('Why does the lid squeak?') }))[0]).toBe('lid.md');
  });

  it('uses the words of the previous turn, whatever the searches returned', () => {
    const question = 'How do I undo that again?';
    const searches = [searchEdition(edition, question)];
    const first = (text: string) => idsOf(find(edition, question, { searches, history: turn(text) }))[0];
    expect(first('Why does the pump hum?')).toBe('pump.md');
    expect(first('Why does the lid squeak?')).toBe('lid.md');
  });

  it('prefers the subject of the question when it names one', () => {
    const history = turn('Why does the pump hum?');
    expect(idsOf(find(edition, 'Why does the lid squeak on its hinge?', { history }))[0]).toBe('lid.md');
  });
});

describe('what a question leaves aside', () => {
  const edition = editionOf(
    { id: 'cable.md', title: 'Connect by cable', text: 'Plug the cable into the router.' },
    { id: 'wifi.md', title: 'Connect by Wi-Fi', text: 'Unplug the cable, then choose the network for Wi-Fi.' },
    ...OTHERS,
  );

  it.each([
    ['Can I connect it with a cable, NOT wifi', 'cable.md'],
    ['How do I connect it by Wi-Fi, and not with the cable?', 'wifi.md'],
  ])('is not answered from articles about it: %s', (question, id) => {
    expect(idsOf(find(edition, question))).toEqual([id]);
  });

  it.each(['The cable works, but not Wi-Fi', 'Why does it take the cable, not Wi-Fi?'])(
    'is the subject of a problem: %s',
    (question) => {
      expect(find(edition, question).question.excluded).toEqual([]);
    },
  );
});
