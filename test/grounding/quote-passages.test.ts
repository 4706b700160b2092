import { describe, expect, it } from 'vitest';
import { quotePassages } from '../../src/grounding/quote-passages.ts';
import { MAX_BLOCK_LENGTH } from '../../src/grounding/read-passage.ts';
import type { Passage } from '../../src/grounding/score-sentences.ts';
import { wordsOf } from '../../src/text/analyse-text.ts';
import { stem } from '../../src/text/stem.ts';

const question = (text: string, corrections: Record<string, string[]> = {}) => {
  const words = [...new Set(wordsOf(text))];
  const terms = words.map((word) => ({ word, stem: stem(word), corrections: corrections[word] ?? [], idf: 3 }));
  const neighbours = terms.slice(1).map((_, at): [number, number] => [at, at + 1]);
  return { text, query: { terms, neighbours, total: 3 * terms.length } };
};
const passage = (text: string, over: Partial<Passage> = {}): Passage => ({
  text,
  title: 'Pump',
  headingPath: [],
  score: 10,
  ...over,
});
const quotesOf = (text: string, passages: Passage[]) =>
  quotePassages(question(text), passages).map((quote) => quote.text);

describe('quotePassages()', () => {
  it('picks the sentence that shares most with the question', () => {
    const text = 'The case is red. The pump needs oil after 200 hours of work. It is loud.';
    expect(quotesOf('When does the pump need oil?', [passage(text)])[0]).toContain('oil after 200 hours');
  });

  it('quotes exactly, with offsets into the passage', () => {
    const text = 'Intro here.\n\nThe *pump* needs oil — “often” — after 200 hours.\n\nEnd.';
    for (const { passage: at, start, end, text: quoted } of quotePassages(question('pump oil hours'), [
      passage(text),
    ])) {
      expect(at).toBe(0);
      expect(text.slice(start, end)).toBe(quoted);
    }
  });

  it('prefers a sentence that offers what is asked for', () => {
    const text = 'The pump was built for the mine. The pump was built in 1962 for him.';
    expect(quotesOf('What year was the pump built?', [passage(text)])[0]).toContain('1962');
  });

  it('joins two neighbouring sentences into one quote', () => {
    const text = 'Drain the pump oil first. Then fill fresh pump oil up to the mark. Birds sing.';
    expect(quotesOf('How much fresh oil does the pump need?', [passage(text)])).toEqual([
      'Drain the pump oil first. Then fill fresh pump oil up to the mark.',
    ]);
  });

  it('quotes a list whole, with the line that introduces it', () => {
    const text =
      'Some words.\n\nTo change the oil:\n\n1. Stop the pump.\n2. Drain the oil.\n3. Fill it up.\n\nMore words.';
    expect(quotesOf('How do I change the oil of the pump?', [passage(text)])).toEqual([
      'To change the oil:\n\n1. Stop the pump.\n2. Drain the oil.\n3. Fill it up.',
    ]);
  });

  it('prefers steps to prose where the question asks how, and only there', () => {
    const text = 'Pump oil should be changed every year.\n\n1. Change the pump oil.\n2. Wait.';
    expect(quotesOf('How do I change pump oil?', [passage(text)])[0]).toMatch(/^1\./);
    expect(quotesOf('Should pump oil be changed?', [passage(text)])[0]).toMatch(/^Pump oil/);
  });

  it('never quotes headings, scripts or links that run code', () => {
    const text =
      '## Pump oil\n\n<script>\npump oil\n</script>\n\n[pump oil](javascript:alert(1)) is pump oil.\n\nSpare oil.';
    expect(quotesOf('pump oil', [passage(text)])).toEqual(['Spare oil.']);
  });

  it('finds a corrected word', () => {
    const asked = question('pump oyl', { oyl: ['oil'] });
    expect(quotePassages(asked, [passage('Water is blue. Oil is brown.')])[0]?.text).toContain('Oil is brown.');
  });

  it('gives nothing where no word is shared', () => {
    expect(quotesOf('zebra', [passage('The pump needs oil.')])).toEqual([]);
    expect(quotesOf('zebra', [])).toEqual([]);
  });

  it('bounds a quote of one endless sentence', () => {
    const text = `pump ${'oil and '.repeat(5000)}`;
    expect(quotesOf('pump oil', [passage(text)]).join('').length).toBeLessThanOrEqual(2 * 1600);
  });

  describe('of a table', () => {
    const HEAD = '| Device | Mode | Watts |\n| --- | --- | --- |';
    const rows = ['Apollo', 'Apollo II', 'Apollo III'].flatMap((device, d) =>
      ['Eco', 'Balanced', 'Turbo', 'Custom'].map((mode, m) => `| ${device} | ${mode} | ${100 * d + 10 * m + 120} |`),
    );
    const modes = passage(`Power at the wall:\n\n${HEAD}\n${rows.join('\n')}\n\nMore words.`);

    it('quotes the head, what introduces it, and the row that the question is about', () => {
      expect(quotesOf('How many watts does the Apollo II pull in turbo?', [modes])).toEqual([
        `Power at the wall:\n\n${HEAD}`,
        rows[6],
      ]);
    });

    it('quotes each part exactly, those behind the first as going on', () => {
      const quotes = quotePassages(question('How many watts does the Apollo II pull in turbo?'), [modes]);
      for (const { text, start, end } of quotes) expect(modes.text.slice(start, end)).toBe(text);
      expect(quotes.map(({ kind, continues = false }) => [kind, continues])).toEqual([
        ['table', false],
        ['table', true],
      ]);
    });

    it('quotes rows that follow one another, or the head, in one piece', () => {
      expect(
        quotesOf('Watts of the Apollo in eco?', [
          passage(`${HEAD}\n${[rows[0], ...rows.slice(5, 8), rows[11]].join('\n')}`),
        ]),
      ).toEqual([`${HEAD}\n${rows[0]}`]);
    });

    it.each([
      ['no row stands out', 'How many watts does a device pull?'],
      ['a row stands out by one word of many', 'Device pulls wall socket winter evening heating 330'],
      ['all of it is asked for', 'Compare the watts of the Apollo II in turbo'],
    ])('quotes it whole where %s', (_fact, asked) => {
      expect(quotesOf(asked, [modes])).toEqual([`Power at the wall:\n\n${HEAD}\n${rows.join('\n')}`]);
    });

    it('quotes it whole where it has four rows or fewer', () => {
      const short = passage(`${HEAD}\n${rows.slice(4, 8).join('\n')}`);
      expect(quotesOf('How many watts does the Apollo II pull in turbo?', [short])).toEqual([short.text]);
    });

    it('quotes it whole where the row leans on one above', () => {
      const leaning = passage(
        `${HEAD}\n${rows.map((row, at) => (at % 4 ? row.replace(/Apollo(?: I+)?/, '') : row)).join('\n')}`,
      );
      expect(quotesOf('Which is 330 watts in balanced?', [leaning])).toEqual([leaning.text]);
    });

    it('never quotes rows of a long one without their head', () => {
      const long = passage(
        `${HEAD}\n${Array.from({ length: 90 }, (_, at) => `| Pump ${at} | wet | ${at} |`).join('\n')}`,
      );
      const quotes = quotesOf('How wet is the pump?', [long]);
      expect(quotes[0]?.startsWith(HEAD)).toBe(true);
      expect(quotes.join('').length).toBeLessThanOrEqual(MAX_BLOCK_LENGTH + HEAD.length);
      const late = quotesOf('How wet is pump 77?', [long]);
      expect(late).toEqual([HEAD, '| Pump 77 | wet | 77 |']);
    });
  });
});
