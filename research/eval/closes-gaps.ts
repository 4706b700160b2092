import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import type { CheckedGap, GapSighting, OpenGap } from '../../src/knowledge/gaps/gap-book.ts';
import type { Retriever } from '../../src/knowledge/search/retrieve.ts';
import { recheckGaps, recordGaps } from '../../src/support/gaps/gap-keeper.ts';
import type { Knowledge, KnowledgeQuestion } from '../../src/support/retrieval/knowledge.ts';
import { retrieveKnowledge } from '../../src/support/retrieval/retrieve-knowledge.ts';

/** Whether all gaps that a question met are closed by an edition, as the product records and compares them. */
export async function closesGaps(
  question: KnowledgeQuestion,
  { met, edition, retrieve }: { met: Knowledge; edition: Edition; retrieve: Retriever },
): Promise<boolean> {
  const sightings: GapSighting[] = [];
  const record = async (sighting: GapSighting) => {
    sightings.push(sighting);
    return [];
  };
  await recordGaps(question, met, {
    book: { record },
    by: 'svc:eval',
    mask: (text) => text,
    now: 0,
  });
  const open = sightings.flatMap(({ gaps, query }) =>
    gaps.map((gap, at): OpenGap => ({ ...gap, id: String(at), queries: [query], lastSeenMs: 0 })),
  );
  const results: CheckedGap[] = [];
  await recheckGaps(edition, {
    book: {
      toCheck: async () => open,
      noteChecked: async (checked) => void results.push(...checked),
    },
    ask: (asked) => retrieveKnowledge(asked, { edition, retrieve }),
    limit: open.length,
    now: () => 0,
  });
  return open.length > 0 && results.filter(({ isAnswered }) => isAnswered).length === open.length;
}
