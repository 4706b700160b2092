import { createParser } from 'eventsource-parser';
import { failUsage } from '../../tools/command-line.ts';
import { type Command, EXIT, openCommand } from './command.ts';
import { SETTINGS_HELP } from './settings.ts';

export const MCP_HELP = `Serves MCP over standard input and output to an assistant on this machine, answering from the deployment.

  constellation mcp [options]

${SETTINGS_HELP}

Examples:
  constellation mcp
  constellation mcp --url https://answers.example.com --workspace handbook

Exit code: 0 when the assistant has closed the input, 1 failed, 2 wrong command line.
`;

export const mcp: Command = async (args) => {
  const { settings } = openCommand(args, { help: MCP_HELP, options: {} });
  const { url, key, workspace } = settings;
  if (key === undefined)
    return failUsage('The key is missing: set CONSTELLATION_API_KEY, or run constellation login');
  const at = new URL(url);
  if (workspace !== undefined) at.searchParams.set('workspace_id', workspace);
  await bridgeMcp({
    url: at.href,
    key,
    input: process.stdin,
    write: (line) => void process.stdout.write(line),
  });
  return EXIT.answered;
};

interface BridgeOptions {
  /** Address of the deployment, with its workspace if it is not the key's first: `https://kb.example.com/?workspace_id=acme`. */
  url: string;
  /** An API key, or a token of an identity provider. */
  key: string;
  /** What the client writes: messages of JSON-RPC, one a line, as of `process.stdin`. */
  input: AsyncIterable<Uint8Array>;
  /** Gets each message for the client, as one line with its end. */
  write: (line: string) => void;
  fetch?: typeof globalThis.fetch;
}

type Json = Record<string, unknown>;
type Id = string | number;

/** Characters of one message; the deployment takes less. */
const MAX_LINE = 1_048_576;
const MAX_EVENT = 16_777_216;
const MAX_IN_FLIGHT = 64;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** Codes outside -32768 to -32000 are ours. */
const UNREACHABLE = 503;

const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/**
 * Serves MCP to a local client over its standard streams (MCP, Transports, stdio): each message goes to `POST /mcp` of a deployment, and what
 * comes back to the client. Both revisions work, as at the deployment. Returns when the input has ended and all answers are written.
 */
export async function bridgeMcp(options: BridgeOptions): Promise<void> {
  const inFlight = new Map<Id, AbortController>();
  const work = new Set<Promise<void>>();
  const state: State = { negotiated: undefined };
  for await (const line of linesOf(options.input)) {
    const message = line === undefined ? undefined : parsed(line);
    if (message === undefined || Array.isArray(message)) {
      const code = message === undefined ? PARSE_ERROR : INVALID_REQUEST;
      send(
        options,
        failure(
          null,
          code,
          'Cannot read the message: it is not one JSON-RPC message of up to 1 MiB',
        ),
      );
      continue;
    }
    if (message.method === 'notifications/cancelled') {
      // The connection is the request: closing it cancels.
      inFlight.get(objectOf(message.params).requestId as Id)?.abort();
      continue;
    }
    if (typeof message.method !== 'string') continue;
    if (work.size >= MAX_IN_FLIGHT) await Promise.race(work);
    const id = isId(message.id) ? message.id : undefined;
    const abort = new AbortController();
    if (id !== undefined) inFlight.set(id, abort);
    const done = forward(message, { ...options, id, state, signal: abort.signal }).finally(() => {
      if (id !== undefined) inFlight.delete(id);
      work.delete(done);
    });
    work.add(done);
    // A client of the older revision waits for this answer itself.
    if (message.method === 'initialize') await done;
  }
  await Promise.all(work);
}

interface State {
  /** The revision of a client that has opened with `initialize`. */
  negotiated: string | undefined;
}

interface Forwarding extends BridgeOptions {
  id: Id | undefined;
  state: State;
  signal: AbortSignal;
}

const forward = async (message: Json, options: Forwarding): Promise<void> => {
  const { id, signal, key, fetch = globalThis.fetch } = options;
  let isAnswered = id === undefined;
  const take = (answer: Json): void => {
    if (options.id !== undefined && 'id' in answer) isAnswered = true;
    const version = objectOf(answer.result).protocolVersion;
    if (message.method === 'initialize' && typeof version === 'string')
      options.state.negotiated = version;
    send(options, answer);
  };
  try {
    const address = new URL(options.url);
    const url = new URL(`/mcp${address.search}`, address);
    const headers = { ...headersOf(message, options.state), Authorization: `Bearer ${key}` };
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal,
      redirect: 'error',
    });
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream'))
      await readEvents(response, take);
    else {
      const answer = parsed(await response.text());
      if (!isAnswered && answer !== undefined && !Array.isArray(answer) && 'jsonrpc' in answer)
        take({ ...answer, id });
    }
    if (!isAnswered)
      throw new Error(`the deployment answered ${response.status} without a message`);
  } catch (error) {
    if (isAnswered || signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    send(options, failure(id ?? null, UNREACHABLE, `Cannot reach the deployment: ${reason}`));
  }
};

const readEvents = async ({ body }: Response, take: (answer: Json) => void): Promise<void> => {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ data }) => {
      const message = parsed(data);
      if (message !== undefined && !Array.isArray(message)) take(message);
    },
  });
  for await (const part of body ?? []) parser.feed(decoder.decode(part, { stream: true }));
};

/** Repeats what the body says, for proxies (MCP 2026-07-28, Streamable HTTP, Request Headers). */
const headersOf = ({ method, params }: Json, { negotiated }: State): Record<string, string> => {
  const { _meta, name, uri } = objectOf(params);
  const stated = objectOf(_meta)[VERSION_META];
  const version = typeof stated === 'string' ? stated : negotiated;
  const named = typeof name === 'string' ? name : uri;
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
    ...(typeof stated === 'string' ? { 'Mcp-Method': headerText(String(method)) } : {}),
    ...(typeof stated === 'string' && NAMED.has(String(method)) && typeof named === 'string'
      ? { 'Mcp-Name': headerText(named) }
      : {}),
  };
};

const NAMED = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Visible ASCII as it is, everything else as base64 of its UTF-8. */
const headerText = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${btoa(String.fromCodePoint(...new TextEncoder().encode(text)))}?=`;

const send = ({ write }: BridgeOptions, message: Json): void =>
  write(`${JSON.stringify(message)}\n`);

const failure = (id: Id | null, code: number, message: string): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** Lines without their ends; `undefined` for one that is too long. */
async function* linesOf(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | undefined, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let isTooLong = false;
  for await (const part of input) {
    const [first = '', ...more] = decoder.decode(part, { stream: true }).split('\n');
    rest += first;
    for (const next of more) {
      if (isTooLong || rest.length > MAX_LINE) yield undefined;
      else if (rest.trim() !== '') yield rest;
      isTooLong = false;
      rest = next;
    }
    if (rest.length > MAX_LINE) {
      isTooLong = true;
      rest = '';
    }
  }
  if (!isTooLong && rest.trim() !== '') yield rest;
}

const parsed = (text: string): Json | unknown[] | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
    return typeof value === 'object' && value !== null ? objectOf(value) : undefined;
  } catch {
    return undefined;
  }
};

/** The members of an object of JSON; none for anything else. */
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {};

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || typeof value === 'number';
