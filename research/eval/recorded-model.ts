import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AIClient,
  AICompletionOptions,
  AIMessage,
} from '../../src/contract/core/librarian.ts';

/** Replies of a language model that saw nothing but the prompt, by the key of the prompt. */
interface Recording {
  /** ISO 8601 date of the last reply. */
  recorded: string;
  /** Which model gave them. */
  by: string;
  /** What the model wrote, as a value where it is JSON. */
  replies: Record<string, unknown>;
}

export interface RecordedModel extends AIClient {
  /** Prompts without a reply, by their key. */
  open: ReadonlyMap<string, OpenPrompt>;
  /** Starts another question: prompts after an open one depend on its reply, and are not counted as open. */
  startQuestion(): void;
  /** Keys of the replies that were used. */
  used: ReadonlySet<string>;
  calls: { schema: string; promptLength: number; replyLength: number }[];
}

export interface OpenPrompt {
  key: string;
  schema: AICompletionOptions['schema'];
  messages: readonly AIMessage[];
}

const fileOf = (name: string): string => join(import.meta.dirname, 'recorded', `${name}.json`);

/** The replies recorded for one knowledge base; none where there is no file yet. */
export function readRecording(name: string): Recording {
  return existsSync(fileOf(name))
    ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as Recording)
    : { recorded: '', by: '', replies: {} };
}

/**
 * The key of a prompt: the beginning of a hash of its messages, without the code of their tags, the date and a program's doubts about the
 * statements, and the name of its schema.
 */
const promptKey = (
  messages: readonly AIMessage[],
  schema: AICompletionOptions['schema'],
): string => {
  const stableMessages = messages.map(({ role, content }) => ({
    role,
    content: withoutCode(content.toWellFormed()),
  }));
  return createHash('sha256')
    .update(JSON.stringify(stableMessages) + (schema?.name ?? ''))
    .digest('hex')
    .slice(0, 12);
};

const withoutCode = (text: string): string => {
  const code = /The code of the tags is (\w{4,12})\./.exec(text)?.[1];
  const dateless = text
    .replace(/^Today is \d{4}-\d\d-\d\d\. /, '')
    .replace(/, old: \d+ years ago/g, ', old')
    .replace(/ doubt="[^"\n]*"(?=>$)/gm, '');
  return code === undefined ? dateless : dateless.replaceAll(code, 'code');
};

/** A model that replies as it was recorded, and fails as an unreachable one does where nothing was. */
export function recordedModel({ replies }: Recording): RecordedModel {
  const open = new Map<string, OpenPrompt>();
  const used = new Set<string>();
  const calls: RecordedModel['calls'] = [];
  let isOpen = false;
  return {
    model: 'recorded',
    open,
    used,
    calls,
    startQuestion: () => {
      isOpen = false;
    },
    complete: async (messages, { schema } = {}) => {
      const key = promptKey(messages, schema);
      if (!Object.hasOwn(replies, key)) {
        if (!isOpen) open.set(key, { key, schema, messages });
        isOpen = true;
        throw new Error(`No reply is recorded for ${key}`);
      }
      used.add(key);
      const reply = replies[key];
      const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
      const promptLength = messages.reduce((sum, { content }) => sum + content.length, 0);
      calls.push({ schema: schema?.name ?? '', promptLength, replyLength: text.length });
      const tokensOf = (length: number) => Math.ceil(length / 4);
      return {
        text,
        usage: { inputTokens: tokensOf(promptLength), outputTokens: tokensOf(text.length) },
      };
    },
  };
}

/** Writes each open prompt as a file of its own, for a language model to answer. */
export function writeOpenPrompts(folder: string, open: ReadonlyMap<string, OpenPrompt>): void {
  mkdirSync(folder, { recursive: true });
  for (const [key, prompt] of open)
    writeFileSync(join(folder, `${key}.json`), JSON.stringify(prompt, null, 1));
}

/** Adds the replies of a folder (`<key>.json` each) to a recording. */
export function addReplies(recording: Recording, folder: string, today: string): Recording {
  if (!existsSync(folder)) return recording;
  const added = readdirSync(folder).filter((file) => /^[0-9a-f]{12}\.json$/.test(file));
  const entries = added.map((file): [string, unknown] => {
    const text = readFileSync(join(folder, file), 'utf8').trim();
    return [file.replace('.json', ''), parsed(text)];
  });
  if (entries.length === 0) return recording;
  return {
    ...recording,
    recorded: today,
    replies: { ...recording.replies, ...Object.fromEntries(entries) },
  };
}

/** The replies in a folder (`<key>.json` each), as a recording. */
export function readReplies(folder: string): Recording {
  return addReplies({ recorded: '', by: '', replies: {} }, folder, '');
}

/** Writes a recording with those replies alone that are still asked for, one a line. */
export function writeRecording(
  name: string,
  { recorded, by, replies }: Recording,
  used: ReadonlySet<string>,
): void {
  const lines = Object.entries(replies)
    .filter(([key]) => used.has(key))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, reply]) => `${JSON.stringify(key)}: ${JSON.stringify(reply)}`);
  const head = `"recorded": ${JSON.stringify(recorded)},\n"by": ${JSON.stringify(by)}`;
  writeFileSync(fileOf(name), `{\n${head},\n"replies": {\n${lines.join(',\n')}\n}\n}\n`);
}

/** What a model broke stays as it was. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
