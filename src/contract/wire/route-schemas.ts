import * as z from 'zod';
import { JsonRpcMessage } from './a2a.ts';
import { AgentFormat } from './agent-response.ts';
import { AnswerFeedback, AnswersQuery } from './answers.ts';

// What routes take and give that has no type of its own. Replies have the names that the description of the API gave them, which clients
// that were generated from it know.

export const AgentQuery = z.object({ format: AgentFormat.optional() });
export const AnswersListingQuery = AnswersQuery.extend({ format: z.literal('jsonl').optional() });
export const DeleteAnswersReply = z.object({ erased: z.int().min(0) });
export const GetOpenapiJsonReply = z.looseObject({ openapi: z.string() });
export const PostAnswersIdFeedbackReply = z.object({ feedback: AnswerFeedback });
export const PostMcpReply = z.union([JsonRpcMessage, z.array(JsonRpcMessage).max(100)]);
// Revisions with a handshake know several messages in one request.
export const PostMcpRequest = z.union([JsonRpcMessage, z.array(JsonRpcMessage).max(100)]);
export const PostWebhooksHelpdeskWorkspaceReply = z.looseObject({});
export const PostWebhooksHelpdeskWorkspaceRequest = z.looseObject({});
