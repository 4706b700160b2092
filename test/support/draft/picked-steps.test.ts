import { describe, expect, it } from 'vitest';
import { createDraftComposer } from '../../../src/support/draft/generate-draft.ts';
import { composeFor, knowledgeOf, passage, taxonomy, ticketOf } from './tickets.ts';

const markdownOf = (message: string, ...passages: Parameters<typeof composeFor>[1][]) =>
  composeFor(message, ...passages).draft.markdown ?? '';

const UPDATE = passage('1. Open **System > Update**.\n2. Select **Install and restart**.\n3. Wait for 10 minutes.', {
  headingPath: ['Update from the dashboard'],
});
const OFFLINE = passage(
  [
    '1. Download `apollo-3.4.1.update` from the download page.',
    '2. Compare the checksum:',
    '',
    '```bash',
    'sha256sum -c apollo-3.4.1.update.sha256',
    '```',
    '',
    '3. Upload the update of the firmware under **System > Update**.',
  ].join('\n'),
  { headingPath: ['Update without internet'] },
);

describe('what a draft quotes', () => {
  it('prefers the section that answers to one for a case that nobody spoke of', () => {
    const markdown = markdownOf('How do I update the firmware of my Apollo II?', UPDATE, OFFLINE);
    expect(markdown).toContain('**Update from the dashboard** [1]');
    expect(markdown).not.toContain('without internet');
    expect(markdownOf('How do I update the firmware without internet?', UPDATE, OFFLINE)).toContain(
      '**Update without internet** [1]',
    );
  });

  it('counts steps on behind the code that one of them speaks of', () => {
    expect(markdownOf('How do I update the firmware without internet?', OFFLINE)).toContain(
      [
        '1. Download `apollo-3.4.1.update` from the download page. [1]',
        '2. Compare the checksum: [1]',
        '',
        '   ```bash',
        '   sha256sum -c apollo-3.4.1.update.sha256',
        '   ```',
        '3. Upload the update of the firmware under **System > Update**. [1]',
      ].join('\n'),
    );
  });

  it('counts steps on behind a remark, and shows no first half of them', () => {
    const steps = passage('1. Stop the loud fan.\n\nIt may take a minute.\n\n2. Clean the fan.');
    expect(markdownOf('The fan is loud', steps)).toContain(
      '1. Stop the loud fan. [1]\n\n   It may take a minute.\n2. Clean',
    );
    const second = passage('3. Clean the loud fan.\n4. Start it.');
    expect(markdownOf('The fan is loud', second)).not.toContain('Clean the loud fan');
    const open = passage('1. Stop the loud fan.\n2. Run this command:');
    expect(markdownOf('The fan is loud', open)).not.toContain('Run this command');
  });

  it('makes no steps of bullets behind them, and no bullets of steps', () => {
    const both = passage(
      '1. Stop the loud fan.\n2. Clean the fan.\n\n- A loud fan of 2021 is worn.\n- Others are dusty.',
    );
    const markdown = markdownOf('The fan is loud', both);
    expect(markdown).toContain('1. Stop the loud fan. [1]\n2. Clean the fan. [1]\n\n');
    expect(markdown).not.toMatch(/[34]\. /);
    expect(markdown).toContain('- A loud fan of 2021 is worn. [1]');
  });

  it('reads steps that are all numbered 1 as one list', () => {
    const lazy = passage('1. Stop the loud fan.\n1. Clean the fan.\n1. Start it.');
    expect(markdownOf('The fan is loud', lazy)).toContain(
      '1. Stop the loud fan. [1]\n2. Clean the fan. [1]\n3. Start it. [1]',
    );
  });

  it('puts no mark by itself before code', () => {
    for (const headingPath of [[], ['Fan test']]) {
      const code = passage('```bash\nfan-test --loud\n```', { headingPath });
      const markdown = markdownOf('How do I run the fan test?', code);
      expect(markdown).toMatch(/\*\*[^*\n]+\*\* \[1\]\n\n```bash\nfan-test --loud\n```/);
      expect(markdown).not.toMatch(/^\[1\]$/m);
    }
  });

  it('takes steps for what their heading says, though they do not say it again', () => {
    const quieter = passage('1. Choose a lower mode.\n2. Cool the room.', { headingPath: ['Make it quieter'] });
    const cleaning = passage('1. Pull the plug.\n2. Wipe the filter of the Apollo II.', { headingPath: ['Cleaning'] });
    const markdown = markdownOf('How can I make my Apollo II quieter?', cleaning, quieter);
    expect(markdown).toContain('**Make it quieter** [1]');
    expect(markdown).not.toContain('Wipe');
  });

  it('tells nobody what an article about trouble begins with: what they have just told', () => {
    const trouble = { title: 'Fan is too loud', url: 'https://docs.example.com/loud' };
    const opening = passage('Your fan is too loud, or it rattles.', { ...trouble, title: 'Problem: fan too loud' });
    const steps = passage('1. Clean the loud fan.', {
      ...trouble,
      title: 'Problem: fan too loud',
      headingPath: ['Clean'],
    });
    const markdown = markdownOf('My fan is too loud, it rattles', opening, steps);
    expect(markdown).toContain('1. Clean the loud fan. [1]');
    expect(markdown).not.toContain('Your fan is');
  });

  it('says nothing that is about other products alone', () => {
    const mixed = passage(
      'The fan of an Apollo III is loud at night.\n\nThe fan of an Apollo II is loud in summer.\n\n' +
        '| Model | Loud fan |\n| --- | --- |\n| Apollo III | 45 dBA |\n| Apollo II | 47 dBA |',
    );
    const markdown = markdownOf('Is the fan of the Apollo II loud?', mixed);
    expect(markdown).toContain('in summer');
    expect(markdown).toContain('| Apollo II | 47 dBA [1] |');
    expect(markdown).not.toContain('Apollo III');
  });

  it('names the section around one that says little, once', () => {
    const reset = passage('1. Hold the button of the fan for 5 seconds.\n2. Let go.', {
      headingPath: ['Reset a loud fan', 'Apollo II'],
    });
    expect(markdownOf('The fan is loud', reset)).toContain('**Reset a loud fan: Apollo II** [1]\n\n1. Hold');
    const two = passage(
      'The fan is loud when it is old.\n\n- Clean the loud fan.\n\n| Fan | Loud |\n| --- | --- |\n| loud fan | yes |',
      {
        headingPath: ['Loud fan'],
      },
    );
    expect(markdownOf('The fan is loud', two).match(/\*\*Loud fan\*\*/g)).toHaveLength(1);
  });

  it('keeps the best steps rather than shorter ones for another case', () => {
    const stale = passage(
      '1. Choose a near server.\n2. Measure it.\n3. Use a cable.\n4. Look for uploads.\n5. Restart the router.',
      {
        headingPath: ['Too many stale shares'],
      },
    );
    const invalid = passage('1. Leave Custom mode.\n2. Clean the device.', {
      headingPath: ['Too many invalid shares'],
    });
    const reasons = passage(
      '| Message | Cause |\n| --- | --- |\n| stale share | came too late |\n| invalid | chips |',
      {
        headingPath: ['Reasons for stale shares'],
      },
    );
    const markdown = markdownOf('The pool rejects my shares, it says stale share', reasons, stale, invalid);
    expect(markdown).toContain('1. Choose a near server.');
    expect(markdown).not.toContain('Custom mode');
  });

  it('quotes no steps for another case because they share a word', () => {
    const track = passage('The tracking number of an order works after the first scan.', {
      headingPath: ['Track your parcel'],
    });
    const damage = passage('1. Take photos.\n2. Keep all packing.\n3. Report it with the order.', {
      headingPath: ['Damage in transport'],
    });
    const markdown = markdownOf('Where is my order? The tracking number does not work', track, damage);
    expect(markdown).toContain('after the first scan');
    expect(markdown).not.toContain('Keep all packing');
  });

  it('quotes what is for trouble to somebody in trouble', () => {
    const table = passage('| LED | Remedy |\n| --- | --- |\n| blue for more than 30 minutes | recover the device |', {
      headingPath: ['When an update fails'],
    });
    const markdown = markdownOf('The update is stuck, the LED is blue for an hour', UPDATE, table);
    expect(markdown).toContain('recover the device [1]');
    expect(markdown).not.toContain('Install and restart');
  });

  it('shows of items in no order those that answer, where some clearly do', () => {
    const list = passage(
      '- **LED solid amber:** the device gets no address.\n- **LED green:** another network.\n- The browser warns.',
      {
        headingPath: ['The dashboard cannot be reached'],
      },
    );
    const markdown = markdownOf('LED solid amber, no address', list);
    expect(markdown).toContain('LED solid amber');
    expect(markdown).not.toContain('browser');
  });

  it('takes the number of a step for no version', () => {
    const steps = passage('1. Open the page.\n2. Select it.\n3. Wait.\n4. Log in.', {
      headingPath: ['From the dashboard'],
    });
    const old = passage('You cannot go from firmware 2.x to 3.4 in one step.', { headingPath: ['From firmware 2.x'] });
    const markdown = markdownOf('I have firmware 2.6, how do I get to 3.4?', steps, old);
    expect(markdown).toContain('in one step');
    expect(markdown).not.toContain('Open the page');
  });

  it('takes a version for one word', () => {
    const notes = (version: string, text: string) => passage(`- ${text}`, { headingPath: [`${version} (2026-03-17)`] });
    const markdown = markdownOf(
      'What changed in firmware 3.4.1?',
      notes('3.4.1', 'Fixed: the fan ran at full speed.'),
      notes('3.4.0', 'New: 4 time windows instead of 1.'),
      notes('3.1.0', 'New: encrypted pools.'),
    );
    expect(markdown).toContain('full speed');
    expect(markdown).not.toMatch(/windows|encrypted/);
  });

  it('knows a step of two sentences again that an agent has advised', () => {
    const steps = passage(
      '1. Choose the closest server. Under 80 ms is good.\n2. Use a cable for the pool.\n3. Lower the load.',
      {
        headingPath: ['Stale shares'],
      },
    );
    const ticket = ticketOf('Still 6 % stale shares.', {
      history: [
        { from: 'customer', text: 'I have stale shares' },
        { from: 'agent', text: 'Please choose the closest server. Under 80 ms is good.' },
      ],
    });
    const { draft } = createDraftComposer({ taxonomy, ticket })(
      { primary_intent: 'rejected_shares', confidence: 0.9 },
      undefined,
      undefined,
      knowledgeOf(steps),
    );
    expect(draft.markdown).toContain('1. Use a cable');
    expect(draft.markdown).not.toContain('closest server');
  });
});
