import { describe, expect, it } from 'vitest';
import { alreadyTried, wasTried } from '../../../src/support/ticket/already-tried.ts';
import { taxonomy } from '../draft/tickets.ts';
import steps from './tried-steps.json' with { type: 'json' };

const reported = (...customer: string[]) => alreadyTried({ customer, agent: [] }, taxonomy);

describe('alreadyTried() and wasTried()', () => {
  it.each(steps.tried)('recognises a step that the customer has done: $message, $step', ({ message, step }) => {
    expect(wasTried(step, reported(message))).toBe(true);
  });
  it.each(steps.notTried)('does not recognise a step as done: $message, $step', ({ message, step }) => {
    expect(wasTried(step, reported(message))).toBe(false);
  });
  it('applies a heading to the list below it', () => {
    const tried = reported('Already tried restarting.');
    expect(wasTried('Disconnect power for 60 seconds.', tried, { under: 'Restart properly' })).toBe(true);
    expect(wasTried('Disconnect power for 60 seconds.', tried, { under: 'Check the cables' })).toBe(false);
  });
  it('recognises an action after the condition of an item', () => {
    const item = '**LED amber:** the device gets no address. Try another cable and another socket.';
    expect(wasTried(item, reported('I tried another cable already.'))).toBe(true);
    expect(wasTried(item, reported('I tried another room already.'))).toBe(false);
  });
  it('completes a heading by the title of the article', () => {
    const tried = reported('I updated the firmware.');
    const under = 'Update from the dashboard';
    expect(wasTried('Select **Download**.', tried, { under, title: 'Update the firmware' })).toBe(true);
    expect(wasTried('Select **Download**.', tried, { under, title: 'Update the address book' })).toBe(false);
    const fan = { under: 'Replace a fan', title: 'Fan noise and cleaning' };
    expect(wasTried('Undo the screws.', reported('I cleaned the fan.'), fan)).toBe(false);
  });
  it('recognises earlier advice of an agent', () => {
    const tried = alreadyTried(
      { customer: ['Still the same.'], agent: ['Hello,\nplease disconnect power for 60 seconds [1]. Then wait.'] },
      taxonomy,
    );
    expect(wasTried('Disconnect power for 60 seconds.', tried)).toBe(true);
    expect(wasTried('Connect power again and wait for 15 minutes.', tried)).toBe(false);
  });
  it('keeps a bounded number of actions of a long message', () => {
    const message = 'I already tried restarting it. '.repeat(20_000);
    expect(reported(message).reported.length).toBeLessThanOrEqual(60);
  });
  it.each(['I tried the pump', 'I tried the Zephyr'])('ignores product names and common words: %j', (message) => {
    const verbs = ['start', 'stop', 'clean', 'paint', 'move', 'lift', 'sell', 'heat'];
    const pumps = { devices: ['Zephyr'], intents: verbs.map((verb) => ({ examples: [`How do I ${verb} the pump?`] })) };
    const { reported: actions } = alreadyTried({ customer: [`${message} restart`], agent: [] }, pumps);
    expect(actions.map((action) => [...action])).toEqual([['restart']]);
  });
});
