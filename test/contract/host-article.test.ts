import { describe, expect, it } from 'vitest';
import {
  ArticleListing,
  ArticleListingQuery,
  ArticleListingReply,
  ArticlePut,
  HostArticle,
  HostArticleReply,
  HostErrorBody,
} from '../../src/contract/host-article.ts';
import examples from './examples/knowledge.json' with { type: 'json' };
import { itRefuses, itTakes } from './it-refuses.ts';

const { hostError, listing, listingQuery } = examples;
const [ARTICLE] = listing.articles;

describe('HostArticle', () => {
  itTakes(HostArticle, {
    'an article with all members': ARTICLE,
    'an id of 200 Chinese characters': { ...ARTICLE, id: '\u6587'.repeat(200) },
  });
  itRefuses(HostArticle, ARTICLE, [
    ['an id that is a path upwards', 'id', '../secret', /\.\. part/],
    ['an id of 201 Chinese characters', 'id', '\u6587'.repeat(201), /1809 characters in an address, more than 1800/],
    ['an id with a line separator', 'id', 'a\u2028b', /control character/],
    ['an id with a paragraph separator', 'id', 'a\u2029b', /control character/],
    ['a blank title', 'title', '  ', /empty/],
    ['a url of another scheme', 'url', 'javascript:alert(1)', /http or https/],
    ['a relative url', 'url', '/apollo', /http or https/],
    ['blank content', 'content', '\n', /empty/],
    ['content of 5 MB', 'content', 'x'.repeat(5_000_000), /<=500000/],
    ['an invalid last_updated', 'metadata.last_updated', 'yesterday', /moment/],
    ['a blank device', 'metadata.device', ['Apollo', ' '], /empty/, 'metadata.device.1'],
    ['unknown metadata', 'metadata.colour', 'blue', /not a known member/],
    ['an unknown member', 'body', 'x', /not a known member/],
  ]);
});

describe('ArticlePut', () => {
  itTakes(ArticlePut, { 'title and content': { title: 'A', content: 'B' }, 'a full article': ARTICLE });
  itRefuses(ArticlePut, { title: 'A', content: 'B', metadata: { intent: ['x'] } });
});

describe('HostArticleReply', () => {
  it('accepts replies of other servers: numbers as ids, single labels, nulls, unknown members', () => {
    const reply = {
      id: 7,
      title: '',
      content: 'x',
      body_html: '',
      metadata: { intent: ' a ', device: null, extra: 1 },
    };
    expect(HostArticleReply.parse(reply)).toEqual({
      id: '7',
      title: '',
      content: 'x',
      metadata: { intent: ['a'], device: [] },
    });
    expect(HostArticleReply.parse({ id: 'a', title: 'A', content: 'x' })).toEqual({
      id: 'a',
      title: 'A',
      content: 'x',
    });
  });

  it('keeps all of the example article', () => {
    expect(HostArticleReply.parse(ARTICLE)).toEqual(ARTICLE);
  });

  itRefuses(HostArticleReply, ARTICLE);
});

describe('ArticleListingQuery', () => {
  it('parses the example query, the limit as a number', () => {
    expect(ArticleListingQuery.parse(listingQuery)).toEqual({ ...listingQuery, limit: 100 });
    expect(ArticleListingQuery.parse({})).toEqual({});
    expect(ArticleListingQuery.parse({ updated_since: '2024-01-14T10:00:00+02:00', cursor: 'c' })).toBeDefined();
  });

  itRefuses(ArticleListingQuery, listingQuery, [
    ['a limit of 0', 'limit', '0', />=1/],
    ['a limit of 501', 'limit', '501', /<=500/],
    ['a limit in words', 'limit', 'all', /whole number/],
    ['an empty limit', 'limit', '', /whole number/],
    ['a negative limit', 'limit', '-1', /whole number/],
    ['a limit given twice', 'limit', ['1', '2'], /expected string/],
    ['an invalid date', 'updated_since', '2024-02-30', /not a date/],
    ['a date in another order', 'updated_since', '14.01.2024', /not a date/],
    ['a blank intent', 'intent', ' ', /1/],
    ['a long cursor', 'cursor', 'x'.repeat(513), /<=512/],
  ]);
});

describe('ArticleListing', () => {
  itTakes(ArticleListing, {
    'a listing without a cursor': listing,
    'a page before the last': { ...listing, next_cursor: 'c' },
  });
  itRefuses(ArticleListing, listing, [
    ['a broken article', 'articles.0.url', 'x', /http or https/],
    ['an empty cursor', 'next_cursor', '', />=1/],
  ]);

  it('is lenient for external servers: an invalid article does not fail the page', () => {
    const reply = { articles: [ARTICLE, null, { id: 1 }], next_cursor: null, took: 3 };
    expect(ArticleListingReply.parse(reply)).toEqual({ articles: [ARTICLE, null, { id: 1 }], next_cursor: null });
    expect(ArticleListingReply.safeParse({ items: [] }).success).toBe(false);
  });
});

describe('HostErrorBody', () => {
  itTakes(HostErrorBody, { 'an error with its message': hostError });
});
