import { ContextTemplate } from '../contract/context-engine.ts';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import type { SearchResult } from '../contract/memory.ts';
import { InvalidContextConfiguration } from './errors.ts';

/** The templates that every engine knows (seed 002, Context Templates). */
export const DEFAULT_TEMPLATES: Record<'chat' | 'detailed' | 'summary', ContextTemplate> = {
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
};

/** A checked copy. @throws {InvalidContextConfiguration} */
export const checkedTemplate = (name: string, template: ContextTemplate): ContextTemplate => {
  const parsed = ContextTemplate.safeParse({ ...template, name });
  if (parsed.success) return parsed.data;
  throw new InvalidContextConfiguration(`Cannot register the template: ${describeIssues(issuesOf(parsed.error))}`);
};

const VARIABLE = /\{\{\s*(content|type|confidence|timestamp|score)\s*\}\}/g;
const METADATA = /\{\{\s*(?:type|confidence|timestamp)\s*\}\}/;
/** Text in brackets that names metadata: `[{{type}}] `, ` (confidence: {{confidence}})`. */
const METADATA_IN_BRACKETS =
  /(?:^[ \t]*|[ \t]+|)(?:\[[^[\]]*\{\{\s*(?:type|confidence|timestamp)\s*\}\}[^[\]]*\]|\([^()]*\{\{\s*(?:type|confidence|timestamp)\s*\}\}[^()]*\))/g;
const ALL_METADATA = ' ({{type}}, confidence: {{confidence}}, {{timestamp}})';

/**
 * The template as one call wants it. Where type, confidence and time are asked for and the format names none of them, they
 * follow in brackets. Where they are not wanted, they go, with the brackets around them; undefined leaves it to the template.
 */
export const withMetadata = (template: ContextTemplate, includeMetadata: boolean | undefined): ContextTemplate => {
  const { memoryFormat } = template;
  const isWanted = includeMetadata ?? template.includeMetadata;
  if (isWanted)
    return METADATA.test(memoryFormat) ? template : { ...template, memoryFormat: memoryFormat + ALL_METADATA };
  // A template that says false and names them nevertheless means what it names.
  if (includeMetadata === undefined) return template;
  const without = memoryFormat.replace(METADATA_IN_BRACKETS, '').replace(new RegExp(METADATA, 'g'), '').trimStart();
  return { ...template, memoryFormat: without === '' ? '{{content}}' : without, includeMetadata: false };
};

/**
 * One memory as text. All variables are replaced at once, so that what a memory says is never taken for a variable or a
 * pattern. Numbers have two decimals, times are UTC to the second: `0.90`, `2024-01-15T10:00:00Z`.
 *
 * @param content Stands in for the content of the memory.
 */
export const renderMemory = (
  { memoryFormat }: ContextTemplate,
  { memory, score }: SearchResult,
  content = memory.content,
): string =>
  memoryFormat.replace(VARIABLE, (_variable, name: string) => {
    if (name === 'content') return content;
    if (name === 'type') return memory.type;
    if (name === 'timestamp') return timestampOf(memory.created_at);
    return (name === 'score' ? score : memory.confidence).toFixed(2);
  });

const timestampOf = (createdAt: string): string => {
  const time = new Date(createdAt);
  return Number.isNaN(time.getTime()) ? createdAt : time.toISOString().replace(/\.\d+Z$/, 'Z');
};
