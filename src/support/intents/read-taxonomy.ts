import type { Issue } from '../../contract/issue.ts';
import { type ReadValue, readAs } from '../../contract/issue.ts';
import { Taxonomy } from '../../contract/taxonomy.ts';
import { checkPattern } from './check-pattern.ts';
import { checkTemplate } from './check-template.ts';

/** More than this and the caller is not told about the rest. */
const MAX_ISSUES = 20;

/** Reads a taxonomy from outside: its shape, its regular expressions, its templates. Never throws. */
export const readTaxonomy = (value: unknown): ReadValue<Taxonomy> => {
  const read = readAs(Taxonomy, value);
  if (!read.ok) return read;
  const issues = [...templateIssues(read.value), ...patternIssues(read.value)].slice(0, MAX_ISSUES);
  return issues.length > 0 ? { ok: false, issues } : read;
};

const patternIssues = ({ intents }: Taxonomy): Issue[] =>
  intents.flatMap(({ required_facts: facts }, intent) =>
    facts.flatMap(({ patterns = [] }, fact) =>
      patterns.flatMap((pattern, at) =>
        issueOf(`intents.${intent}.required_facts.${fact}.patterns.${at}`, checkPattern(pattern)),
      ),
    ),
  );

type Template = Taxonomy['general_template'];

const templateIssues = ({ intents, general_template: general }: Taxonomy): Issue[] => [
  ...intents.flatMap((intent, at) => [
    ...issuesIn(intent.reply_template, `intents.${at}.reply_template`),
    ...issuesIn(intent.fallback_template ?? {}, `intents.${at}.fallback_template`),
    ...issuesIn(intent.auto_send.template ?? {}, `intents.${at}.auto_send.template`),
  ]),
  ...issuesIn(general, 'general_template'),
];

const issuesIn = (template: Template, path: string): Issue[] =>
  typeof template === 'string'
    ? issueOf(path, checkTemplate(template))
    : Object.entries(template).flatMap(([language, text]) => issueOf(`${path}.${language}`, checkTemplate(text)));

const issueOf = (path: string, message: string | undefined): Issue[] =>
  message === undefined ? [] : [{ path, message }];
