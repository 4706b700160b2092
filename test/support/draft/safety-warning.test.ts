import { describe, expect, it } from 'vitest';
import { isWarning } from '../../../src/support/draft/safety-warning.ts';

describe('isWarning()', () => {
  it.each([
    'Do not swap the supply with that of an Apollo.',
    'Pull the plug first, and never open the case while it is plugged in.',
    '**Warning:** the heat sink is hot.',
    'Brown contacts are dangerous: stop using them.',
    'All settings will be deleted.',
    'This cannot be undone.',
    'Öffnen Sie das Gehäuse niemals unter Spannung.',
    'Attention : risque de choc électrique.',
    'Nunca abra la caja.',
  ])('hears a warning: %s', (sentence) => {
    expect(isWarning(sentence)).toBe(true);
  });

  it.each([
    'We do not ship to post office boxes.',
    'It needs a line that never drops.',
    'If the fan does not start, use another socket.',
    'Wait for 15 minutes.',
  ])('hears none in: %s', (sentence) => {
    expect(isWarning(sentence)).toBe(false);
  });

  it('is linear in what it reads', () => {
    const start = performance.now();
    isWarning(', '.repeat(100_000));
    isWarning(`and${' '.repeat(100_000)}`);
    expect(performance.now() - start).toBeLessThan(200);
  });
});
