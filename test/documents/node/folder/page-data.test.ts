import { expect, it } from 'vitest';
import { withPageData } from '../../../../src/documents/node/folder/fill-in.ts';

const page = (component: string): string =>
  [
    'export const Faq = {',
    '  first: [{ title: "Is it on?", content: `Press *the* key.`, icon: "mdi:key" }],',
    "  names: ['a b', `c d`],",
    '  count: [1, 2],',
    '};',
    '',
    component,
  ].join('\n');
const shown = (component: string): string =>
  withPageData(page(component)).split('\n').slice(6).join('\n');

it('shows what a page gives to a component: questions with answers, and lists', () => {
  expect(shown('<Rows rows={Faq.first} isOpen />')).toBe('**Is it on?**\n\nPress *the* key.');
  expect(shown('  <Rows of={Faq.names} />')).toBe('  - a b\n\n  - c d');
});
it.each([
  '<Rows rows={Faq.count} />',
  '<Rows rows={Faq} />',
  '<Rows rows={Other.first} />',
  '`<Rows rows={Faq.first} />`',
])('leaves %s as it is', (component) => {
  expect(shown(component)).toBe(component);
});
