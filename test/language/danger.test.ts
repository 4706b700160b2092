import { expect, it } from 'vitest';
import messages from '../../research/eval/danger-messages.json' with { type: 'json' };
import { dangerIn, withoutWordsOfDanger } from '../../src/language/danger.ts';
import cases from './danger.json' with { type: 'json' };
import languages from './danger-languages.json' with { type: 'json' };

/** None of these messages is fitted. */
const REPORTS = [
  ...cases.flatMap(([text, words]) => (words === null ? [] : [text ?? ''])),
  ...Object.values(languages.danger).flat(),
  ...Object.values(messages).flatMap(({ danger }) => Object.values(danger).flat()),
];
const HARMLESS = [
  ...cases.flatMap(([text, words]) => (words === null ? [text ?? ''] : [])),
  ...languages.harmless,
  ...Object.values(messages).flatMap(({ harmless }) => Object.values(harmless).flat()),
];

it('dangerIn() recognises most reports of danger', () => {
  const missed = REPORTS.filter((text) => dangerIn(text) === undefined);
  expect(missed.length / REPORTS.length).toBeLessThanOrEqual(0.15);
});
it('dangerIn() finds none in most messages that only have its words', () => {
  const alarms = HARMLESS.filter((text) => dangerIn(text) !== undefined);
  expect(alarms.length / HARMLESS.length).toBeLessThanOrEqual(0.08);
});
it.each([
  'There is smoke coming out of it',
  'Mein Gerät raucht und riecht verbrannt!',
  'Es riecht verschmort',
  'my son got an electric shock from the case',
  "De la fumée sort de l'appareil",
  '设备冒烟了！',
  '焦げ臭いです',
  'Thanks for the quick reply. The plug has melted, by the way.',
])('dangerIn() finds danger in %j', (text) => expect(dangerIn(text)).toBeDefined());
it.each([
  'can the battery catch fire?',
  'How do I configure the firewall?',
  'How do I burn the image to an SD card?',
  'I was shocked by the electricity bill',
  'Es raucht nicht',
  'Brauche ich einen Rauchmelder?',
  'It is loud',
  'Wie laut ist der Lüfter?',
])('dangerIn() finds none in %j', (text) => expect(dangerIn(text)).toBeUndefined());
it('dangerIn() gives the sentence that reports it, and its language', () => {
  expect(dangerIn('Guten Tag. Der Akku ist aufgebläht. Was nun?')).toEqual({
    words: 'Der Akku ist aufgebläht.',
    language: 'de',
  });
});
it.each(['A'.repeat(100_000), `${'no '.repeat(9000)}smoke`, '\u0300'.repeat(20_000), ' \u0000'.repeat(10_000)])(
  'dangerIn() finds nothing beyond its length, or in endless repetition (%#)',
  (text) => expect(dangerIn(text)).toBeUndefined(),
);
it('withoutWordsOfDanger() takes them out', () => {
  expect(withoutWordsOfDanger('There is no smoke, I want to return it')).toBe('There is no , I want to return it');
});
