import { describe, expect, it } from 'vitest';
import {
  isMeaningfulReason,
  LACK_IN_LANGUAGE,
  NavigatorResponse,
  statesLackOfInformation,
} from '../../src/contract/navigator-response.ts';
import examples from './examples/navigator-response.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

const ANSWER = examples.responses['an answer with all extensions'];

describe('NavigatorResponse', () => {
  itTakes(NavigatorResponse, examples.responses);
  itRefuses(NavigatorResponse, ANSWER, [
    ['a blank answer', 'answer', ' ', /empty/],
    ['a statement without sources', 'sources', [], /does not state a lack/],
    ['sources out of domain', 'outOfDomain', true, /although outOfDomain is true/, 'sources'],
    ['an absolute file', 'sources.0.file', '/etc/passwd', /slash/],
    ['a file above the root', 'sources.0.file', 'a/../../b.md', /\.\. part/],
    ['a file with a backslash', 'sources.0.file', 'a\\b.md', /backslash/],
    ['a file that is a URL', 'sources.0.file', 'https://x.y/a.md', /scheme/],
    ['a file with an empty part', 'sources.0.file', 'a//b.md', /empty/],
    ['a file with a line break', 'sources.0.file', 'a\nb.md', /control/],
    ['a file with white space around', 'sources.0.file', ' a.md', /white space/],
    ['a blank section', 'sources.0.section', '', /empty/],
    ['a blank relevance', 'sources.0.relevance', ' ', /empty/],
    [
      'a quote that is not as long as its place',
      'sources.0.excerpts.0.end',
      136,
      /is 136, but .* starts at 120 and has 15/,
    ],
    [
      'an offset below 0',
      'sources.0.excerpts.0',
      { quote: 'Hold', start: -1, end: 3 },
      />=0/,
      'sources.0.excerpts.0.start',
    ],
    ['an empty quote', 'sources.0.excerpts.0', { quote: '', start: 4, end: 4 }, /empty/, 'sources.0.excerpts.0.quote'],
    ['a vague reason', 'confidenceReason', 'Seems right', /vague/],
    [
      '33 components',
      'confidenceComponents',
      Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`c${index}`, 0])),
      /more than 32/,
    ],
    ['a blank related topic', 'relatedTopics', [''], /empty/, 'relatedTopics.0'],
    ['a component above 1', 'confidenceComponents.freshness', 2, /<=1/],
  ]);

  it('refuses a reason of nine characters for its length', () => {
    const issues = NavigatorResponse.safeParse({ ...ANSWER, confidenceReason: 'Two files' }).error?.issues;
    expect(issues?.map(({ path, message }) => [path, message])).toEqual([
      [['confidenceReason'], 'is shorter than 10 characters'],
    ]);
  });

  it('accepts an answer without sources that states what is lacking', () => {
    const answer = { ...ANSWER, answer: 'I don’t have information about that.', sources: [] };
    expect(NavigatorResponse.safeParse(answer).success).toBe(true);
  });
});

describe('isMeaningfulReason()', () => {
  it.each([
    ...examples.goodReasons,
    ...Object.values(examples.responses).map((r) => r.confidenceReason),
    '两个来源的内容一致',
  ])('accepts: %s', (reason) => {
    expect(isMeaningfulReason(reason)).toBe(true);
  });

  it.each([
    'Seems right',
    'I am very confident that this is the correct answer',
    'High confidence: it is obviously good',
    'It’s probably fine, I think',
    'confidence confidence confidence',
    '..........',
    '          ',
    'sources sources sources sources',
  ])('finds too vague: %s', (reason) => {
    expect(isMeaningfulReason(reason)).toBe(false);
  });
});

describe('statesLackOfInformation()', () => {
  it.each([
    "I don't have information about database migration procedures in my knowledge base.",
    'I don’t have information about that.',
    'I do not have any specific documentation on this.',
    "Rate limiting might exist, but I don't have detailed documentation on this.",
    'I have no information on that topic.',
    'I could not find anything about it.',
    'We found nothing that answers this.',
    'Nothing about solar power is written in my knowledge base.',
    'Solar power is not covered by the documentation.',
    'The documentation does not mention solar power.',
    'My knowledge base has nothing on solar power.',
    ...Object.values(LACK_IN_LANGUAGE),
  ])('recognises: %s', (answer) => {
    expect(statesLackOfInformation(answer)).toBe(true);
  });

  it.each([
    'Set the certificate_arn parameter.',
    'If you cannot find the cable, order a new one.',
    'You do not have information about the pool until the node is synced.',
    'Do not use the blue cable. The sources of heat are listed in the documentation.',
    'No, the fan is not loud.',
    '',
  ])('is not misled by: %s', (answer) => {
    expect(statesLackOfInformation(answer)).toBe(false);
  });
});
