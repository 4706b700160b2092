import { describeIssues, issuesOf } from '../../contract/core/error-info.ts';
import {
  ContextTemplate,
  type RankerWeights,
  type RankingFunction,
} from '../../contract/wire/context-engine.ts';
import type { SearchResult } from '../../contract/wire/memory.ts';
import { InvalidContextConfiguration, templateNotFound, validationFailure } from './errors.ts';
import { DEFAULT_RANKINGS, type Ranking } from './ranker.ts';

/** The templates and rankers of one engine, by name. */
export interface Registry {
  /** Replaces a template of the same name. @throws {InvalidContextConfiguration} */
  addTemplate(name: string, template: ContextTemplate): void;
  addRanker(name: string, ranker: RankingFunction): void;
  /** @throws {ContextFailure} `template_not_found`, with the registered names. */
  template(
    template: string | ContextTemplate,
    includeMetadata: boolean | undefined,
  ): ContextTemplate;
  /** @throws {ContextFailure} `validation_error`, with the registered names. */
  ranking(ranker: string | RankingFunction | RankerWeights): Ranking;
}

const MAX_NAMES = 100;

/**
 * The built-in templates and rankers, to which others can be added.
 *
 * @example
 * import type { RankingFunction } from '@constellation/contract';
 *
 * const asStored: RankingFunction = (results) => results;
 * const names = registry();
 * names.addRanker('as-stored', asStored);
 */
export function registry(): Registry {
  const templates = new Map<string, ContextTemplate>(Object.entries(DEFAULT_TEMPLATES));
  const rankings = new Map<string, Ranking>(Object.entries(DEFAULT_RANKINGS));

  return {
    addTemplate: (name, template) => {
      const checked = checkedTemplate(name, template);
      add(templates, name, checked);
    },
    addRanker: (name, order) => {
      if (typeof name !== 'string' || name === '' || name.length > 64)
        throw new InvalidContextConfiguration(
          'Cannot register the ranker: name is not 1 to 64 characters',
        );
      if (typeof order !== 'function')
        throw new InvalidContextConfiguration(
          `Cannot register the ranker ${name}: it is no function`,
        );
      add(rankings, name, { order });
    },
    template: (name, includeMetadata) => {
      if (typeof name !== 'string') return withMetadata(name, includeMetadata);
      const template = templates.get(name);
      if (template === undefined) throw templateNotFound(name, [...templates.keys()]);
      return withMetadata(template, includeMetadata);
    },
    ranking: (ranker) => {
      if (typeof ranker === 'function') return { order: ranker };
      if (typeof ranker !== 'string') return { weights: ranker };
      const ranking = rankings.get(ranker);
      if (ranking !== undefined) return ranking;
      throw validationFailure(
        `options.ranker: is unknown; available are ${[...rankings.keys()].join(', ')}`,
      );
    },
  };
}

const add = <T>(named: Map<string, T>, name: string, item: T): void => {
  if (!named.has(name) && named.size >= MAX_NAMES)
    throw new InvalidContextConfiguration(
      `Cannot register ${name}: there are ${MAX_NAMES} names already`,
    );
  named.set(name, item);
};

/** The built-in templates. */
export const DEFAULT_TEMPLATES: Record<
  'chat' | 'detailed' | 'summary' | 'list' | 'dated',
  ContextTemplate
> = {
  chat: {
    name: 'chat',
    header: 'Relevant context from past conversations:\n\n',
    memoryFormat: '- {{content}}',
    separator: '\n',
    footer: '\n',
    includeMetadata: false,
  },
  detailed: {
    name: 'detailed',
    header: 'Relevant memories:\n\n',
    memoryFormat: '[{{type}}] {{content}} (confidence: {{confidence}}, {{timestamp}})',
    separator: '\n\n',
    footer: '\n',
    includeMetadata: true,
  },
  summary: {
    name: 'summary',
    header: 'Key information:\n',
    memoryFormat: '{{content}}',
    separator: ' | ',
    footer: '',
    includeMetadata: false,
  },
  list: { name: 'list', memoryFormat: '{{content}}', separator: '\n', includeMetadata: false },
  dated: {
    name: 'dated',
    header: 'Known so far:\n\n',
    memoryFormat: '- {{timestamp}} {{type}}: {{content}}',
    separator: '\n',
    footer: '\n',
    includeMetadata: false,
  },
};

/** Returns a validated copy. @throws {InvalidContextConfiguration} */
export function checkedTemplate(name: string, template: ContextTemplate): ContextTemplate {
  const parsed = ContextTemplate.safeParse({ ...template, name });
  if (parsed.success) return parsed.data;
  throw new InvalidContextConfiguration(
    `Cannot register the template: ${describeIssues(issuesOf(parsed.error))}`,
  );
}

const VARIABLE = /\{\{\s*(content|type|confidence|timestamp|score)\s*\}\}/g;
const METADATA = /\{\{\s*(?:type|confidence|timestamp)\s*\}\}/;
/** Text in brackets with metadata: `[{{type}}] `, ` (confidence: {{confidence}})`. */
const METADATA_IN_BRACKETS =
  /(?:^[ \t]*|[ \t]+|)(?:\[[^[\]]*\{\{\s*(?:type|confidence|timestamp)\s*\}\}[^[\]]*\]|\([^()]*\{\{\s*(?:type|confidence|timestamp)\s*\}\}[^()]*\))/g;
const ALL_METADATA = ' ({{type}}, confidence: {{confidence}}, {{timestamp}})';

/**
 * The template with or without metadata. When type, confidence and time are wanted and the format has none of them, they are appended in
 * brackets. When they are not wanted, they are removed with the brackets around them; undefined leaves the decision to the template.
 */
export function withMetadata(
  template: ContextTemplate,
  includeMetadata: boolean | undefined,
): ContextTemplate {
  const { memoryFormat } = template;
  const isWanted = includeMetadata ?? template.includeMetadata;
  if (isWanted)
    return METADATA.test(memoryFormat)
      ? template
      : { ...template, memoryFormat: memoryFormat + ALL_METADATA };
  // A template with `includeMetadata: false` may still name single fields.
  if (includeMetadata === undefined) return template;
  const without = memoryFormat
    .replace(METADATA_IN_BRACKETS, '')
    .replace(new RegExp(METADATA, 'g'), '')
    .trimStart();
  return {
    ...template,
    memoryFormat: without === '' ? '{{content}}' : without,
    includeMetadata: false,
  };
}

/**
 * Renders one memory. All variables are replaced at once, so that the content of a memory is never taken for a variable or a pattern. Numbers have two decimals, times are UTC to the second: `0.90`, `2024-01-15T10:00:00Z`.
 *
 * @param content Replaces the content of the memory.
 */
export function renderMemory(
  { memoryFormat }: ContextTemplate,
  { memory, score }: SearchResult,
  content = memory.content,
): string {
  return memoryFormat.replace(VARIABLE, (_variable, name: string) => {
    if (name === 'content') return content;
    if (name === 'type') return memory.type;
    if (name === 'timestamp') return timestampOf(memory.created_at);
    return (name === 'score' ? score : memory.confidence).toFixed(2);
  });
}

const timestampOf = (createdAt: string): string => {
  const time = new Date(createdAt);
  return Number.isNaN(time.getTime()) ? createdAt : time.toISOString().replace(/\.\d+Z$/, 'Z');
};
