import { describe, expect, it } from 'vitest';
import { plainHeading } from '../../src/markup/plain-heading.ts';

describe('plainHeading()', () => {
  it.each([
    ['## Plain words ##', 'Plain words'],
    ['# C# and F#', 'C# and F#'],
    ['Two\nlines *here*\n---', 'Two lines here'],
    ['##', ''],
    ['# **Set** _up_ ***all*** `a *b*`', 'Set up all a *b*'],
    ['# [The *way*](https://x.example/a_b_c "t") in', 'The way in'],
    ['# ![Logo](x.png) [![Badge](y)](z) Name', 'Logo Badge Name'],
    ['# a <b>c</b> <!-- d --> <https://x.example/e>', 'a c https://x.example/e'],
    ['# \\*not\\* &lt;b&gt; &amp; &#65;', '*not* <b> & A'],
    ['# snake_case_name 2 * 3 * 4 [brackets]', 'snake_case_name 2 * 3 * 4 [brackets]'],
    ['# ``a ` b`` `unclosed', 'a ` b `unclosed'],
    ['# \ue000 *kept*', '\ue000 kept'],
  ])('reads %s', (source, words) => {
    expect(plainHeading(source)).toBe(words);
  });

  it.each(['[', '*', '_a', '`', '<a ', '\\', '&amp', '![a]('])('takes a heading full of %s in bounded time', (part) => {
    const before = process.cpuUsage();
    plainHeading(`# ${part.repeat(100_000)}`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});
