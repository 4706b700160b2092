import * as z from 'zod';
import { readAs } from '../../src/contract/core/error-info.ts';
import { parseJson } from '../../src/contract/core/json-object.ts';
import { isOwnAddress } from '../../src/platform/http/public-address.ts';
import { readBody } from '../../src/platform/http/read-body.ts';

/** A model that an Ollama has, and what it can do (docs.ollama.com/api/tags, docs.ollama.com/api/show). */
export interface OllamaModel {
  name: string;
  /** When it was pulled or made. */
  modifiedMs: number;
  canChat: boolean;
  canEmbed: boolean;
  /** It reasons before it answers. */
  thinks: boolean;
  /** Length of its vectors, as far as it says. */
  dimensions: number | undefined;
  /** It runs at another host: what it is sent leaves this machine. */
  isRemote: boolean;
}

export interface Ollama {
  /** `http://127.0.0.1:11434`, no slash at the end. */
  url: string;
  /** The one that was pulled last first. */
  models: OllamaModel[];
}

interface Bounds {
  fetch?: typeof globalThis.fetch;
  /** Until the list of models is there. */
  listMs?: number;
  /** From then on, until it is known what each can do. */
  detailsMs?: number;
}

/** An Ollama on this machine answers in some milliseconds, but the start of the product keeps a slow machine busy meanwhile. */
const LIST_MS = 1500;
/** A description is read from the model's file. */
const DETAILS_MS = 1000;
/** The models that were pulled last. */
const MAX_MODELS = 32;
const MAX_LIST_BYTES = 2 * 1024 * 1024;
/** Holds the licence and the template. */
const MAX_DETAILS_BYTES = 4 * 1024 * 1024;

const DEFAULT_PORT = '11434';

/**
 * The address of Ollama as its own programs read it from `OLLAMA_HOST`: a host, a port or both, with or without a scheme. One that a server
 * listens on everywhere (`0.0.0.0`) is reached at loopback.
 *
 * @returns `undefined` when it is none, or not one of this machine.
 */
export function ollamaAddress(host = ''): string | undefined {
  const text = host.trim().replace(/^["']|["']$/g, '');
  const hasScheme = /^https?:\/\//i.test(text);
  const withHost = text === '' || text.startsWith(':') ? `127.0.0.1${text}` : text;
  const address = hasScheme ? text : `http://${withHost}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  // Without a scheme the port of Ollama is meant; `http://host` means port 80.
  if (!hasScheme && !/:\d+\/?$/.test(withHost)) url.port = DEFAULT_PORT;
  return isOwnAddress(url.href) ? url.href.replace(/\/+$/, '') : undefined;
}

/** The models of an Ollama at an address of this machine; `undefined` when none answers there in time. Never throws. */
export async function findOllama(url: string, bounds: Bounds = {}): Promise<Ollama | undefined> {
  const { fetch = globalThis.fetch, listMs = LIST_MS, detailsMs = DETAILS_MS } = bounds;
  const listed = await read(Tags, `${url}/api/tags`, {
    fetch,
    signal: AbortSignal.timeout(listMs),
    maxBytes: MAX_LIST_BYTES,
  });
  if (listed === undefined) return undefined;
  const newest = listed.models
    .filter(({ name }) => NAME.test(name))
    .map((model) => ({ ...model, modifiedMs: Date.parse(model.modified_at ?? '') || 0 }))
    .sort((one, other) => other.modifiedMs - one.modifiedMs)
    .slice(0, MAX_MODELS);
  const signal = AbortSignal.timeout(detailsMs);
  const models = await Promise.all(
    newest.map(async ({ name, modifiedMs, remote_host }): Promise<OllamaModel> => {
      const shown = await read(Shown, `${url}/api/show`, {
        fetch,
        signal,
        maxBytes: MAX_DETAILS_BYTES,
        body: { model: name },
      });
      const isRemote = Boolean(remote_host ?? shown?.remote_host);
      return { name, modifiedMs, isRemote, ...abilitiesOf(shown) };
    }),
  );
  return { url, models };
}

/** Tokens that a loaded model takes at once; `undefined` when it is not loaded, or Ollama does not say. */
export async function loadedContext(
  url: string,
  model: string,
  { fetch = globalThis.fetch }: Pick<Bounds, 'fetch'> = {},
): Promise<number | undefined> {
  const bounds = { fetch, signal: AbortSignal.timeout(DETAILS_MS), maxBytes: MAX_LIST_BYTES };
  const running = await read(Running, `${url}/api/ps`, bounds);
  return running?.models.find(({ name }) => name === model)?.context_length ?? undefined;
}

/** What stands for the name of a model in settings. */
const NAME = /^[\w.:/@-]{1,100}$/;

const Tags = z.object({
  models: z
    .array(
      z.object({
        name: z.string(),
        modified_at: z.string().nullish().catch(undefined),
        remote_host: z.string().nullish().catch(undefined),
      }),
    )
    .max(10_000),
});

const Shown = z.object({
  capabilities: z.array(z.string()).nullish().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  remote_host: z.string().nullish().catch(undefined),
});

const Running = z.object({
  models: z.array(
    z.object({ name: z.string(), context_length: z.int().positive().nullish().catch(undefined) }),
  ),
});

/** A model that does not say what it can do in time is not used by itself. Old servers do not know: models with a pooling embed. */
const abilitiesOf = (
  shown: z.infer<typeof Shown> | undefined,
): Pick<OllamaModel, 'canChat' | 'canEmbed' | 'thinks' | 'dimensions'> => {
  if (shown === undefined)
    return { canChat: false, canEmbed: false, thinks: false, dimensions: undefined };
  const info = shown.model_info ?? {};
  const hasPooling = Object.keys(info).some((name) => name.endsWith('.pooling_type'));
  const capabilities = shown.capabilities ?? [hasPooling ? 'embedding' : 'completion'];
  const architecture = info['general.architecture'];
  const length =
    typeof architecture === 'string' ? info[`${architecture}.embedding_length`] : undefined;
  return {
    canChat: capabilities.includes('completion'),
    canEmbed: capabilities.includes('embedding'),
    thinks: capabilities.includes('thinking'),
    dimensions:
      typeof length === 'number' && Number.isInteger(length) && length > 0 ? length : undefined,
  };
};

interface ReadOptions {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  maxBytes: number;
  /** Sent with POST. */
  body?: unknown;
}

/** What an address replies, when it has this form; whatever else happens, `undefined`. */
const read = async <Schema extends z.ZodType>(
  schema: Schema,
  address: string,
  { fetch, signal, maxBytes, body }: ReadOptions,
): Promise<z.output<Schema> | undefined> => {
  try {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(address, { ...init, signal, redirect: 'error' });
    const bytes = response.ok ? await readBody(response, maxBytes) : undefined;
    if (bytes === undefined) return undefined;
    const reply = readAs(schema, parseJson(new TextDecoder().decode(bytes)));
    return reply.ok ? reply.value : undefined;
  } catch {
    return undefined;
  }
};
