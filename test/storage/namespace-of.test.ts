import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNamespace, namespaceOf } from '../../src/storage/upstash-vector-index.ts';

const kinds = fc.stringMatching(/^[a-z]{1,16}$/);
const workspaces = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
  // Alike, long, and full of the marks that namespaces are put together with.
  fc.stringMatching(/^a[_-]{0,3}[ab]{50,58}[_-]{0,2}$/),
  fc.constantFrom('a', 'a_b', 'b', 'memory_a', '0', 'a-b'),
);

describe('namespaceOf()', () => {
  it('gives every kind and workspace a namespace of its own', () => {
    const property = fc.property(kinds, workspaces, kinds, workspaces, (kind, workspace, otherKind, other) => {
      const isSame = kind === otherKind && workspace === other;
      expect(namespaceOf(kind, workspace) === namespaceOf(otherKind, other)).toBe(isSame);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('gives different namespaces to workspaces that a long one could be mistaken for', () => {
    const long = namespaceOf('memory', 'x'.repeat(64));
    const lookalikes = [long.replace(/^memory-/, ''), long.replace(/^memory-/, '-'), long].filter((each) =>
      /^[A-Za-z0-9]/.test(each),
    );
    for (const each of lookalikes) expect(namespaceOf('memory', each)).not.toBe(long);
  });

  it('stays within the letters and the length that a namespace may have', () => {
    const property = fc.property(kinds, workspaces, (kind, workspace) => {
      expect(isNamespace(namespaceOf(kind, workspace))).toBe(true);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('keeps a short workspace readable', () => {
    expect(namespaceOf('memory', 'acme')).toBe('memory_acme');
  });

  it.each([
    ['', 'a'],
    ['Memory', 'a'],
    ['memory_', 'a'],
    ['memory', ''],
    ['memory', '-a'],
    ['memory', 'a/b'],
    ['memory', 'a'.repeat(65)],
    ['memory', 'a\n'],
  ])('refuses %j, %j', (kind, workspace) => {
    expect(() => namespaceOf(kind, workspace)).toThrow(RangeError);
  });
});
