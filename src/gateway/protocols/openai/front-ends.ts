import words from './front-ends.json' with { type: 'json' };

/** A message of a chat, as text. */
interface ChatTurn {
  role: string;
  text: string;
}

/**
 * Whether a request is a task that a front end has its model do beside the chat: a title, tags, follow-up questions, search queries. No
 * article answers that. It is known by what it asks: the chat in tags and no question, or an instruction about the chat; in the last message
 * of the user, or in a short system message when there is no chat yet.
 */
export function isTask(turns: readonly ChatTurn[]): boolean {
  const asked = turns.findLast(({ role }) => role === 'user')?.text ?? '';
  if (questionWithin(asked) !== undefined) return false;
  if (words.taskTags.some((tag) => asked.includes(`</${tag}>`))) return true;
  if (instructs(asked)) return true;
  const system = turns.filter(({ role }) => role === 'system' || role === 'developer');
  const isFirst = turns.length === system.length + 1;
  return isFirst && system.some(({ text }) => text.length <= MAX_TASK && instructs(text));
}

/** The prompts of an assistant that chats are longer, and mention all sorts of things. */
const MAX_TASK = 2000;
/** Longer texts are read at the beginning and at the end, this much each: between them stands the chat. */
const MAX_INSTRUCTION = 1500;

/** Whether a text instructs a model to say something about a chat. Who asks begins with a question. */
const instructs = (text: string): boolean => {
  const said = text.trim().replace(TASK_HEADING, '');
  if (/^[^.!\n。！]{1,500}[?？]/.test(said)) return false;
  const edges = `${text.slice(0, MAX_INSTRUCTION)}\n${text.slice(-MAX_INSTRUCTION)}`.toLowerCase();
  return TASKS.some((groups) =>
    groups.every((group) => group.some((phrase) => edges.includes(phrase))),
  );
};

const TASKS: readonly (readonly (readonly string[])[])[] = Object.values(words.tasks).flat();

/** The heading of a template, which says nothing about what is asked. */
const TASK_HEADING = /^#{1,6} *task: *\n?/i;

/**
 * What a user has asked, without the template that a front end has put around it: texts of its own search, and instructions what to do
 * with them. A text without a template is left as it is.
 */
export function questionOf(text: string): string {
  return questionWithin(text) ?? text.trim().replace(TASK_HEADING, '').trim();
}

/** The question of a template; undefined when there is none. */
const questionWithin = (text: string): string | undefined => {
  const said = withoutAdded(text);
  const context = contextIn(said);
  // Texts of a search may hold anything, these tags too.
  const [after = said, before = ''] =
    context === undefined ? [] : [said.slice(context.end), said.slice(0, context.start)];
  const tagged = taggedQuestion(after) ?? taggedQuestion(before);
  if (tagged !== undefined) return tagged;
  const hasContext =
    context !== undefined || CONTEXT_LABELS.some((label) => said.toLowerCase().includes(label));
  if (hasContext) {
    const labelled = labelledQuestion(after) ?? labelledQuestion(before);
    if (labelled !== undefined) return labelled;
  }
  if (context !== undefined) {
    const rest = withoutInstructions(after) || withoutInstructions(before);
    if (rest !== '') return rest;
  }
  return said === text ? undefined : said.trim();
};

/** The text without what a front end has added between marks of its own. */
const withoutAdded = (text: string): string =>
  words.added.reduce((rest, { start, end }) => {
    const from = rest.indexOf(start);
    const to = rest.lastIndexOf(end);
    return from === -1 || to < from ? rest : `${rest.slice(0, from)}${rest.slice(to + end.length)}`;
  }, text);

/** The place of the texts of a search, with their tags. */
const contextIn = (text: string): { start: number; end: number } | undefined => {
  const lower = text.toLowerCase();
  // When lowering changes the length, places do not fit; no tag is lost that is written in small letters.
  const read = lower.length === text.length ? lower : text;
  for (const tag of words.contextTags) {
    const start = CONTEXT_STARTS.get(tag)?.exec(read)?.index ?? -1;
    const close = `</${tag}>`;
    const end = start === -1 ? -1 : read.lastIndexOf(close) + close.length;
    if (end > start && /^[ \t]*(?:\r?\n|$)/.test(read.slice(end, end + 50))) return { start, end };
  }
  return undefined;
};

/** With attributes or without, at the beginning of a line: within one, a user writes about tags. */
const CONTEXT_STARTS = new Map(
  words.contextTags.map((tag) => [tag, new RegExp(`^<${tag}(?: [^<>]{0,300})?>`, 'm')]),
);

const INSTRUCTIONS = Object.values(words.instructions).flat();

/** Without the paragraphs that tell a model what to do with the texts, unless nothing else is there. */
const withoutInstructions = (text: string): string => {
  const paragraphs = text.split(/\n[ \t]*\n/).map((paragraph) => paragraph.trim());
  const others = paragraphs.filter((paragraph) => {
    const lower = paragraph.slice(0, MAX_INSTRUCTION).toLowerCase();
    return paragraph !== '' && !INSTRUCTIONS.some((phrase) => lower.includes(phrase));
  });
  return (others.length === 0 ? paragraphs : others).join('\n\n').trim();
};

const taggedQuestion = (text: string): string | undefined => {
  for (const tag of words.questionTags) {
    const end = text.lastIndexOf(`</${tag}>`);
    const start = end === -1 ? -1 : text.lastIndexOf(`<${tag}>`, end);
    const question = start === -1 ? '' : text.slice(start + tag.length + 2, end).trim();
    if (question !== '') return question;
  }
  return undefined;
};

const LABELS = Object.values(words.labels);
const CONTEXT_LABELS = LABELS.flatMap(({ context }) => context);

/** `Question: …`, also as a heading with the question below it, up to the label of the answer or the next heading. */
const labelledQuestion = (text: string): string | undefined => {
  const lines = text.split('\n').slice(-MAX_LINES);
  const at = lines.findLastIndex((line) => labelled(line, QUESTION_LABELS) !== undefined);
  if (at === -1) return undefined;
  const [first = '', ...below] = lines.slice(at);
  const rest = below.findIndex(
    (line) => /^#{1,6} /.test(line) || labelled(line, ANSWER_LABELS) !== undefined,
  );
  const question = [
    labelled(first, QUESTION_LABELS) ?? '',
    ...below.slice(0, rest === -1 ? undefined : rest),
  ];
  const whole = question.join('\n').trim();
  return whole === '' ? undefined : whole;
};

const MAX_LINES = 5000;
const QUESTION_LABELS = LABELS.flatMap(({ question }) => question);
const ANSWER_LABELS = LABELS.flatMap(({ answer }) => answer);

/** What follows a label at the beginning of a line; undefined for a line without one. */
const labelled = (line: string, labels: readonly string[]): string | undefined => {
  const bare = line.slice(0, 200).replace(/^[#*\s]+/, '');
  const label = labels.find((each) => bare.toLowerCase().startsWith(each));
  const rest = label === undefined ? undefined : /^\**\s*[:：]\**/.exec(bare.slice(label.length));
  if (label === undefined || !rest) return undefined;
  return `${bare.slice(label.length + rest[0].length)}${line.slice(200)}`.trim();
};
