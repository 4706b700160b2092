import { expect, it } from 'vitest';
import {
  packageOfFile,
  productionPackages,
  thirdPartyNotices,
} from '../../../tools/packages/third-party.ts';

it.each([
  ['node_modules/zod/v4/core.js', 'node_modules/zod'],
  ['node_modules/@noble/hashes/hmac.js', 'node_modules/@noble/hashes'],
  ['node_modules/parse5/node_modules/entities/a.js', 'node_modules/parse5/node_modules/entities'],
  ['src/contract/index.ts', undefined],
])('the package of %s is %s', (file, folder) => {
  expect(packageOfFile(file)).toBe(folder);
});

it('states each package once, with its version and the text of its licence', () => {
  const notices = thirdPartyNotices(['node_modules/zod', 'node_modules/hono', 'node_modules/zod']);
  expect(notices.match(/^(?:zod|hono) \d.*$/gm)).toEqual([
    expect.stringMatching(/^hono \d+\.\d+\.\d+: MIT$/),
    expect.stringMatching(/^zod \d+\.\d+\.\d+: MIT$/),
  ]);
  expect(notices.match(/Permission is hereby granted, free of charge/g)).toHaveLength(2);
});

it('knows what functions are made of, and leaves out what only builds and tests', () => {
  const packages = productionPackages();
  expect(packages).toEqual(expect.arrayContaining(['node_modules/hono', 'node_modules/zod']));
  expect(packages).not.toContain('node_modules/vitest');
});
