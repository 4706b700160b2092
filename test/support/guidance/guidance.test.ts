import { describe, expect, it } from 'vitest';
import { EscalationRule, type RequiredFact } from '../../../src/contract/wire/taxonomy.ts';
import { escalationOf, signalsIn } from '../../../src/support/guidance/guide-agent.ts';
import { autoSendOf, missingInformation } from '../../../src/support/message/intent-rules.ts';
import cases from './rules.json' with { type: 'json' };
import signals from './signals.json' with { type: 'json' };

type Parameter = Parameters<typeof escalationOf>;
/** Rules of the message's intent, of other intents and of the taxonomy, with the ticket and the coverage. */
interface Rules {
  own?: object[];
  others?: object[][];
  all?: object[];
  ticket?: Partial<Parameter[2]['ticket']>;
  coverage?: NonNullable<Parameter[2]['coverage']> | 'unknown';
}
const rulesOf = (rules: object[]) => ({
  escalation: rules.map((rule) => EscalationRule.parse({ to: 'Team', reason: 'because', ...rule })),
});

it.each(cases.escalation as [string, string, Rules, object][])(
  'escalationOf() applies %s: %s',
  (_, message, rules, expected) => {
    const { own, others = [], all = [], ticket, coverage = 'high' } = rules;
    const escalation = escalationOf(
      // Only the rules of an intent are read.
      { intents: others.map(rulesOf) as unknown as Parameter[0]['intents'], ...rulesOf(all) },
      own && rulesOf(own),
      {
        ticket: {
          message,
          question: message,
          subject: undefined,
          customerMessages: [message],
          ...ticket,
        },
        ...(coverage !== 'unknown' && { coverage }),
        classification: { primary_intent: 'noise', confidence: 0.8 },
      },
    );
    expect(escalation).toEqual(expected);
  },
);

describe('missingInformation()', () => {
  type Ticket = { said?: string[]; subject?: string; metadata?: Record<string, unknown> };
  it.each(cases.facts as [string, Partial<RequiredFact>, Ticket, boolean][])(
    'asks only for facts that are missing: %s',
    (_, fact, { said = [], subject, metadata = {} }, isMissing) => {
      const question = 'Which firmware version does the dashboard show?';
      const intent = { required_facts: [{ id: 'fact', question, ...fact }] };
      const missing = missingInformation(intent, { customerMessages: said, subject, metadata });
      expect(missing).toEqual(isMissing ? intent.required_facts : []);
    },
  );
});

const reasonFor = (sure: string) =>
  `The intent "Noise" lets its template go out alone from 90 % on; the classification is ${sure} sure.`;
it.each([
  ['at a sufficient confidence', { confidence: 0.9 }, {}, true, reasonFor('90 %')],
  ['at any higher confidence', { confidence: 0.95 }, {}, true, reasonFor('95 %')],
  ['not below, which is never rounded up', { confidence: 0.8999 }, {}, false, reasonFor('89.9 %')],
  [
    'not when the taxonomy forbids it',
    {},
    { auto_send: { allowed: false, min_confidence: 0 } },
    false,
  ],
  [
    'not with danger',
    { danger: 'smoke' },
    {},
    false,
    /^The message speaks of possible danger \("smoke"\): a person/,
  ],
  ['not for an intent that the taxonomy lacks', {}, undefined, false],
  ['not without an intent', { primary_intent: 'unknown' }, {}, false],
])(
  'autoSendOf() allows it %s',
  (_, classified, changes, allowed, reason: string | RegExp = /./) => {
    const intent = {
      title: 'Noise',
      auto_send: { allowed: true, min_confidence: 0.9 },
      ...changes,
    };
    const classification = { primary_intent: 'noise', confidence: 1, ...classified };
    const decision = autoSendOf(classification, changes === undefined ? undefined : intent);
    const expected = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(decision).toEqual({ allowed, reasons: [expected] });
  },
);

describe('signalsIn()', () => {
  it.each(signals.anger as [string, boolean][])(
    'recognises anger in words, punctuation and capitals, but not in names, units and logs: %j',
    (text, isAngry) => expect(signalsIn(text).isAngry).toBe(isAngry),
  );
  it.each(signals.requests as [string, string | null][])(
    'recognises a request or none in %j: %j',
    (text, requested) => expect(signalsIn(text).requested).toBe(requested ?? undefined),
  );
  it.each(['!smell of '.repeat(10_000), 'A'.repeat(100_000)])(
    'finds nothing in endless repetition (%#)',
    (text) => {
      expect(signalsIn(text)).toEqual({ danger: undefined, isAngry: false, requested: undefined });
    },
  );
});
