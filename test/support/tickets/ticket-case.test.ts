import { describe, expect, it } from 'vitest';
import { AnalysisFailed } from '../../../src/support/tickets/ticket-draft.ts';
import { HelpdeskFailed, type HelpdeskMessage } from '../../../src/support/tools/helpdesk-tool.ts';
import {
  crash,
  customerMessage,
  DAY_MS,
  type Fault,
  runOut,
  type Scenario,
  START,
  unclear,
  type World,
  worldForTest,
} from './case-for-test.ts';
import stateWithQueue from './state-with-queue.json' with { type: 'json' };

const about = (id: string) => ({
  kind: 'message' as const,
  ticketId: 't1',
  message: id === 'first' || id === 'latest' ? (id as 'first' | 'latest') : { id },
});
const down = () => new HelpdeskFailed('Cannot read: status is 503', { isTransient: true });
const refused = () => new HelpdeskFailed('Cannot read: status is 403');
const busy = (retryAfterMs: number) =>
  new HelpdeskFailed('Cannot read: status is 429', { isTransient: true, retryAfterMs });
const states = (world: World) => world.rows().map(({ state, result }) => `${state} ${result}`);
const marked = (world: World) => world.marks().map(({ message }) => message);
/** Seconds between the times. */
const waitsOf = (times: readonly number[]) =>
  times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) / 1000));

/** Throws at the given calls, counted from 0 by name. */
const failing = (...faults: [call: string, at: number, fault: ReturnType<Fault>][]): Fault => {
  const counts = new Map<string, number>();
  return (call) => {
    const count = counts.get(call) ?? 0;
    counts.set(call, count + 1);
    return faults.find(([name, at]) => name === call && at === count)?.[2];
  };
};

const deliver = async (world: World, ids: readonly string[], case_ = world.start()) => {
  for (const id of ids) case_.accept(about(id));
  return runOut(world, case_);
};
const delivered = async (given: Scenario = {}, ids: readonly string[] = ['m1']) => {
  const world = worldForTest(given);
  await deliver(world, ids);
  return world;
};
/** A case that has accepted a message, and has not worked yet. */
const accepted = (given: Scenario = {}, id = 'm1') => {
  const world = worldForTest(given);
  const case_ = world.start();
  case_.accept(about(id));
  return { world, case_ };
};

const DRAFTS = { hasDrafts: true } as const;

describe('a ticket gets one note or draft for each message', () => {
  it.each([
    [
      'that is delivered several times in different ways',
      ['m1'],
      ['first', 'm1', 'latest', 'm1', 'latest'],
      ['m1'],
    ],
    ['without an id', ['m1', 'm2'], ['latest', 'latest'], ['m1', 'm2']],
    ['since the first delivery without an id', ['old', 'm1'], ['latest'], ['m1']],
  ])('%s', async (_, messages, deliveries, expected) => {
    const sentAtMs = (id: string) => (id === 'old' ? START - 3_600_000 : START);
    const all = messages.map((id) => customerMessage(id, { sentAtMs: sentAtMs(id) }));
    const world = await delivered({ messages: all }, deliveries);
    expect([marked(world), world.notes.length]).toEqual([expected, expected.length]);
  });
  it.each([
    ['of an agent', [{ from: 'agent' as const }]],
    ['that the customer does not see', [{ isPublic: false }]],
    ['without words', [{ text: '  \n' }]],
    ['that is deleted', []],
  ])('but none %s', async (_, messages) => {
    const before = customerMessage('m0', { text: 'Before.' });
    const world = await delivered({
      messages: [before, ...messages.map((more) => customerMessage('m1', more))],
    });
    expect([world.notes, states(world)]).toEqual([[], ['done none']]);
  });
  it.each([
    ['with a draft beside the note', 'both', true, 'Help.', [1, 1]],
    ['with a draft in place of the note', 'draft', true, 'Help.', [0, 1]],
    ['without a draft', 'note', true, 'Help.', [1, 0]],
    ['as a note where the tool has no drafts', 'draft', false, 'Help.', [1, 0]],
    ['as a note where no reply is proposed', 'draft', true, 'Buy now', [1, 0]],
    ['without a draft where none is proposed', 'both', true, 'Buy now', [1, 0]],
  ] as const)('%s', async (_, write, hasDrafts, text, written) => {
    const world = await delivered(
      { write, hasDrafts, messages: [customerMessage('m1', { text })] },
      ['m1', 'm1'],
    );
    expect([world.notes.length, world.drafts.length]).toEqual(written);
    expect([...marked(world), ...states(world)]).toEqual([
      'm1',
      written[0] === 0 ? 'done draft' : 'done note',
    ]);
  });
  it('which contains its marker and its text, and neither is stored', async () => {
    const world = await delivered();
    const [{ note } = { note: undefined }] = world.notes;
    expect(note?.markdown).toContain('About: Question m1.');
    expect(note?.markdown).toContain(note?.marker);
    expect(world.marks()).toEqual([{ message: 'm1', note: 'n1' }]);
    expect(JSON.stringify(world.rows())).not.toContain('Message');
  });
  it('delivered late and in another order, with the history before each', async () => {
    const messages = [
      customerMessage('m1'),
      customerMessage('a1', { from: 'agent', text: 'Have you tried turning it off?' }),
      customerMessage('x1', { from: 'agent', isPublic: false, text: 'Internal.' }),
      customerMessage('m2'),
    ];
    const world = await delivered({ messages }, ['m2', 'm1']);
    expect(world.notes).toHaveLength(2);
    const histories = world.analysed.map(({ history }) => history?.map(({ text }) => text));
    expect(histories).toEqual([['Question m1.', 'Have you tried turning it off?'], undefined]);
  });
  it.each([[['m1']], [[]]])(
    'that came without its id after the ticket was read with %j',
    async (before) => {
      const world = worldForTest({ messages: before.map((id) => customerMessage(id)) });
      const case_ = world.start();
      world.fault = (call) => {
        // After the read, before its result is used.
        if (call === 'read' && world.calls.length === 1)
          queueMicrotask(() => {
            world.messages = [...world.messages, customerMessage('m2', { sentAtMs: world.now })];
            case_.accept(about('latest'));
          });
        return undefined;
      };
      await deliver(world, ['latest'], case_);
      expect(marked(world)).toEqual([...before, 'm2']);
    },
  );
  it('that came without an id after one whose job is dead, and without a time after one with a note', async () => {
    const { world, case_ } = accepted(
      { fault: failing(['read', 0, { before: refused() }]) },
      'latest',
    );
    await case_.work();
    expect(states(world)).toEqual(['dead null']);
    await deliver(world, ['latest'], case_);
    expect(marked(world)).toEqual(['m1']);
    world.messages.push(customerMessage('m2', { sentAtMs: undefined }));
    await deliver(world, ['latest'], case_);
    expect(marked(world)).toEqual(['m1', 'm2']);
  });
  it('that appears in the ticket a few seconds late', async () => {
    const world = worldForTest({ messages: [] });
    world.fault = (call) => {
      if (call === 'read' && world.now > START + 3000) world.messages = [customerMessage('m1')];
      return undefined;
    };
    await deliver(world, ['m1']);
    expect(world.notes).toHaveLength(1);
  });
  it('and none again after its job was deleted: the mark stays', async () => {
    const world = await delivered();
    world.passTo(START + 31 * DAY_MS);
    const case_ = world.start();
    await case_.work();
    expect(world.rows()).toEqual([]);
    await deliver(world, ['m1'], case_);
    expect([world.notes.length, world.rows()]).toEqual([1, []]);
  });
  it('and none for our own note, but one for a customer who quotes it', async () => {
    const world = await delivered();
    // A tool that shows our note as the customer's.
    world.messages.push(customerMessage('n1'));
    await deliver(world, ['n1', 'latest']);
    expect(marked(world)).toEqual(['m1']);
    const { text = '' } = world.notes[0]?.note ?? {};
    world.messages.push(customerMessage('m2', { text: `> ${text}\nAnd now?` }));
    await deliver(world, ['m2']);
    world.messages.push(customerMessage('m3', { text }));
    await deliver(world, ['latest']);
    expect(marked(world)).toEqual(['m1', 'm2', 'm3']);
  });
  it('although drafts are switched off after its job died, or the ticket has another draft', async () => {
    const fault = failing(['draft', 0, { before: refused() }]);
    const world = await delivered({ ...DRAFTS, write: 'draft', fault });
    expect(states(world)).toEqual(['dead null']);
    world.write = 'note';
    const case_ = world.start();
    expect(await case_.replay([1])).toEqual([1]);
    await runOut(world, case_);
    expect([world.notes.length, world.drafts.length]).toEqual([1, 0]);
    const other = await delivered({ ...DRAFTS, write: 'draft' });
    other.messages.push(customerMessage('m2'));
    await deliver(other, ['m2']);
    expect([...states(other), ...marked(other)]).toEqual(['done draft', 'done note', 'm1', 'm2']);
    expect(other.notes[0]?.note.markdown).toContain('About: Question m2.');
  });
});

describe('exactly once', () => {
  const late = [500, 5000, 19_000].flatMap((lateMs) => [{ lateMs }, { lateMs, after: crash() }]);
  describe.each<[string, Scenario, number[]]>([
    ['note', {}, [1, 0]],
    ['both', { ...DRAFTS, write: 'both' }, [1, 1]],
    ['draft', { ...DRAFTS, write: 'draft' }, [0, 1]],
  ])('(%s)', (name, scenario, expected) => {
    const result = (world: World) => [world.notes.length, world.drafts.length];
    it('holds when the process ends at any write to storage, before or after it', async () => {
      let crashes = 0;
      for (const after of [false, true]) {
        for (let count = 0; ; count += 1) {
          const { world, case_ } = accepted(scenario);
          world.crashAtWrite(count, after);
          await runOut(world, case_);
          const state = name === 'draft' ? 'done draft' : 'done note';
          const found = [count, after, ...result(world), ...marked(world), ...states(world)];
          expect(found).toEqual([count, after, ...expected, 'm1', state]);
          if (!world.hasCrashed) break;
          crashes += 1;
        }
      }
      expect(crashes).toBeGreaterThanOrEqual(10);
    });
    it.each(
      ['read', 'analyse', 'write', 'find', 'draft'].flatMap((call) => [
        [call, 'before'] as const,
        [call, 'after'] as const,
      ]),
    )('holds when the process ends during %s, %s its effect', async (call, when) => {
      const faults: Parameters<typeof failing> = [[call, 0, { [when]: crash() }]];
      // The note is looked for only after a lost write.
      if (call === 'find') faults.push(['write', 0, { after: unclear() }]);
      expect(result(await delivered({ ...scenario, fault: failing(...faults) }))).toEqual(expected);
    });
    it.each(late)(
      'holds when a write takes effect after its timeout, or after the process ends: %j',
      async (fault) => {
        for (const call of ['write', 'draft']) {
          const world = await delivered({ ...scenario, fault: failing([call, 0, fault]) });
          world.passTo(world.now + 100_000);
          expect(result(world)).toEqual(expected);
        }
      },
    );
  });
  it.each<[string, Parameters<typeof failing>[0], string[]]>([
    [
      'the reply of the write is lost',
      ['write', 0, { after: unclear() }],
      ['read', 'analyse', 'write', 'find'],
    ],
    [
      'a write without effect is refused',
      ['write', 0, { before: down() }],
      ['read', 'analyse', 'write', 'write'],
    ],
  ])('holds when %s', async (_, fault, calls) => {
    const world = await delivered({ fault: failing(fault) });
    expect([world.calls, world.marks()]).toEqual([calls, [{ message: 'm1', note: 'n1' }]]);
  });
  it('holds when a draft is retried after the note', async () => {
    const fault = failing(['draft', 0, { before: down() }], ['draft', 1, { after: unclear() }]);
    const world = await delivered({ ...DRAFTS, write: 'both', fault });
    expect(world.calls).toEqual(['read', 'analyse', 'write', 'draft', 'draft', 'draft']);
    expect(world.drafts).toHaveLength(1);
  });
  it('holds when the search fails as well, and when the write never took effect', async () => {
    const [lost, gone] = [{ before: unclear() }, { before: down() }];
    const world = await delivered({
      fault: failing(['write', 0, lost], ['find', 0, gone], ['find', 1, gone]),
    });
    expect(world.notes).toHaveLength(1);
    expect(world.calls.filter((call) => call === 'write')).toHaveLength(2);
    // The write is not repeated while the first one could still take effect.
    expect(world.now - START).toBeGreaterThanOrEqual(20_000);
  });
  it('holds when the first attempt comes after a day and the outcome of its write is unknown', async () => {
    const { world, case_ } = accepted({ fault: failing(['write', 0, { before: unclear() }]) });
    world.passTo(START + DAY_MS + 60_000);
    await runOut(world, case_);
    expect([world.notes.length, states(world)]).toEqual([1, ['done note']]);
  });
  it('holds when deliveries and alarms come while an attempt is still running at its next due time', async () => {
    const { world, case_ } = accepted();
    const others: Promise<unknown>[] = [];
    world.fault = (call) => {
      world.passTo(world.now + 5000);
      case_.accept(about('m1'));
      if (call !== 'find') others.push(case_.work(), case_.work());
      return undefined;
    };
    await Promise.all([case_.work(), case_.work()]);
    await Promise.all(others);
    await deliver(world, ['m1'], case_);
    expect(world.calls).toEqual(['read', 'analyse', 'write']);
  });
  it('holds under random failures in any order', async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    const fault = () => {
      if (random() > 0.35) return undefined;
      const before = [down, unclear, crash].map((error) => ({ before: error() }));
      const kinds = [
        ...before,
        { after: unclear() },
        { after: crash() },
        { lateMs: random() * 18_000 },
      ];
      return kinds[Math.floor(random() * kinds.length)];
    };
    for (let run = 0; run < 150; run += 1) {
      const messages = ['m1', 'm2', 'm3'].map((id) => customerMessage(id));
      const drafts = run % 3 === 0 ? ({ ...DRAFTS, write: 'both' } as const) : {};
      const world = worldForTest({ ...drafts, messages, fault });
      const last = await deliver(world, ['m2', 'm1', 'm1', 'm3', 'm2']);
      world.fault = () => undefined;
      await last.replay([1, 2, 3]);
      await runOut(world, last);
      world.passTo(world.now + 100_000);
      const messageIds = world.notes
        .map(({ note }) => /Question (m\d)/.exec(note.markdown)?.[1])
        .toSorted();
      expect([run, messageIds]).toEqual([run, ['m1', 'm2', 'm3']]);
    }
  });
});

describe('a failing job', () => {
  it('is retried after 1, 2, 4 seconds and so on, up to ten minutes, and then dead', async () => {
    const world = worldForTest();
    const times: number[] = [];
    world.fault = (call) => {
      if (call !== 'analyse') return undefined;
      times.push(world.now);
      return { before: new AnalysisFailed('Cannot analyse: no answer', { isTransient: true }) };
    };
    await deliver(world, ['m1']);
    const waits = waitsOf(times);
    expect([waits.slice(0, 5), Math.max(...waits), times.length]).toEqual([
      [1, 2, 4, 8, 16],
      600,
      24,
    ]);
    expect([world.notes, states(world)]).toEqual([[], ['dead null']]);
    const last_error = 'Cannot analyse: no answer';
    expect(world.reports.get(1)).toMatchObject({ state: 'dead', attempts: 24, last_error });
  });
  it('is retried for ten seconds when the ticket is not found, and then dead', async () => {
    const before = new HelpdeskFailed('Cannot read: status is 404', { isNotFound: true });
    const late = await delivered({ fault: failing(['read', 0, { before }]) });
    expect(states(late)).toEqual(['done note']);
    const gone = await delivered({ fault: (call) => (call === 'read' ? { before } : undefined) });
    expect(states(gone)).toEqual(['dead null']);
    expect(gone.now - START).toBeGreaterThanOrEqual(10_000);
    expect(gone.calls.length).toBeLessThan(10);
  });
  it('is dead at once when it is permanent, and a replay continues at its step', async () => {
    const world = await delivered({ fault: failing(['write', 0, { before: refused() }]) });
    expect(world.reports.get(1)).toMatchObject({
      state: 'dead',
      last_error: 'Cannot read: status is 403',
    });
    const case_ = world.start();
    case_.accept(about('m1'));
    expect(states(world)).toEqual(['dead null']);
    expect([await case_.replay([1, 2]), await case_.replay([1])]).toEqual([[1], []]);
    await runOut(world, case_);
    expect([world.notes.length, world.analysed.length]).toEqual([1, 1]);
    expect(world.reports.get(1)).toMatchObject({ state: 'done', result: 'note', last_error: null });
  });
  it.each(['{', '{"marker":"x"}', 'null'])(
    'is dead at once, with advice, when its stored note is %s',
    async (note) => {
      const { world, case_ } = accepted({ fault: failing(['write', 0, { before: down() }]) });
      await case_.work();
      world.damage(note);
      world.passTo(START + 3_600_000);
      await runOut(world, world.start());
      expect(world.rows()).toMatchObject([
        { state: 'dead', error: expect.stringContaining('Answer it in the tool') },
      ]);
      expect(world.notes).toEqual([]);
    },
  );
  it('waits as long as the tool asks, any number of times, without counting an attempt', async () => {
    let refusals = 0;
    const fault: Fault = (call) =>
      call === 'write' && refusals++ < 40 ? { before: busy(60_000) } : undefined;
    const { world, case_ } = accepted({ fault });
    await case_.work();
    expect(world.pausedUntil).toBe(START + 60_000);
    await runOut(world, case_);
    expect(world.now - START).toBeGreaterThan(40 * 60_000);
    expect(world.notes).toHaveLength(1);
  });
  it('is retried with growing back-off for a day when the tool always asks for no wait', async () => {
    const { world, case_ } = accepted();
    const times: number[] = [];
    world.fault = (call) => {
      if (call === 'read') times.push(world.now);
      return { before: busy(0) };
    };
    await case_.work();
    for (let round = 0; round < 1000 && states(world)[0] === 'open null'; round += 1) {
      world.passTo(world.alarmAt ?? 0);
      await case_.work();
    }
    const waits = waitsOf(times);
    expect([waits.slice(0, 5), Math.max(...waits)]).toEqual([[1, 2, 4, 8, 16], 600]);
    expect(times.length).toBeLessThan(200);
    expect([states(world), world.notes]).toEqual([['dead null'], []]);
    expect(world.now - START).toBeLessThan(DAY_MS + 700_000);
  });
  it('starts again with the first back-off when it is replayed', async () => {
    const nine = Array.from({ length: 10 }, (_, at): Parameters<typeof failing>[0] => {
      return ['read', at, { before: at === 8 ? refused() : busy(0) }];
    });
    const world = await delivered({ fault: failing(...nine) });
    expect(states(world)).toEqual(['dead null']);
    const case_ = world.start();
    const replayedAt = world.now;
    await case_.replay([1]);
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
    expect(world.now - replayedAt).toBeLessThan(2000);
  });
  it.each([
    [30_000, 30_000],
    [600_000, 60_000],
  ])(
    'continues after a pause of %i ms with a random delay of up to %i ms',
    async (pauseMs, spreadMs) => {
      for (const share of [0, 0.5, 0.999]) {
        const { world, case_ } = accepted({
          fault: failing(['read', 0, { before: busy(pauseMs) }]),
        });
        world.random = () => share;
        await case_.work();
        expect(world.rows()).toMatchObject([
          { due_at: START + pauseMs + Math.ceil(share * spreadMs) },
        ]);
      }
    },
  );
  it('begins when the workspace lets it, also in a process that has started since', async () => {
    const { world, case_ } = accepted();
    world.turnAt = START + 5000;
    await case_.work();
    expect([world.calls, world.alarmAt]).toEqual([[], START + 5000]);
    expect(world.reports.get(1)).toMatchObject({ state: 'open', attempts: 0 });
    await world.start().work();
    expect([world.calls, world.alarmAt]).toEqual([[], START + 5000]);
    await runOut(world, world.start());
    expect([world.notes.length, world.now]).toEqual([1, START + 5000]);
  });
  it("is reported later when the workspace's object is down", async () => {
    const { world, case_ } = accepted();
    world.workspaceFails = true;
    await case_.work();
    expect([world.notes.length, world.reports.size]).toEqual([1, 0]);
    world.workspaceFails = false;
    await runOut(world, case_);
    expect(world.reports.get(1)).toMatchObject({ state: 'done' });
  });
});

it('a message that arrives during the report of earlier work is worked on at once', async () => {
  const { world, case_ } = accepted();
  let joined: Promise<unknown> | undefined;
  world.duringReport = () => {
    if (joined !== undefined) return;
    world.messages.push(customerMessage('m2'));
    case_.accept(about('m2'));
    joined = case_.work();
  };
  await case_.work();
  await joined;
  expect([world.notes.length, world.alarmAt]).toEqual([1, START]);
  await runOut(world, case_);
  expect(world.notes).toHaveLength(2);
});

it('a job of the version that had a queue is continued at its step', async () => {
  const world = worldForTest();
  // As that version wrote them, after an attempt that ended between the two records of the write.
  for (const statement of stateWithQueue) world.sql.run(statement);
  world.alarmAt = START + 45_000;
  await runOut(world, world.start());
  expect(world.calls).toEqual(['find', 'write']);
  expect(world.marks()).toEqual([
    { message: 'm0', note: 'n0' },
    { message: 'm1', note: 'n1' },
  ]);
  expect(world.rows()).toMatchObject([
    { about: 'm:m0', state: 'done', result: 'note' },
    { about: 'm:m1', state: 'done', result: 'note', attempts: 3 },
  ]);
  await deliver(world, ['m0', 'm1']);
  expect(world.notes).toHaveLength(1);
});

describe('automatic mail', () => {
  const mails: [string, Partial<HelpdeskMessage>, string][] = [
    [
      'an absence note',
      { mail: { headers: { 'Auto-Submitted': 'auto-replied' } } },
      'an automatic reply',
    ],
    ['a bounce', { mail: { from: 'MAILER-DAEMON@mx.example' } }, 'a delivery report'],
    ['a mail that the tool has marked', { mail: { isAutomatic: true } }, 'an automatic reply'],
    ['a message without words', { text: ' \n' }, 'a message without words'],
  ];
  it.each(mails)(
    'gets no analysis, note or draft, and is listed with its reason: %s',
    async (_, more, reason) => {
      const world = worldForTest({
        messages: [customerMessage('m0'), customerMessage('m1', more)],
        write: 'both',
        hasDrafts: true,
      });
      const process = world.start();
      process.accept(about('m1'));
      await process.work();
      expect([world.analysed, world.notes, world.drafts]).toEqual([[], [], []]);
      expect([...world.reports.values()]).toMatchObject([
        { state: 'done', result: 'none', last_error: null, reason },
      ]);
    },
  );
  it('is recognised by the subject of the ticket that it opens, not in later messages', async () => {
    const world = worldForTest({
      messages: [customerMessage('m1'), customerMessage('m2')],
      subject: 'Automatic reply: Help',
    });
    const process = world.start();
    process.accept(about('m1'));
    process.accept(about('m2'));
    await process.work();
    expect([...world.reports.values()].map(({ reason, result }) => [result, reason])).toEqual([
      ['none', 'automatic mail'],
      ['note', undefined],
    ]);
    // Nor is it part of the conversation.
    expect(world.analysed.map(({ history }) => history)).toEqual([undefined]);
  });
  it('that its delivery shows ends at once, and a repeated delivery changes nothing', async () => {
    const world = worldForTest();
    const process = world.start();
    const event = { ...about('m1'), automatic: 'a delivery report' as const };
    process.accept(event);
    process.accept(event);
    await process.work();
    expect(world.calls).toEqual([]);
    expect([...world.reports.values()]).toMatchObject([
      { state: 'done', result: 'none', reason: 'a delivery report' },
    ]);
  });
});

describe('what the desk shows', () => {
  const desk = async (given: Scenario = {}) => {
    const { world, case_ } = accepted(given);
    await runOut(world, case_);
    return { world, case_ };
  };
  it('is the newest message with its draft and the first reply to it, all without personal data', async () => {
    const text = 'My name is Dana. It is broken.';
    const masked = 'My name is [name]. It is broken.';
    const { world, case_ } = await desk({
      subject: 'Dana asks',
      messages: [customerMessage('m1', { text })],
    });
    expect(case_.onDesk()).toMatchObject({
      case: {
        subject: '[name] asks',
        customer_name: 'Dana Ortiz',
        message: masked,
        history: [],
        intent: 'not_hashing',
      },
      job: { title: '[name] asks', intent: 'not_hashing', state: 'done' },
      sent: null,
      rewritten: null,
    });
    const listing = { title: '[name] asks', customer_name: 'Dana', draft_state: 'unanswered' };
    expect(world.reports.get(1)).toMatchObject({ ...listing, excerpt: masked });
    expect(world.rows()).toMatchObject([{ title: '[name] asks' }]);
    expect(case_.learn(`${text} Anything else?`)).toMatchObject({
      job: 1,
      outcome: { intent: 'not_hashing' },
    });
    expect(case_.learn('Another one')).toBeUndefined();
    expect(case_.rate({ value: 'down' }, 'Dear Dana')).toBe(true);
    expect(case_.onDesk()).toMatchObject({
      sent: { text: `${masked} Anything else?` },
      rewritten: { text: 'Dear [name]' },
    });
  });
  it('is gone with its title once the drafts are erased, and with its job', async () => {
    const { world, case_ } = await desk();
    case_.eraseDrafts();
    expect(case_.onDesk()).toMatchObject({ case: null, sent: null, rewritten: null });
    expect(case_.onDesk()?.job).not.toHaveProperty('title');
    await case_.work();
    for (const name of ['title', 'excerpt', 'customer_name'])
      expect(world.reports.get(1)).not.toHaveProperty(name);
    expect(case_.rate({ value: 'up' }, 'A text')).toBe(false);
  });
  it('has a reply to a message without a draft', async () => {
    const { case_ } = await desk({ messages: [customerMessage('m1', { text: 'Buy now' })] });
    expect(case_.learn('No, thanks')).toEqual({ job: 1, outcome: undefined });
    expect(case_.onDesk()).toMatchObject({ sent: { text: 'No, thanks' } });
  });
});
