import type { Unit } from '../../grounding/read-passage.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { type AlreadyTried, wasTried } from './already-tried.ts';
import type { Asking } from './asking.ts';
import { shapeOf } from './passage-shape.ts';
import { isQuotable, mostOf, quotableUnits, textOf } from './quotable-units.ts';
import { isWarning } from './safety-warning.ts';
import type { StepGroup } from './step-group.ts';
import { TROUBLE } from './trouble.ts';

/** A group that may be quoted, without what was tried. */
export interface StepCandidate {
  passage: KnowledgePassage;
  group: StepGroup;
  units: readonly Unit[];
  /** Further steps stand in the article. */
  isCut: boolean;
  /** On the scale of `createScorer`. */
  score: number;
  /** How much of the message it has with its heading, 0 to 1; 0 where that is the product's name alone. */
  share: number;
  /** It says what the customer has told, or what holds in a case that the message does not speak of: better than nothing. */
  isSpare: boolean;
  /** Its headings say what the customer's intent is called. */
  isNamed: boolean;
  /** Its title or headings tell of something that does not go as it should. */
  isTroublesome: boolean;
}

/** Numbered steps are kept whole up to here: half a procedure may do harm. */
const WHOLE_LIST = 9;
/** Numbered steps tell what to do; a message to a support desk asks for that, in whatever words. */
const STEPS_WORTH = 2.5;
/** What stands before the first heading says again what the trouble is. */
const OPENING_LOSS = 2;
/** A section is called what it answers: for the share of the message that its heading has. */
const HEADING_WORTH = 6;
/** Steps that no heading or sentence announces for the message must have this share of it. */
const LEAST_OF_STEPS = 0.3;
/** The same where the message asks how: steps are what it asks for. */
const LEAST_OF_ASKED_STEPS = 0.12;
/** Of a passage, beside what is quoted of it. */
const CARRIED = 3;

/** What of a passage may be quoted, each with how well it answers. */
export const stepCandidates = (passage: KnowledgePassage, asking: Asking): StepCandidate[] => {
  const { scorer, isTelling, shareOf, isHow } = asking;
  const {
    reading: { units, above: titles },
    heading,
    groups,
  } = shapeOf(passage);
  const above = scorer.look(titles).matched;
  const looks = units.map(({ words }) => scorer.look(words));
  const scored = { ...passage, score: passage.relevance };
  const inHeading = scorer.look(heading.words).matched;
  const under = HEADING_WORTH * shareOf(inHeading);
  const isOtherCase = heading.limits.stems.length > 0 && scorer.look(heading.limits).matched.size === 0;
  // A step with its code is no unit of the passage, but begins where one does.
  const placeOf = ({ start }: Unit) => units.findIndex((unit) => unit.start === start);
  const scoreOf = (unit: Unit): number => {
    const at = placeOf(unit);
    const look = looks[at];
    if (look === undefined) return Number.NEGATIVE_INFINITY;
    const around = { previous: looks[at - 1], next: looks[at + 1], above, isFirst: at === 0 };
    return scorer.score(look, { ...around, text: textOf(passage, unit), isSteps: unit.isSteps, passage: scored });
  };
  const matchedIn = (unit: Unit): ReadonlySet<number> => scorer.look(unit.words).matched;
  const isNamed = heading.words.stems.some((each) => asking.named.has(each));
  const isTroublesome = TROUBLE.test([passage.title, ...passage.headingPath].join('\n'));
  return groups.flatMap((group): StepCandidate[] => {
    const kept = quotableUnits(passage, group, asking);
    const last = kept.at(-1);
    if (last === undefined) return [];
    const shown = kept.length > WHOLE_LIST || !group.isOrdered ? kept.slice(0, mostOf(group)) : kept;
    const intro = group.intro === undefined ? [] : [group.intro];
    // A sentence is asked for by itself, those before it only make it understood.
    const asked = [...(group.kind === 'prose' ? [last] : kept), ...intro];
    const isOpening = group.kind === 'prose' && passage.headingPath.length === 0;
    // Steps need not say again what their heading says.
    const called = new Set([
      ...(group.kind === 'prose' ? [] : inHeading),
      ...intro.flatMap((unit) => [...matchedIn(unit)]),
    ]);
    const found = new Set([...called, ...asked.flatMap((unit) => [...matchedIn(unit)])]);
    const share = isTelling(found) ? shareOf(found) : 0;
    const isFitting = isTelling(called) || isNamed || isTroublesome;
    // Of an article about trouble, the opening tells what the customer tells.
    const isSymptom = isOpening && TROUBLE.test(passage.title);
    const isBeside = group.isOrdered && !isFitting && share < (isHow ? LEAST_OF_ASKED_STEPS : LEAST_OF_STEPS);
    const worth = (group.isOrdered && !isBeside ? STEPS_WORTH : 0) - (isOpening ? OPENING_LOSS : 0);
    const score = Math.max(...asked.map(scoreOf)) + worth + under;
    const isSpare = isOtherCase || isSymptom || isBeside;
    return [
      {
        passage,
        group,
        units: shown,
        isCut: shown.length < kept.length,
        score,
        share,
        isNamed,
        isSpare,
        isTroublesome,
      },
    ];
  });
};

/**
 * What goes wherever what is quoted of a passage goes: what warns, and where a promise is quoted, what limits it. Sentences and list
 * items, in order.
 */
export const carriedAlong = (
  passage: KnowledgePassage,
  quoted: ReadonlySet<Unit>,
  tried: AlreadyTried,
): Pick<StepCandidate, 'group' | 'units' | 'isCut'>[] => {
  const isCarried = isWarning;
  return shapeOf(passage)
    .groups.flatMap((group) => {
      if (group.kind === 'prose') return [{ group, units: group.units }];
      // A warning that is an item of a list stands by itself.
      const alone = { ...group, kind: 'prose' as const, isOrdered: false, intro: undefined };
      // A step that ends in a warning is none: what it says first would stand there without its steps.
      const isAlone = (unit: Unit) => !group.isOrdered || isWarning(firstSentence(textOf(passage, unit)));
      return group.kind === 'list' ? group.units.filter(isAlone).map((unit) => ({ group: alone, units: [unit] })) : [];
    })
    .filter(({ units }) => {
      const last = units.at(-1);
      if (last === undefined || quoted.has(last) || !isCarried(textOf(passage, last))) return false;
      return units.every((unit) => isQuotable(passage, unit)) && !wasTried(textOf(passage, last), tried);
    })
    .slice(0, CARRIED)
    .map(({ group, units }) => ({ group, units, isCut: false }));
};

const firstSentence = (item: string): string => item.replace(/^\d{1,9}[.)]\s+/, '').split(/(?<=[.!?])\s/, 1)[0] ?? '';
