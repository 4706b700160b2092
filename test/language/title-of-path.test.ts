import { expect, it } from 'vitest';
import { titleOfPath } from '../../src/language/title-of-path.ts';

it.each([
  ['guides/set-up_ssl.md', 'Set up ssl'],
  ['troubleshooting/debug-reset_pw.de.md', 'Debug reset pw'],
  ['start.pt-BR.mdx', 'Start'],
  ['release-1.2.md', 'Release 1.2'],
  ['api.v2.md', 'Api.v2'],
  ['manual.asciidoc', 'Manual'],
  ['.de.md', '.de'],
  ['2026/07.md', '2026/07.md'],
  ['users/07_Frequently-asked.md', 'Frequently asked'],
  ['12_months_warranty.md', '12 months warranty'],
])('makes a title of the path %s', (path, title) => {
  expect(titleOfPath(path)).toBe(title);
});
