import type { DelegateRequest } from '../../contract/delegate-request.ts';
import type { Context, Librarian, LibrarianInfo } from '../../contract/librarian.ts';
import { asksNothing } from './asks-nothing.ts';
import { chooseByModel } from './choose-by-model.ts';
import { type Choice, chooseLibrarian } from './choose-librarian.ts';
import { noneOfOurs } from './none-of-ours.ts';
import { permittedLibrarians } from './permitted-librarians.ts';
import { type Candidates, candidatesCache } from './routing-candidates.ts';
import { type Part, splitByKind } from './split-by-kind.ts';
import { questionsOf } from './split-question.ts';

export interface ConciergeParts {
  /** Who can be asked, as they describe themselves. */
  librarians: readonly LibrarianInfo[];
  /** Whom to ask when nobody's evidence is clear; counts only where the asker may ask it. */
  defaultLibrarian: string;
}

/** A message with more questions than delegates are followed at once is asked whole. */
const MAX_PARTS = 8;
/** Longest that a model is waited for, in milliseconds, and as a share of the time that there is. */
const MODEL_TIMEOUT_MS = 2000;
const MODEL_SHARE = 0.25;

/**
 * Hands a question on to whom it is for: decides by what librarians say of themselves, knows nothing of the subjects
 * itself, and never answers. Targets are ids of `librarians` whose capabilities the asker holds; nothing that a question
 * says can name another. The returned requests stand alone.
 */
export const createConcierge = ({ librarians, defaultLibrarian }: ConciergeParts): Librarian => {
  const candidatesFor = candidatesCache(defaultLibrarian);
  return async (query, context) => {
    const passed = context?.delegationChain ?? [];
    const permitted = permittedLibrarians(librarians, context?.user?.capabilities ?? []);
    const candidates = candidatesFor(permitted.filter(({ id }) => !passed.includes(id)));
    if (asksNothing(query, candidates.all)) return { error: noneOfOurs(candidates.all) };
    const parts = await partsOf(query, candidates, context);
    if (parts === undefined) return { error: noneOfOurs(candidates.all) };
    const requests = parts.map((part) => requestFor(part, { asked: query, candidates }));
    const [first] = requests;
    return { delegate: first !== undefined && requests.length === 1 ? first : requests };
  };
};

/** Undefined when the question is for nobody. */
const partsOf = async (
  query: string,
  candidates: Candidates,
  context: Context | undefined,
): Promise<Part[] | undefined> => {
  const { index, single, defaultLibrarian } = candidates;
  const questions = questionsOf(query);
  if (questions.length > 1 && questions.length <= MAX_PARTS) {
    const choices = questions.map((question) => chooseLibrarian(question, index, defaultLibrarian));
    // The default librarian reads a whole message; others answer one question at a time.
    if (choices.some(({ to }) => to !== defaultLibrarian)) {
      const parts = assign(questions, await targetsOf({ questions, choices, candidates: single }, context));
      if (parts !== undefined) return parts;
    }
  }
  return partsOfOne(query, candidates, context);
};

const partsOfOne = async (
  query: string,
  candidates: Candidates,
  context: Context | undefined,
): Promise<Part[] | undefined> => {
  const kinds = splitByKind(query, candidates);
  if (kinds.isSeveral && kinds.combiner !== undefined) return [{ query, to: kinds.combiner }];
  if (kinds.isSeveral && kinds.parts !== undefined && kinds.parts.length <= MAX_PARTS) return kinds.parts;
  const choices = [chooseLibrarian(query, candidates.index, candidates.defaultLibrarian)];
  return assign([query], await targetsOf({ questions: [query], choices, candidates: candidates.all }, context));
};

/** The model's choice where there is one and words leave a doubt, otherwise that of the words. */
const targetsOf = async (
  asked: { questions: readonly string[]; choices: readonly Choice[]; candidates: readonly LibrarianInfo[] },
  { ai, timeout = Number.POSITIVE_INFINITY, signal }: Context = {},
): Promise<readonly (string | undefined)[]> => {
  const byWords = asked.choices.map(({ to }) => to);
  if (ai === undefined || asked.candidates.length < 2 || asked.choices.every(({ isClear }) => isClear)) return byWords;
  const timeoutMs = Math.min(MODEL_TIMEOUT_MS, timeout * MODEL_SHARE);
  return (await chooseByModel(ai, { ...asked, timeoutMs, signal })) ?? byWords;
};

const assign = (questions: readonly string[], targets: readonly (string | undefined)[]): Part[] | undefined => {
  const parts: Part[] = [];
  for (const [place, query] of questions.entries()) {
    const to = targets[place];
    if (to === undefined) return undefined;
    parts.push({ query, to });
  }
  return parts;
};

/** Where a specialist fails, the default librarian may still know something. */
const requestFor = (
  { query, to }: Part,
  { asked, candidates: { defaultLibrarian } }: { asked: string; candidates: Candidates },
): DelegateRequest => ({
  to,
  ...(query === asked ? {} : { query }),
  ...(defaultLibrarian === undefined || to === defaultLibrarian ? {} : { fallback: defaultLibrarian }),
});
