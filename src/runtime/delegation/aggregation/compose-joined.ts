import { ANSWER_ADVISED_LENGTH, ANSWER_MAX_LENGTH } from '../../../contract/response.ts';
import type { Topic } from './arrange-topics.ts';
import { closestOf } from './declined.ts';
import type { Dispute } from './find-contradictions.ts';
import type { Voice } from './hear-branches.ts';
import { inertLine } from './inert-line.ts';
import { shorten } from './shorten.ts';
import { WHY_MISSING } from './why-missing.ts';

/**
 * The joined answer as Markdown: contradictions first, then each question with its answers, then what is missing. Headings of
 * level 1 to 3 are all ours (`containMarkdown`), so that no part can pass for another.
 *
 * @returns At most 32,000 characters; a part has at most 4,000 of them.
 */
export const composeJoined = (
  voices: readonly Voice[],
  { topics, disputes }: { topics: readonly Topic[]; disputes: readonly Dispute[] },
): string => {
  const answered = topics.filter(({ said }) => said.some(({ voice }) => voices[voice]?.isDeclined !== true));
  const hasHeadings = topics.length > 1 || disputes.length > 0;
  const opening = disputesText(disputes);
  const ending = gapsText(voices, topics);
  const sections = answered.map((topic) => sectionOf(topic, { voices, hasHeadings, disputes }));
  const fixed = [opening, ending, ...sections.flat().map(({ intro }) => intro)].join('').length;
  const texts = sections.flat().map(({ text }) => text);
  const limits = fairShares(texts, ANSWER_MAX_LENGTH - fixed - SEPARATORS * (sections.flat().length + 2));
  const parts = sections.flat().map(({ intro, text, librarian }, place) => {
    const limit = limits[place] ?? 0;
    if (text.length <= limit) return `${intro}${text}`;
    return `${intro}${shorten(text, limit - ROOM_FOR_NOTE)}\n\n*Shortened: the whole answer of ${librarian} is longer.*`;
  });
  return [opening, ...parts, ending].filter((part) => part !== '').join('\n\n');
};

interface Section {
  intro: string;
  text: string;
  librarian: string;
}

const SEPARATORS = 4;
const ROOM_FOR_NOTE = 120;

interface Around {
  voices: readonly Voice[];
  hasHeadings: boolean;
  disputes: readonly Dispute[];
}

const sectionOf = (
  { question, said, repeating, declining }: Topic,
  { voices, hasHeadings, disputes }: Around,
): Section[] => {
  const nameOf = (place: number) => inertLine(voices[place]?.librarian ?? '', 48);
  const heading = hasHeadings ? `## ${inertLine(question, 200)}\n\n` : '';
  const isDisputed = (voice: number, topic: Topic['said']) =>
    disputes.some(
      ({ voices: pair }) =>
        pair.includes(voice) && pair.some((place) => place !== voice && topic.some((each) => each.voice === place)),
    );
  const notes = [
    ...(repeating.length > 0 ? [`the same from ${repeating.map(nameOf).join(', ')}`] : []),
    ...(declining.length > 0 ? [`nothing on this from ${declining.map(nameOf).join(', ')}`] : []),
  ];
  return said.map(({ voice, text }, order) => ({
    intro:
      order === 0
        ? `${heading}*From ${[nameOf(voice), ...notes].join('; ')}:*\n\n`
        : `### ${nameOf(voice)} ${isDisputed(voice, said) ? 'says otherwise' : 'adds'}\n\n`,
    text,
    librarian: nameOf(voice),
  }));
};

/** What each text may take: short ones all they need, and what they leave goes to the long ones. */
const fairShares = (texts: readonly string[], room: number): number[] => {
  const limits: number[] = texts.map(() => 0);
  let left = room;
  const shortestFirst = texts
    .map((text, place) => ({ place, length: text.length }))
    .toSorted((a, b) => a.length - b.length);
  shortestFirst.forEach(({ place, length }, done) => {
    const share = Math.min(ANSWER_ADVISED_LENGTH, Math.floor(left / (texts.length - done)));
    limits[place] = share;
    left -= Math.min(share, length);
  });
  return limits;
};

const MAX_QUOTE = 300;

const disputesText = (disputes: readonly Dispute[]): string => {
  if (disputes.length === 0) return '';
  const told = disputes.map(({ contradiction: { statements, values } }) => {
    const quotes = statements.map(
      ({ librarian, text }) => `- ${inertLine(librarian, 48)}: “${inertLine(text, MAX_QUOTE)}”`,
    );
    return `${values.map((value) => inertLine(value, 60)).join(' or ')}:\n\n${quotes.join('\n')}`;
  });
  return `## The librarians disagree\n\n${told.join('\n\n')}`;
};

/** Questions that no one answered, and answers that lack something. */
const gapsText = (voices: readonly Voice[], topics: readonly Topic[]): string => {
  const declined = topics.flatMap(({ question, said, members }) => {
    if (said.length === 0 || said.some(({ voice }) => voices[voice]?.isDeclined !== true)) return [];
    const closest = closestOf(members.flatMap((place) => voices[place]?.response ?? []));
    const links = closest.map(({ title, url }) => linkTo(title, url)).join(', ');
    const about = `I found nothing about “${inertLine(question, 200)}”.`;
    return [links === '' ? `- ${about}` : `- ${about} The closest articles: ${links}.`];
  });
  const failed = voices.flatMap(({ librarian, question, error, text }) => {
    if (error === undefined) return [];
    const asked = `“${inertLine(question, 120)}”`;
    const from = inertLine(librarian, 48);
    return text === ''
      ? [`- No answer to ${asked} from ${from}: ${WHY_MISSING[error.code]}.`]
      : [`- Something is missing from the answer of ${from} to ${asked}: ${WHY_MISSING[error.code]}.`];
  });
  const gaps = [...declined, ...failed];
  return gaps.length === 0 ? '' : `## Not answered\n\n${gaps.join('\n')}`;
};

/** The title as a link, where its address is one of the web. */
const linkTo = (title: string, url: string | undefined): string => {
  const text = inertLine(title, 120);
  return url !== undefined && /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${text}](${url})` : `“${text}”`;
};
