import { type Signal, signal } from '@preact/signals';
import type { AskEvent } from '../../../../client/answer-stream.ts';
import { ConstellationError } from '../../../../client/constellation-error.ts';
import type { DisplayModel } from '../../../contract/wire/agent-response.ts';
import {
  accessIsRead,
  call,
  client,
  may,
  missingCapability,
  noteRefusal,
} from '../session/deployment.ts';
import {
  type Answer,
  afterEvent,
  agentIn,
  DETAILS,
  type ShownError,
  storedIdOf,
} from './answer.ts';

const STORED = 'constellation.answers';
/** Those of this tab, newest last; what goes beyond is dropped, and so are long ones that do not fit into the browser's store. */
const MAX_ANSWERS = 40;

const stored = (): Answer[] => {
  try {
    const answers: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? '[]');
    return Array.isArray(answers) ? answers : [];
  } catch {
    return [];
  }
};

/** One signal an answer, so that an arriving statement renders its answer alone. What a reload broke off is said so. */
export const answers = signal<readonly Signal<Answer>[]>(
  stored().map((answer) =>
    signal(isOpen(answer) ? { ...answer, phase: 'stopped' as const } : answer),
  ),
);

function isOpen({ phase }: Answer): boolean {
  return phase === 'asking' || phase === 'answering';
}

const store = (): void => {
  let kept = answers.value.map(({ value }) => value);
  for (;;) {
    try {
      sessionStorage.setItem(STORED, JSON.stringify(kept));
      return;
    } catch {
      if (kept.length === 0) return;
      kept = kept.slice(Math.ceil(kept.length / 2));
    }
  }
};

const running = new Map<string, AbortController>();

interface Question {
  query: string;
  conversation: string;
  librarian?: string | undefined;
}

const NOTHING_YET = {
  phase: 'asking' as const,
  routed: [],
  passages: [],
  statements: [],
  removed: [],
};

/** Asks, and shows the answer as it arrives. */
export async function ask({ query, conversation, librarian }: Question): Promise<void> {
  const answer = signal<Answer>({
    id: crypto.randomUUID(),
    query,
    librarian,
    conversation,
    askedAt: Date.now(),
    ...NOTHING_YET,
  });
  answers.value = [...answers.value, answer].slice(-MAX_ANSWERS);
  await run(answer);
}

/** Asks a question that failed or was stopped again, in its place. */
export async function askAgain(answer: Signal<Answer>): Promise<void> {
  const { id, query, librarian, conversation } = answer.value;
  answer.value = { id, query, librarian, conversation, askedAt: Date.now(), ...NOTHING_YET };
  await run(answer);
}

export function stop(id: string): void {
  running.get(id)?.abort();
}

export function forget(conversation: string): void {
  for (const { value } of answers.value) if (value.conversation === conversation) stop(value.id);
  answers.value = answers.value.filter(({ value }) => value.conversation !== conversation);
  store();
}

const run = async (answer: Signal<Answer>): Promise<void> => {
  const { id, query, conversation, librarian } = answer.value;
  const stopping = new AbortController();
  running.set(id, stopping);
  await accessIsRead();
  const question = {
    query,
    include: DETAILS,
    // A key without rights to memories asks each question by itself.
    ...(may('memory:read') === false || may('memory:write') === false
      ? {}
      : { conversation_id: conversation }),
    ...(librarian === undefined ? {} : { librarian }),
  };
  const events = byFrame(answer);
  try {
    for await (const event of client.askStream(question, {
      signal: stopping.signal,
      timeoutMs: 300_000,
    }))
      events.show(event);
    await events.shown();
    // Chosen by name, an agent is asked for its figures and documents too; otherwise the reader asks for them.
    if (librarian !== undefined) await loadDisplay(answer).catch(() => undefined);
  } catch (error) {
    events.showAll();
    const phase = stopping.signal.aborted ? 'stopped' : 'failed';
    answer.value = {
      ...answer.value,
      phase,
      error: phase === 'stopped' ? undefined : shownError(error),
    };
    void noteRefusal(error);
  } finally {
    running.delete(id);
    store();
  }
};

/** A frame has time to draw so many statements. */
const EVENTS_A_FRAME = 10;
/** A page that is hidden has no frames. */
const MAX_FRAME_MS = 100;

/** Shows the events of an answer with the next frame, and of many that arrive at once some in each, so that none of them is late. */
const byFrame = (answer: Signal<Answer>) => {
  let waiting: AskEvent[] = [];
  let showing: Promise<void> | undefined;
  const showSome = (count: number): void => {
    const some = waiting.slice(0, count);
    waiting = waiting.slice(count);
    answer.value = some.reduce(afterEvent, answer.value);
  };
  const showAll = (): void => showSome(waiting.length);
  const showByFrame = async (): Promise<void> => {
    while (waiting.length > 0) {
      await nextFrame();
      showSome(document.hidden ? waiting.length : EVENTS_A_FRAME);
    }
    showing = undefined;
  };
  return {
    show: (event: AskEvent): void => {
      waiting.push(event);
      showing ??= showByFrame();
    },
    /** Waits until every event has been shown. */
    shown: async (): Promise<void> => showing,
    showAll,
  };
};

const nextFrame = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, MAX_FRAME_MS);
  });

const shownError = (error: unknown): ShownError => {
  if (!(error instanceof ConstellationError))
    return { code: 'INTERNAL_ERROR', message: String(error) };
  const { code, message, suggestion, requestId } = error;
  return { code, message, suggestion, requestId, missing: missingCapability(error) };
};

/** The answer of this tab with an id: its own, or that under which the deployment keeps it. */
export function answerWith(id: string | undefined): Signal<Answer> | undefined {
  return answers.value.find(
    ({ value }) => id !== undefined && (value.id === id || storedIdOf(value.response) === id),
  );
}

/** Asks an agent for its answer as blocks: tables, charts, documents. */
export async function loadDisplay(answer: Signal<Answer>): Promise<void> {
  const type = agentIn(answer.value.response);
  if (type === undefined) return;
  const query = { format: 'display' };
  const display = await call<DisplayModel>(
    `POST /v1/agents/${type}`,
    { blocks: 'objects' },
    { query, body: { query: answer.value.query } },
  );
  answer.value = { ...answer.value, display };
  store();
}
