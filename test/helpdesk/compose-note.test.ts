import { describe, expect, it } from 'vitest';
import type { SupportResponse } from '../../src/contract/support-response.ts';
import { composeNote, newMarker } from '../../src/helpdesk/compose-note.ts';

const marker = 'cnote0123456789abcdef0123';

const response = (more: Partial<SupportResponse> = {}): SupportResponse => ({
  intent_classification: {
    ...{ primary_intent: 'not_hashing', confidence: 0.92 },
    secondary_intents: [{ intent: 'slow_hashrate', confidence: 0.05 }],
  },
  draft: {
    text: 'Hello Dana,\n\nPlease check the pool.',
    markdown: 'Hello Dana,\n\n1. Please check the **pool**.',
    references: [{ title: 'Apollo not hashing', url: 'https://kb.example.com/not-hashing' }],
    auto_send: false,
  },
  knowledge_retrieval: {
    sources_consulted: [
      {
        ...{ title: 'Apollo not hashing', url: 'https://kb.example.com/not-hashing', relevance_score: 0.89 },
        ...{ excerpt: 'First check the pool.', last_updated: '2024-12-15T10:00:00Z' },
      },
    ],
    ...{ coverage: 'high' as const, gaps: ['No article about Apollo IV'], retrieval_time_ms: 9 },
  },
  agent_guidance: {
    summary: 'The customer has 0 H/s.',
    recommended_steps: [{ step: 'Ask for the log', title: 'Logs', url: 'https://kb.example.com/logs' }],
    missing_information: ['Which pool do you use?'],
    risks: ['The customer mentions smoke.'],
    escalation: { needed: true, to: 'safety', reasons: ['Smoke is mentioned.'] },
    auto_send: { allowed: false, reasons: ['A safety risk is named.'] },
  },
  ...more,
});

describe('composeNote()', () => {
  it('shows everything an agent needs, the most important first', () => {
    expect(composeNote(response(), { marker }).note.text).toBe(
      [
        'The customer has 0 H/s. Or: slow_hashrate 5 %.',
        'Not to be sent without a person: A safety risk is named.',
        'Escalate to safety',
        '- Smoke is mentioned.',
        'Before sending',
        '- The customer mentions smoke.',
        'Draft reply',
        '> Hello Dana,\n>\n> 1. Please check the pool.',
        'The draft quotes',
        '1. Apollo not hashing (https://kb.example.com/not-hashing), 89 %',
        'Ask the customer',
        '- Which pool do you use?',
        'Missing in the knowledge base',
        '- No article about Apollo IV',
        `Constellation · ${marker}`,
      ].join('\n\n'),
    );
  });
  it('lists the closest articles when the draft quotes none, and links only public URLs', () => {
    const closest = [
      { title: 'Fans', url: 'https://kb.example.com/fans', relevance_score: 0.55 },
      { title: 'LED', url: 'http://127.0.0.1:8787/api/kb/text/led.md', relevance_score: 0.2 },
    ];
    const guidance = { ...response().agent_guidance, closest_articles: closest };
    const draft = { text: 'Hello.', references: [], auto_send: false };
    const { note } = composeNote(response({ draft, agent_guidance: guidance }), { marker });
    expect(note.text).toContain(
      'Closest articles, not quoted\n\n1. Fans (https://kb.example.com/fans), 55 %\n2. LED, 20 %',
    );
    expect(note.text).not.toMatch(/The draft quotes|127\.0\.0\.1/);
  });
  it('omits questions that the draft asks already', () => {
    const draft = { text: 'Hello.\n\n- Which pool do you use?', auto_send: false };
    expect(composeNote(response({ draft }), { marker }).note.text).not.toContain('Ask the customer');
  });
  it('has its marker in the last line of every format', () => {
    const { note } = composeNote(response(), { marker });
    for (const form of [note.markdown, note.text, note.html]) expect(form.split('\n').at(-1)).toContain(marker);
    expect(note.marker).toBe(marker);
  });
  it('returns the draft unchanged, in all formats', () => {
    expect(composeNote(response(), { marker }).draft).toEqual({
      text: 'Hello Dana,\n\nPlease check the pool.',
      markdown: 'Hello Dana,\n\n1. Please check the **pool**.',
      html: '<p>Hello Dana,</p>\n<ol>\n<li>Please check the <strong>pool</strong>.</li>\n</ol>',
    });
    const { draft } = composeNote(response({ draft: { text: 'Use *this*.', html: '<p>x</p>', auto_send: true } }), {
      marker,
    });
    expect(draft).toEqual({ text: 'Use *this*.', markdown: 'Use \\*this\\*.', html: '<p>x</p>' });
  });
  it('escapes hostile text', () => {
    const hostile = '<img src=x onerror=alert(1)> [click](javascript:alert(1)) **bold** @everyone';
    const { note } = composeNote(
      response({
        draft: { text: hostile, auto_send: false },
        knowledge_retrieval: {
          sources_consulted: [
            {
              ...{ title: hostile, url: 'javascript:alert(1)', relevance_score: 0.8 },
              ...{ excerpt: hostile, last_updated: '2024-12-15T10:00:00Z' },
            },
          ],
          ...{ coverage: 'medium', gaps: [hostile], retrieval_time_ms: 1 },
        },
      }),
      { marker },
    );
    expect(note.html).not.toMatch(/<img|href="javascript|<strong>bold/);
    // Between the two stands what keeps `<!channel>` from calling anybody.
    expect(note.html.replaceAll('\u200b', '')).toContain('&lt;img');
    expect(note.markdown).not.toMatch(/[^\\]\]\(javascript/);
  });
  it('loads no image and notifies no one when a tool renders the Markdown itself', () => {
    const markdown =
      'See ![fan](https://evil.example/t.png?agent) and [@Ada](mention://user/1/Ada), [@a](MENTION://team/2/a).';
    const { note } = composeNote(response({ draft: { text: 'See', markdown, auto_send: false } }), { marker });
    expect(note.markdown).not.toContain('shortened');
    expect(note.markdown).toContain('[fan](https://evil.example/t.png?agent)');
    expect(note.markdown).not.toMatch(/!\[|mention:\/\//i);
    expect(note.html).not.toMatch(/<img|mention:\/\//i);
  });
  it('does not let a URL end its link', () => {
    const url = 'https://kb.example.com/a)[x](https://evil.example';
    const draft = { text: 'Hello.', references: [{ title: 'Here', url }], auto_send: false };
    const { note } = composeNote(response({ draft }), { marker });
    expect(note.html).not.toContain('href="https://evil.example');
  });
  it('stays below 60,000 bytes whatever it is given', () => {
    const long = (count: number) => 'ß🙂漢'.repeat(count);
    const { note } = composeNote(
      response({
        draft: { text: long(8000), markdown: long(12_000), auto_send: false },
        agent_guidance: {
          recommended_steps: Array.from({ length: 20 }, () => ({
            step: long(250),
            title: long(50),
            url: 'https://kb.example.com/x',
          })),
          missing_information: Array(20).fill(long(250)),
          risks: Array(20).fill(long(250)),
          escalation: { needed: true, to: long(50), reasons: Array(20).fill(long(250)) },
          auto_send: { allowed: false, reasons: Array(20).fill(long(250)) },
        },
      }),
      { marker },
    );
    for (const form of [note.markdown, note.text, note.html]) {
      expect(new TextEncoder().encode(form).length).toBeLessThanOrEqual(60_000);
      expect(form.split('\n').at(-1)).toContain(marker);
    }
    expect(note.text).toContain('Draft reply, shortened');
  });
  it('says when there is no draft', () => {
    expect(composeNote(response({ draft: { text: '', auto_send: false } }), { marker }).note.text).toContain(
      'There is none.',
    );
  });
});

describe('newMarker()', () => {
  it('differs each time, and consists of letters and digits', () => {
    expect(newMarker()).not.toBe(newMarker());
    expect(newMarker()).toMatch(/^[a-z0-9]{12,40}$/);
  });
});
