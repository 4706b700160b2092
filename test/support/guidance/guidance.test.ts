import { describe, expect, it } from 'vitest';
import { EscalationRule, type RequiredFact } from '../../../src/contract/taxonomy.ts';
import { escalationOf, signalsIn } from '../../../src/support/guidance/guide-agent.ts';
import { autoSendOf, missingInformation } from '../../../src/support/ticket/intent-rules.ts';
import signals from './signals.json' with { type: 'json' };

const classification = { primary_intent: 'noise', confidence: 0.8 };

describe('escalationOf()', () => {
  type Parameter = Parameters<typeof escalationOf>;
  const rulesOf = (rules: object[]) => ({
    escalation: rules.map((rule) => EscalationRule.parse({ to: 'Team', reason: 'because', ...rule })),
  });
  const SMOKE = { to: 'Safety', reason: 'smoke', any_of: ['smoke', 'lost'] };
  const COURT = { to: 'Relations', reason: 'law', any_of: ['court'] };
  const OWN = { to: 'Desk', reason: 'own', always: true };
  const NONE = { needed: false, reasons: [] };

  /** The escalation by rules of the message's intent, of other intents, and of the taxonomy. */
  const escalate = (
    message: string,
    { own, others = [], all = [] }: { own?: object[]; others?: object[][]; all?: object[] },
    ticket: Partial<Parameter[2]['ticket']> = {},
    coverage: NonNullable<Parameter[2]['coverage']> | 'unknown' = 'high',
  ) =>
    escalationOf(
      // Only the rules of an intent are read.
      { intents: others.map(rulesOf) as unknown as Parameter[0]['intents'], ...rulesOf(all) },
      own && rulesOf(own),
      {
        ticket: { message, question: message, subject: undefined, customerMessages: [message], ...ticket },
        ...(coverage !== 'unknown' && { coverage }),
        classification,
      },
    );
  it.each<[string, string, object[], boolean]>([
    ['no rule', 'It is loud', [], false],
    ['a rule of other words', 'It is loud', [{ any_of: ['smoke'] }], false],
    ['a phrase in capitals', 'It is ON  FIRE!', [{ any_of: ['on fire'] }], true],
    ['a phrase with another apostrophe', 'I CAN’T SLEEP', [{ any_of: ["can't sleep"] }], true],
    ['a phrase within another word', 'Carry on fireman', [{ any_of: ['on fire'] }], false],
    ['a phrase in another order', 'fire on', [{ any_of: ['on fire'] }], false],
    ['one of two conditions', 'It is loud', [{ any_of: ['loud'], min_customer_messages: 3 }], false],
    ['a confidence below', 'It is loud', [{ confidence_below: 0.81 }], true],
    ['a confidence not below', 'It is loud', [{ confidence_below: 0.8 }], false],
    ['another coverage', 'It is loud', [{ coverage: ['low', 'none'] }], false],
    ['a rule that always applies', 'It is loud', [{ always: true }], true],
  ])('applies %s: %s', (_, message, own, needed) => {
    expect(escalate(message, { own })).toEqual(needed ? { needed, to: 'Team', reasons: ['because'] } : NONE);
  });
  it('requires all conditions of a rule', () => {
    const own = [{ any_of: ['loud'], min_customer_messages: 3 }];
    expect(escalate('It is loud', { own }, { customerMessages: ['a', 'b', 'loud'] }).needed).toBe(true);
  });
  it.each<[string, string, Parameters<typeof escalate>[1], object]>([
    [
      'names the team of the first rule and the reasons of all',
      'It is loud',
      {
        own: [
          { always: true, reason: 'one' },
          { always: true, to: 'Others', reason: 'two' },
        ],
      },
      { needed: true, to: 'Team', reasons: ['one', 'Others: two'] },
    ],
    [
      'applies the word rules of all intents to a message without one',
      'there is smoke',
      { others: [[SMOKE, { always: true }]] },
      { needed: true, to: 'Safety', reasons: ['smoke'] },
    ],
    [
      'escalates danger for any intent, to the team of the danger first',
      'Since the update there is smoke',
      { own: [OWN], others: [[OWN], [SMOKE]] },
      { needed: true, to: 'Safety', reasons: ['Desk: own', 'smoke'] },
    ],
    [
      'ignores a harmless sense of a word of another intent',
      'I lost my password',
      { own: [OWN], others: [[OWN], [SMOKE]] },
      { needed: true, to: 'Desk', reasons: ['own'] },
    ],
    ['escalates no harmless words', 'The device is warm', { own: [], all: [SMOKE] }, NONE],
    [
      'applies the rules of the taxonomy to a message without an intent',
      'See you in court',
      { all: [COURT] },
      { needed: true, to: 'Relations', reasons: ['law'] },
    ],
    [
      'applies the rules of the taxonomy after those of the intent',
      'See you in court',
      { own: [OWN], all: [COURT] },
      { needed: true, to: 'Desk', reasons: ['own', 'Relations: law'] },
    ],
    ['applies no rule of the taxonomy to other words', 'Hello', { all: [COURT] }, NONE],
    [
      'skips word rules of other intents that are not about danger',
      'In court',
      { own: [], others: [[COURT], [COURT]] },
      NONE,
    ],
  ])('%s', (_, message, rules, expected) => {
    expect(escalate(message, rules)).toEqual(expected);
  });
  it('escalates danger in words that no rule lists', () => {
    const rules = { own: [], all: [{ ...SMOKE, any_of: ['smoke'] }] };
    expect(escalate('Dispositivo caldo e fumo dalla presa!', rules, { language: 'it' }).to).toBe('Safety');
  });
  it('skips rules with a coverage when it is unknown', () => {
    const all = [{ to: 'Second level', reason: 'low', coverage: ['low', 'none'] }, COURT];
    expect(escalate('See you in court', { all }, {}, 'unknown').reasons).toEqual(['law']);
    expect(escalate('See you in court', { all }, {}, 'none').reasons).toEqual(['low', 'Relations: law']);
  });
  it('reads the earlier messages that a follow-up needs', () => {
    expect(escalate('Any news?', { own: [SMOKE] }, { question: 'There is smoke from it\nAny news?' }).needed).toBe(
      true,
    );
  });
});

describe('missingInformation()', () => {
  const missing = (fact: Partial<RequiredFact>, ticket: { said?: string[]; metadata?: object; subject?: string }) =>
    missingInformation(
      { required_facts: [{ id: 'fact', question: 'Which firmware version does the dashboard show?', ...fact }] },
      { customerMessages: ticket.said ?? [], subject: ticket.subject, metadata: { ...ticket.metadata } },
    ).map(({ question }) => question);
  it('asks for facts that are missing in message, history, subject and metadata', () => {
    const fact = { patterns: ['\\bfirmware \\d'], metadata: ['firmware', 'attachments'] };
    expect(missing(fact, { said: ['It is loud'] })).toEqual(['Which firmware version does the dashboard show?']);
    expect(missing(fact, { said: ['Firmware 3.4.0 runs on it', 'It is loud'] })).toEqual([]);
    expect(missing(fact, { said: ['It is loud'], subject: 'FIRMWARE 3' })).toEqual([]);
    expect(missing(fact, { metadata: { firmware: '3.4.0' } })).toEqual([]);
    expect(missing(fact, { metadata: { attachments: ['a.log'] } })).toEqual([]);
  });
  it('treats empty metadata as missing', () => {
    const fact = { patterns: ['x{9}'], metadata: ['firmware', 'toString'] };
    for (const firmware of ['', ' ', null, [], false])
      expect(missing(fact, { metadata: { firmware } }), JSON.stringify(firmware)).toHaveLength(1);
  });
  it('compares the words of the question in each of its languages', () => {
    const fact = { question: { en: 'Which firmware version is it?', de: 'Welche Lampe ist eingebaut?' } };
    expect(missing(fact, { said: ['Die Lampe ist schon eingebaut'] })).toEqual([]);
    expect(missing(fact, { said: ['It is loud'] })).toHaveLength(1);
  });
  it('compares the words of the question when there is no pattern', () => {
    expect(missing({}, { said: ['The dashboard shows firmware version 3.4.0'] })).toEqual([]);
    expect(missing({}, { said: ['It is loud'] })).toHaveLength(1);
  });
  it('skips a pattern that does not compile', () => {
    expect(missing({ patterns: ['(', 'loud'] }, { said: ['It is loud'] })).toEqual([]);
  });
});

describe('autoSendOf()', () => {
  const intent = { title: 'Noise', auto_send: { allowed: true, min_confidence: 0.9 } };
  const of = (confidence: number, given: typeof intent | undefined = intent, primary_intent = 'noise') =>
    autoSendOf({ primary_intent, confidence }, given);
  it('allows what the taxonomy allows at a sufficient confidence', () => {
    expect(of(0.9).allowed).toBe(true);
    expect(of(0.8999).allowed).toBe(false);
    expect(of(1, { ...intent, auto_send: { allowed: false, min_confidence: 0 } }).allowed).toBe(false);
  });
  it('never sends when the message reports danger', () => {
    const { allowed, reasons } = autoSendOf({ primary_intent: 'noise', confidence: 1, danger: 'smoke' }, intent);
    expect([allowed, reasons]).toEqual([
      false,
      ['The message speaks of possible danger ("smoke"): a person has to see it.'],
    ]);
  });
  it('never sends a message without intent', () => {
    expect(autoSendOf({ primary_intent: 'noise', confidence: 1 }, undefined).allowed).toBe(false);
    expect(of(1, intent, 'unknown').allowed).toBe(false);
  });
  it('states the reason, and never rounds a confidence up', () => {
    expect(of(0.8999).reasons).toEqual([
      'The intent "Noise" lets its template go out alone from 90 % on; the classification is 89.9 % sure.',
    ]);
    expect(of(0.95).reasons).toEqual([
      'The intent "Noise" lets its template go out alone from 90 % on; the classification is 95 % sure.',
    ]);
  });
});

describe('signalsIn()', () => {
  it.each(signals.danger)('recognises danger: %j', (text, danger) => {
    expect(signalsIn(text).danger).toBe(danger);
  });
  it.each(signals.dangerOfLanguages)('recognises danger in %s: %j', (language, text, danger) => {
    expect([signalsIn(text, language).danger, signalsIn(text).danger]).toEqual([danger, danger]);
  });
  it.each(signals.dangerInOtherWords)('recognises danger in other words: %j', (text, danger) => {
    expect(signalsIn(text, 'en').danger).toBe(danger);
  });
  it.each(signals.noDanger)('finds no danger in %j', (text) => {
    expect(signalsIn(text).danger).toBeUndefined();
  });
  it.each(signals.harmless)('ignores harmless senses: %j', (text) => {
    expect(signalsIn(text, 'en').danger).toBeUndefined();
  });
  it('ignores words of danger of other languages', () => {
    for (const language of ['en', undefined])
      expect(signalsIn('I bought a brand new Apollo II', language).danger).toBeUndefined();
    expect(signalsIn('Het apparaat staat in brand', 'nl').danger).toBe('in brand');
    expect(signalsIn('Der Brand der Firma', 'de').danger).toBeUndefined();
    expect(signalsIn('Hilfe, smoke kommt aus dem Gerät', 'de').danger).toBe('smoke');
  });
  it('recognises anger in words, punctuation and capitals, but not in names and units', () => {
    expect(signalsIn('This is unacceptable.').isAngry).toBe(true);
    expect(signalsIn('Answer me!!!').isAngry).toBe(true);
    expect(signalsIn('THIS DOES NOT WORK AND NOBODY HELPS').isAngry).toBe(true);
    expect(signalsIn('HTTP 404 on GET /api, see the JSON').isAngry).toBe(false);
  });
  it('does not treat lines of a log as shouting', () => {
    expect(signalsIn('12:01 INFO start\n12:02 ERROR board\n12:03 WARN pool\n12:04 FATAL end').isAngry).toBe(false);
  });
  it.each(signals.requests)('recognises the request in %j', (text, requested) => {
    expect(signalsIn(text).requested).toBe(requested);
  });
  it.each(signals.noRequest)('finds no request in %j', (text) => {
    expect(signalsIn(text).requested).toBeUndefined();
  });
  it.each(['!smell of '.repeat(10_000), 'A'.repeat(100_000)])('finds nothing in endless repetition (%#)', (text) => {
    expect(signalsIn(text)).toEqual({ danger: undefined, isAngry: false, requested: undefined });
  });
});
