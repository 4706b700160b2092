import * as z from 'zod';
import { MAX_STATEMENTS, Statements } from './ask.ts';
import { ConfidenceLevel } from './confidence-level.ts';
import { jsonObject } from './json-object.ts';
import { KnowledgeFile } from './knowledge-file.ts';
import { statesLackOfInformation } from './lack-of-information.ts';

/** Function words, which say nothing about the evidence. */
const FUNCTION_WORDS =
  'a an the this that these those it its it’s i we you my our your me us is am are was were be been being do does did ' +
  'have has had will would can could should may might must and or but so because as of to in on at by for from with ' +
  'about than then there here what which who how all any some no not too also just only yes';

/** Words that express an opinion or repeat the level, and so justify nothing. */
const OPINION_WORDS =
  'seem seems seemed look looks sound sounds feel feels appear appears think believe guess suppose assume know hope ' +
  'right correct good fine ok okay great well true wrong bad likely unlikely probable probably possible possibly maybe ' +
  'perhaps sure certain certainly surely definitely obvious obviously clear clearly very quite really pretty rather ' +
  'fairly totally absolutely highly high medium low level confidence confident uncertain unsure answer response reply ' +
  'reason me enough';

const FILLER = new Set(`${FUNCTION_WORDS} ${OPINION_WORDS}`.split(' '));

/** Minimum characters of a reason. */
export const REASON_MIN_LENGTH = 10;

/**
 * Whether a confidence reason explains the confidence instead of repeating it ("Seems right" is too vague). Without function words and
 * opinion words, at least two different words must remain: those name the evidence. In scripts without spaces each character counts as a
 * word.
 */
export function isMeaningfulReason(reason: string): boolean {
  const words =
    reason
      .toLowerCase()
      .match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}’'_]+/gu) ?? [];
  return new Set(words.filter((word) => !FILLER.has(word))).size >= 2;
}

/** The exact words of an article that support a statement. */
export const Excerpt = z
  .object({
    /** `article.text.slice(start, end)`, exactly. */
    quote: z.string().min(1, 'is empty').max(16_000),
    /** UTF-16 units into the article's text, from 0. */
    start: z.int().min(0),
    end: z.int().min(0),
  })
  .superRefine(({ quote, start, end }, check) => {
    if (end - start === quote.length) return;
    check.addIssue({
      code: 'custom',
      path: ['end'],
      message: `is ${end}, but the quote starts at ${start} and has ${quote.length} characters`,
    });
  });
export type Excerpt = z.infer<typeof Excerpt>;

/** A source of a navigator's answer. */
export const NavigatorSource = z.object({
  file: KnowledgeFile,
  /** A heading of the file, or several joined by ` > `; the article's title where it has no headings. */
  section: z.string().regex(/\S/, 'is empty').max(500),
  /** Why this source answers the question, as text. */
  relevance: z.string().regex(/\S/, 'is empty').max(1000),
  /** The quoted words that support the answer, in article order. */
  excerpts: z.array(Excerpt).max(20).optional(),
  /** The edition that the excerpts come from. */
  edition: z.string().min(1).max(128).optional(),
});
export type NavigatorSource = z.infer<typeof NavigatorSource>;

const Component = z.number().min(0).max(1);

/** Components of the confidence, each from 0 to 1. */
export const ConfidenceComponents = z
  .object({
    /** Share of the question's informative words that the sources contain, rare words weighing more. */
    coverage: Component.optional(),
    /** How far independent sources agree. */
    agreement: Component.optional(),
    /** Lead of the best source over the next one that differs. */
    margin: Component.optional(),
    /** The probability that the answer is right, from which the level is derived. */
    probability: Component.optional(),
  })
  .catchall(Component)
  .refine((components) => Object.keys(components).length <= 32, 'has more than 32 members');
export type ConfidenceComponents = z.infer<typeof ConfidenceComponents>;

/** How the sources were found. */
export const SearchStrategy = z.object({
  /** The words that were searched for. */
  terms: z.array(z.string().max(200)).max(64),
  /** Words of the question that were corrected as typing mistakes. */
  corrections: z
    .array(z.object({ typed: z.string().max(200), read: z.string().max(200) }))
    .max(64)
    .optional(),
  /** Number of candidate passages. */
  candidates: z.int().min(0).optional(),
});
export type SearchStrategy = z.infer<typeof SearchStrategy>;

/** Another answer to the same question: another article says otherwise, or the question can be read in another way. */
export const AlternativeAnswer = z.object({
  /** `conflict`: a source contradicts the answer. `other_reading`: another article answers almost as probably. */
  kind: z.enum(['conflict', 'other_reading']),
  /** Markdown, in the exact words of its sources. */
  answer: z.string().regex(/\S/, 'is empty').max(4000),
  sources: z.array(NavigatorSource).min(1).max(5),
  confidence: ConfidenceLevel,
  /** Probability that it answers the question, 0 to 1; never above that of the answer. */
  probability: Component,
  /** Why it is given beside the answer. */
  reason: z.string().min(REASON_MIN_LENGTH).max(1000),
});
export type AlternativeAnswer = z.infer<typeof AlternativeAnswer>;

/** The most alternatives of one answer. */
export const MAX_ALTERNATIVES = 2;

/** One thing that the confidence rests on. */
export const ConfidenceFactor = z.object({
  /** `calibration` is the probability from which the others start. */
  name: z.enum([
    'calibration',
    'coverage',
    'parts',
    'support',
    'removed',
    'agreement',
    'conflict',
    'close_second',
    'other_device',
  ]),
  /** `limits`: the confidence is at most `low`. */
  effect: z.enum(['sets', 'raises', 'lowers', 'limits']),
  explanation: z.string().min(1).max(500),
});
export type ConfidenceFactor = z.infer<typeof ConfidenceFactor>;

/** How well an answer is founded, as measured when it was made. */
export const ResponseQuality = z.object({
  /** Number of statements with a source. */
  statements: z.int().min(0).max(MAX_STATEMENTS),
  /** Share of the written statements that passed the check; the others were removed. 1 for quotes. */
  supported: Component,
  /** Share of the statements, by length, that are word for word in a source. */
  quoted: Component,
  /** Number of different articles that are cited. */
  sources: z.int().min(0).max(50),
  /** What other articles say about the same. */
  agreement: z.enum(['agree', 'conflict', 'none']),
  /** Why the confidence is what it is, most important first. */
  factors: z.array(ConfidenceFactor).max(12),
});
export type ResponseQuality = z.infer<typeof ResponseQuality>;

/**
 * A navigator's grounded answer. The schema checks all that needs no knowledge base; the navigator itself verifies that cited files exist
 * and contain the quotes. Unknown members are dropped.
 */
export const NavigatorResponse = z
  .object({
    answer: z.string().regex(/\S/, 'is empty').max(32_000),
    /** Best first; empty only out of domain, or when the answer states that information is lacking. */
    sources: z.array(NavigatorSource).max(50),
    /** The answer in parts, each with its evidence; absent when there is no answer. */
    statements: Statements.optional(),
    confidence: ConfidenceLevel,
    confidenceReason: z
      .string()
      .min(REASON_MIN_LENGTH, `is shorter than ${REASON_MIN_LENGTH} characters`)
      .max(1000)
      .refine(isMeaningfulReason, 'is too vague: it does not say what the confidence rests on'),
    relatedTopics: z.array(z.string().regex(/\S/, 'is empty').max(200)).max(20).optional(),
    /** Whether the question is outside the domain of the knowledge base; `false` when only the answer is missing. */
    outOfDomain: z.boolean(),
    confidenceComponents: ConfidenceComponents.optional(),
    /** Best first; absent when none is worth it. */
    alternatives: z.array(AlternativeAnswer).max(MAX_ALTERNATIVES).optional(),
    /** Absent when there is no answer. */
    quality: ResponseQuality.optional(),
    searchStrategy: SearchStrategy.optional(),
    /** The edition of the knowledge base that was read, so that the answer can be reproduced. */
    edition: z.string().min(1).max(128).optional(),
    /** Calls of models and embedding services: which were used, what failed, and their usage. */
    metadata: jsonObject({ maxDepth: 4, maxLength: 4000 }).optional(),
  })
  .superRefine(({ answer, sources, outOfDomain }, check) => {
    const refuse = (message: string) =>
      check.addIssue({ code: 'custom', path: ['sources'], message });
    if (outOfDomain && sources.length > 0) refuse('is not empty, although outOfDomain is true');
    if (!outOfDomain && sources.length === 0 && !statesLackOfInformation(answer)) {
      refuse(
        'is empty, although outOfDomain is false and the answer does not state a lack of information',
      );
    }
  });
export type NavigatorResponse = z.infer<typeof NavigatorResponse>;

/** The most passages of an explanation. */
export const MAX_EXPLAINED = 20;

/** A passage that a search found, with what ranked it. */
export const ExplainedPassage = z.object({
  title: z.string().max(500),
  /** The article's id. */
  file: z.string().max(500),
  /** The heading above it; its article's title where it has none. */
  section: z.string().max(500),
  /** Score of its words (BM25F). */
  lexical: z.number(),
  /** `lexical` with further evidence of words, such as their order. */
  score: z.number(),
  /** Share of the question's informative words, 0 to 1. */
  coverage: z.number(),
  /** Cosine of its meaning with the question's; absent where none were compared. */
  similarity: z.number().optional(),
  /** Words and meaning together, by which passages are ranked; absent where no meanings were compared. */
  fused: z.number().optional(),
  /** Probability that it answers the question by itself, 0 to 1. */
  relevance: z.number().min(0).max(1),
  /**
   * `cited`: the answer quotes it; `same_article`: it quotes another passage of the article; `closest`: the article is named as close;
   * `other_device`: it is about another device than the question; `not_chosen`: others answer more probably.
   */
  outcome: z.enum(['cited', 'same_article', 'closest', 'other_device', 'not_chosen']),
});
export type ExplainedPassage = z.infer<typeof ExplainedPassage>;

/** `metadata.explain` of a Response: why the navigator chose its passages. Statements that it removed are under `metadata.removed`. */
export const Explanation = z.object({
  edition: z.string().max(128),
  /** How meanings took part: `late` and `failed` name why they did not. */
  semantic: z.enum(['used', 'absent', 'late', 'failed']),
  /** Probability that the answer answers, and the bounds that it was compared with. */
  probability: z.number().min(0).max(1),
  thresholds: z.object({
    /** Below it nothing is quoted. */
    declined_below: z.number(),
    /** From it on the answer is given without a doubt. */
    sure_from: z.number(),
  }),
  /** Passages that the search found in all. */
  found: z.int().min(0),
  /** Best first. */
  passages: z.array(ExplainedPassage).max(MAX_EXPLAINED),
});
export type Explanation = z.infer<typeof Explanation>;
