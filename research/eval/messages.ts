import { isAutomaticText } from '../../src/language/automatic-mail.ts';
import {
  type KindReader,
  MESSAGE_KINDS,
  type MessageKind,
  readKind,
} from '../../src/language/message-kind.ts';
import { reportedDanger } from '../../src/language/reported-danger.ts';
import { smallTalkKind, unansweredSmallTalk } from '../../src/language/small-talk.ts';
import { type MessageRow, readMessages } from './message-rows.ts';
import type { Measure } from './retrieval.ts';

/** A labelled message with the model that reads it. */
export interface ReadMessage {
  row: MessageRow;
  read: KindReader;
}

/** What the product decides, in the order in which it asks: danger before anything else. */
const decisionOf = ({ row: { text }, read }: ReadMessage): MessageKind => {
  if (reportedDanger(text) !== undefined) return 'danger';
  return smallTalkKind(text, read) ?? (isAutomaticText(text, {}, read) ? 'automatic' : 'other');
};

interface Decision {
  row: MessageRow;
  decision: MessageKind;
}

const decisionsOf = (messages: readonly ReadMessage[]): Decision[] =>
  messages.map((message) => ({ row: message.row, decision: decisionOf(message) }));

const shareOf = (decisions: readonly Decision[], holds: (decision: Decision) => boolean): number =>
  decisions.filter(holds).length / Math.max(1, decisions.length);

const ANSWERED_KINDS = MESSAGE_KINDS.filter((kind) => kind !== 'other');

/** Recall of each kind, precision, and the share of other messages that are taken for it. */
const measureKinds = (messages: readonly ReadMessage[]): Measure[] => {
  const decisions = decisionsOf(messages);
  const others = decisions.filter(({ row }) => row.kind === 'other');
  return ANSWERED_KINDS.flatMap((kind) => {
    const own = decisions.filter(({ row }) => row.kind === kind);
    const taken = decisions.filter(({ decision }) => decision === kind);
    return [
      {
        name: `${kind}: recall`,
        value: shareOf(own, ({ decision }) => decision === kind),
        note: `${own.length} messages`,
      },
      { name: `${kind}: precision`, value: shareOf(taken, ({ row }) => row.kind === kind) },
      {
        name: `${kind}: other messages taken for it`,
        value: shareOf(others, ({ decision }) => decision === kind),
      },
    ];
  });
};

/** Messages by other people than those that were fitted. */
export function evaluateMessages(): Measure[] {
  const messages = readMessages('unseen').map((row) => ({ row, read: readKind }));
  printByLanguage(messages);
  return [...measureKinds(messages), ...measureUnanswered(messages)];
}

/** What is taken for small talk when no article answers it. */
const measureUnanswered = (messages: readonly ReadMessage[]): Measure[] => {
  const decisions = messages.map(
    ({ row }): Decision => ({ row, decision: unansweredSmallTalk(row.text)?.kind ?? 'other' }),
  );
  const small = (['thanks', 'greeting', 'goodbye', 'person'] as const).map((kind): Measure => {
    const own = decisions.filter(({ row }) => row.kind === kind);
    return {
      name: `${kind}, not answered by an article: recall`,
      value: shareOf(own, ({ decision }) => decision === kind),
    };
  });
  const others = decisions.filter(({ row }) => row.kind === 'other');
  const share = shareOf(others, ({ decision }) => decision !== 'other');
  return [
    ...small,
    { name: 'others, not answered by an article: taken for small talk', value: share },
  ];
};

/** Prints the measures, and the recall by language. */
export function printKinds(messages: readonly ReadMessage[]): void {
  for (const { name, value } of measureKinds(messages))
    console.log(`${name.padEnd(46)} ${value.toFixed(4)}`);
  printByLanguage(messages);
}

const printByLanguage = (messages: readonly ReadMessage[]): void => {
  const byLanguage = Map.groupBy(decisionsOf(messages), ({ row }) => row.language);
  console.log(`\nRight by language: ${MESSAGE_KINDS.join(', ')}`);
  for (const [language, decisions] of byLanguage) {
    const shares = MESSAGE_KINDS.map((kind) =>
      shareOf(
        decisions.filter(({ row }) => row.kind === kind),
        ({ decision }) => decision === kind,
      ).toFixed(2),
    );
    console.log(`${language}  ${shares.join('  ')}`);
  }
};
