import type { Intent, RequiredFact } from '../../contract/taxonomy.ts';
import { oncePer } from '../../runtime/once-per.ts';
import { analyseText } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import type { TicketReading } from '../read-ticket.ts';

/** Facts that an intent needs and the customer has told neither now nor before. */
export const missingInformation = (
  intent: Pick<Intent, 'required_facts'> | undefined,
  ticket: Pick<TicketReading, 'subject' | 'customerMessages' | 'metadata'>,
): RequiredFact[] => {
  if (intent === undefined) return [];
  const said = [ticket.subject ?? '', ...ticket.customerMessages].join('\n').slice(-MAX_READ);
  return intent.required_facts.filter((fact) => !isInMetadata(fact, ticket.metadata) && !isSaid(fact, said));
};

/** Patterns of a taxonomy are read over so much, the latest of it, in UTF-16 units. */
const MAX_READ = 8000;

const isInMetadata = ({ metadata = [] }: RequiredFact, known: TicketReading['metadata']): boolean =>
  metadata.some((name) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value === undefined || value === null || value === false) return false;
    if (typeof value === 'string') return value.trim() !== '';
    return Array.isArray(value) ? value.length > 0 : true;
  });

const isSaid = (fact: RequiredFact, said: string): boolean =>
  fact.patterns === undefined
    ? questionsOf(fact).some((question) => sharesWords(question, said))
    : expressionsOf(fact).some((each) => each.test(said));

const questionsOf = ({ question }: RequiredFact): string[] =>
  typeof question === 'string' ? [question] : Object.values(question);

/** Those that compile: a taxonomy is checked when it is stored, by whatever engine did that. */
const expressionsOf = oncePer(({ patterns = [] }: RequiredFact): readonly RegExp[] =>
  patterns.flatMap((pattern) => {
    try {
      return [new RegExp(pattern, 'iu')];
    } catch {
      return [];
    }
  }),
);

/** Half of what the question asks about stands in what was said. */
const sharesWords = (question: string, said: string): boolean => {
  const asked = stemsOf(question);
  const told = stemsOf(said);
  const shared = [...asked].filter((each) => told.has(each)).length;
  return asked.size > 0 && shared * 2 >= asked.size;
};

const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text, (word) => stems.add(stem(word)));
  return stems;
};
