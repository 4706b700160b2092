import { describe, expect, it } from 'vitest';
import { HelpdeskFailed } from '../../../src/helpdesk/helpdesk-tool.ts';
import { AnalysisFailed } from '../../../src/helpdesk/tickets/ask-support.ts';
import { customerMessage, runOut, START, type World, worldForTest } from './case-for-test.ts';

const about = (id: string) => ({ kind: 'message' as const, ticketId: 't1', message: { id } });
const unclear = () =>
  new HelpdeskFailed('Cannot write: no answer in time', { isTransient: true, isOutcomeUnknown: true });
const down = () => new HelpdeskFailed('Cannot read: status is 503', { isTransient: true });
const refused = () => new HelpdeskFailed('Cannot read: status is 403');
const dueAt = (world: World) => world.rows()[0]?.due_at;
const states = (world: World) => world.rows().map(({ state, result }) => `${state} ${result}`);

/** Throws at the given calls, counted from 0 by name. */
const failing = (...faults: [call: string, at: number, fault: ReturnType<World['fault']>][]): World['fault'] => {
  const counts = new Map<string, number>();
  return (call) => {
    const count = counts.get(call) ?? 0;
    counts.set(call, count + 1);
    return faults.find(([name, at]) => name === call && at === count)?.[2];
  };
};

const deliver = async (world: World, ...ids: string[]): Promise<void> => {
  const case_ = world.start();
  for (const id of ids) case_.accept(about(id));
  world.queued += 1;
  await runOut(world, case_);
};

describe('one note for a message', () => {
  it('is written from the current ticket, and contains its marker', async () => {
    const world = worldForTest();
    await deliver(world, 'm1');
    expect(world.notes).toHaveLength(1);
    expect(world.notes[0]?.note.markdown).toContain('About: Message m1.');
    expect(world.notes[0]?.note.markdown).toContain(world.notes[0]?.note.marker);
    expect(world.marks()).toEqual([{ message: 'm1', note: 'n1' }]);
    expect(states(world)).toEqual(['done note']);
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
    expect(world.notes).toHaveLength(1);
    expect(world.calls).toEqual(['read', 'analyse', 'write']);
  });

  it('is written once when deliveries name the message in different ways', async () => {
    const world = worldForTest();
    const case_ = world.start();
    for (const message of ['first', { id: 'm1' }, 'latest', 'first', 'latest'] as const)
      case_.accept({ kind: 'message', ticketId: 't1', message });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
  });

  it('is written for each of two messages delivered without ids, in any order', async () => {
    const world = worldForTest();
    const case_ = world.start();
    world.messages.push(customerMessage('m2'));
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.marks().map(({ message }) => message)).toEqual(['m1', 'm2']);
    world.messages.push(customerMessage('m3', { sentAtMs: undefined }));
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(3);
  });

  it('is written for a message delivered without its id after the ticket was read', async () => {
    for (const before of [[customerMessage('m1')], []]) {
      const world = worldForTest();
      world.messages = before;
      const case_ = world.start();
      const latest = { kind: 'message', ticketId: 't1', message: 'latest' } as const;
      case_.accept(latest);
      world.fault = (call) => {
        // Read already, and not yet looked at.
        if (call === 'read' && world.calls.length === 1) {
          queueMicrotask(() => {
            world.messages = [...world.messages, customerMessage('m2', { sentAtMs: world.now })];
            case_.accept(latest);
          });
        }
        return undefined;
      };
      world.queued += 1;
      await runOut(world, case_);
      expect(world.marks().map(({ message }) => message)).toEqual([...before.map(({ id }) => id), 'm2']);
    }
  });

  it('is written for the next message without an id although the job of the one before is dead', async () => {
    const world = worldForTest();
    world.fault = failing(['read', 0, { before: refused() }]);
    const case_ = world.start();
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    await case_.work();
    expect(states(world)).toEqual(['dead null']);
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
  });

  it('is not written for messages from before the first delivery without an id', async () => {
    const world = worldForTest();
    world.messages = [customerMessage('old', { sentAtMs: START - 3_600_000 }), customerMessage('m1')];
    const case_ = world.start();
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.marks()).toEqual([{ message: 'm1', note: 'n1' }]);
  });

  it('is written for late and reordered deliveries, with the history before each message', async () => {
    const world = worldForTest();
    world.messages.push(
      customerMessage('a1', { from: 'agent', text: 'Have you tried turning it off?' }),
      customerMessage('x1', { from: 'agent', isPublic: false, text: 'Internal.' }),
      customerMessage('m2'),
    );
    await deliver(world, 'm2', 'm1');
    expect(world.notes).toHaveLength(2);
    const [second, first] = world.analysed;
    expect(second?.history?.map(({ text }) => text)).toEqual(['Message m1.', 'Have you tried turning it off?']);
    expect(first?.history).toBeUndefined();
  });

  it('is not repeated after its job was deleted: the mark stays', async () => {
    const world = worldForTest();
    await deliver(world, 'm1');
    world.passTo(START + 31 * 86_400_000);
    const case_ = world.start();
    await case_.onAlarm();
    expect(world.rows()).toEqual([]);
    case_.accept(about('m1'));
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
    expect(world.rows()).toEqual([]);
  });

  it('is written once when an attempt is still running at the next due time', async () => {
    const world = worldForTest();
    const case_ = world.start();
    case_.accept(about('m1'));
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
});

describe('a customer who quotes our note with its marker', () => {
  it('gets a note as for any other message', async () => {
    const world = worldForTest();
    await deliver(world, 'm1');
    const [own] = world.notes;
    world.messages.push(customerMessage('m2', { text: `> ${own?.note.text}\nAnd now?` }));
    await deliver(world, 'm2');
    expect(world.marks().map(({ message }) => message)).toEqual(['m1', 'm2']);
    world.messages.push(customerMessage('m3', { text: own?.note.text ?? '' }));
    const case_ = world.start();
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(3);
  });
});

describe('no note', () => {
  it.each([
    ['of an agent', { from: 'agent' as const }],
    ['that the customer does not see', { isPublic: false }],
    ['without words', { text: '  \n' }],
  ])('is written for a message %s', async (_, more) => {
    const world = worldForTest();
    world.messages = [customerMessage('m0', { text: 'Before.' }), customerMessage('m1', more)];
    await deliver(world, 'm1');
    expect(world.notes).toEqual([]);
    expect(states(world)).toEqual(['done none']);
  });

  it('is written for a deleted message; one that appears late gets its note', async () => {
    const gone = worldForTest();
    gone.messages = [];
    await deliver(gone, 'm1');
    expect([gone.notes, states(gone)]).toEqual([[], ['done none']]);
    expect(gone.calls.length).toBeGreaterThan(1);
    const late = worldForTest();
    late.messages = [];
    late.fault = (call) => {
      if (call === 'read' && late.now > START + 3000) late.messages = [customerMessage('m1')];
      return undefined;
    };
    await deliver(late, 'm1');
    expect(late.notes).toHaveLength(1);
  });

  it('is written for our own note', async () => {
    const world = worldForTest();
    await deliver(world, 'm1');
    // A tool that shows our note as the customer's.
    world.messages.push(customerMessage('n1'));
    await deliver(world, 'n1');
    const case_ = world.start();
    case_.accept({ kind: 'message', ticketId: 't1', message: 'latest' });
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
  });
});

describe('a draft', () => {
  it('is saved beside the note, instead of it, or not at all, as configured', async () => {
    for (const [write, notes, drafts] of [
      ['note', 1, 0],
      ['both', 1, 1],
      ['draft', 0, 1],
    ] as const) {
      const world = worldForTest({ write, hasDrafts: true });
      await deliver(world, 'm1', 'm1');
      expect([world.notes.length, world.drafts.length]).toEqual([notes, drafts]);
      expect(world.marks()).toHaveLength(1);
    }
  });

  it('becomes a note when the tool has no drafts', async () => {
    const world = worldForTest({ write: 'draft' });
    await deliver(world, 'm1');
    expect(world.notes).toHaveLength(1);
  });

  it('is retried without a second note', async () => {
    const world = worldForTest({ write: 'both', hasDrafts: true });
    world.fault = failing(['draft', 0, { before: down() }], ['draft', 1, { after: unclear() }]);
    await deliver(world, 'm1');
    expect([world.notes.length, world.drafts.length]).toEqual([1, 1]);
    expect(world.calls.filter((call) => call === 'write')).toHaveLength(1);
  });

  it.each(['both', 'draft'] as const)(
    'is left once where it takes effect after it was given up (%s)',
    async (write) => {
      for (const lateMs of [500, 5000, 19_000]) {
        for (const fault of [{ lateMs }, (world: World) => ({ lateMs, after: world.crash() })]) {
          const world = worldForTest({ write, hasDrafts: true });
          world.fault = failing(['draft', 0, typeof fault === 'function' ? fault(world) : fault]);
          await deliver(world, 'm1');
          world.passTo(world.now + 100_000);
          expect([lateMs, world.drafts.length, world.notes.length]).toEqual([lateMs, 1, write === 'both' ? 1 : 0]);
        }
      }
    },
  );

  it('becomes a note when drafts are switched off after its job died', async () => {
    const world = worldForTest({ write: 'draft', hasDrafts: true });
    world.fault = failing(['draft', 0, { before: refused() }]);
    await deliver(world, 'm1');
    expect(states(world)).toEqual(['dead null']);
    world.write = 'note';
    const case_ = world.start();
    expect(case_.replay([1])).toEqual([1]);
    await runOut(world, case_);
    expect([world.drafts.length, world.notes.length]).toEqual([0, 1]);
  });

  it('becomes a note when the ticket has another draft', async () => {
    const world = worldForTest({ write: 'draft', hasDrafts: true });
    await deliver(world, 'm1');
    world.messages.push(customerMessage('m2'));
    await deliver(world, 'm2');
    expect([world.drafts.length, world.notes.length]).toEqual([1, 1]);
    expect(world.notes[0]?.note.markdown).toContain('About: Message m2.');
    expect(states(world)).toEqual(['done draft', 'done note']);
    expect(world.marks().map(({ message }) => message)).toEqual(['m1', 'm2']);
  });
});

describe('exactly once', () => {
  const scenarios = {
    note: {},
    both: { write: 'both', hasDrafts: true },
    draft: { write: 'draft', hasDrafts: true },
  } as const;

  for (const [name, scenario] of Object.entries(scenarios)) {
    it(`holds when the process ends at any write to storage, before or after it (${name})`, async () => {
      let crashes = 0;
      for (const after of [false, true]) {
        for (let count = 0; ; count += 1) {
          const world = worldForTest(scenario);
          const case_ = world.start();
          case_.accept(about('m1'));
          world.queued += 1;
          world.crashAtWrite(count, after);
          await runOut(world, case_);
          expect([count, after, world.notes.length, world.drafts.length]).toEqual([
            ...[count, after],
            ...(name === 'note' ? [1, 0] : name === 'both' ? [1, 1] : [0, 1]),
          ]);
          expect(world.marks()).toHaveLength(1);
          expect(states(world)).toEqual([name === 'draft' ? 'done draft' : 'done note']);
          if (!world.hasCrashed()) break;
          crashes += 1;
        }
      }
      expect(crashes).toBeGreaterThanOrEqual(10);
    });

    it(`holds when the process ends during any outgoing call, before or after its effect (${name})`, async () => {
      for (const call of ['read', 'analyse', 'write', 'find', 'draft']) {
        for (const when of ['before', 'after'] as const) {
          const world = worldForTest(scenario);
          // A look happens only after a write that was lost.
          world.fault = failing(
            [call, 0, { [when]: world.crash() }],
            ...(call === 'find' ? [['write', 0, { after: unclear() }] as [string, number, { after: Error }]] : []),
          );
          await deliver(world, 'm1');
          expect([call, when, world.notes.length]).toEqual([call, when, name === 'draft' ? 0 : 1]);
          expect(world.drafts.length).toBe(name === 'note' ? 0 : 1);
        }
      }
    });
  }

  it('holds when the reply of the write is lost: the note is found by its marker', async () => {
    const world = worldForTest();
    world.fault = failing(['write', 0, { after: unclear() }]);
    await deliver(world, 'm1');
    expect(world.notes).toHaveLength(1);
    expect(world.calls).toEqual(['read', 'analyse', 'write', 'find']);
    expect(world.marks()).toEqual([{ message: 'm1', note: 'n1' }]);
  });

  it.each([500, 5000, 19_000])('holds when a write takes effect %i ms after its timeout', async (lateMs) => {
    const world = worldForTest();
    world.fault = failing(['write', 0, { lateMs }]);
    await deliver(world, 'm1');
    world.passTo(world.now + 100_000);
    expect(world.notes).toHaveLength(1);
  });

  it.each([500, 5000, 19_000])(
    'holds when the process ends during a write that takes effect %i ms later',
    async (lateMs) => {
      const world = worldForTest();
      world.fault = failing(['write', 0, { lateMs, after: world.crash() }]);
      await deliver(world, 'm1');
      world.passTo(world.now + 100_000);
      expect(world.notes).toHaveLength(1);
    },
  );

  it('holds when the search fails as well, and when the write never took effect', async () => {
    const world = worldForTest();
    world.fault = failing(
      ['write', 0, { before: unclear() }],
      ['find', 0, { before: down() }],
      ['find', 1, { before: down() }],
    );
    await deliver(world, 'm1');
    expect(world.notes).toHaveLength(1);
    expect(world.calls.filter((call) => call === 'write')).toHaveLength(2);
    // Not before a write that was sent could have come in.
    expect(world.now - START).toBeGreaterThanOrEqual(20_000);
  });

  it('holds when a refused write, which certainly had no effect, is retried', async () => {
    const world = worldForTest();
    world.fault = failing(['write', 0, { before: down() }]);
    await deliver(world, 'm1');
    expect(world.notes).toHaveLength(1);
    expect(world.calls).toEqual(['read', 'analyse', 'write', 'write']);
  });

  it('holds under random failures in any order', async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    for (let run = 0; run < 150; run += 1) {
      const world = worldForTest(run % 3 === 0 ? { write: 'both', hasDrafts: true } : {});
      world.fault = () => {
        if (random() > 0.35) return undefined;
        const kinds = [
          { before: down() },
          { before: unclear() },
          { after: unclear() },
          { before: world.crash() },
          { after: world.crash() },
          { lateMs: random() * 18_000 },
        ];
        return kinds[Math.floor(random() * kinds.length)];
      };
      world.messages = [customerMessage('m1'), customerMessage('m2'), customerMessage('m3')];
      const case_ = world.start();
      for (const id of ['m2', 'm1', 'm1', 'm3', 'm2']) case_.accept(about(id));
      world.queued += 1;
      const last = await runOut(world, case_);
      world.fault = () => undefined;
      last.replay([1, 2, 3]);
      await runOut(world, last);
      world.passTo(world.now + 100_000);
      const told = world.notes.map(({ note }) => /Message (m\d)/.exec(note.markdown)?.[1]).toSorted();
      expect([run, told]).toEqual([run, ['m1', 'm2', 'm3']]);
    }
  });
});

describe('what fails', () => {
  it('is retried after 1, 2, 4 seconds and so on, up to ten minutes, and then dead', async () => {
    const world = worldForTest();
    const times: number[] = [];
    world.fault = (call) => {
      if (call === 'analyse') times.push(world.now);
      return call === 'analyse'
        ? { before: new AnalysisFailed('Cannot analyse: no answer', { isTransient: true }) }
        : undefined;
    };
    await deliver(world, 'm1');
    const waits = times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) / 1000));
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(Math.max(...waits)).toBe(600);
    expect(times).toHaveLength(24);
    expect([world.notes, states(world)]).toEqual([[], ['dead null']]);
    expect(world.reports.get(1)).toMatchObject({
      state: 'dead',
      attempts: 24,
      last_error: 'Cannot analyse: no answer',
    });
  });

  it('is retried for ten seconds when the ticket is not found, and then dead', async () => {
    const missing = () => new HelpdeskFailed('Cannot read: status is 404', { isNotFound: true });
    const late = worldForTest();
    late.fault = failing(['read', 0, { before: missing() }]);
    await deliver(late, 'm1');
    expect([late.notes.length, states(late)]).toEqual([1, ['done note']]);
    const gone = worldForTest();
    gone.fault = (call) => (call === 'read' ? { before: missing() } : undefined);
    await deliver(gone, 'm1');
    expect(states(gone)).toEqual(['dead null']);
    expect(gone.now - START).toBeGreaterThanOrEqual(10_000);
    expect(gone.calls.length).toBeLessThan(10);
  });

  it('is dead at once when it is permanent, and a replay continues at its step', async () => {
    const world = worldForTest();
    world.fault = failing(['write', 0, { before: refused() }]);
    await deliver(world, 'm1');
    expect(world.reports.get(1)).toMatchObject({ state: 'dead', last_error: 'Cannot read: status is 403' });
    const case_ = world.start();
    case_.accept(about('m1'));
    expect(states(world)).toEqual(['dead null']);
    expect(case_.replay([1, 2])).toEqual([1]);
    expect(case_.replay([1])).toEqual([]);
    world.queued += 1;
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
    expect(world.analysed).toHaveLength(1);
    expect(world.reports.get(1)).toMatchObject({ state: 'done', result: 'note', last_error: null });
  });

  it('waits as long as the tool asks, any number of times, without counting an attempt', async () => {
    const world = worldForTest();
    let refusals = 0;
    world.fault = (call) =>
      call === 'write' && refusals++ < 40
        ? { before: new HelpdeskFailed('Cannot write: status is 429', { isTransient: true, retryAfterMs: 60_000 }) }
        : undefined;
    const case_ = world.start();
    case_.accept(about('m1'));
    expect(await case_.work()).toEqual({ open: 1 });
    expect(world.pausedUntil).toBe(START + 60_000);
    await runOut(world, case_);
    expect(world.now - START).toBeGreaterThan(40 * 60_000);
    expect(world.notes).toHaveLength(1);
  });

  it('is retried with growing back-off for a day when the tool always asks for no wait', async () => {
    const world = worldForTest();
    const times: number[] = [];
    world.fault = (call) => {
      if (call === 'read') times.push(world.now);
      return { before: new HelpdeskFailed('Cannot read: status is 429', { isTransient: true, retryAfterMs: 0 }) };
    };
    const case_ = world.start();
    case_.accept(about('m1'));
    await case_.work();
    for (let round = 0; round < 1000 && states(world)[0] === 'open null'; round += 1) {
      world.passTo(world.alarmAt ?? 0);
      await case_.onAlarm();
      await case_.work();
    }
    const waits = times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) / 1000));
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(Math.max(...waits)).toBe(600);
    expect(times.length).toBeLessThan(200);
    expect(states(world)).toEqual(['dead null']);
    expect(world.now - START).toBeLessThan(86_400_000 + 700_000);
    expect(world.notes).toEqual([]);
  });

  it('starts again with the first back-off when it is replayed', async () => {
    const world = worldForTest();
    let refusals = 0;
    world.fault = (call) => {
      if (call !== 'read') return undefined;
      refusals += 1;
      if (refusals === 9) return { before: refused() };
      return refusals <= 10
        ? { before: new HelpdeskFailed('Cannot read: status is 429', { isTransient: true, retryAfterMs: 0 }) }
        : undefined;
    };
    await deliver(world, 'm1');
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
    for (const [random, share] of [
      [0, 0],
      [0.5, 0.5],
      [0.999, 0.999],
    ] as const) {
      const refusing = worldForTest();
      refusing.random = () => random;
      refusing.fault = failing([
        'read',
        0,
        { before: new HelpdeskFailed('Cannot read: status is 429', { isTransient: true, retryAfterMs: pauseMs }) },
      ]);
      const case_ = refusing.start();
      case_.accept(about('m1'));
      await case_.work();
      expect(dueAt(refusing)).toBe(START + pauseMs + Math.ceil(share * spreadMs));
      const waiting = worldForTest();
      waiting.random = () => random;
      const other = waiting.start();
      other.accept(about('m1'));
      other.postpone(START + pauseMs);
      expect(dueAt(waiting)).toBe(START + pauseMs + Math.ceil(share * spreadMs));
    }
  });

  it("is reported later when the workspace's object is down", async () => {
    const world = worldForTest();
    world.workspaceFails = true;
    const case_ = world.start();
    case_.accept(about('m1'));
    await case_.work();
    expect([world.notes.length, world.reports.size]).toEqual([1, 0]);
    world.workspaceFails = false;
    await runOut(world, case_);
    expect(world.reports.get(1)).toMatchObject({ state: 'done' });
  });
});

describe('a job that nobody works on', () => {
  it('is queued by the alarm, repeatedly with growing back-off', async () => {
    const world = worldForTest();
    world.start().accept(about('m1'));
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
    const world = worldForTest();
    const case_ = world.start();
    case_.accept(about('m1'));
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
    const world = worldForTest();
    const case_ = world.start();
    case_.accept(about('m1'));
    for (let round = 0; round < 20 && world.notes.length === 0; round += 1) {
      world.queued = 0;
      world.passTo(world.alarmAt ?? 0);
      await case_.onAlarm();
    }
    expect(world.notes).toHaveLength(1);
  });

  it('is worked on by the alarm itself when the queue is down', async () => {
    const world = worldForTest();
    world.queueFails = true;
    const case_ = world.start();
    case_.accept(about('m1'));
    await runOut(world, case_);
    expect(world.notes).toHaveLength(1);
  });
});

describe('texts', () => {
  it('are deleted when a job is done', async () => {
    const world = worldForTest({ write: 'both', hasDrafts: true });
    await deliver(world, 'm1');
    expect(JSON.stringify([world.rows(), world.marks()])).not.toContain('Message');
  });
});
