import type { Context } from 'hono';
import type { NavigatorResponse } from '../contract/core/navigator-response.ts';
import {
  AgentFormat,
  type AgentSuccess,
  type AgentType,
  type DisplayModel,
  type SourceAttribution,
} from '../contract/wire/agent-response.ts';
import { markdownToText } from '../documents/markdown/render-markdown.ts';
import { jsonAnswer } from '../platform/http/json-http.ts';
import type { GatewayEnv } from './access/request-log.ts';
import type { FixedReply } from './ask/small-talk.ts';

/** A fixed reply in the form of a route; undefined when the request itself is faulty, which the function says. */
export type ReplyForm = (
  c: Context<GatewayEnv>,
  query: string,
  reply: FixedReply,
) => Response | undefined;

/** As `POST /v1/navigate` replies: it is sure of the reply, and that the message is about no article. */
export const asNavigator: ReplyForm = (
  _c,
  _query,
  { response: { answer = '', metadata = {} }, reason },
) => {
  const { statements: _none, ...about } = metadata;
  return jsonAnswer({
    answer,
    sources: [],
    statements: [],
    confidence: 'high',
    confidenceReason: reason,
    outOfDomain: true,
    metadata: about,
  } satisfies NavigatorResponse);
};

/** As `POST /v1/agents/{type}` replies, in the format that the address names. */
export function asAgent(type: AgentType): ReplyForm {
  return (c, query, { response: { answer = '', metadata = {} }, language, reason }) => {
    const formats = c.req.queries('format') ?? ['envelope'];
    const [format] = formats;
    if (formats.length > 1 || !(format === 'envelope' || AgentFormat.safeParse(format).success))
      return undefined;
    if (format === 'markdown') return textOf(answer, 'text/markdown');
    const text = plain(answer);
    if (format === 'text') return textOf(text, 'text/plain');
    if (format === 'display')
      return jsonAnswer({ type, query, blocks: [{ kind: 'text', text }] } satisfies DisplayModel);
    const { statements: _none, ...about } = metadata;
    return jsonAnswer({
      success: true,
      query,
      error: null,
      source_attribution: NO_SOURCE,
      ...resultOf(type, text),
      metadata: {
        ...about,
        answer: text,
        confidence_score: 1,
        language,
        classification_reasoning: [reason],
      },
    } satisfies AgentSuccess);
  };
}

/** As plain text, with the address of the link in place of its words. */
const plain = (answer: string): string =>
  markdownToText(
    answer.replace(/\[[^\]]*\]\((?:mailto:)?([^)\s]+)\)/g, (_link, address: string) => address),
  );

const textOf = (text: string, type: string): Response =>
  new Response(text, { headers: { 'Content-Type': `${type}; charset=utf-8` } });

/** The reply rests on no database, document or page. */
const NO_SOURCE: SourceAttribution = {
  primary_source: 'None',
  icon: '\u{1F4AC}',
  details: {},
  confidence: 1,
};

/** An empty result whose text for readers is the reply. */
const resultOf = (type: AgentType, text: string) => {
  switch (type) {
    case 'analytics': {
      // The contract wants a statement: this comment runs none.
      const sql_query = '-- no query: the message asks nothing of the database';
      return {
        type,
        result: { sql_query, columns: [], rows: [], row_count: 0, interpretation: text },
      };
    }
    case 'semantic':
      return {
        type,
        result: { documents: [], summary: text, document_count: 0, similarity_threshold: 0.7 },
      };
    case 'web_search':
      return {
        type,
        result: { product_info: {}, external_results: [], price_comparison: {}, urls: [] },
      };
    case 'hybrid':
      return { type, result: { sub_queries: [], synthesis: text, sources_used: [] } };
  }
};
