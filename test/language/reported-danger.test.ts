import { describe, expect, it } from 'vitest';
import messages from '../../research/eval/danger-messages.json' with { type: 'json' };
import { readMessages } from '../../research/eval/message-rows.ts';
import { dangerIn } from '../../src/language/danger.ts';
import { reportedDanger } from '../../src/language/reported-danger.ts';

const shareOf = <T>(rows: readonly T[], holds: (row: T) => boolean): number =>
  rows.filter(holds).length / rows.length;

/** None of these messages is fitted. */
describe('reportedDanger()', () => {
  const rows = readMessages('unseen');
  it('finds far more reports than their words alone', () => {
    const reports = rows.filter(({ kind }) => kind === 'danger');
    const byWords = shareOf(reports, ({ text }) => dangerIn(text) !== undefined);
    const share = shareOf(reports, ({ text }) => reportedDanger(text) !== undefined);
    expect(share).toBeGreaterThanOrEqual(0.7);
    expect(share).toBeGreaterThan(byWords + 0.15);
  });
  it('takes few other messages for a report, most of them near misses', () => {
    const others = rows.filter(({ kind }) => kind !== 'danger');
    expect(shareOf(others, ({ text }) => reportedDanger(text) !== undefined)).toBeLessThanOrEqual(
      0.02,
    );
    const harmless = Object.values(messages).flatMap((half) => Object.values(half.harmless).flat());
    expect(shareOf(harmless, (text) => reportedDanger(text) !== undefined)).toBeLessThanOrEqual(
      0.02,
    );
  });
  it('finds a report among other sentences, and tells it', () => {
    const report = 'My daughter was hurt by the lid.';
    expect(dangerIn(report)).toBeUndefined();
    expect(
      reportedDanger(`Hello, I have had the device for two weeks. ${report} How do I return it?`),
    ).toEqual({
      words: report.toLowerCase(),
      language: 'en',
    });
  });
  it.each([
    'There is no smoke and it does not smell burnt.',
    'I live in a smoke-free home and want to return the unit',
    'The red light is on',
    'The cables are fine.',
    'How long is the warranty?',
    '',
    'a'.repeat(100_000),
  ])('finds none in %j', (text) => expect(reportedDanger(text)).toBeUndefined());
});
