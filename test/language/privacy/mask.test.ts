import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MASK_KINDS } from '../../../src/language/privacy/find-personal-data.ts';
import { createMask } from '../../../src/language/privacy/mask.ts';
import { readMaskKinds } from '../../../src/language/privacy/mask-settings.ts';
import { SettingRefused } from '../../../src/platform/settings/settings.ts';
import fragments from './fragments.json' with { type: 'json' };
import keptSentences from './kept-sentences.json' with { type: 'json' };
import maskedSentences from './masked-sentences.json' with { type: 'json' };

const { mask } = createMask(MASK_KINDS);
/** Sentences without personal data, which stay unchanged. */
const KEPT = Object.values(keptSentences).flat();
/** Sentences with personal data, and their masked form. All people, numbers and keys are invented. */
const MASKED = Object.values(maskedSentences).flat();

describe('createMask()', () => {
  it('weighs less than 5.5 KiB in a function', async () => {
    const { outputFiles } = await build({
      entryPoints: ['src/language/privacy/mask.ts'],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2024',
    });
    expect(gzipSync(outputFiles?.[0]?.contents ?? '').byteLength).toBeLessThan(5.5 * 1024);
  });
  it.each(MASKED)('masks $text', ({ text, masked }) => expect(mask(text)).toBe(masked));
  it.each(KEPT)('leaves %j unchanged', (text) => expect(mask(text)).toBe(text));
  it('is tried with at least 120 sentences of either set', () => {
    expect(Math.min(MASKED.length, KEPT.length)).toBeGreaterThanOrEqual(120);
  });
  it('masks only the configured kinds', () => {
    const text =
      'jane@example.com, +49 30 1234567, 4111 1111 1111 1111, 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa, password: hunter2';
    expect(createMask(['email']).mask(text)).toBe(text.replace('jane@example.com', '[email]'));
    expect(createMask(['wallet', 'card']).mask(text)).toBe(
      'jane@example.com, +49 30 1234567, [card], [wallet], password: hunter2',
    );
    expect(createMask([]).mask(text)).toBe(text);
  });
  it('masks a wallet address that is a password as a key', () => {
    expect(mask('password: 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).toBe('password: [key]');
  });
  it('masks forwarded messages with any line ends and quote marks', () => {
    const lines = [
      'Hello,',
      'my card is 4111 1111',
      '1111 1111 and I am',
      'jane@example.com',
      'or +49 30',
      '1234567',
    ];
    for (const between of ['\n', '\r\n', '\n> ', '\r\n>> ', '\r']) {
      const first = between.replace(/[\r\n]/g, '');
      const masked = mask(first + lines.join(between));
      expect(masked).toBe(
        first + ['Hello,', 'my card is [card] and I am', '[email]', 'or [phone]'].join(between),
      );
    }
  });
  const fragment = fc.oneof(
    fc.constantFrom(...MASKED.map(({ text }) => text), ...KEPT),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(...fragments),
  );
  const hostile = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(''));
  it('is idempotent', () => {
    fc.assert(
      fc.property(hostile, (text) => mask(mask(text)) === mask(text)),
      { numRuns: 1000 },
    );
  });
  it('keeps characters whole, and unmasked text unchanged', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const wellFormed = text.toWellFormed();
        const masked = mask(wellFormed);
        expect(masked.isWellFormed()).toBe(true);
        let at = 0;
        for (const kept of masked.split(/\[(?:email|phone|card|wallet|key)\]/)) {
          const found = wellFormed.indexOf(kept, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + kept.length;
        }
      }),
      { numRuns: 700 },
    );
  });
});

describe('readMaskKinds()', () => {
  it.each([
    ['no variable', undefined, MASK_KINDS],
    ['an empty variable', ' ', MASK_KINDS],
    ['separators alone', ' , ,', MASK_KINDS],
    ['a list, in any case and order', 'Phone, email', ['email', 'phone']],
    ['none', 'none', []],
  ])('reads %s', (_, variable, kinds) =>
    expect(readMaskKinds({ PRIVACY_MASK: variable })).toEqual(kinds),
  );
  it.each(['emails', 'email,none', 'email;phone', 'key,xyz'])('refuses %s', (variable) => {
    expect(() => readMaskKinds({ PRIVACY_MASK: variable })).toThrow(SettingRefused);
  });
});
