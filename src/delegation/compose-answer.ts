import { ANSWER_ADVISED_LENGTH, type Source } from '../contract/response.ts';
import { shortenAnswer } from '../runtime/shorten-answer.ts';
import { closestOf } from './abstention.ts';
import { inertLine } from './contain-markdown.ts';
import { fairShares } from './delegated-limits.ts';
import { WHY_MISSING } from './failures.ts';
import type { Reply, Topic } from './topics.ts';

/**
 * The joined answer as Markdown: each question with its answers, most confident first, under the names of their librarians; then what is
 * missing. Only this function writes headings of level 1 to 3 (`containMarkdown`), so that no part can imitate another.
 *
 * @returns At most 4,000 characters, unless headings and gaps alone have more. A part that is shortened says so, and links its sources.
 */
export const composeAnswer = (topics: readonly Topic[], replies: readonly Reply[]): string => {
  const ending = gapsText(topics, replies);
  const sections = topics
    .filter(({ isInformed }) => isInformed)
    .flatMap((topic) => sectionsOf(topic, { hasHeading: topics.length > 1 }));
  const fixed = [ending, ...sections.map(({ intro }) => intro)].join('').length + SEPARATOR_LENGTH * sections.length;
  const limits = fairShares(
    sections.map(({ text }) => text.length),
    Math.max(ANSWER_ADVISED_LENGTH - fixed, LEAST_OF_PART * sections.length),
  );
  const parts = sections.map(({ intro, text, librarians, sources }, index) => {
    const shown = shortenAnswer(text, sources, { limit: limits[index] ?? 0, whose: ` of ${librarians}` });
    return `${intro}${shown}`;
  });
  return [...parts, ending].filter((part) => part !== '').join('\n\n');
};

/** Characters of each part, whatever the headings and gaps need. */
const LEAST_OF_PART = 300;
/** Between parts, on both sides. */
const SEPARATOR_LENGTH = 4;

interface Section {
  intro: string;
  text: string;
  librarians: string;
  sources: readonly Source[] | undefined;
}

const sectionsOf = ({ question, answers, replies }: Topic, { hasHeading }: { hasHeading: boolean }): Section[] => {
  const heading = hasHeading ? `## ${inertLine(question, 200)}\n\n` : '';
  const declined = replies.filter((reply) => reply.isDeclined);
  const note = declined.length > 0 ? `; nothing on this from ${namesOf(declined)}` : '';
  return answers.map((group, index) => {
    const librarians = namesOf(group);
    const intro = index === 0 ? `${heading}*From ${librarians}${note}:*\n\n` : `### ${librarians}\n\n`;
    return { intro, text: group[0].text, librarians, sources: group[0].response.sources };
  });
};

const namesOf = (replies: readonly Reply[]): string =>
  replies.map(({ librarian }) => inertLine(librarian, 48)).join(', ');

/** Questions that no one answered, and answers that lack something. */
const gapsText = (topics: readonly Topic[], replies: readonly Reply[]): string => {
  const declined = topics.flatMap(({ question, answers, isInformed, replies: members }) => {
    if (answers.length === 0 || isInformed) return [];
    const closest = closestOf(members.map(({ response }) => response));
    const links = closest.map(({ title, url }) => linkTo(title, url)).join(', ');
    const about = `I found nothing about “${inertLine(question, 200)}”.`;
    return [links === '' ? `- ${about}` : `- ${about} The closest articles: ${links}.`];
  });
  const failed = replies.flatMap(({ librarian, question, error, text }) => {
    if (error === undefined) return [];
    const query = `“${inertLine(question, 120)}”`;
    const from = inertLine(librarian, 48);
    return text === ''
      ? [`- No answer to ${query} from ${from}: ${WHY_MISSING[error.code]}.`]
      : [`- Something is missing from the answer of ${from} to ${query}: ${WHY_MISSING[error.code]}.`];
  });
  const gaps = [...declined, ...failed];
  return gaps.length === 0 ? '' : `## Not answered\n\n${gaps.join('\n')}`;
};

/** The title as a link, if its address is one of the web. */
const linkTo = (title: string, url: string | undefined): string => {
  const text = inertLine(title, 120);
  return url !== undefined && /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${text}](${url})` : `“${text}”`;
};
