import * as z from 'zod';

/** What a revision of the protocol has that earlier ones lack. A client that does not know a kind of content fails on the whole result. */
export interface Known {
  /** Titles, output schemas, structured content and links to resources: since 2025-06-18. */
  structure: boolean;
  /** Annotations of tools: since 2025-03-26. */
  annotations: boolean;
}

/** One request and its answer. */
export interface Exchange {
  knows: Known;
  /** Whether the answer may come as events, with notifications before the result. */
  streams: boolean;
}

export const NEWEST: Known = { structure: true, annotations: true };

const Initialize = z.object({
  method: z.literal('initialize'),
  params: z.object({ protocolVersion: z.string() }),
});

/**
 * What the client of an earlier revision knows: by the revision that it opens with, or by the one that its header names. Clients before
 * 2025-06-18 send no header (MCP 2025-06-18, Transports, Protocol Version Header).
 */
export function knownBy(headers: Headers, body: unknown): Known {
  const opened = Initialize.safeParse(body);
  const revision = opened.success
    ? opened.data.params.protocolVersion
    : headers.get('MCP-Protocol-Version');
  // The dates of revisions compare as texts; to one that does not exist the newest is offered.
  const since = (first: string): boolean => (revision ?? WITHOUT_HEADER) >= first;
  return { structure: since('2025-06-18'), annotations: since('2025-03-26') };
}

const WITHOUT_HEADER = '2025-03-26';
