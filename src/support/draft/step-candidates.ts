import type { Unit } from '../../knowledge/answers/read-passage.ts';
import type { Scorer } from '../../knowledge/answers/score-sentences.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { isWarning } from './safety-warning.ts';
import { readingOfPassage, type StepGroup, stepGroups } from './step-group.ts';
import { type TriedAlready, wasTried } from './tried-already.ts';

/** A group that may be quoted, without what was tried. */
export interface StepCandidate {
  passage: KnowledgePassage;
  group: StepGroup;
  units: readonly Unit[];
  /** Further steps stand in the article. */
  isCut: boolean;
  /** On the scale of `createScorer`. */
  score: number;
}

/** Numbered steps are kept whole up to here: half a procedure may do harm. */
const WHOLE_LIST = 9;
/** Of longer lists, and of items in no order, the first. */
const FIRST_ITEMS = 6;
/** From so many steps on, one that was tried may be left out alone: shorter lists are one procedure. */
const SEPARATE_STEPS = 5;
/** Numbered steps tell what to do; a message to a support desk asks for that, in whatever words. */
const STEPS_WORTH = 2.5;
/** Of one quote, in UTF-16 units: a longer one is left to the article. */
const MAX_QUOTE = 900;
const MAX_ROWS = 3;
/** Rows that fit nearly as well as the best are shown with it. */
const NEARLY = 0.8;
const WARNINGS = 3;

/** What of a passage may be quoted, each with how well it answers. */
export const stepCandidates = (
  passage: KnowledgePassage,
  { scorer, tried }: { scorer: Scorer; tried: TriedAlready },
): StepCandidate[] => {
  const { units, above: titles } = readingOfPassage(passage);
  const above = scorer.look(titles).matched;
  const looks = units.map(({ words }) => scorer.look(words));
  const scored = { ...passage, score: passage.relevance };
  const scoreOf = (unit: Unit): number => {
    const at = units.indexOf(unit);
    const look = looks[at];
    if (look === undefined) return Number.NEGATIVE_INFINITY;
    const around = { previous: looks[at - 1], next: looks[at + 1], above, isFirst: at === 0 };
    return scorer.score(look, { ...around, text: textOf(passage, unit), isSteps: unit.isSteps, passage: scored });
  };
  return stepGroups(passage).flatMap((group): StepCandidate[] => {
    const kept = quotableOf(passage, group, { scorer, tried });
    const [first] = kept;
    const own = first === undefined || group.kind !== 'prose' ? kept : [kept.at(-1) ?? first];
    if (first === undefined) return [];
    const shown = kept.length > WHOLE_LIST || !group.isOrdered ? kept.slice(0, mostOf(group)) : kept;
    const scores = [...own, ...(group.intro === undefined ? [] : [group.intro])].map(scoreOf);
    const score = Math.max(...scores) + (group.isOrdered ? STEPS_WORTH : 0);
    return [{ passage, group, units: shown, isCut: shown.length < kept.length, score }];
  });
};

/** What warns in a passage, beside what is quoted of it: the sentences and list items, in order. */
export const warningsBeside = (
  passage: KnowledgePassage,
  quoted: ReadonlySet<Unit>,
  tried: TriedAlready,
): StepCandidate[] =>
  stepGroups(passage)
    .flatMap((group) => {
      if (group.kind === 'prose') return [{ group, units: group.units }];
      // A warning that is an item of a list stands by itself.
      const alone = { ...group, kind: 'prose' as const, isOrdered: false, intro: undefined };
      return group.kind === 'list' ? group.units.map((unit) => ({ group: alone, units: [unit] })) : [];
    })
    .filter(({ units }) => {
      const last = units.at(-1);
      if (last === undefined || quoted.has(last) || !isWarning(textOf(passage, last))) return false;
      return units.every((unit) => isQuotable(passage, unit)) && !wasTried(textOf(passage, last), tried);
    })
    .slice(0, WARNINGS)
    .map(({ group, units }) => ({ passage, group, units, isCut: false, score: 0 }));

/** The words of a unit, as they stand in the article. */
export const textOf = ({ text }: KnowledgePassage, { start, end }: Unit): string => text.slice(start, end);

/** What of a group may be quoted; empty for nothing. */
const quotableOf = (
  passage: KnowledgePassage,
  { kind, isOrdered, intro, units }: StepGroup,
  { scorer, tried }: { scorer: Scorer; tried: TriedAlready },
): readonly Unit[] => {
  if (!units.every((unit) => isQuotable(passage, unit))) return [];
  if (kind === 'table') return rowsThatFit(units, scorer);
  const heading = passage.headingPath.at(-1) ?? '';
  const under = `${heading}\n${intro === undefined ? '' : textOf(passage, intro)}`;
  const left = units.filter((unit) => !wasTried(textOf(passage, unit), tried, under));
  if (kind === 'prose') {
    const last = textOf(passage, units.at(-1) as Unit); // Groups of prose without a sentence are left out.
    return left.length < units.length || /[?:]["”*_)]{0,3}$/.test(last) ? [] : units;
  }
  if (left.length === units.length) return units;
  return isOrdered && units.length < SEPARATE_STEPS ? [] : left;
};

const mostOf = ({ kind }: StepGroup): number => (kind === 'table' ? 1 + MAX_ROWS : FIRST_ITEMS);

/** The head of a table and the rows that have most of the message. */
const rowsThatFit = (units: readonly Unit[], scorer: Scorer): readonly Unit[] => {
  const [head, ...rows] = units;
  if (head === undefined) return [];
  const shares = rows.map(({ words }) => scorer.shareOf(scorer.look(words).matched));
  const best = Math.max(0, ...shares);
  if (best === 0) return [];
  return [head, ...rows.filter((_, at) => (shares[at] ?? 0) >= NEARLY * best).slice(0, MAX_ROWS)];
};

/** Nothing that runs, nothing hidden, no pictures, short enough to be read in a reply, and about the matter. */
const isQuotable = (passage: KnowledgePassage, unit: Unit): boolean => {
  const text = textOf(passage, unit);
  return text.length <= MAX_QUOTE && !NOT_FOR_REPLIES.test(text) && !ABOUT_PAGE.test(text);
};

const NOT_FOR_REPLIES = /\]\(\s{0,9}<?\s{0,9}(?:javascript|vbscript|data):|<!--|!\[/i;

/** It speaks of the page, or sends the reader on within it. */
const ABOUT_PAGE =
  /\b(?:this|the (?:following|next|other)|that|the previous) (?:page|article|guide|section|document|manual|chapter)\b|\bwork through\b|\bgo on with (?:the page|step)\b|\b(?:diese|folgende)[rs]? (?:seite|artikel|abschnitt)\b|\b(?:cette|la) page\b|\besta página\b/i;
