import type { AgentResponse } from '../../contract/agent-response.ts';
import type { DisplayAttribution, DisplayBlock, DisplayModel } from '../../contract/display-model.ts';
import { levelOf } from '../../contract/navigator-response.ts';
import { errorBlock } from './error-block.ts';
import { factsOf } from './facts-of.ts';
import { memberOf, numberMemberOf, textMemberOf } from './members.ts';
import { LIST_MARKER, oneLine, plainText, proseOf } from './plain-text.ts';
import { resultBlocks } from './result-blocks.ts';

const MAX_BLOCKS = 64;

/** An agent's answer, or its failure, as blocks of plain and bounded text. Never throws for what the contract accepts. */
export const displayModelOf = (response: AgentResponse): DisplayModel => {
  const { type, query, success, result, metadata, source_attribution } = response;
  const blocks = success
    ? [...(type === 'web_search' ? spokenBlocks(metadata) : []), ...resultBlocks(type, result)]
    : [errorBlock(response.error, metadata)];
  const attribution = attributionOf(source_attribution);
  return {
    type,
    query: plainText(query, 4000),
    blocks: blocks.slice(0, MAX_BLOCKS),
    ...(attribution === undefined ? {} : { attribution }),
  };
};

/** What a web search says in words; its lists stand in blocks of their own. */
const spokenBlocks = (metadata: AgentResponse['metadata']): DisplayBlock[] => {
  const lines = proseOf(textMemberOf(metadata, 'answer') ?? '', 8000).split('\n');
  const text = plainText(lines.filter((line) => !LIST_MARKER.test(line) && !line.endsWith(':')).join('\n'), 8000);
  return text === '' ? [] : [{ kind: 'text', text }];
};

/** A failure may leave parts out: without a source and a confidence nothing is attributed. */
const attributionOf = (attribution: AgentResponse['source_attribution']): DisplayAttribution | undefined => {
  const source = oneLine(textMemberOf(attribution, 'primary_source') ?? '', 200);
  const confidence = numberMemberOf(attribution, 'confidence');
  if (source === '' || confidence === undefined) return undefined;
  return {
    // An icon may be joined of several characters, and all it may hold is one.
    icon: oneLine(textMemberOf(attribution, 'icon') ?? '', 32),
    primary_source: source,
    confidence,
    level: levelOf(confidence),
    details: factsOf(memberOf(attribution, 'details')),
  };
};
