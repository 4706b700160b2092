import { describe, expect, it } from 'vitest';
import { alreadyTried, wasTried } from '../../../src/support/ticket/already-tried.ts';
import { taxonomy } from '../draft/tickets.ts';

const reported = (...customer: string[]) => alreadyTried({ customer, agent: [] }, taxonomy);

describe('alreadyTried() and wasTried()', () => {
  it.each([
    ['My Apollo shows 0 H/s for 3 days. Already tried restarting.', 'Restart the device.'],
    ['I have rebooted it twice.', 'Restart the miner under System.'],
    ['I already checked both cables and updated the firmware', 'Check both 8-pin cables'],
    ['I already checked both cables and updated the firmware', 'Update the firmware to 3.4.0.'],
    ['We did a cold start.', 'Do a cold start: shut down, cut the power for 60 seconds, start.'],
    ['I cleaned the fans last week', 'Clean the fans.'],
    ['Restarted it three times, no change.', 'Restart the device.'],
    ['Restarting did not help.', 'Restart the device.'],
    ['A reboot made it worse, and a firmware update had no effect.', 'Update the firmware to 3.4.0.'],
    ['All cables checked, still dead.', 'Check the cables.'],
    ['The pool was replaced without success', 'Replace the pool in line 1.'],
    ['It stays at zero even after a factory reset.', 'Do a factory reset.'],
    ['It runs the latest firmware.', 'Update the firmware under System.'],
    ['Turned it off and on again.', 'Restart the device.'],
    ['I pulled the plug for a few minutes.', 'Restart the device.'],
    ['Eco mode makes no difference.', 'Choose Eco mode for an hour.'],
    ['I already run Eco mode.', 'Choose a lower mode. From Turbo to Eco is the largest step.'],
    ['I pulled the plug for a minute', 'Pull the mains plug for 60 seconds.'],
    ['Running in Eco already.', 'Choose Eco mode under **Miner > Power**.'],
    ['I used a different cable', 'Use another cable.'],
    ['I yanked the plug, counted to a hundred, and put it back in.', 'Restart the device.'],
    ['Turned it off and back on again ten times.', 'Restart the device.'],
    ['Gave it a reboot, no joy.', 'Restart the device.'],
    ['A factory reset was useless.', 'Do a factory reset.'],
    ["Restarting doesn't do a thing", 'Restart the device.'],
    ['Hoovered the fan out.', 'Clean the fan.'],
  ])('recognises what a customer has done: %j, %j', (message, step) => {
    expect(wasTried(step, reported(message))).toBe(true);
  });

  it.each([
    ['Already tried restarting.', 'Wait for 15 minutes after the restart, then look at the chip count again.'],
    ['Already tried restarting.', 'Check both 8-pin cables.'],
    ['I already checked both cables.', 'Check the firmware version.'],
    ['I have not tried restarting yet.', 'Restart the device.'],
    ['The dashboard shows nothing', 'Open the dashboard.'],
    ['I already know that, and I already paid.', 'Restart the device.'],
    ['Shall I restart it?', 'Restart the device.'],
    ['It got slow after the last firmware update.', 'Update the firmware to 3.4.0.'],
    ['Should the cable be replaced?', 'Replace the cable.'],
    ['I have not updated it yet', 'Update the firmware.'],
    ['The dashboard does not work', 'Open the dashboard.'],
    ['I have not pulled the plug.', 'Restart the device.'],
    ['Should I hoover the fan?', 'Clean the fan.'],
    ['The LED did nothing when I pressed the button.', 'Check the LED.'],
  ])('does not take it for done: %j, %j', (message, step) => {
    expect(wasTried(step, reported(message))).toBe(false);
  });

  it('applies a heading to the list below it', () => {
    const tried = reported('Already tried restarting.');
    expect(wasTried('Disconnect power for 60 seconds.', tried, { under: 'Restart properly' })).toBe(true);
    expect(wasTried('Disconnect power for 60 seconds.', tried, { under: 'Check the cables' })).toBe(false);
  });

  it('recognises an action behind the condition of an item', () => {
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

  it('recognises advice that an agent has given before', () => {
    const tried = alreadyTried(
      {
        customer: ['Still the same.'],
        agent: ['Hello,\nplease disconnect power for 60 seconds [1]. Then wait.'],
      },
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
