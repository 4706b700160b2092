import { expect, it } from 'vitest';
import { alreadyTried, wasTried } from '../../../src/support/message/already-tried.ts';
import { taxonomy } from '../drafts/tickets.ts';
import steps from './tried-steps.json' with { type: 'json' };

/** What a customer says to have tried, a step of an article, and the heading and article above the step. */
type Case = { message: string; step: string; place?: { under: string; title?: string } };
const reported = (...customer: string[]) => alreadyTried({ customer, agent: [] }, taxonomy);

it.each([
  ...(steps.tried as Case[]).map((each) => ({ ...each, isTried: true })),
  ...(steps.notTried as Case[]).map((each) => ({ ...each, isTried: false })),
])(
  'recognise steps that the customer has done: $message, $step: $isTried',
  ({ message, step, place, isTried }) => {
    expect(wasTried(step, reported(message), place)).toBe(isTried);
  },
);
it('recognise earlier advice of an agent', () => {
  const agent = ['Hello,\nplease disconnect power for 60 seconds [1]. Then wait.'];
  const tried = alreadyTried({ customer: ['Still the same.'], agent }, taxonomy);
  expect(wasTried('Disconnect power for 60 seconds.', tried)).toBe(true);
  expect(wasTried('Connect power again and wait for 15 minutes.', tried)).toBe(false);
});
it('keep a bounded number of actions of a long message', () => {
  const message = 'I already tried restarting it. '.repeat(20_000);
  expect(reported(message).reported.length).toBeLessThanOrEqual(60);
});
it.each(['I tried the pump', 'I tried the Zephyr'])(
  'ignore product names and common words: %j',
  (message) => {
    const verbs = ['start', 'stop', 'clean', 'paint', 'move', 'lift', 'sell', 'heat'];
    const pumps = {
      devices: ['Zephyr'],
      intents: verbs.map((verb) => ({ examples: [`How do I ${verb} the pump?`] })),
    };
    const { reported: actions } = alreadyTried(
      { customer: [`${message} restart`], agent: [] },
      pumps,
    );
    expect(actions.map((action) => [...action])).toEqual([['restart']]);
  },
);
