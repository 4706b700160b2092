import { describe, expect, it } from 'vitest';
import { HelpdeskFailed } from '../../../src/helpdesk/helpdesk-tool.ts';
import { AnalysisFailed } from '../../../src/helpdesk/tickets/ticket-draft.ts';
import {
  crash,
  customerMessage,
  type Fault,
  runOut,
  START,
  unclear,
  type World,
  worldForTest,
} from './case-for-test.ts';

const about = (id: string) => ({
  ...{ kind: 'message' as const, ticketId: 't1' },
  message: id === 'first' || id === 'latest' ? (id as 'first' | 'latest') : { id },
});
const down = () => new HelpdeskFailed('Cannot read: status is 503', { isTransient: true });
const refused = () => new HelpdeskFailed('Cannot read: status is 403');
const busy = (retryAfterMs: number) =>
  new HelpdeskFailed('Cannot read: status is 429', { isTransient: true, retryAfterMs });
const dueAt = (world: World) => world.rows()[0]?.due_at;
const states = (world: World) => world.rows().map(({ state, result }) => `${state} ${result}`);
const written = (world: World) => [world.notes.length, world.drafts.length];
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
  world.queued += 1;
  return runOut(world, case_);
};
const delivered = async (given: Parameters<typeof worldForTest>[0], ids: readonly string[] = ['m1']) => {
  const world = worldForTest(given);
  await deliver(world, ids);
  return world;
};
/** A case that has accepted a message, and has not worked yet. */
const accepted = (given: Parameters<typeof worldForTest>[0] = {}, id = 'm1') => {
  const world = worldForTest(given);
  const case_ = world.start();
  case_.accept(about(id));
  return { world, case_ };
};

describe('a stored note that cannot be read', () => {
  it.each(['{', '{"marker":"x"}', 'null'])('makes the job dead at once, with advice: %s', async (note) => {
    const { world, case_ } = accepted();
    world.fault = failing(['write', 0, { before: down() }]);
    await case_.work();
    world.damage(note);
    world.passTo(START + 3_600_000);
    await runOut(world, world.start());
    expect(world.rows()).toMatchObject([{ state: 'dead', error: expect.stringContaining('Answer it in the tool') }]);
    expect(world.notes).toEqual([]);
  });
});

describe('one note for a message', () => {
  it('is written from the current ticket, contains its marker, and its text is not stored', async () => {
    const world = await delivered({});
    const [{ note } = { note: undefined }] = world.notes;
    expect(note?.markdown).toContain('About: Message m1.');
    expect(note?.markdown).toContain(note?.marker);
    expect([...written(world), ...world.marks(), ...states(world)]).toEqual([
      1,
      0,
      { message: 'm1', note: 'n1' },
      'done note',
    ]);
  });
  it('is written once for twenty deliveries, before, during and after the work', async () => {
    const world = worldForTest();
    const case_ = world.start();
    for (let count = 0; count < 10; count += 1) case_.accept(about('m1'));
    const working = Array.from({ length: 5 }, () => case_.work());
    for (let count = 0; count < 5; count += 1) case_.accept(about('m1'));
    await Promise.all(working);
    for (let count = 0; count < 5; count += 1) case_.accept(about('m1'));
    await runOut(world, case_);
    expect(world.calls).toEqual(['read', 'analyse', 'write']);
  });
  it('is written once when deliveries name the message in different ways', async () => {
    expect(written(await delivered({}, ['first', 'm1', 'latest', 'first', 'latest']))).toEqual([1, 0]);
  });
  it('is written for each of two messages delivered without ids, in any order', async () => {
    const world = worldForTest({ messages: [customerMessage('m1'), customerMessage('m2')] });
    const case_ = await deliver(world, ['latest', 'latest']);
    expect(marked(world)).toEqual(['m1', 'm2']);
    world.messages.push(customerMessage('m3', { sentAtMs: undefined }));
    await deliver(world, ['latest'], case_);
    expect(world.notes).toHaveLength(3);
  });
  it.each([[[customerMessage('m1')]], [[]]])(
    'is written for a message delivered without its id after the ticket was read (%#)',
    async (before) => {
      const world = worldForTest({ messages: before });
      const case_ = world.start();
      world.fault = (call) => {
        // After the read, before its result is used.
        if (call === 'read' && world.calls.length === 1) {
          queueMicrotask(() => {
            world.messages = [...world.messages, customerMessage('m2', { sentAtMs: world.now })];
            case_.accept(about('latest'));
          });
        }
        return undefined;
      };
      await deliver(world, ['latest'], case_);
      expect(marked(world)).toEqual([...before.map(({ id }) => id), 'm2']);
    },
  );
  it('is written for the next message without an id although the job of the one before is dead', async () => {
    const { world, case_ } = accepted({ fault: failing(['read', 0, { before: refused() }]) }, 'latest');
    await case_.work();
    expect(states(world)).toEqual(['dead null']);
    await deliver(world, ['latest'], case_);
    expect(world.notes).toHaveLength(1);
  });
  it('is not written for messages from before the first delivery without an id', async () => {
    const messages = [customerMessage('old', { sentAtMs: START - 3_600_000 }), customerMessage('m1')];
    expect((await delivered({ messages }, ['latest'])).marks()).toEqual([{ message: 'm1', note: 'n1' }]);
  });
  it('is written for late and reordered deliveries, with the history before each message', async () => {
    const messages = [
      customerMessage('m1'),
      customerMessage('a1', { from: 'agent', text: 'Have you tried turning it off?' }),
      customerMessage('x1', { from: 'agent', isPublic: false, text: 'Internal.' }),
      customerMessage('m2'),
    ];
    const world = await delivered({ messages }, ['m2', 'm1']);
    expect(world.notes).toHaveLength(2);
    expect(world.analysed.map(({ history }) => history?.map(({ text }) => text))).toEqual([
      ['Message m1.', 'Have you tried turning it off?'],
      undefined,
    ]);
  });
  it('is not repeated after its job was deleted: the mark stays', async () => {
    const world = await delivered({});
    world.passTo(START + 31 * 86_400_000);
    const case_ = world.start();
    await case_.onAlarm();
    expect(world.rows()).toEqual([]);
    case_.accept(about('m1'));
    await runOut(world, case_);
    expect([world.notes.length, world.rows()]).toEqual([1, []]);
  });
  it('is written once when an attempt is still running at the next due time', async () => {
    const { world, case_ } = accepted();
    const others: Promise<unknown>[] = [];
    world.fault = (call) => {
      world.passTo(world.now + 5000);
      if (call !== 'find') others.push(case_.work(), case_.onAlarm());
      return undefined;
    };
    await case_.work();
    await Promise.all(others);
    await runOut(world, case_);
    expect(world.calls).toEqual(['read', 'analyse', 'write']);
  });
  it('is written for a customer who quotes our note with its marker', async () => {
    const world = await delivered({});
    const { text = '' } = world.notes[0]?.note ?? {};
    world.messages.push(customerMessage('m2', { text: `> ${text}\nAnd now?` }));
    await deliver(world, ['m2']);
    expect(marked(world)).toEqual(['m1', 'm2']);
    world.messages.push(customerMessage('m3', { text }));
    await deliver(world, ['latest']);
    expect(world.notes).toHaveLength(3);
  });
});

describe('no note', () => {
  it.each([
    ['of an agent', { from: 'agent' as const }],
    ['that the customer does not see', { isPublic: false }],
    ['without words', { text: '  \n' }],
  ])('is written for a message %s', async (_, more) => {
    const world = await delivered({
      messages: [customerMessage('m0', { text: 'Before.' }), customerMessage('m1', more)],
    });
    expect([world.notes, states(world)]).toEqual([[], ['done none']]);
  });
  it('is written for a deleted message; one that appears late gets its note', async () => {
    const gone = await delivered({ messages: [] });
    expect([gone.notes, states(gone)]).toEqual([[], ['done none']]);
    expect(gone.calls.length).toBeGreaterThan(1);
    const late = worldForTest({ messages: [] });
    late.fault = (call) => {
      if (call === 'read' && late.now > START + 3000) late.messages = [customerMessage('m1')];
      return undefined;
    };
    await deliver(late, ['m1']);
    expect(late.notes).toHaveLength(1);
  });
  it('is written for our own note', async () => {
    const world = await delivered({});
    // A tool that shows our note as the customer's.
    world.messages.push(customerMessage('n1'));
    await deliver(world, ['n1']);
    await deliver(world, ['latest']);
    expect(world.notes).toHaveLength(1);
  });
});

describe('a draft', () => {
  it.each([
    ['beside the note', 'both', true, [1, 1]],
    ['instead of the note', 'draft', true, [0, 1]],
    ['not at all', 'note', true, [1, 0]],
    ['as a note when the tool has no drafts', 'draft', false, [1, 0]],
  ] as const)('is saved %s', async (_, write, hasDrafts, expected) => {
    const world = await delivered({ write, hasDrafts }, ['m1', 'm1']);
    expect([written(world), marked(world)]).toEqual([expected, ['m1']]);
    expect(JSON.stringify([world.rows(), world.marks()])).not.toContain('Message');
  });
  it('is retried without a second note', async () => {
    const fault = failing(['draft', 0, { before: down() }], ['draft', 1, { after: unclear() }]);
    const world = await delivered({ write: 'both', hasDrafts: true, fault });
    expect(written(world)).toEqual([1, 1]);
    expect(world.calls.filter((call) => call === 'write')).toHaveLength(1);
  });
  it.each(['both', 'draft'] as const)('is saved once when it takes effect after its timeout (%s)', async (write) => {
    for (const lateMs of [500, 5000, 19_000]) {
      for (const fault of [{ lateMs }, { lateMs, after: crash() }]) {
        const world = await delivered({ write, hasDrafts: true, fault: failing(['draft', 0, fault]) });
        world.passTo(world.now + 100_000);
        expect([lateMs, ...written(world)]).toEqual([lateMs, write === 'both' ? 1 : 0, 1]);
      }
    }
  });
  it('becomes a note when drafts are switched off after its job died', async () => {
    const fault = failing(['draft', 0, { before: refused() }]);
    const world = await delivered({ write: 'draft', hasDrafts: true, fault });
    expect(states(world)).toEqual(['dead null']);
    world.write = 'note';
    const case_ = world.start();
    expect(case_.replay([1])).toEqual([1]);
    await runOut(world, case_);
    expect(written(world)).toEqual([1, 0]);
  });
  it.each(['draft', 'both'] as const)('is not written when no reply is proposed: %s', async (write) => {
    const world = await delivered({ write, hasDrafts: true, messages: [customerMessage('m1', { text: 'Buy now' })] });
    expect([...written(world), ...states(world)]).toEqual([1, 0, 'done note']);
  });
  it('becomes a note when the ticket has another draft', async () => {
    const world = await delivered({ write: 'draft', hasDrafts: true });
    world.messages.push(customerMessage('m2'));
    await deliver(world, ['m2']);
    const result = [...written(world), ...states(world), ...marked(world)];
    expect(result).toEqual([1, 1, 'done draft', 'done note', 'm1', 'm2']);
    expect(world.notes[0]?.note.markdown).toContain('About: Message m2.');
  });
});

describe('exactly once', () => {
  describe.each([
    ['note', {}, [1, 0]],
    ['both', { write: 'both', hasDrafts: true }, [1, 1]],
    ['draft', { write: 'draft', hasDrafts: true }, [0, 1]],
  ] as const)('(%s)', (name, scenario, expected) => {
    it('holds when the process ends at any write to storage, before or after it', async () => {
      let crashes = 0;
      for (const after of [false, true]) {
        for (let count = 0; ; count += 1) {
          const { world, case_ } = accepted(scenario);
          world.queued += 1;
          world.crashAtWrite(count, after);
          await runOut(world, case_);
          const state = name === 'draft' ? 'done draft' : 'done note';
          const result = [count, after, ...written(world), ...marked(world), ...states(world)];
          expect(result).toEqual([count, after, ...expected, 'm1', state]);
          if (!world.hasCrashed()) break;
          crashes += 1;
        }
      }
      expect(crashes).toBeGreaterThanOrEqual(10);
    });
    it.each(['read', 'analyse', 'write', 'find', 'draft'])(
      'holds when the process ends during %s, before or after its effect',
      async (call) => {
        for (const when of ['before', 'after']) {
          const faults: Parameters<typeof failing> = [[call, 0, { [when]: crash() }]];
          // The note is looked for only after a lost write.
          if (call === 'find') faults.push(['write', 0, { after: unclear() }]);
          const world = await delivered({ ...scenario, fault: failing(...faults) });
          expect([when, ...written(world)]).toEqual([when, ...expected]);
        }
      },
    );
  });
  it.each<[string, Parameters<typeof failing>[0], string[]]>([
    ['the reply of the write is lost', ['write', 0, { after: unclear() }], ['read', 'analyse', 'write', 'find']],
    ['a write without effect is refused', ['write', 0, { before: down() }], ['read', 'analyse', 'write', 'write']],
  ])('holds when %s', async (_, fault, calls) => {
    const world = await delivered({ fault: failing(fault) });
    expect([world.calls, world.marks()]).toEqual([calls, [{ message: 'm1', note: 'n1' }]]);
    expect(world.notes).toHaveLength(1);
  });
  it.each([500, 5000, 19_000])(
    'holds when a write takes effect %i ms after its timeout, or after the process ended',
    async (lateMs) => {
      for (const fault of [{ lateMs }, { lateMs, after: crash() }]) {
        const world = await delivered({ fault: failing(['write', 0, fault]) });
        world.passTo(world.now + 100_000);
        expect(world.notes).toHaveLength(1);
      }
    },
  );
  it('holds when the search fails as well, and when the write never took effect', async () => {
    const [lost, gone] = [{ before: unclear() }, { before: down() }];
    const world = await delivered({ fault: failing(['write', 0, lost], ['find', 0, gone], ['find', 1, gone]) });
    expect(world.notes).toHaveLength(1);
    expect(world.calls.filter((call) => call === 'write')).toHaveLength(2);
    // The write is not repeated while the first one could still take effect.
    expect(world.now - START).toBeGreaterThanOrEqual(20_000);
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
      const kinds = [...before, { after: unclear() }, { after: crash() }, { lateMs: random() * 18_000 }];
      return kinds[Math.floor(random() * kinds.length)];
    };
    for (let run = 0; run < 150; run += 1) {
      const messages = ['m1', 'm2', 'm3'].map((id) => customerMessage(id));
      const drafts = run % 3 === 0 ? ({ write: 'both', hasDrafts: true } as const) : {};
      const world = worldForTest({ ...drafts, messages, fault });
      const last = await deliver(world, ['m2', 'm1', 'm1', 'm3', 'm2']);
      world.fault = () => undefined;
      last.replay([1, 2, 3]);
      await runOut(world, last);
      world.passTo(world.now + 100_000);
      const messageIds = world.notes.map(({ note }) => /Message (m\d)/.exec(note.markdown)?.[1]).toSorted();
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
    expect([waits.slice(0, 5), Math.max(...waits), times.length]).toEqual([[1, 2, 4, 8, 16], 600, 24]);
    expect([world.notes, states(world)]).toEqual([[], ['dead null']]);
    const last_error = 'Cannot analyse: no answer';
    expect(world.reports.get(1)).toMatchObject({ state: 'dead', attempts: 24, last_error });
  });
  it('is retried for ten seconds when the ticket is not found, and then dead', async () => {
    const before = new HelpdeskFailed('Cannot read: status is 404', { isNotFound: true });
    const late = await delivered({ fault: failing(['read', 0, { before }]) });
    expect([late.notes.length, states(late)]).toEqual([1, ['done note']]);
    const gone = await delivered({ fault: (call) => (call === 'read' ? { before } : undefined) });
    expect(states(gone)).toEqual(['dead null']);
    expect(gone.now - START).toBeGreaterThanOrEqual(10_000);
    expect(gone.calls.length).toBeLessThan(10);
  });
  it('is dead at once when it is permanent, and a replay continues at its step', async () => {
    const world = await delivered({ fault: failing(['write', 0, { before: refused() }]) });
    expect(world.reports.get(1)).toMatchObject({ state: 'dead', last_error: 'Cannot read: status is 403' });
    const case_ = world.start();
    case_.accept(about('m1'));
    expect(states(world)).toEqual(['dead null']);
    expect([case_.replay([1, 2]), case_.replay([1])]).toEqual([[1], []]);
    world.queued += 1;
    await runOut(world, case_);
    expect([world.notes.length, world.analysed.length]).toEqual([1, 1]);
    expect(world.reports.get(1)).toMatchObject({ state: 'done', result: 'note', last_error: null });
  });
  it('waits as long as the tool asks, any number of times, without counting an attempt', async () => {
    let refusals = 0;
    const fault: Fault = (call) => (call === 'write' && refusals++ < 40 ? { before: busy(60_000) } : undefined);
    const { world, case_ } = accepted({ fault });
    expect(await case_.work()).toEqual({ open: 1 });
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
      await case_.onAlarm();
      await case_.work();
    }
    const waits = waitsOf(times);
    expect([waits.slice(0, 5), Math.max(...waits)]).toEqual([[1, 2, 4, 8, 16], 600]);
    expect(times.length).toBeLessThan(200);
    expect([states(world), world.notes]).toEqual([['dead null'], []]);
    expect(world.now - START).toBeLessThan(86_400_000 + 700_000);
  });
  it('starts again with the first back-off when it is replayed', async () => {
    let refusals = 0;
    const fault: Fault = (call) => {
      if (call !== 'read') return undefined;
      refusals += 1;
      if (refusals === 9) return { before: refused() };
      return refusals <= 10 ? { before: busy(0) } : undefined;
    };
    const world = await delivered({ fault });
    expect(states(world)).toEqual(['dead null']);
    const case_ = world.start();
    const replayedAt = world.now;
    case_.replay([1]);
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
    expect(world.now - replayedAt).toBeLessThan(2000);
  });
  it.each([
    [30_000, 30_000],
    [600_000, 60_000],
  ])('continues after a pause of %i ms with a random delay of up to %i ms', async (pauseMs, spreadMs) => {
    for (const share of [0, 0.5, 0.999]) {
      const refusing = accepted({ fault: failing(['read', 0, { before: busy(pauseMs) }]) });
      refusing.world.random = () => share;
      await refusing.case_.work();
      const waiting = worldForTest();
      waiting.random = () => share;
      const other = waiting.start();
      other.accept(about('m1'));
      other.postpone(START + pauseMs);
      const due = START + pauseMs + Math.ceil(share * spreadMs);
      expect([dueAt(refusing.world), dueAt(waiting)]).toEqual([due, due]);
    }
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

describe('a job without a queue message', () => {
  it('is queued by the alarm, repeatedly with growing back-off', async () => {
    const { world } = accepted();
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const before = world.now;
      world.passTo(world.alarmAt ?? 0);
      await world.start().onAlarm();
      if (world.queued > 0) waits.push(Math.round((world.now - before) / 1000));
      world.queued = 0;
    }
    expect(waits).toEqual([59, 120, 240]);
  });
  it('is queued at once when it arrives during the report of earlier work', async () => {
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
  it('is worked on by the alarm itself when the queue loses messages', async () => {
    const { world, case_ } = accepted();
    for (let round = 0; round < 20 && world.notes.length === 0; round += 1) {
      world.queued = 0;
      world.passTo(world.alarmAt ?? 0);
      await case_.onAlarm();
    }
    expect(world.notes).toHaveLength(1);
  });
  it('is worked on by the alarm itself when the queue is down', async () => {
    const { world, case_ } = accepted();
    world.queueFails = true;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
  });
});
