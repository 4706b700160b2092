import type { Context } from 'hono';
import * as z from 'zod';
import { recentTurns, type SpokenTurn } from '../../../answering/understand/recent-turns.ts';
import { languageOfAsker } from '../../../answering/write/answer-phrases.ts';
import { AskRequest } from '../../../contract/core/ask.ts';
import { describeIssues, readAs } from '../../../contract/core/error-info.ts';
import type { LibrarianResponse } from '../../../contract/core/response.ts';
import type { ChatContent } from '../../../contract/wire/chat-completions.ts';
import type { Librarians } from '../../../librarians/delegation/librarian-directory.ts';
import { readJson } from '../../../platform/http/json-http.ts';
import type { Reporting } from '../../../platform/http/progress.ts';
import { jsonBytes } from '../../access/forward.ts';
import { GatewayError } from '../../access/gateway-error.ts';
import type { GatewayEnv } from '../../access/request-log.ts';
import { type Asking, CONCIERGE } from '../../ask/ask.ts';
import { citedText } from '../cited-text.ts';
import { isTask, questionOf } from './front-ends.ts';

/** The model that asks the concierge; every librarian is a model too. */
export const CONSTELLATION = 'constellation';
/** Ending of a model's name: the text does not list its sources, for clients that show annotations. */
export const ANNOTATED = ':annotated';
/** A conversation of some 200,000 characters. */
const MAX_CHAT_BYTES = 1_048_576;

export interface OpenAIParts {
  librarians: Librarians;
  asking: Asking;
}

/** Reads the body of a request in OpenAI's form. */
export async function readOpenAI<Schema extends z.ZodType>(
  c: Context<GatewayEnv>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const read = readJson(await jsonBytes(c, MAX_CHAT_BYTES), schema);
  if (read.ok) return read.value;
  throw new GatewayError('INVALID_QUERY', {
    message: read.problem,
    suggestion: read.suggestion,
    details: { issues: read.issues },
  });
}

/** What a client of OpenAI has sent, in whichever of its forms. */
interface OpenAIQuestion {
  model: string;
  messages: readonly Message[];
  /** The name of the member that the messages are sent in. */
  member: string;
  user?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  facts?: boolean | null | undefined;
}

interface Message {
  role?: string | null | undefined;
  content?: ChatContent | null | undefined;
}

/** The function that asks, and the text that its answer grows into. */
export function prepare(
  c: Context<GatewayEnv>,
  { librarians, asking }: OpenAIParts,
  sent: OpenAIQuestion,
) {
  const { model } = sent;
  const id = model.endsWith(ANNOTATED) ? model.slice(0, -ANNOTATED.length) : model;
  const ids = [CONSTELLATION, ...librarians.ids];
  if (!ids.includes(id)) throw unknownModel(ids);
  const turns = sent.messages.map(({ role, content }) => ({
    role: role ?? '',
    text: textOf(content),
  }));
  const ask: (reporting: Reporting) => Promise<LibrarianResponse> = isTask(turns)
    ? async () => NOT_A_QUESTION
    : asking(c, questionIn(sent, turns, id === CONSTELLATION ? CONCIERGE : id));
  const asked = turns.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
  const language = languageOfAsker({ question: asked.at(-1) ?? '', before: asked.slice(0, -1) });
  return { ask, text: citedText({ listsSources: id === model, language }) };
}

const NOT_A_QUESTION: LibrarianResponse = {
  answer: 'This model answers questions from its knowledge base alone.',
  sources: [],
  confidence: 0,
  partial: true,
};

const TEXT_PARTS = new Set(['text', 'input_text', 'output_text']);

const textOf = (content: ChatContent | null | undefined): string => {
  if (typeof content === 'string') return content.trim();
  const texts = (content ?? []).flatMap(({ type, text }) =>
    TEXT_PARTS.has(type) ? (text ?? []) : [],
  );
  return texts.join('\n').trim();
};

/** The last message of the user with what was said before it. Images of earlier messages are skipped. */
const questionIn = (
  { messages, member, ...about }: OpenAIQuestion,
  turns: readonly { role: string; text: string }[],
  librarian: string,
): AskRequest => {
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const { content } = messages[at] ?? {};
  if (Array.isArray(content) && content.some(({ type }) => !TEXT_PARTS.has(type))) {
    throw new GatewayError('INVALID_QUERY', {
      message: 'Cannot look at images, sounds and files: the last message of the user has one',
      suggestion: 'Ask in words, without an attachment',
      details: { param: member },
    });
  }
  const history = recentTurns(
    turns.slice(0, Math.max(0, at)).flatMap(({ role, text }): SpokenTurn[] => {
      if (text === '') return [];
      if (role === 'user') return [{ speaker: 'user', text: questionOf(text) }];
      return role === 'assistant' ? [{ speaker: 'assistant', text }] : [];
    }),
  );
  const personId = about.metadata?.person_id ?? about.user;
  const request = readAs(AskRequest, {
    query: questionOf(turns[at]?.text ?? ''),
    librarian,
    metadata: {
      ...(history.length === 0 ? {} : { history }),
      ...(personId == null ? {} : { person_id: personId }),
    },
    facts: about.facts !== false && about.metadata?.facts !== 'false',
  });
  if (request.ok) return request.value;
  throw new GatewayError('INVALID_QUERY', {
    message: `Cannot answer: in the last message of the user, ${describeIssues(request.issues)}`,
    suggestion: 'End the messages with a question of the user of 1 to 4,000 characters',
    details: { param: member },
  });
};

export function unknownModel(ids: readonly string[]): GatewayError {
  return new GatewayError('NOT_FOUND', {
    message: 'Cannot ask this model: there is none of that name',
    suggestion: `Use one of: ${ids.join(', ').slice(0, 900)}`,
    details: { param: 'model' },
  });
}

/** The error of a response without an answer. */
export function failureOf({ error }: LibrarianResponse): GatewayError {
  const { code = 'INTERNAL_ERROR', ...reported } = error ?? {};
  return new GatewayError(code, reported);
}

const Usage = z.object({
  tokens: z.int().min(0).optional(),
  librarian: z.object({ output_tokens: z.int().min(0) }).optional(),
});

/** Tokens of the models behind the answer; zero without one. Not all librarians tell input and output apart. */
export function usageOf({ metadata }: LibrarianResponse) {
  const read = readAs(Usage, metadata?.usage);
  const total = read.ok ? (read.value.tokens ?? 0) : 0;
  const output = Math.min(total, read.ok ? (read.value.librarian?.output_tokens ?? 0) : 0);
  return { input: total - output, output, total };
}
