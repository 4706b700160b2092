import { describe, expect, it } from 'vitest';
import { EscalationRule, type RequiredFact } from '../../../src/contract/taxonomy.ts';
import { autoSendOf } from '../../../src/support/guidance/auto-send.ts';
import { escalationOf } from '../../../src/support/guidance/escalation.ts';
import { missingInformation } from '../../../src/support/guidance/missing-information.ts';
import { signalsIn } from '../../../src/support/guidance/signals.ts';

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
      { intents: [] },
      { escalation: rules.map((rule) => EscalationRule.parse({ to: 'Team', reason: 'because', ...rule })) },
      { ticket: { message, subject: undefined, customerMessages }, classification, coverage: 'high' },
    );

  it('needs nobody where no rule holds', () => {
    expect(escalate([])).toEqual({ needed: false, reasons: [] });
    expect(escalate([{ any_of: ['smoke'] }])).toEqual({ needed: false, reasons: [] });
  });

  it('compares phrases by their words, whatever their case, and never within a word', () => {
    const rule = { any_of: ['on fire', "can't sleep"] };
    expect(escalate([rule], { message: 'It is ON  FIRE!' }).needed).toBe(true);
    expect(escalate([rule], { message: 'I CAN’T SLEEP' }).needed).toBe(true);
    expect(escalate([rule], { message: 'Carry on fireman' }).needed).toBe(false);
    expect(escalate([rule], { message: 'fire on' }).needed).toBe(false);
  });

  it('wants all conditions of a rule', () => {
    const rule = { any_of: ['loud'], min_customer_messages: 3 };
    expect(escalate([rule]).needed).toBe(false);
    expect(escalate([rule], { customerMessages: ['a', 'b', 'loud'] }).needed).toBe(true);
  });

  it('knows confidence and coverage', () => {
    expect(escalate([{ confidence_below: 0.81 }]).needed).toBe(true);
    expect(escalate([{ confidence_below: 0.8 }]).needed).toBe(false);
    expect(escalate([{ coverage: ['low', 'none'] }]).needed).toBe(false);
    expect(escalate([{ always: true }]).needed).toBe(true);
  });

  it('goes to the team of the first rule and tells the reasons of all', () => {
    const rules = [
      { always: true, reason: 'one' },
      { always: true, to: 'Others', reason: 'two' },
    ];
    expect(escalate(rules)).toEqual({ needed: true, to: 'Team', reasons: ['one', 'Others: two'] });
  });

  it('holds a message of no intent against the words of all', () => {
    const rules = [
      EscalationRule.parse({ to: 'Safety', reason: 'smoke', any_of: ['smoke'] }),
      EscalationRule.parse({ to: 'Nobody', reason: 'always', always: true }),
    ];
    // Of an intent only the rules matter here.
    const intents = [{ escalation: rules }] as unknown as Parameters<typeof escalationOf>[0]['intents'];
    const ticket = { message: 'there is smoke', subject: undefined, customerMessages: ['there is smoke'] };
    const given = { ticket, classification, coverage: 'none' as const };
    expect(escalationOf({ intents }, undefined, given)).toEqual({ needed: true, to: 'Safety', reasons: ['smoke'] });
  });
});

describe('missingInformation()', () => {
  const ask = (fact: Partial<RequiredFact>, ticket: { said?: string[]; metadata?: object; subject?: string }) =>
    missingInformation(
      { required_facts: [{ id: 'fact', question: 'Which firmware version does the dashboard show?', ...fact }] },
      { customerMessages: ticket.said ?? [], subject: ticket.subject, metadata: { ...ticket.metadata } },
    );

  it('asks what neither message nor history nor subject nor metadata tells', () => {
    const fact = { patterns: ['\\bfirmware \\d'], metadata: ['firmware', 'attachments'] };
    expect(ask(fact, { said: ['It is loud'] })).toEqual(['Which firmware version does the dashboard show?']);
    expect(ask(fact, { said: ['Firmware 3.4.0 runs on it', 'It is loud'] })).toEqual([]);
    expect(ask(fact, { said: ['It is loud'], subject: 'FIRMWARE 3' })).toEqual([]);
    expect(ask(fact, { metadata: { firmware: '3.4.0' } })).toEqual([]);
    expect(ask(fact, { metadata: { attachments: ['a.log'] } })).toEqual([]);
  });

  it('takes what is empty for what is missing', () => {
    const fact = { patterns: ['x{9}'], metadata: ['firmware', 'toString'] };
    for (const firmware of ['', ' ', null, [], false])
      expect(ask(fact, { metadata: { firmware } }), JSON.stringify(firmware)).toHaveLength(1);
  });

  it('goes by the words of the question where there is no pattern', () => {
    expect(ask({}, { said: ['The dashboard shows firmware version 3.4.0'] })).toEqual([]);
    expect(ask({}, { said: ['It is loud'] })).toHaveLength(1);
  });

  it('passes over a pattern that does not compile', () => {
    expect(ask({ patterns: ['(', 'loud'] }, { said: ['It is loud'] })).toEqual([]);
  });
});

describe('autoSendOf()', () => {
  const intent = { title: 'Noise', auto_send: { allowed: true, min_confidence: 0.9 } };
  const of = (confidence: number, given: typeof intent | undefined = intent, primary_intent = 'noise') =>
    autoSendOf({ primary_intent, confidence }, given);

  it('allows what the taxonomy allows and the classification is sure enough of', () => {
    expect(of(0.9).allowed).toBe(true);
    expect(of(0.8999).allowed).toBe(false);
    expect(of(1, { ...intent, auto_send: { allowed: false, min_confidence: 0 } }).allowed).toBe(false);
  });

  it('never sends what fits no intent', () => {
    expect(autoSendOf({ primary_intent: 'noise', confidence: 1 }, undefined).allowed).toBe(false);
    expect(of(1, intent, 'unknown').allowed).toBe(false);
  });

  it('tells why, and rounds no miss up to a hit', () => {
    expect(of(0.8999).reasons).toEqual([
      'The classification is 89.9 % sure of "Noise"; 90 % would be needed to send its drafts.',
    ]);
    expect(of(0.95).reasons).toEqual([
      'The classification is 95 % sure of "Noise", and 90 % is enough to send its drafts.',
    ]);
  });
});

describe('signalsIn()', () => {
  it.each([
    ['There is smoke coming out of it', 'smoke'],
    ['Es riecht verschmort', 'verschmort'],
    ['The plug has melted', 'melted'],
  ])('sees danger: %j', (text, danger) => {
    expect(signalsIn(text).danger).toBe(danger);
  });

  it.each(['I would like a smokeless grill', 'My firewall blocks it', 'The LED is red'])('sees none in %j', (text) => {
    expect(signalsIn(text).danger).toBeUndefined();
  });

  it('hears anger in words, marks and capitals, and not in names and units', () => {
    expect(signalsIn('This is unacceptable.').isAngry).toBe(true);
    expect(signalsIn('Answer me!!!').isAngry).toBe(true);
    expect(signalsIn('THIS DOES NOT WORK AND NOBODY HELPS').isAngry).toBe(true);
    expect(signalsIn('HTTP 404 on GET /api, see the JSON').isAngry).toBe(false);
  });

  it('sees what the customer wants promised', () => {
    expect(signalsIn('I want my money back').wanted).toBe('refund');
    expect(signalsIn('By when do I get it?').wanted).toBe('date');
    expect(signalsIn('It is loud').wanted).toBeUndefined();
  });

  it('is linear in what it reads', () => {
    const start = performance.now();
    signalsIn('!smell of '.repeat(10_000));
    signalsIn('A'.repeat(100_000));
    expect(performance.now() - start).toBeLessThan(300);
  });
});
