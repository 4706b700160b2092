import { expect, it, vi } from 'vitest';
import { withLoops } from '../../../../src/documents/node/folder/liquid-loops.ts';

const site: Record<string, unknown> = {
  'site.data.plans': [{ name: 'Basic' }],
  'site.data.text': 'a',
};
const read = (text: string): string =>
  withLoops(text, { fields: {}, dataOf: (name) => site[name] });
const around = (body: string): string => `{% for plan in site.data.plans %}${body}{% endfor %}`;

it('shows members of the data, and none of the program', () => {
  const members =
    '{{ plan.name }}|{{ plan.constructor }}|{{ plan.constructor.name }}|{{ plan.__proto__ }}';
  expect(read(around(members))).toBe('Basic|||');
});
it.each(['{% include "/etc/hostname" %}', '{% render "../a" %}', '{% layout "a" %}'])(
  'leaves it to what reads parts of a folder: %s',
  (tag) => {
    expect(read(around(tag))).toBe(tag);
  },
);
it.each([
  ['many steps', '{% for i in (1..30000) %}{% for j in (1..30000) %}a{% endfor %}{% endfor %}'],
  ['a long list', '{% for i in (1..1000000000) %}a{% endfor %}'],
  [
    'a long text',
    '{% assign a = "aaaaaaaa" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}',
  ],
  [
    'long steps',
    `{% for i in (1..30000) %}{{ '' | ${'upcase | '.repeat(20_000)}upcase }}{% endfor %}`,
  ],
  ['deep loops', '{% for i in site.data.plans %}'.repeat(20_000) + '{% endfor %}'.repeat(20_000)],
])('leaves a loop as it is written that makes too much: %s', (_, body) => {
  expect(read(around(body))).toBe(around(body));
});
it.each(['{{ plan }}', '{{ site.data.plans }}', '{{ site.data }}'])(
  'leaves a loop as it is written that shows a mapping: %s',
  (value) => expect(read(around(value))).toBe(around(value)),
);
it('reads the same however busy the machine is', () => {
  let ms = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 1000));
  expect(read(around('{{ plan.name }}'))).toBe('Basic');
  clock.mockRestore();
});
it('spends no more on many loops than on one', () => {
  const slow = around(
    '{% for i in (1..30000) %}{% for j in (1..30000) %}a{% endfor %}{% endfor %}',
  );
  const text = `${slow.repeat(40)}${around('{{ plan.name }}')}`;
  expect(read(text)).toBe(text);
});
