import { DatabaseSync } from 'node:sqlite';
import type {
  SupportRequest,
  SupportResponse,
} from '../../../src/contract/wire/support-response.ts';
import type { Sql } from '../../../src/platform/storage/sql.ts';
import { composeNote } from '../../../src/support/tickets/compose-note.ts';
import { openCase } from '../../../src/support/tickets/ticket-case.ts';
import type { JobReport, TicketCase } from '../../../src/support/tickets/ticket-objects.ts';
import { readTicketTimes } from '../../../src/support/tickets/ticket-times.ts';
import type { Write } from '../../../src/support/tools/connections.ts';
import {
  type DraftReply,
  HelpdeskFailed,
  type HelpdeskMessage,
  type Note,
} from '../../../src/support/tools/helpdesk-tool.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

export const START = 1_800_000_000_000;
export const DAY_MS = 86_400_000;

export function customerMessage(id: string, more: Partial<HelpdeskMessage> = {}): HelpdeskMessage {
  return {
    id,
    from: 'customer',
    isPublic: true,
    text: `Question ${id}.`,
    sentAtMs: START,
    ...more,
  };
}

const analysis = (text: string): SupportResponse => ({
  intent_classification: { primary_intent: 'not_hashing', confidence: 0.9 },
  // Spam gets no draft.
  draft: { text: text.includes('Buy now') ? '' : text, auto_send: false },
  knowledge_retrieval: { sources_consulted: [], coverage: 'none', gaps: [], retrieval_time_ms: 1 },
  agent_guidance: {
    recommended_steps: [],
    missing_information: [],
    risks: [],
    escalation: { needed: false, reasons: [] },
    auto_send: { allowed: false, reasons: ['The intent does not allow it.'] },
  },
});

export function unclear() {
  return new HelpdeskFailed('Cannot write: no answer in time', {
    isTransient: true,
    isOutcomeUnknown: true,
  });
}

/** Ends the simulated process: nothing after it is done or stored. */
class Crash extends Error {}
export function crash() {
  return new Crash();
}

/** The fault of a call, if any: thrown before or after its effect, which may come late. */
export type Fault = (
  call: string,
) => { before?: Error; after?: Error; lateMs?: number } | undefined;

export interface Scenario {
  write?: Write;
  hasDrafts?: boolean;
  messages?: HelpdeskMessage[];
  subject?: string;
  fault?: Fault;
}

/** A helpdesk, an alarm, a clock and a database that outlive the processes which work with them. */
export function worldForTest({
  write = 'note',
  hasDrafts = false,
  messages,
  subject = 'Help',
  fault,
}: Scenario = {}) {
  const database = new DatabaseSync(':memory:');
  const sql = nodeSql(database);
  const world = {
    now: START,
    write,
    messages: messages ?? [customerMessage('m1')],
    /** 0 to 1; 0.5 leaves waits as they are. */
    random: () => 0.5,
    notes: [] as { id: string; note: Note }[],
    drafts: [] as DraftReply[],
    /** Calls to other services by name. */
    calls: [] as string[],
    fault: fault ?? ((() => undefined) as Fault),
    analysed: [] as SupportRequest[],
    pausedUntil: undefined as number | undefined,
    reports: new Map<number, JobReport>(),
    alarmAt: undefined as number | undefined,
    /** When the workspace lets the ticket begin. */
    turnAt: 0,
    workspaceFails: false,
    hasCrashed: false,
    /** Called during a report. */
    duringReport: (): void => {},
  };
  let alive = { is: true };
  let late: { at: number; run: () => void }[] = [];
  let markers = 0;
  /** Number of writes to the database before the process ends, during the next write or right after it. */
  let writesLeft: { count: number; after: boolean } | undefined;
  const call = async <T>(name: string, effect: () => T): Promise<T> => {
    world.calls.push(name);
    const { before, after, lateMs } = world.fault(name) ?? {};
    if (before) throw before;
    if (lateMs !== undefined) {
      late.push({ at: world.now + lateMs, run: () => void effect() });
      throw after ?? unclear();
    }
    const result = effect();
    if (after) throw after;
    return result;
  };
  /** A process with the ticket's case, on the database as it is. */
  const start = (): TicketCase => {
    alive = { is: true };
    const life = alive;
    /** A call of a crashed process changes nothing, and never returns. */
    const guarded = async <T>(name: string, effect: () => T): Promise<T> => {
      if (!life.is) return new Promise(() => {});
      return call(name, effect).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
        life.is = false;
        return new Promise<T>(() => {});
      });
    };
    const client = {
      readTicket: () =>
        guarded('read', () => {
          const notes = world.notes.map(({ id, note }) =>
            customerMessage(id, { from: 'agent', isPublic: false, text: note.text }),
          );
          const customer = { id: 'c1', name: 'Dana Ortiz' };
          return {
            id: 't1',
            subject,
            customer,
            messages: [...world.messages, ...notes],
            metadata: {},
          };
        }),
      findNote: (_: string, marker: string) =>
        guarded('find', () => world.notes.find(({ note }) => note.markdown.includes(marker))?.id),
      writeNote: (_: string, note: Note) =>
        guarded('write', () => {
          const id = `n${world.notes.length + 1}`;
          world.notes.push({ id, note });
          return id;
        }),
      ...(hasDrafts && {
        writeDraft: (_: string, draft: DraftReply) => {
          // Like real tools: checks first whether there is a draft, and keeps an existing one.
          const isFree = world.drafts.length === 0;
          return guarded('draft', () => {
            if (isFree) world.drafts.push(draft);
            return isFree;
          });
        },
      }),
    };
    const living = () => {
      if (!life.is) throw new Crash();
      return sql;
    };
    const mortalSql: Sql = {
      all: (query, ...values) => living().all(query, ...values),
      transaction: (work) => living().transaction(work),
      run: (query, ...values) => {
        living();
        const isLast = writesLeft !== undefined && writesLeft.count-- === 0;
        if (!isLast || writesLeft?.after) sql.run(query, ...values);
        if (!isLast) return;
        writesLeft = undefined;
        world.hasCrashed = true;
        life.is = false;
        throw new Crash();
      },
    };
    const workspace = async (effect: () => void): Promise<number> => {
      if (world.workspaceFails) throw new Error('the workspace is down');
      effect();
      return world.turnAt;
    };
    const report = (jobs: readonly JobReport[]) => {
      if (life.is) for (const job of jobs) world.reports.set(job.job, structuredClone(job));
    };
    const case_ = openCase({
      sql: mortalSql,
      ticketId: 't1',
      compose: composeNote,
      onFault: () => {},
      onStep: () => {},
      times: readTicketTimes({ TICKET_RETRY_MS: '1000', TICKET_SETTLE_MS: '20000' }),
      now: () => world.now,
      random: () => world.random(),
      mask: (text) => text.replaceAll('Dana', '[name]'),
      newMarker: () => `cnote${String(++markers).padStart(20, '0')}`,
      connect: () => ({ client, write: world.write }),
      analyse: (request) =>
        call('analyse', () => {
          world.analysed.push(request);
          return analysis(`About: ${request.message}`);
        }),
      enter: (jobs) => workspace(() => report(jobs)),
      leave: async (jobs) => {
        await workspace(() => {
          world.duringReport();
          report(jobs);
        });
      },
      pause: async (until) => {
        await workspace(() => {
          world.pausedUntil = until;
        });
      },
    });
    /** Like the object, whose alarm is set after each call, and before its work in case that the process ends. */
    const schedule = (): void => {
      if (life.is) world.alarmAt = case_.dueAt();
    };
    return {
      ...case_,
      accept: (event) => {
        case_.accept(event);
        schedule();
      },
      replay: async (jobs) => {
        const replayed = await case_.replay(jobs);
        schedule();
        return replayed;
      },
      work: async () => {
        if (life.is) world.alarmAt = world.now + 2000;
        await case_.work();
        schedule();
      },
    };
  };
  return Object.assign(world, {
    sql,
    start,
    isAlive: () => alive.is,
    /** The process ends at the given write, before or right after it. */
    crashAtWrite: (count: number, after: boolean) => {
      writesLeft = { count, after };
    },
    /** Replaces the stored notes. */
    damage: (note: string) => void database.prepare('UPDATE jobs SET note = ?').run(note),
    rows: () => database.prepare('SELECT * FROM jobs ORDER BY id').all(),
    marks: () => database.prepare('SELECT message, note FROM marks').all(),
    /** Moves the clock to a time, and runs delayed effects that are due. */
    passTo: (time: number) => {
      world.now = Math.max(world.now, time);
      const { due = [], later = [] } = Object.groupBy(late, ({ at }) =>
        at <= world.now ? 'due' : 'later',
      );
      late = later;
      for (const { run } of due) run();
    },
  });
}

export type World = ReturnType<typeof worldForTest>;

/** Rings the alarm until no work is due soon; starts a new process after one that has ended. */
export async function runOut(world: World, case_: TicketCase): Promise<TicketCase> {
  let current = case_;
  for (let round = 0; round < 400; round += 1) {
    const at = world.alarmAt;
    if (at === undefined || at > START + 2 * DAY_MS) return current;
    world.alarmAt = undefined;
    world.passTo(at);
    await within(world, current.work());
    if (world.isAlive()) continue;
    // An alarm that did not complete is repeated.
    world.alarmAt ??= at;
    current = world.start();
  }
  throw new Error(`The work does not end: ${JSON.stringify(world.rows())}`);
}

/** Awaits work, which never returns once its process has ended. */
const within = async (world: World, work: Promise<unknown>): Promise<void> => {
  let isOver = false;
  const done = work
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  for (let turn = 0; turn < 1000 && !isOver && world.isAlive(); turn += 1)
    await new Promise(setImmediate);
  if (world.isAlive()) await done;
};
