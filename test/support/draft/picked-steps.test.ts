import { describe, expect, it } from 'vitest';
import { composeFor, passage } from './tickets.ts';

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
});
