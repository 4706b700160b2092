import { type Artifact, type Message, type Part, Role } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import * as z from 'zod';
import { Statements } from '../../../contract/core/ask.ts';
import { type ErrorInfo, readAs } from '../../../contract/core/error-info.ts';
import type { LibrarianResponse } from '../../../contract/core/response.ts';
import { EVIDENCE_EXTENSION } from '../../../contract/wire/a2a.ts';

/** Media types of an answer: its text, and the whole Response as JSON. */
const TEXT = 'text/markdown';
const JSON_TYPE = 'application/json';
export const OUTPUT_MODES = [TEXT, JSON_TYPE];

/** Which media types and metadata the caller of a task accepts. */
export interface Wanted {
  /** Media types; all when empty. */
  modes: readonly string[];
  evidence: boolean;
}

/** Markdown can be read as plain text. */
const READABLE = [TEXT, 'text/plain', 'text/*', '*/*'];
const takesText = ({ modes }: Wanted): boolean =>
  modes.length === 0 || modes.some((mode) => READABLE.includes(mode));
const takesJson = ({ modes }: Wanted): boolean =>
  modes.length === 0 || modes.some((mode) => [JSON_TYPE, 'application/*', '*/*'].includes(mode));

/** @throws {ContentTypeNotSupportedError} When the caller accepts neither text nor JSON. */
export function checkModes(wanted: Wanted): void {
  if (takesText(wanted) || takesJson(wanted)) return;
  throw new ContentTypeNotSupportedError(
    `Cannot answer in any of the accepted output modes: supported are ${OUTPUT_MODES.join(' and ')}`,
  );
}

const part = (content: Part['content'], mediaType: string): Part => ({
  content,
  mediaType,
  filename: '',
  metadata: undefined,
});

export function textPart(text: string, mediaType = TEXT): Part {
  return part({ $case: 'text', value: text }, mediaType);
}
const dataPart = (data: object): Part => part({ $case: 'data', value: data }, JSON_TYPE);

/** The one artifact of a task. */
const ANSWER = 'answer';

/** A piece of the text of an answer, or none where the caller does not take text. */
export function textParts(text: string, wanted: Wanted): Part[] {
  return text === '' || !takesText(wanted) ? [] : [textPart(text)];
}

/** What follows the text: the whole Response, and one address for each source. */
export function endParts(response: LibrarianResponse, wanted: Wanted): Part[] {
  return [
    ...(takesJson(wanted) ? [dataPart(response)] : []),
    ...(takesText(wanted) ? (response.sources ?? []) : []).flatMap(({ url, name, reported_by }) =>
      url !== undefined && URL.canParse(url)
        ? [
            {
              ...part({ $case: 'url', value: url }, 'text/html'),
              metadata: { name, ...(reported_by && { reported_by }) },
            },
          ]
        : [],
    ),
  ];
}

export function artifactOf(parts: Part[], evidence?: Evidence | undefined): Artifact {
  return {
    artifactId: ANSWER,
    name: ANSWER,
    description: '',
    parts,
    metadata: evidence === undefined ? undefined : { [EVIDENCE_EXTENSION]: evidence },
    extensions: evidence === undefined ? [] : [EVIDENCE_EXTENSION],
  };
}

/** The payload of the evidence extension (docs/a2a.md#evidence). */
const Evidence = z.object({
  statements: Statements.default([]).catch([]),
  confidence: z.number().optional().catch(undefined),
  /** The edition of the knowledge base that was read. */
  edition: z.string().max(128).optional().catch(undefined),
});
type Evidence = z.infer<typeof Evidence>;

const NavigatorMetadata = z.object({ navigator: z.object({ edition: z.string() }) });

/** The evidence of each statement, for a caller that has asked for it. */
export function evidenceOf(
  { confidence, metadata = {} }: LibrarianResponse,
  wanted: Wanted,
): Evidence | undefined {
  if (!wanted.evidence) return undefined;
  const navigated = readAs(NavigatorMetadata, metadata);
  const edition = navigated.ok ? navigated.value.navigator.edition : undefined;
  return Evidence.parse({ statements: metadata.statements, confidence, edition });
}

/** A message of the agent in the status of a task. */
export function agentMessage(
  parts: Part[],
  {
    taskId,
    contextId,
    metadata,
  }: { taskId: string; contextId: string; metadata?: object | undefined },
): Message {
  return {
    messageId: crypto.randomUUID(),
    taskId,
    contextId,
    role: Role.ROLE_AGENT,
    parts,
    metadata: metadata === undefined ? undefined : { ...metadata },
    extensions: [],
    referenceTaskIds: [],
  };
}

/** Why a task failed: the message as text, the error as data, its code as metadata. The question is not repeated. */
export function failureParts({ query: _, ...error }: ErrorInfo): {
  parts: Part[];
  metadata: { code: string };
} {
  const text =
    error.suggestion === undefined ? error.message : `${error.message}. ${error.suggestion}.`;
  return {
    parts: [textPart(text, 'text/plain'), dataPart({ error })],
    metadata: { code: error.code },
  };
}
