import { describe, expect, it } from 'vitest';
import type { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { type CitableKnowledge, validateNavigatorResponse } from '../../src/navigator/validate-navigator-response.ts';

const ROLLBACK = `Deployments can be rolled back.

## Quick Rollback

To rollback a deployment, use \`kubectl rollout undo deployment/<name>\`. This will revert to the previous revision. It takes about 30 seconds.

The command does not touch the database. See https://k8s.example/rollout and /etc/kubernetes/admin.conf.

## Access

Attach the policy arn:aws:iam::123456789012:policy/Rollback and set MAX_SURGE=2 with --to-revision=3.
`;
const LIMITS = `## Rate Limiting

The API has rate limiting per client.`;

const ARTICLES: Record<string, { title: string; text: string }> = {
  'troubleshooting/rollback-procedures.md': { title: 'Rollback procedures', text: ROLLBACK },
  'reference/api-spec.md': { title: 'API', text: LIMITS },
};
const knowledge: CitableKnowledge = {
  article: (id) => (ARTICLES[id] ? { id, ...ARTICLES[id] } : undefined),
  edition: 'e1',
};

const FILE = 'troubleshooting/rollback-procedures.md';
const QUOTE = 'This will revert to the previous revision.';
const source = (over: Partial<NavigatorResponse['sources'][number]> = {}): NavigatorResponse['sources'][number] => ({
  file: FILE,
  section: 'Quick Rollback',
  relevance: 'Contains the exact kubectl command and rollback process',
  excerpts: [{ quote: QUOTE, start: ROLLBACK.indexOf(QUOTE), end: ROLLBACK.indexOf(QUOTE) + QUOTE.length }],
  edition: 'e1',
  ...over,
});
const response = (over: Partial<NavigatorResponse> = {}): NavigatorResponse => ({
  answer: `To rollback a deployment, use 'kubectl rollout undo deployment/<name>' as documented in ${FILE}. ${QUOTE}`,
  sources: [source()],
  confidence: 'high',
  confidenceReason: 'Direct answer found with exact command syntax in one authoritative source',
  relatedTopics: [],
  outOfDomain: false,
  ...over,
});
const rulesBroken = (broken: NavigatorResponse, options?: { query?: string; vouched?: string }) =>
  validateNavigatorResponse(broken, knowledge, options).map(({ rule }) => rule);
const saying = (sentence: string) => response({ answer: `${QUOTE} ${sentence} (${FILE}, Quick Rollback)` });
const lacking = (answer: string, over: Partial<NavigatorResponse> = {}) => response({ answer, sources: [], ...over });

describe('validateNavigatorResponse()', () => {
  it('accepts the full answer of the navigator contract', () => {
    expect(validateNavigatorResponse(response(), knowledge)).toEqual([]);
  });

  it('accepts the declinations of the navigator contract', () => {
    const silent = lacking("I don't have information about database migration procedures in my knowledge base.");
    const foreign = lacking('This question is about AWS IAM policies, which is outside my domain.', {
      outOfDomain: true,
    });
    expect(validateNavigatorResponse(silent, knowledge)).toEqual([]);
    expect(validateNavigatorResponse(foreign, knowledge)).toEqual([]);
  });

  it('accepts an answer that also states what it lacks', () => {
    const answer =
      "The API has rate limiting per client (reference/api-spec.md, Rate Limiting). I don't have detailed documentation on this.";
    const sources = [
      { file: 'reference/api-spec.md', section: 'Rate Limiting', relevance: 'Mentions that rate limiting exists' },
    ];
    expect(validateNavigatorResponse(response({ answer, sources }), knowledge)).toEqual([]);
  });

  it('accepts a warning about the answer, but no claim in the same sentence', () => {
    const doubting = (sentence: string) => response({ answer: `${sentence}\n\n${QUOTE} (${FILE}, Quick Rollback)` });
    expect(rulesBroken(doubting("I'm not sure that this answers the question. The closest passage:"))).toEqual([]);
    expect(
      rulesBroken(doubting("I'm not sure that this answers the question about draining nodes without eviction.")),
    ).toEqual(['sentence-supported']);
  });

  const BREACHES: [string, string, NavigatorResponse][] = [
    [
      'file-exists',
      'a cited file that does not exist',
      response({ sources: [source(), { ...source(), file: 'deployment/rollback.md', excerpts: [] }] }),
    ],
    [
      'section-exists',
      'a section that is no heading of its file',
      response({ sources: [source({ section: 'Slow Rollback' })] }),
    ],
    ['section-exists', 'a heading of another file', response({ sources: [source({ section: 'Rate Limiting' })] })],
    [
      'quote-in-source',
      'a quote one character off its place',
      response({ sources: [source({ excerpts: [{ quote: QUOTE, start: 10, end: 10 + QUOTE.length }] })] }),
    ],
    ['edition-named', 'an edition that is not the one checked', response({ sources: [source({ edition: 'e0' })] })],
    [
      'url-in-source',
      'a made-up URL',
      saying('See https://k8s.example/undo for the previous revision of a deployment.'),
    ],
    ['arn-in-source', 'a made-up ARN', saying('Attach the policy arn:aws:iam::999999999999:policy/Rollback.')],
    [
      'code-in-source',
      'a made-up command in a code span',
      saying('Revert a deployment with `kubectl rollout revert deployment/<name>`.'),
    ],
    [
      'code-in-source',
      'a made-up line of a code block',
      response({
        answer: `${QUOTE} (${FILE}, Quick Rollback)\n\n\`\`\`sh\nkubectl rollout undo deployment/<name>\nkubectl delete pods\n\`\`\``,
      }),
    ],
    [
      'command-in-source',
      'a made-up command in quotes',
      saying("To revert a deployment use 'kubectl rollout restart deployment/web'."),
    ],
    [
      'command-in-source',
      'a made-up command in running text',
      saying('To revert a deployment run kubectl revert and use the previous revision.'),
    ],
    [
      'path-in-source',
      'a made-up path',
      saying('To rollback a deployment and revert to the previous revision, use /etc/kubernetes/undo.conf.'),
    ],
    [
      'path-in-source',
      'a file that is not cited',
      saying('To rollback a deployment and revert to the previous revision, use reference/api-spec.md.'),
    ],
    ['identifier-in-source', 'a made-up setting', saying('To rollback a deployment set MAX_UNAVAILABLE.')],
    ['identifier-in-source', 'a made-up option', saying('To rollback a deployment use --to-version.')],
    ['identifier-in-source', 'a made-up code', saying('The deployment will revert with E42.')],
    ['number-in-source', 'another number', saying('It takes about 45 seconds.')],
    [
      'sentence-supported',
      'a sentence that no source says',
      saying('Administrators should always inform their colleagues beforehand by telephone.'),
    ],
    ['not-contradicted', 'a sentence that denies its source', saying('The command does touch the database.')],
    [
      'source-supports-answer',
      'a source that the answer does not rest on',
      response({
        sources: [source(), { file: 'reference/api-spec.md', section: 'Rate Limiting', relevance: 'Speaks of limits' }],
      }),
    ],
    ['cited-inline', 'an answer that names no source', response({ answer: QUOTE })],
    ['reason-meaningful', 'a reason that names no evidence', response({ confidenceReason: 'Seems right to me' })],
    ['sources-or-lack', 'an answer without sources', lacking('This will revert to the previous revision.')],
    ['out-of-domain-empty', 'sources out of domain', response({ outOfDomain: true })],
    [
      'command-in-source',
      'a command in a silence',
      lacking("I don't have information about this, but you can run kubectl drain yourself."),
    ],
  ];
  it.each(BREACHES)('finds by %s %s', (rule, _what, broken) => {
    expect(rulesBroken(broken)).toEqual([rule]);
  });

  it('lets a declination repeat words of the question and the domain', () => {
    const silent = lacking(
      'I don\'t have information about "How do I set HTTP_PROXY in proxy.conf?". My knowledge base is about v2 devices.',
    );
    expect(rulesBroken(silent)).toEqual(['path-in-source', 'identifier-in-source', 'identifier-in-source']);
    expect(rulesBroken(silent, { query: 'How do I set HTTP_PROXY in proxy.conf?', vouched: 'v2' })).toEqual([]);
  });

  it('names the offending words', () => {
    const [violation] = validateNavigatorResponse(saying('It takes about 45 seconds.'), knowledge);
    expect(violation?.message).toBe('The cited sources do not have number "45 seconds"');
  });

  it('reads escaped HTML as its text', () => {
    const text = 'Set <b>mode</b> to eco before you restart the device.';
    const html: CitableKnowledge = { article: (id) => ({ id, title: 'Modes', text }) };
    const answer = 'Set \\<b>mode\\</b> to eco before you restart the device. (modes.md, Modes)';
    const cited = response({
      answer,
      sources: [
        {
          file: 'modes.md',
          section: 'Modes',
          relevance: 'Holds it',
          excerpts: [{ quote: text, start: 0, end: text.length }],
        },
      ],
    });
    expect(validateNavigatorResponse(cited, html)).toEqual([]);
  });
});
