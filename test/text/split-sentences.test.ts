import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSentences } from '../../src/text/split-sentences.ts';

const sentencesOf = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe('splitSentences()', () => {
  const CASES: [string, string, string[]][] = [
    ['cuts at a full stop before a capital', 'Press reset. Wait a minute.', ['Press reset.', 'Wait a minute.']],
    ['cuts at question and exclamation marks', 'Ready? Go! Now', ['Ready?', 'Go!', 'Now']],
    ['keeps a closing quote with its sentence', 'It said "stop." Then it fell.', ['It said "stop."', 'Then it fell.']],
    ['cuts before a digit', 'It boots. 30 seconds later it beeps.', ['It boots.', '30 seconds later it beeps.']],
    ['cuts after a year', 'It began in 1998. Then it grew.', ['It began in 1998.', 'Then it grew.']],
    ['does not cut inside a version', 'Install 2.4.1 now.', ['Install 2.4.1 now.']],
    ['does not cut after a single letter', 'George W. Bush came.', ['George W. Bush came.']],
    ['does not cut after letters with dots', 'The U.S. Army came.', ['The U.S. Army came.']],
    ['does not cut after an abbreviation', 'Ask Dr. Smith, e.g. Monday.', ['Ask Dr. Smith, e.g. Monday.']],
    ['does not cut a number from its label', 'See no. 5 below.', ['See no. 5 below.']],
    ['cuts after the word no elsewhere', 'The answer is no. Try again.', ['The answer is no.', 'Try again.']],
    ['does not cut before a small letter', 'Open config.yaml. then save', ['Open config.yaml. then save']],
    ['does not cut a numbered beginning', '1. Open the lid', ['1. Open the lid']],
    ['cuts at a blank line', 'one thing\n\nanother thing', ['one thing', 'another thing']],
    ['cuts at a break after a short line', 'Model: A1\nVoltage: 12 V', ['Model: A1', 'Voltage: 12 V']],
    ['cuts at a hard break', 'a line that is hard broken<br>\nnext', ['a line that is hard broken', 'next']],
    [
      'joins lines that are merely wrapped',
      'The pump is rated for continuous operation at sixty degrees in\nNorthern sites and for less in others.',
      ['The pump is rated for continuous operation at sixty degrees in\nNorthern sites and for less in others.'],
    ],
    ['cuts Chinese at its full stop', '请重启设备。然后等待。', ['请重启设备。', '然后等待。']],
    ['gives nothing for white space', ' \n\t ', []],
  ];
  it.each(CASES)('%s', (_fact, text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  it('reads only the requested range and reports offsets in the whole text', () => {
    const text = 'Skip this. Read this. And this.';
    const spans = splitSentences(text, { start: 11, end: 21 });
    expect(spans).toEqual([{ start: 11, end: 21 }]);
    expect(text.slice(11, 21)).toBe('Read this.');
  });

  it('loses nothing but white space and hard breaks, in order, whatever the text', () => {
    const piece = fc.constantFrom(
      'Abc',
      ' ',
      '. ',
      '? ',
      '\n',
      '\n\n',
      'e.g. ',
      '3.',
      '"',
      '<br>\n',
      '。',
      '  \n',
      'z',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let last = 0;
        for (const { start, end } of splitSentences(text)) {
          expect(
            text
              .slice(last, start)
              .replace(/<br>\n/g, '')
              .trim(),
          ).toBe('');
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(
          text
            .slice(last)
            .replace(/<br>\n/g, '')
            .trim(),
        ).toBe('');
      }),
      { seed: 4 },
    );
  });
});
