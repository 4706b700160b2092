import { ASKED, type HttpRoute, type RouteDescription } from './http-route.ts';

export const ANSWER_ROUTES = {
  'GET /v1/answers': {
    function: 'memory',
    capability: 'answers:read',
    query: 'AnswersListingQuery',
  },
  'DELETE /v1/answers': {
    function: 'memory',
    capability: 'answers:write',
    isAudited: true,
    query: 'AnswersErasureQuery',
  },
  'GET /v1/answers/{id}': {
    function: 'memory',
    capability: 'answers:read',
  },
  'DELETE /v1/answers/{id}': {
    function: 'memory',
    capability: 'answers:write',
    isAudited: true,
  },
  'GET /v1/answers/statistics': {
    function: 'memory',
    capability: 'answers:read',
    grants: 'answers:read',
    query: 'AnswerStatisticsQuery',
  },
  'GET /v1/overview': {
    query: 'OverviewQuery',
  },
  'POST /v1/answers/{id}/replay': {
    capability: 'answers:read',
    isAudited: true,
    body: 'AnswerReplayRequest',
  },
  'POST /v1/answers/{id}/feedback': {
    function: 'memory',
    grants: 'answers:feedback:write',
    isPublishable: true,
    body: 'AnswerFeedbackRequest',
  },
} as const satisfies Record<string, HttpRoute>;

export const ANSWER_DESCRIPTIONS = {
  'GET /v1/answers': {
    tag: 'Answers',
    summary: 'List kept answers, or export them',
    reply: 'AnswersPage',
    media: { 'application/x-ndjson': 'text' },
    client: 'answers.list({parameters})',
  },
  'DELETE /v1/answers': {
    tag: 'Answers',
    summary: 'Erase the answers to a person, of a conversation or before a moment',
    reply: 'DeleteAnswersReply',
  },
  'GET /v1/answers/{id}': {
    tag: 'Answers',
    summary: 'Show a kept answer with its evidence and its trace',
    reply: 'KeptAnswer',
    errors: ['NOT_FOUND'],
    client: 'answers.get({id})',
  },
  'DELETE /v1/answers/{id}': {
    tag: 'Answers',
    summary: 'Erase a kept answer',
    errors: ['NOT_FOUND'],
    client: 'answers.delete({id})',
  },
  'GET /v1/answers/statistics': {
    tag: 'Answers',
    summary:
      'Count kept answers by time, verdict, confidence and librarian, with their latencies and cost',
    reply: 'AnswerStatistics',
    client: 'answers.statistics({parameters})',
  },
  'GET /v1/overview': {
    tag: 'Answers',
    summary: 'Show what was asked in some days, what was not answered, and what to look at',
    reply: 'Overview',
  },
  'POST /v1/answers/{id}/replay': {
    tag: 'Answers',
    summary: 'Ask a kept question again, and compare the answers',
    reply: 'AnswerReplay',
    errors: ASKED,
    client: 'answers.replay({id}, {body})',
  },
  'POST /v1/answers/{id}/feedback': {
    tag: 'Answers',
    summary: 'Say whether an answer helped',
    reply: 'PostAnswersIdFeedbackReply',
    errors: ['NOT_FOUND'],
    client: 'answers.feedback({id}, {body})',
  },
} as const satisfies Record<keyof typeof ANSWER_ROUTES, RouteDescription>;
