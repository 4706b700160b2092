import { describe, expect, it } from 'vitest';
import { EscalationRule, type RequiredFact } from '../../../src/contract/taxonomy.ts';
import { escalationOf } from '../../../src/support/guidance/escalation.ts';
import { signalsIn } from '../../../src/support/guidance/signals.ts';
import { autoSendOf, missingInformation } from '../../../src/support/ticket/intent-rules.ts';

const classification = { primary_intent: 'noise', confidence: 0.8 };

describe('escalationOf()', () => {
  const escalate = (
    rules: object[],
    {
      message = 'My device is loud',
      customerMessages = ['loud'],
    }: { message?: string; customerMessages?: string[] } = {},
  ) =>
    escalationOf(
      { intents: [], escalation: [] },
      { escalation: rules.map((rule) => EscalationRule.parse({ to: 'Team', reason: 'because', ...rule })) },
      {
        ticket: { message, question: message, subject: undefined, customerMessages },
        classification,
        coverage: 'high',
      },
    );

  it('escalates to no one when no rule applies', () => {
    expect(escalate([])).toEqual({ needed: false, reasons: [] });
    expect(escalate([{ any_of: ['smoke'] }])).toEqual({ needed: false, reasons: [] });
  });

  it('compares phrases by whole words, ignoring case', () => {
    const rule = { any_of: ['on fire', "can't sleep"] };
    expect(escalate([rule], { message: 'It is ON  FIRE!' }).needed).toBe(true);
    expect(escalate([rule], { message: 'I CAN’T SLEEP' }).needed).toBe(true);
    expect(escalate([rule], { message: 'Carry on fireman' }).needed).toBe(false);
    expect(escalate([rule], { message: 'fire on' }).needed).toBe(false);
  });

  it('requires all conditions of a rule', () => {
    const rule = { any_of: ['loud'], min_customer_messages: 3 };
    expect(escalate([rule]).needed).toBe(false);
    expect(escalate([rule], { customerMessages: ['a', 'b', 'loud'] }).needed).toBe(true);
  });

  it('applies rules on confidence and coverage', () => {
    expect(escalate([{ confidence_below: 0.81 }]).needed).toBe(true);
    expect(escalate([{ confidence_below: 0.8 }]).needed).toBe(false);
    expect(escalate([{ coverage: ['low', 'none'] }]).needed).toBe(false);
    expect(escalate([{ always: true }]).needed).toBe(true);
  });

  it('names the team of the first rule and the reasons of all', () => {
    const rules = [
      { always: true, reason: 'one' },
      { always: true, to: 'Others', reason: 'two' },
    ];
    expect(escalate(rules)).toEqual({ needed: true, to: 'Team', reasons: ['one', 'Others: two'] });
  });

  it('applies the word rules of all intents to a message without one', () => {
    const rules = [
      EscalationRule.parse({ to: 'Safety', reason: 'smoke', any_of: ['smoke'] }),
      EscalationRule.parse({ to: 'Nobody', reason: 'always', always: true }),
    ];
    // Of an intent only the rules matter here.
    const intents = [{ escalation: rules }] as unknown as Parameters<typeof escalationOf>[0]['intents'];
    const given = saying('there is smoke');
    expect(escalationOf({ intents, escalation: [] }, undefined, given)).toEqual({
      needed: true,
      to: 'Safety',
      reasons: ['smoke'],
    });
  });

  const saying = (message: string, question = message) => ({
    ticket: { message, question, subject: undefined, customerMessages: [message] },
    classification,
    coverage: 'none' as const,
  });

  it('escalates danger whatever the intent, to the team of the danger first', () => {
    const own = { escalation: [EscalationRule.parse({ to: 'Desk', reason: 'own', always: true })] };
    const safety = [EscalationRule.parse({ to: 'Safety', reason: 'danger', any_of: ['smoke', 'lost'] })];
    const intents = [own, { escalation: safety }] as unknown as Parameters<typeof escalationOf>[0]['intents'];
    expect(escalationOf({ intents, escalation: [] }, own, saying('Since the update there is smoke'))).toEqual({
      needed: true,
      to: 'Safety',
      reasons: ['Desk: own', 'danger'],
    });
    // The same rule, found by a word that another intent means in its own way.
    expect(escalationOf({ intents, escalation: [] }, own, saying('I lost my password')).to).toBe('Desk');
  });

  it('escalates danger in words that no rule lists', () => {
    const safety = [EscalationRule.parse({ to: 'Safety', reason: 'danger', any_of: ['smoke'] })];
    const intents: Parameters<typeof escalationOf>[0]['intents'] = [];
    const given = saying('Dispositivo caldo e fumo dalla presa!');
    const italian = { ...given, ticket: { ...given.ticket, language: 'it' } };
    expect(escalationOf({ intents, escalation: safety }, { escalation: [] }, italian).to).toBe('Safety');
    expect(escalationOf({ intents, escalation: safety }, { escalation: [] }, saying('The device is warm')).needed).toBe(
      false,
    );
  });

  it('applies the rules of the taxonomy after those of the intent', () => {
    const own = { escalation: [EscalationRule.parse({ to: 'Desk', reason: 'own', always: true })] };
    const escalation = [EscalationRule.parse({ to: 'Relations', reason: 'law', any_of: ['court'] })];
    const given = saying('See you in court');
    expect(escalationOf({ intents: [], escalation }, undefined, given).to).toBe('Relations');
    expect(escalationOf({ intents: [], escalation }, own, given)).toEqual({
      needed: true,
      to: 'Desk',
      reasons: ['own', 'Relations: law'],
    });
    expect(escalationOf({ intents: [], escalation }, undefined, saying('Hello')).needed).toBe(false);
  });

  it('skips rules with a coverage when it is unknown', () => {
    const rules = [
      EscalationRule.parse({ to: 'Second level', reason: 'low', coverage: ['low', 'none'] }),
      EscalationRule.parse({ to: 'Relations', reason: 'law', any_of: ['court'] }),
    ];
    const { ticket } = saying('See you in court');
    const of = (coverage?: 'none') =>
      escalationOf({ intents: [], escalation: rules }, undefined, {
        ticket,
        classification,
        ...(coverage && { coverage }),
      });
    expect([of().reasons, of('none').reasons]).toEqual([['law'], ['low', 'Relations: law']]);
  });

  it('skips word rules of other intents that are not about danger', () => {
    const rule = EscalationRule.parse({ to: 'Relations', reason: 'law', any_of: ['court'] });
    const intents = [{ escalation: [rule] }, { escalation: [rule] }] as unknown as Parameters<
      typeof escalationOf
    >[0]['intents'];
    expect(escalationOf({ intents, escalation: [] }, { escalation: [] }, saying('In court')).needed).toBe(false);
  });

  it('reads the earlier messages that a follow-up needs', () => {
    const rule = { escalation: [EscalationRule.parse({ to: 'Safety', reason: 'smoke', any_of: ['smoke'] })] };
    const given = saying('Any news?', 'There is smoke from it\nAny news?');
    expect(escalationOf({ intents: [], escalation: [] }, rule, given).needed).toBe(true);
  });
});

describe('missingInformation()', () => {
  const ask = (fact: Partial<RequiredFact>, ticket: { said?: string[]; metadata?: object; subject?: string }) =>
    missingInformation(
      { required_facts: [{ id: 'fact', question: 'Which firmware version does the dashboard show?', ...fact }] },
      { customerMessages: ticket.said ?? [], subject: ticket.subject, metadata: { ...ticket.metadata } },
    ).map(({ question }) => question);

  it('asks for what neither message, history, subject nor metadata give', () => {
    const fact = { patterns: ['\\bfirmware \\d'], metadata: ['firmware', 'attachments'] };
    expect(ask(fact, { said: ['It is loud'] })).toEqual(['Which firmware version does the dashboard show?']);
    expect(ask(fact, { said: ['Firmware 3.4.0 runs on it', 'It is loud'] })).toEqual([]);
    expect(ask(fact, { said: ['It is loud'], subject: 'FIRMWARE 3' })).toEqual([]);
    expect(ask(fact, { metadata: { firmware: '3.4.0' } })).toEqual([]);
    expect(ask(fact, { metadata: { attachments: ['a.log'] } })).toEqual([]);
  });

  it('takes empty metadata for missing', () => {
    const fact = { patterns: ['x{9}'], metadata: ['firmware', 'toString'] };
    for (const firmware of ['', ' ', null, [], false])
      expect(ask(fact, { metadata: { firmware } }), JSON.stringify(firmware)).toHaveLength(1);
  });

  it('compares the words of the question in each of its languages', () => {
    const fact = { question: { en: 'Which firmware version is it?', de: 'Welche Lampe ist eingebaut?' } };
    expect(ask(fact, { said: ['Die Lampe ist schon eingebaut'] })).toEqual([]);
    expect(ask(fact, { said: ['It is loud'] })).toHaveLength(1);
  });

  it('compares the words of the question when there is no pattern', () => {
    expect(ask({}, { said: ['The dashboard shows firmware version 3.4.0'] })).toEqual([]);
    expect(ask({}, { said: ['It is loud'] })).toHaveLength(1);
  });

  it('skips a pattern that does not compile', () => {
    expect(ask({ patterns: ['(', 'loud'] }, { said: ['It is loud'] })).toEqual([]);
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

  it('never sends when the message reports danger, whatever the confidence', () => {
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

  it('gives the reason, and never rounds a confidence up', () => {
    expect(of(0.8999).reasons).toEqual([
      'The intent "Noise" lets its template go out alone from 90 % on; the classification is 89.9 % sure.',
    ]);
    expect(of(0.95).reasons).toEqual([
      'The intent "Noise" lets its template go out alone from 90 % on; the classification is 95 % sure.',
    ]);
  });
});

describe('signalsIn()', () => {
  it.each([
    ['There is smoke coming out of it', 'smoke'],
    ['Es riecht verschmort', 'verschmort'],
    ['The plug has melted', 'melted'],
  ])('recognises danger: %j', (text, danger) => {
    expect(signalsIn(text).danger).toBe(danger);
  });

  it.each(['I would like a smokeless grill', 'My firewall blocks it', 'The LED is red'])(
    'finds no danger in %j',
    (text) => {
      expect(signalsIn(text).danger).toBeUndefined();
    },
  );

  it('ignores words of danger of other languages', () => {
    for (const language of ['en', undefined])
      expect(signalsIn('I bought a brand new Apollo II', language).danger).toBeUndefined();
    expect(signalsIn('Het apparaat staat in brand', 'nl').danger).toBe('in brand');
    expect(signalsIn('Der Brand der Firma', 'de').danger).toBeUndefined();
    expect(signalsIn('Hilfe, smoke kommt aus dem Gerät', 'de').danger).toBe('smoke');
  });

  it.each([
    ['de', 'Es hat kurz geraucht', 'geraucht'],
    ['de', 'Ich habe einen Schlag bekommen', 'schlag bekommen'],
    ['fr', "J'ai reçu une décharge électrique", 'décharge électrique'],
    ['es', 'Me dio un calambre al tocarlo', 'calambre'],
    ['it', 'La presa brucia', 'brucia'],
    ['pt', 'Levei um choque', 'levei um choque'],
    ['nl', 'Het brandt', 'het brandt'],
  ])('recognises danger in %s: %j', (language, text, danger) => {
    expect(signalsIn(text, language).danger).toBe(danger);
    expect(signalsIn(text).danger).toBe(danger);
  });

  it('takes no name for danger', () => {
    expect(signalsIn('Viele Grüße, Willy Brandt').danger).toBeUndefined();
  });

  it.each([
    'How do I burn the image to an SD card? I am burning the image now',
    'Can I fire up the miner now?',
    'I was shocked by the electricity bill',
    'Is there a fire alarm relay?',
  ])('ignores harmless senses: %j', (text) => {
    expect(signalsIn(text, 'en').danger).toBeUndefined();
  });

  it.each([
    ['my son got an electric shock from the case', 'got an electric shock'],
    ['there is fire from the case', 'fire from'],
    ['It smells like burnt plastic', 'smells like burnt'],
    ['something is burning inside', 'burning'],
    ['It left a mark, and the room stinks like burnt hair', 'stinks like burnt'],
    ['The edge of the plug is scorched', 'scorched'],
    ['I felt a tingle when I touched the case', 'tingle'],
    ['There was a loud pop, now the breaker trips', 'loud pop'],
  ])('recognises danger in other words: %j', (text, danger) => {
    expect(signalsIn(text, 'en').danger).toBe(danger);
  });

  it('recognises anger in words, marks and capitals, but not in names and units', () => {
    expect(signalsIn('This is unacceptable.').isAngry).toBe(true);
    expect(signalsIn('Answer me!!!').isAngry).toBe(true);
    expect(signalsIn('THIS DOES NOT WORK AND NOBODY HELPS').isAngry).toBe(true);
    expect(signalsIn('HTTP 404 on GET /api, see the JSON').isAngry).toBe(false);
  });

  it('does not take lines of a log for shouting', () => {
    expect(signalsIn('12:01 INFO start\n12:02 ERROR board\n12:03 WARN pool\n12:04 FATAL end').isAngry).toBe(false);
  });

  it.each([
    ['I want my money back', 'refund'],
    ['Refund please', 'refund'],
    ['Where is my refund?', 'refund'],
    ['Ich möchte ein Ersatzgerät', 'replacement'],
    ['Can you send me a new unit?', 'replacement'],
    ['I expect some compensation for this', 'compensation'],
    ['How much does a fan cost?', 'price'],
    ["What's the price of a fan?", 'price'],
    ['We need a quote for 50 units', 'price'],
  ])('recognises the request in %j', (text, requested) => {
    expect(signalsIn(text).requested).toBe(requested);
  });

  it.each([
    'It is loud',
    'my new unit does not hash',
    'when do I have to restart it?',
    'How much power does it use?',
    'How long will it take until the node is synced?',
    'Where can I quote the serial number?',
    'The replacement fan that I ordered is loud',
    'The price of bitcoin fell yesterday',
    'Quando o dispositivo liga, faz barulho',
  ])('finds no request in %j', (text) => {
    expect(signalsIn(text).requested).toBeUndefined();
  });

  it.each(['!smell of '.repeat(10_000), 'A'.repeat(100_000)])('finds nothing in endless repetition (%#)', (text) => {
    expect(signalsIn(text)).toEqual({ danger: undefined, isAngry: false, requested: undefined });
  });
});
