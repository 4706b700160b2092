import { describe, expect, it } from 'vitest';
import { SupportResponse } from '../../../src/contract/wire/support-response.ts';
import { composeNote, newMarker } from '../../../src/support/tickets/compose-note.ts';
import response from '../tools/fixtures/support-response.json' with { type: 'json' };

const marker = 'cnote0123456789abcdef0123';
const RESPONSE = SupportResponse.parse(response);
type Changes = Partial<SupportResponse>;
const compose = (more: Changes = {}) => composeNote({ ...RESPONSE, ...more }, { marker });
const noteFor = (more?: Changes) => compose(more).note;
const draftOf = (text: string, more: Partial<SupportResponse['draft']> = {}): Changes => ({
  draft: { text, auto_send: false, ...more },
});

describe('composeNote()', () => {
  it('shows everything an agent needs, the most important first', () => {
    expect(noteFor().text.split('\n\n')).toEqual([
      'The customer has 0 H/s.',
      'Not to be sent without a person: A safety risk is named.',
      ...['Escalate to safety', '- Smoke is mentioned.'],
      ...['Before sending', '- The customer mentions smoke.'],
      ...['Draft reply', '> Hello Dana,\n>\n> 1. Please check the pool.'],
      ...['The draft quotes', '1. Apollo not hashing (https://kb.example.com/not-hashing), 89 %'],
      ...['Ask the customer', '- Which pool do you use?'],
      ...['Missing in the knowledge base', '- No article about Apollo IV'],
      `Constellation · ${marker}`,
    ]);
  });
  it('lists the closest articles when the draft quotes none, and links only public URLs', () => {
    const closest_articles = [
      { title: 'Fans', url: 'https://kb.example.com/fans', relevance_score: 0.55 },
      { title: 'LED', url: 'http://127.0.0.1:8787/api/kb/text/led.md', relevance_score: 0.2 },
    ];
    const agent_guidance = { ...RESPONSE.agent_guidance, closest_articles };
    const { text } = noteFor({ ...draftOf('Hello.', { references: [] }), agent_guidance });
    expect(text).toContain(
      'Closest articles, not quoted\n\n1. Fans (https://kb.example.com/fans), 55 %\n2. LED, 20 %',
    );
    expect(text).not.toMatch(/The draft quotes|127\.0\.0\.1/);
  });
  it('omits questions that the draft asks already, and says when there is no draft', () => {
    expect(noteFor(draftOf('Hello.\n\n- Which pool do you use?')).text).not.toContain(
      'Ask the customer',
    );
    expect(noteFor(draftOf('')).text).toContain('There is none.');
  });
  it('has its marker in the last line of every format', () => {
    const note = noteFor();
    for (const form of [note.markdown, note.text, note.html])
      expect(form.split('\n').at(-1)).toContain(marker);
    expect(note.marker).toBe(marker);
  });
  it('returns the draft unchanged, in all formats', () => {
    expect(compose().draft).toEqual({
      text: 'Hello Dana,\n\nPlease check the pool.',
      markdown: 'Hello Dana,\n\n1. Please check the **pool**.',
      html: '<p>Hello Dana,</p>\n<ol>\n<li>Please check the <strong>pool</strong>.</li>\n</ol>',
    });
    const own = compose(draftOf('Use *this*.', { html: '<p>x</p>' })).draft;
    expect(own).toEqual({ text: 'Use *this*.', markdown: 'Use \\*this\\*.', html: '<p>x</p>' });
  });
  it('escapes hostile text', () => {
    const hostile = '<img src=x onerror=alert(1)> [click](javascript:alert(1)) **bold** @everyone';
    const source = {
      title: hostile,
      url: 'javascript:alert(1)',
      relevance_score: 0.8,
      excerpt: hostile,
    };
    const found = {
      ...RESPONSE.knowledge_retrieval,
      sources_consulted: [{ ...source, last_updated: '2024-12-15T10:00:00Z' }],
      gaps: [hostile],
    };
    const note = noteFor({ ...draftOf(hostile), knowledge_retrieval: found });
    expect(note.html).not.toMatch(/<img|href="javascript|<strong>bold/);
    // A zero-width space after `<` keeps `<!channel>` from notifying people.
    expect(note.html.replaceAll('\u200b', '')).toContain('&lt;img');
    expect(note.markdown).not.toMatch(/[^\\]\]\(javascript/);
  });
  it('loads no image and notifies no one when a tool renders the Markdown itself', () => {
    const mentions = '[@Ada](mention://user/1/Ada), [@a](MENTION://team/2/a)';
    const markdown = `See ![fan](https://evil.example/t.png?agent) and ${mentions}.`;
    const note = noteFor(draftOf('See', { markdown }));
    expect(note.markdown).not.toMatch(/shortened|!\[|mention:\/\//i);
    expect(note.markdown).toContain('[fan](https://evil.example/t.png?agent)');
    expect(note.html).not.toMatch(/<img|mention:\/\//i);
  });
  it('does not let a URL end its link', () => {
    const url = 'https://kb.example.com/a)[x](https://evil.example';
    const note = noteFor(draftOf('Hello.', { references: [{ title: 'Here', url }] }));
    expect(note.html).not.toContain('href="https://evil.example');
  });
  it('uses up to 60,000 bytes for its longest format, however long the draft is', () => {
    const sizes = Array.from({ length: 120 }, (_, at) => {
      const { markdown, text, html } = noteFor(draftOf('漢'.repeat(at * 250)));
      return Math.max(...[markdown, text, html].map((form) => Buffer.byteLength(form)));
    });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(60_000);
    expect(Math.max(...sizes)).toBeGreaterThan(59_000);
  });
  it('stays below 60,000 bytes whatever it is given', () => {
    const long = (count: number) => 'ß🙂漢'.repeat(count);
    const texts = Array<string>(20).fill(long(250));
    const step = { step: long(250), title: long(50), url: 'https://kb.example.com/x' };
    const note = noteFor({
      ...draftOf(long(8000), { markdown: long(12_000) }),
      agent_guidance: {
        recommended_steps: Array(20).fill(step),
        missing_information: texts,
        risks: texts,
        escalation: { needed: true, to: long(50), reasons: texts },
        auto_send: { allowed: false, reasons: texts },
      },
    });
    for (const form of [note.markdown, note.text, note.html]) {
      expect(new TextEncoder().encode(form).length).toBeLessThanOrEqual(60_000);
      expect(form.split('\n').at(-1)).toContain(marker);
    }
    expect(note.text).toContain('Draft reply, shortened');
  });
});

it('newMarker() differs each time, and consists of letters and digits', () => {
  expect(newMarker()).not.toBe(newMarker());
  expect(newMarker()).toMatch(/^[a-z0-9]{12,40}$/);
});
