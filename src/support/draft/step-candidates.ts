import type { Unit } from '../../knowledge/answers/read-passage.ts';
import type { Scorer } from '../../knowledge/answers/score-sentences.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { shapeOf } from './passage-shape.ts';
import { promiseIn } from './promise-in.ts';
import type { AskedQuestion } from './question-of.ts';
import { isWarning } from './safety-warning.ts';
import type { StepGroup } from './step-group.ts';
import { type TriedAlready, wasTried } from './tried-already.ts';
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
  /** It shares a word with the message. */
  isMatched: boolean;
  /** It says what the customer has told, or what holds in a case that the message does not speak of: better than nothing. */
  isSpare: boolean;
}

/** Numbered steps are kept whole up to here: half a procedure may do harm. */
const WHOLE_LIST = 9;
/** Of longer lists, and of items in no order, the first. */
const FIRST_ITEMS = 6;
/** Numbered steps tell what to do; a message to a support desk asks for that, in whatever words. */
const STEPS_WORTH = 2.5;
/** What stands before the first heading says again what the trouble is. */
const OPENING_LOSS = 2;
/** A section is called what it answers: for the share of the message that its heading has. */
const HEADING_WORTH = 4;
/** Of one quote, in UTF-16 units: a longer one is left to the article. */
const MAX_QUOTE = 900;
const MAX_ROWS = 3;
/** Rows that fit nearly as well as the best are shown with it. */
const NEARLY = 0.8;
/** Of a passage, beside what is quoted of it. */
const CARRIED = 3;

/** What passages are held against. */
export interface Asking {
  scorer: Scorer;
  isTelling: AskedQuestion['isTelling'];
  tried: TriedAlready;
  /** Whether a text is about other products than the customer's alone. */
  isOfOthers: (text: string) => boolean;
}

/** What of a passage may be quoted, each with how well it answers. */
export const stepCandidates = (passage: KnowledgePassage, asking: Asking): StepCandidate[] => {
  const { scorer, isTelling } = asking;
  const {
    reading: { units, above: titles },
    heading,
    groups,
  } = shapeOf(passage);
  const above = scorer.look(titles).matched;
  const looks = units.map(({ words }) => scorer.look(words));
  const scored = { ...passage, score: passage.relevance };
  const inHeading = scorer.look(heading.words).matched;
  const under = HEADING_WORTH * scorer.shareOf(inHeading);
  const isOtherCase = heading.limits.stems.length > 0 && scorer.look(heading.limits).matched.size === 0;
  const lookAt = (unit: Unit) => looks[units.indexOf(unit)];
  const scoreOf = (unit: Unit): number => {
    const at = units.indexOf(unit);
    const look = looks[at];
    if (look === undefined) return Number.NEGATIVE_INFINITY;
    const around = { previous: looks[at - 1], next: looks[at + 1], above, isFirst: at === 0 };
    return scorer.score(look, { ...around, text: textOf(passage, unit), isSteps: unit.isSteps, passage: scored });
  };
  return groups.flatMap((group): StepCandidate[] => {
    const kept = quotableOf(passage, group, asking);
    const last = kept.at(-1);
    if (last === undefined) return [];
    const shown = kept.length > WHOLE_LIST || !group.isOrdered ? kept.slice(0, mostOf(group)) : kept;
    // A sentence is asked for by itself, those before it only make it understood.
    const asked = [...(group.kind === 'prose' ? [last] : kept), ...(group.intro === undefined ? [] : [group.intro])];
    const isOpening = group.kind === 'prose' && passage.headingPath.length === 0;
    // Of an article about trouble, the opening tells what the customer tells.
    const isSpare = isOtherCase || (isOpening && TROUBLE.test(passage.title));
    // Steps need not say again what their heading says.
    const found = [...asked.map((unit) => lookAt(unit)?.matched), ...(group.kind === 'prose' ? [] : [inHeading])];
    const isMatched = found.some((matched) => matched !== undefined && isTelling(matched));
    const worth = (group.isOrdered ? STEPS_WORTH : 0) - (isOpening ? OPENING_LOSS : 0);
    const score = Math.max(...asked.map(scoreOf)) + worth + under;
    return [{ passage, group, units: shown, isCut: shown.length < kept.length, score, isMatched, isSpare }];
  });
};

/**
 * What goes wherever what is quoted of a passage goes: what warns, and where a promise is quoted, what limits it. Sentences and list
 * items, in order.
 */
export const carriedAlong = (
  passage: KnowledgePassage,
  quoted: ReadonlySet<Unit>,
  tried: TriedAlready,
): Pick<StepCandidate, 'group' | 'units' | 'isCut'>[] => {
  const isPromised = [...quoted].some((unit) => promiseIn(textOf(passage, unit)) !== undefined);
  const isCarried = (text: string) => isWarning(text) || (isPromised && LIMITS.test(text));
  return shapeOf(passage)
    .groups.flatMap((group) => {
      if (group.kind === 'prose') return [{ group, units: group.units }];
      // A warning that is an item of a list stands by itself.
      const alone = { ...group, kind: 'prose' as const, isOrdered: false, intro: undefined };
      return group.kind === 'list' ? group.units.map((unit) => ({ group: alone, units: [unit] })) : [];
    })
    .filter(({ units }) => {
      const last = units.at(-1);
      if (last === undefined || quoted.has(last) || !isCarried(textOf(passage, last))) return false;
      return units.every((unit) => isQuotable(passage, unit)) && !wasTried(textOf(passage, last), tried);
    })
    .slice(0, CARRIED)
    .map(({ group, units }) => ({ group, units, isCut: false }));
};

/** What a promise holds under, or does not hold for. */
const LIMITS =
  /(?<!\p{L})(?:only|unless|except(?:ion|ions)?|excluded?|exclud(?:es|ing)|not covered|(?:do|does) not (?:apply|cover|include)|provided that|on condition|no longer than|at (?:your|the customer['’]s) (?:own )?(?:cost|expense)|deduct(?:ed)?|nur|außer|ausgenommen|sofern|seulement|sauf|uniquement|solo|salvo|excepto|soltanto|apenas|exceto|alleen|behalve)(?!\p{L})/iu;

/** The words of a unit, as they stand in the article. */
export const textOf = ({ text }: Pick<KnowledgePassage, 'text'>, { start, end }: Unit): string =>
  text.slice(start, end);

/** What of a group may be quoted; empty for nothing. */
const quotableOf = (
  passage: KnowledgePassage,
  { kind, isOrdered, intro, units }: StepGroup,
  { scorer, tried, isOfOthers }: Asking,
): readonly Unit[] => {
  if (!units.every((unit) => isQuotable(passage, unit))) return [];
  if (kind === 'table') {
    const [head, ...rows] = units;
    if (head === undefined) return [];
    return rowsThatFit([head, ...rows.filter((row) => !isOfOthers(textOf(passage, row)))], scorer);
  }
  const last = textOf(passage, units.at(-1) as Unit); // Groups without a unit are left out.
  if (kind === 'prose' && /[?:]["”*_)]{0,3}$/.test(last)) return [];
  const heading = passage.headingPath.at(-1) ?? '';
  const under = kind === 'prose' ? '' : `${heading}\n${intro === undefined ? '' : textOf(passage, intro)}`;
  const left = units.filter((unit) => {
    const text = textOf(passage, unit);
    return !wasTried(text, tried, under) && (isOrdered || kind === 'code' || !isOfOthers(text));
  });
  if (left.length === units.length) return units;
  if (kind === 'prose' || (isOrdered && (left.length * 2 < units.length || isProcedure(last)))) return [];
  return left;
};

/** A numbered list that ends by putting things together again is one procedure: no step of it can be left out. */
const isProcedure = (lastStep: string): boolean => ENDS_PROCEDURE.test(lastStep);

const ENDS_PROCEDURE =
  /^(?:\d{1,3}[.)]\s{1,5})?[*_]{0,3}(?:then |now |finally |dann |zuletzt )?(?:switch|turn|start|restart|reboot|connect|reconnect|close|plug|wait|save|confirm|check|look|verify|log in|apply|put|repeat|schalte|starte|schließ|verbinde|warte|prüfe|speicher|redémarr|rebranch|attende|ferme|encienda|conecte|espere|cierre)/i;

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
