import type { Post, TicketState } from '../desk/desk-state.ts';
import type { LocalArticle } from '../desk/local-articles.ts';
import { textOf } from '../desk/text-and-html.ts';
import { isStaff, stampOf } from './zendesk-shapes.ts';

export const ACCOUNT_ID = 22_129_848;
const BRAND_ID = '360001234567';

/** `ticket.created` for the first message, `ticket.comment_added` for any other. */
export function ticketEvent(ticket: TicketState, post: Post, { id }: { id: string }) {
  const isFirst = ticket.posts[0] === post;
  const meta = { sequence: { id: `01KF0ZD7T0${post.id}`, position: 1 } };
  const comment = {
    id: post.id,
    body: textOf(post),
    is_public: post.kind !== 'note',
    author: { id: post.author.id, is_staff: isStaff(post.author), name: post.author.name },
  };
  return {
    account_id: ACCOUNT_ID,
    detail: {
      actor_id: post.author.id,
      assignee_id: null,
      brand_id: BRAND_ID,
      created_at: stampOf(ticket.createdAt),
      custom_status: '1500001',
      description: ticket.posts[0]?.body ?? '',
      external_id: null,
      form_id: '360000555111',
      group_id: '360009990001',
      id: ticket.id,
      is_public: true,
      organization_id: null,
      priority: 'NORMAL',
      requester_id: ticket.customer.id,
      status: isFirst ? 'NEW' : 'OPEN',
      subject: ticket.subject,
      submitter_id: ticket.customer.id,
      tags: ticket.tags,
      type: 'QUESTION',
      updated_at: stampOf(post.at),
      via: { channel: 'email' },
    },
    event: isFirst ? { meta } : { comment, meta },
    id,
    subject: `zen:ticket:${ticket.id}`,
    time: new Date(post.at).toISOString(),
    type: `zen:event-type:ticket.${isFirst ? 'created' : 'comment_added'}`,
    zendesk_event_version: '2022-11-06',
  };
}

export function articleEvent(
  {
    articleId,
    change,
    article,
  }: { articleId: string; change: 'published' | 'unpublished'; article: LocalArticle | undefined },
  { id, now }: { id: string; now: number },
) {
  return {
    account_id: ACCOUNT_ID,
    detail: { brand_id: BRAND_ID, id: articleId },
    event: {
      author_id: '31000000111',
      category_id: '360010',
      locale: article?.locale ?? 'en-us',
      section_id: '360011',
      title: article?.title ?? '',
    },
    id,
    subject: `zen:article:${articleId}`,
    time: new Date(now).toISOString(),
    type: `zen:event-type:article.${change}`,
    zendesk_event_version: '2022-06-20',
  };
}
