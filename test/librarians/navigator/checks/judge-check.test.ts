import { describe, expect, it } from 'vitest';
import { type CheckAnswer, KnowledgeCheckInput } from '../../../../src/contract/wire/checks.ts';
import { judgeCheck } from '../../../../src/librarians/navigator/checks/run-checks.ts';

const answer = (more: Partial<CheckAnswer> = {}): CheckAnswer => ({
  outcome: 'answered',
  text: 'Open port **8333** on the router.',
  cites: [{ id: 'network/ports.md', title: 'Ports' }],
  ...more,
});
const question = 'Which port has to be open?';

describe('a check', () => {
  it.each<[name: string, expected: object, given: Partial<CheckAnswer>, lacks: string[]]>([
    [
      'is green with the fact and the article',
      { contains: '8333', cites: 'network/ports.md' },
      {},
      [],
    ],
    ['is green with a fact of an unsure answer', { contains: '8333' }, { outcome: 'unsure' }, []],
    ['is red without the fact', { contains: '8334' }, {}, ['contains']],
    ['is red without the article', { cites: 'network/wifi.md' }, {}, ['cites']],
    [
      'is red without both',
      { contains: 'UDP', cites: 'network/wifi.md' },
      {},
      ['contains', 'cites'],
    ],
    [
      'is red when an answer was declined',
      { contains: '8333' },
      { outcome: 'declined' },
      ['answer'],
    ],
    [
      'is red when the question came back',
      { cites: 'network/ports.md' },
      { outcome: 'asks_back' },
      ['answer'],
    ],
    [
      'is green when it has to be declined and was',
      { declined: true },
      { outcome: 'declined' },
      [],
    ],
    [
      'is green when it has to be declined and asks back',
      { declined: true },
      { outcome: 'asks_back' },
      [],
    ],
    ['is red when it has to be declined and was answered', { declined: true }, {}, ['declined']],
    [
      'is red when it has to be declined and an unsure answer came',
      { declined: true },
      { outcome: 'unsure' },
      ['declined'],
    ],
  ])('%s', (_, expected, given, lacks) => {
    const check = KnowledgeCheckInput.parse({ question, ...expected });
    const result = judgeCheck(check, answer(given));
    expect([result.state, result.lacks]).toEqual([lacks.length === 0 ? 'green' : 'red', lacks]);
  });

  it('cuts the text that is kept, after it was judged', () => {
    const text = `${'words '.repeat(1000)}8333`;
    const result = judgeCheck({ question, contains: '8333' }, answer({ text }));
    expect([result.state, result.answer.text.length]).toEqual(['green', 4000]);
  });
});

it.each<[answer: string, fact: string, isThere: boolean]>([
  ['Use the **set-up\n code** of the label.', 'Set-up code', true],
  ['The user is `apollo`.', '`apollo`', true],
  ['The user is `apollo`.', 'the user is apollo', true],
  ['Press “Reset” – then wait.', '"reset" - then', true],
  ['A screen of 5″.', 'screen of 5"', true],
  ['It takes 13 hours.', '3 hours', false],
  ['It takes 3 hours.', '3 hours', true],
  ['It takes 3.5 hours.', 'takes 3', false],
  ['It takes 13 hours, then 3 hours.', '3 hours', true],
  ['See [the guide](https://kb.example/a).', 'the guide', true],
  ['| Port | 8333 |\n| --- | --- |\n| Web | 80 |', 'port | 8333', true],
  ['接続はポート8333を使います。', 'ポート8333', true],
  ['Nothing of it.', 'anything', false],
])('finds in %j the fact %j: %s', (text, fact, isThere) => {
  const { state } = judgeCheck({ question, contains: fact }, answer({ text }));
  expect(state === 'green').toBe(isThere);
});

it.each<[name: string, check: object]>([
  ['expects nothing', { question }],
  ['expects an answer and that it is declined', { question, contains: '8333', declined: true }],
  ['has an unknown member', { question, contain: '8333' }],
  ['has no question', { contains: '8333' }],
  ['has an empty question', { question: ' ', contains: '8333' }],
  ['has an empty fact', { question, contains: ' ' }],
  ['has a fact of marks alone', { question, contains: '**' }],
  ['has a fact that is too long', { question, contains: 'a'.repeat(501) }],
  ['names no article', { question, cites: '../etc/passwd' }],
  ['has declined: false', { question, contains: 'a', declined: false }],
])('refuses a check that %s', (_, check) => {
  expect(KnowledgeCheckInput.safeParse(check).success).toBe(false);
});
