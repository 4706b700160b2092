import { describe, expect, it } from 'vitest';
import { extractLiterals } from '../../src/grounding/literals.ts';
import { readPassage } from '../../src/grounding/read-passage.ts';
import { comparableText, sourceComparer } from '../../src/navigator/compare-sources.ts';
import { cueText, questionCues } from '../../src/navigator/question-cues.ts';
import { devicesNamedIn } from '../../src/search/devices-named-in.ts';
import { bestTime } from '../best-time.ts';

const comparable = (text: string) => comparableText(text, readPassage({ text, title: '', headingPath: [] }).units);

describe('sourceComparer()', () => {
  const QUOTE = 'The pump runs at 12 V and needs a fuse.';
  const CASES: [string, string, string, string][] = [
    ['agrees with the same statement', 'Intro.\n\nThe pump runs at 12 V and needs a fuse.', 'agrees', ''],
    ['agrees with more detail', 'The pump runs at 12 V and needs a fuse of 5 A.', 'agrees', ''],
    ['sees another number as a conflict', 'The pump runs at 24 V and needs a fuse.', 'conflicts', '24 instead of 12'],
    [
      'sees a denial as a conflict',
      'The pump runs at 12 V and does not need a fuse.',
      'conflicts',
      'the other denies it',
    ],
    ['is silent about other statements', 'The valve opens at 24 V when the lid is closed.', 'silent', ''],
    ['is silent where little is shared', 'The pump.', 'silent', ''],
  ];
  it.each(CASES)('%s', (_fact, other, verdict, difference) => {
    const compare = sourceComparer(comparable(QUOTE), [{ start: 0, end: QUOTE.length }]);
    expect(compare(comparable(other))).toMatchObject({ verdict, difference });
  });
});

describe('questionCues()', () => {
  const CASES: [string, string, string, string[]][] = [
    ['names a number that is missing', 'Does mode 7 heat?', 'Mode 5 heats.', ['the source does not mention 7']],
    [
      'takes the number of a step for no number',
      'Is it 3 litres?',
      '3. Fill in 2 litres.',
      ['the source does not mention 3'],
    ],
    ['reads numbers with separators alike', 'Is it 1,200 litres?', 'It holds 1200 litres.', []],
    [
      'names an opposite',
      'How do I disable the lamp?',
      'Enable the lamp in the menu.',
      ['the source speaks of "enable", not of "disable"'],
    ],
    ['passes over opposites that both stand there', 'How do I disable it?', 'Enable or disable it here.', []],
    [
      'names a name that is missing',
      'Does it work with Zigbee?',
      'It works with radios.',
      ['the source does not mention Zigbee'],
    ],
    ['takes the first word for no name', 'Brewing is slow', 'It is slow.', []],
    ['finds nothing where all is there', 'Does Zigbee need 5 V?', 'Zigbee needs 5 V.', []],
  ];
  it.each(CASES)('%s', (_fact, question, passage, reasons) => {
    expect(questionCues(question, [cueText(passage)]).map(({ reason }) => reason)).toEqual(reasons);
  });
});

describe('devicesNamedIn()', () => {
  const DEVICES = ['apollo', 'apollo ii', 'apollo iii', 'mini'];
  const CASES: [string, string, string[]][] = [
    ['takes the most specific device', 'Is the Apollo II loud?', ['apollo ii']],
    ['takes several', 'Apollo II or Mini?', ['apollo ii', 'mini']],
    ['takes no device for a part of a word', 'minimal apollonian', []],
    ['wants the words side by side', 'Apollo, chapter II', ['apollo']],
  ];
  it.each(CASES)('%s', (_fact, text, expected) => {
    expect(devicesNamedIn(text, DEVICES)).toEqual(expected);
  });
});

describe('extractLiterals()', () => {
  const CASES: [string, string, string[]][] = [
    ['reads a URL as one claim', 'See https://a.example/b?c=1.', ['url https://a.example/b?c=1']],
    ['reads an ARN as one claim', 'Use arn:aws:s3:::bucket/key.', ['arn arn:aws:s3:::bucket/key']],
    ['reads code blocks line by line', '```\na b\nc\n```', ['code a b', 'code c']],
    ['reads a command in quotes whole', "Run 'kubectl get pods -n x' now.", ['command kubectl get pods -n x']],
    ['reads the beginning of a command in running text', 'Then run npm install quickly.', ['command npm install']],
    ['takes a sentence about a program for no command', 'Docker is fine, and git was used.', []],
    ['reads paths of both worlds', 'In /etc/hosts and C:\\Temp\\a.log', ['path C:\\Temp\\a.log', 'path /etc/hosts']],
    [
      'reads options, settings and codes',
      'Set MAX_AGE with --force on E42',
      ['identifier --force', 'identifier MAX_AGE', 'identifier E42'],
    ],
    ['reads numbers, not list marks of words', 'It has 1,200 parts, and/or 3.', ['number 1,200', 'number 3']],
    ['reads years and ordinals as written', 'In the 1850s, 2nd floor', ['number 1850s', 'number 2nd']],
    ['finds nothing in plain prose', 'Hold the button until the lamp goes out.', []],
  ];
  it.each(CASES)('%s', (_fact, text, expected) => {
    expect(extractLiterals(text).map(({ kind, text: claim }) => `${kind} ${claim}`)).toEqual(expected);
  });

  it.each(['-', '`', '~', '1.', 'a.', '--a', '\n```a', 'a/', '_', '`a'])(
    'takes time that grows with the length of %j, not with its square',
    (part) => {
      const of = (length: number) => part.repeat(length / part.length);
      const [one, four] = [bestTime(() => extractLiterals(of(16_000))), bestTime(() => extractLiterals(of(64_000)))];
      // Sixteen times would be the square; below a millisecond a clock tells little.
      expect(four).toBeLessThan(10 * Math.max(one, 1));
    },
  );
});
