import * as z from 'zod';
import { ConfidenceLevel } from './confidence.ts';
import { isMeaningfulReason, REASON_MIN_LENGTH } from './confidence-reason.ts';
import { jsonObject } from './json-object.ts';
import { KnowledgeFile } from './knowledge-file.ts';
import { statesLackOfInformation } from './lack-of-information.ts';

/** The exact words of an article that a statement rests on (seed 004, Future Extensions: source excerpts). */
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

/** A source of a navigator's answer (seed 004, sources). */
export const NavigatorSource = z.object({
  file: KnowledgeFile,
  /** A heading of the file, or several joined by ` > `; the article's title where it has no headings. */
  section: z.string().regex(/\S/, 'is empty').max(500),
  /** Why this source answers the question. */
  relevance: z.string().regex(/\S/, 'is empty').max(1000),
  /** The words that the answer rests on, in the article's order. */
  excerpts: z.array(Excerpt).max(20).optional(),
  /** The edition that the excerpts are cut from. */
  edition: z.string().min(1).max(128).optional(),
});
export type NavigatorSource = z.infer<typeof NavigatorSource>;

const Component = z.number().min(0).max(1);

/** What the confidence is made of, each from 0 to 1 (seed 004, Future Extensions: confidence components). */
export const ConfidenceComponents = z
  .object({
    /** Share of the question's informative words that the sources contain, rare words weighing more. */
    coverage: Component.optional(),
    /** How far independent sources say the same. */
    agreement: Component.optional(),
    /** Lead of the best source over the next that says something else. */
    margin: Component.optional(),
    /** The probability that the answer is right, of which the word is the reading. */
    probability: Component.optional(),
  })
  .catchall(Component)
  .refine((components) => Object.keys(components).length <= 32, 'has more than 32 members');
export type ConfidenceComponents = z.infer<typeof ConfidenceComponents>;

/** How the sources were found (seed 004, Future Extensions: search strategy metadata). */
export const SearchStrategy = z.object({
  /** The words that were searched for. */
  terms: z.array(z.string().max(200)).max(64),
  /** Words of the question that were read as others, as typing mistakes. */
  corrections: z
    .array(z.object({ typed: z.string().max(200), read: z.string().max(200) }))
    .max(64)
    .optional(),
  /** Passages looked at. */
  candidates: z.int().min(0).optional(),
});
export type SearchStrategy = z.infer<typeof SearchStrategy>;

/**
 * A navigator's grounded answer (seed 004). Checked here is all that needs no knowledge base: whether cited files
 * exist and quotes occur in them is the navigator's to say. Unknown members are dropped.
 */
export const NavigatorResponse = z
  .object({
    answer: z.string().regex(/\S/, 'is empty').max(32_000),
    /** Best first; empty only out of domain, or when the answer states that information is lacking. */
    sources: z.array(NavigatorSource).max(50),
    confidence: ConfidenceLevel,
    confidenceReason: z
      .string()
      .min(REASON_MIN_LENGTH, `is shorter than ${REASON_MIN_LENGTH} characters`)
      .max(1000)
      .refine(isMeaningfulReason, 'is too vague: it does not say what the confidence rests on'),
    relatedTopics: z.array(z.string().regex(/\S/, 'is empty').max(200)).max(20).optional(),
    /** The question is about something that this knowledge base is not about; `false` when only the answer is missing. */
    outOfDomain: z.boolean(),
    confidenceComponents: ConfidenceComponents.optional(),
    searchStrategy: SearchStrategy.optional(),
    /** The edition of the knowledge base that was read, so that the answer can be reproduced (design, section 5). */
    edition: z.string().min(1).max(128).optional(),
    /** How the answer came about where a model or an embedding service was asked: who answered, what failed, what it took. */
    metadata: jsonObject({ maxDepth: 4, maxLength: 4000 }).optional(),
  })
  .superRefine(({ answer, sources, outOfDomain }, check) => {
    const refuse = (message: string) => check.addIssue({ code: 'custom', path: ['sources'], message });
    if (outOfDomain && sources.length > 0) refuse('is not empty, although outOfDomain is true');
    if (!outOfDomain && sources.length === 0 && !statesLackOfInformation(answer)) {
      refuse('is empty, although outOfDomain is false and the answer does not state a lack of information');
    }
  });
export type NavigatorResponse = z.infer<typeof NavigatorResponse>;
