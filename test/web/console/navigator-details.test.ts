import { expect, it, vi } from 'vitest';
import { outcomeOf } from '../../../src/gateway/history/keep-answers.ts';
import { navigatorOf } from '../../../src/web/console/answers/answer.ts';

vi.mock('../../../src/web/console/session/deployment.ts', () => ({}));
vi.mock('../../../src/web/console/texts/texts.ts', () => ({ t: (key: string) => `<${key}>` }));

const navigator = {
  answer: 'I have no information about this.',
  sources: [],
  confidence: 'low',
  confidenceReason: 'Low confidence: no passage covers enough of the question.',
  outOfDomain: false,
};

it('reads why an answer was declined from the answer itself, and from what is stored of it', () => {
  const response = { answer: navigator.answer, sources: [], metadata: { navigator, closest: [] } };
  for (const { metadata } of [response, outcomeOf(response)])
    expect(navigatorOf({ metadata })?.confidenceReason).toBe(navigator.confidenceReason);
});

it('reads nothing from the reply of another librarian', () => {
  expect(navigatorOf({ metadata: { navigator: { answer: 'A.' } } })).toBeUndefined();
});
