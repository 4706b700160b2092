import type { Unit } from '../../grounding/read-passage.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { wasTried } from './already-tried.ts';
import type { Asking } from './asking.ts';
import type { StepGroup } from './step-group.ts';

/** Of one quote, in UTF-16 units: a longer one is left to the article. */
const MAX_QUOTE = 900;
const MAX_ROWS = 3;
/** Of longer lists, and of items in no order, the first. */
const FIRST_ITEMS = 6;
/** Rows that fit nearly as well as the best are shown with it. */
const NEARLY = 0.8;
/** A row that has less of the message is about something else. */
const LEAST_OF_ROW = 0.15;
/** Where one item in no order has this share of the message, those with much less answer something else. */
const TELLING_ITEM = 0.3;
const MUCH_LESS = 0.6;

/** The words of a unit, as they stand in the article. */
export const textOf = ({ text }: Pick<KnowledgePassage, 'text'>, { start, end }: Unit): string =>
  text.slice(start, end);

/** What of a group may be quoted, without what was tried; empty for nothing. */
export const quotableUnits = (
  passage: KnowledgePassage,
  { kind, isOrdered, intro, units }: StepGroup,
  { tried, isOfOthers, ...asking }: Asking,
): readonly Unit[] => {
  if (!units.every((unit) => isQuotable(passage, unit))) return [];
  if (kind === 'table') {
    const [head, ...rows] = units;
    if (head === undefined) return [];
    return rowsThatFit([head, ...rows.filter((row) => !isOfOthers(textOf(passage, row)))], asking);
  }
  const last = textOf(passage, units.at(-1) as Unit); // Groups without a unit are left out.
  if (kind === 'prose' && /[?:]["”*_)]{0,3}$/.test(last)) return [];
  const heading = passage.headingPath.at(-1) ?? '';
  const under = kind === 'prose' ? '' : `${heading}\n${intro === undefined ? '' : textOf(passage, intro)}`;
  const fitting = kind === 'list' && !isOrdered ? itemsThatFit(units, asking) : units;
  const left = fitting.filter((unit) => {
    const text = textOf(passage, unit);
    if (wasTried(text, tried, { under, title: kind === 'prose' ? '' : passage.title })) return false;
    return isOrdered || kind === 'code' || !isOfOthers(text);
  });
  if (left.length === fitting.length) return left;
  const isBroken = kind === 'prose' || left.length * 2 < fitting.length || (isOrdered && isProcedure(last));
  return isBroken ? [] : left;
};

/** Items in no order each stand for themselves: those that answer, where one clearly does. */
const itemsThatFit = (
  items: readonly Unit[],
  { scorer, shareOf }: Pick<Asking, 'scorer' | 'shareOf'>,
): readonly Unit[] => {
  const shares = items.map(({ words }) => shareOf(scorer.look(words).matched));
  const best = Math.max(0, ...shares);
  return best < TELLING_ITEM ? items : items.filter((_, at) => (shares[at] ?? 0) >= MUCH_LESS * best);
};

/** A numbered list that ends by putting things together again is one procedure: no step of it can be left out. */
const isProcedure = (lastStep: string): boolean =>
  ENDS_PROCEDURE.test(lastStep) && !/(?<!\p{L})(?:if|wenn|falls|si|se|als)(?!\p{L})/iu.test(lastStep);

const ENDS_PROCEDURE =
  /^(?:\d{1,3}[.)]\s{1,5})?[*_]{0,3}(?:then |now |finally |dann |zuletzt )?(?:switch|turn|start|restart|reboot|connect|reconnect|close|plug|wait|save|confirm|check|look|verify|log in|apply|put|repeat|schalte|starte|schließ|verbinde|warte|prüfe|speicher|redémarr|rebranch|attende|ferme|encienda|conecte|espere|cierre)/i;

export const mostOf = ({ kind }: StepGroup): number => (kind === 'table' ? 1 + MAX_ROWS : FIRST_ITEMS);

/** The head of a table and the rows that have most of the message. */
const rowsThatFit = (
  units: readonly Unit[],
  { scorer, shareOf }: Pick<Asking, 'scorer' | 'shareOf'>,
): readonly Unit[] => {
  const [head, ...rows] = units;
  if (head === undefined) return [];
  const shares = rows.map(({ words }) => shareOf(scorer.look(words).matched));
  const best = Math.max(0, ...shares);
  if (best < LEAST_OF_ROW) return [];
  return [head, ...rows.filter((_, at) => (shares[at] ?? 0) >= NEARLY * best).slice(0, MAX_ROWS)];
};

/** Nothing that runs, nothing hidden, no pictures, short enough to be read in a reply, and about the matter. */
export const isQuotable = (passage: KnowledgePassage, unit: Unit): boolean => {
  const text = textOf(passage, unit);
  return text.length <= MAX_QUOTE && !NOT_FOR_REPLIES.test(text) && !ABOUT_PAGE.test(text);
};

const NOT_FOR_REPLIES = /\]\(\s{0,9}<?\s{0,9}(?:javascript|vbscript|data):|<!--|!\[/i;

/** It speaks of the page, or sends the reader on within it. */
const ABOUT_PAGE =
  /\b(?:this|the (?:following|next|other)|that|the previous) (?:page|article|guide|section|document|manual|chapter)\b|\bwork through\b|\bgo on with (?:the page|step)\b|\b(?:diese|folgende)[rs]? (?:seite|artikel|abschnitt)\b|\b(?:cette|la) page\b|\besta página\b/i;
