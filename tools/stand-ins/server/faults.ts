/** What a local server does to a request in place of its plain answer. */
export type Fault =
  /** Answers normally after a delay. */
  | { kind: 'delay'; ms: number }
  /** Accepts the request and never responds; `executed` when its work is done all the same, `executedAfterMs` when later. */
  | { kind: 'hang-before-headers'; executed?: boolean; executedAfterMs?: number }
  /** Sends status, headers and half of the true body, then nothing more. */
  | { kind: 'hang-in-body' }
  /**
   * Ends the connection without an answer; `executed` when the work was done before, as a retry then does it twice; `executedAfterMs`
   * when it is done later, after the caller has checked for it. Infinite: not before `finishLate`.
   */
  | { kind: 'reset'; executed?: boolean; executedAfterMs?: number }
  /** Ends the connection in the middle of the true body. */
  | { kind: 'reset-in-body' }
  /** Refuses in the words of the service. `retryAfter` is the header's value: seconds, or a date (RFC 9110, 10.2.3). */
  | {
      kind: 'status';
      status: number;
      message?: string;
      retryAfter?: number | string;
      headers?: Readonly<Record<string, string>>;
    }
  /** What a proxy in front of the service says when it cannot reach it: status 502 and a page. */
  | { kind: 'html-502' }
  /** Status 200 and a body that is no JSON at all. */
  | { kind: 'malformed-json' }
  /** Status 200 and the first half of the true body, as a complete message. */
  | { kind: 'truncated-json' }
  /** Vector index alone: queries find at most `keep` (default: half of what there is), as filters may use up their budget. */
  | { kind: 'fewer-results'; keep?: number };

/** What a fault may be bound to. */
export interface FaultTarget {
  method: string;
  /** Without query, beginning with a slash. */
  path: string;
  body: string;
}

/** A path (with what lies below it), a pattern for the path, or a question about the whole request. */
type FaultScope = string | RegExp | ((request: FaultTarget) => boolean);

/** The script of a local server: it may be changed at any time, and holds for requests that arrive from then on. */
export interface Faults {
  /** For the next `count` requests (of `only`); calls add up in their order, and come before `always`. */
  next(count: number, fault: Fault, only?: FaultScope): void;
  /** For every request (of `only`) until `none`; the latest call wins where several match. */
  always(fault: Fault, only?: FaultScope): void;
  /** Asks for a fault for every request that no other call has one for, until `none`. */
  sometimes(choose: (request: FaultTarget) => Fault | undefined): void;
  /** Ends all faults. Requests that already hang go on hanging. */
  none(): void;
  /** For servers: the fault of a request that has arrived, which counts it. */
  take(request: FaultTarget): Fault | undefined;
}

interface Rule {
  fault: Fault;
  only: FaultScope | undefined;
  left: number;
}

export function createFaults(): Faults {
  let counted: Rule[] = [];
  let lasting: Rule[] = [];
  let choose: (request: FaultTarget) => Fault | undefined = () => undefined;
  return {
    next: (count, fault, only) => {
      counted.push({ fault, only, left: count });
    },
    always: (fault, only) => {
      lasting.unshift({ fault, only, left: Number.POSITIVE_INFINITY });
    },
    sometimes: (chosen) => {
      choose = chosen;
    },
    none: () => {
      counted = [];
      lasting = [];
      choose = () => undefined;
    },
    take: (request) => {
      counted = counted.filter(({ left }) => left > 0);
      const rule = [...counted, ...lasting].find(({ only }) => matches(request, only));
      if (rule) rule.left -= 1;
      return rule === undefined ? choose(request) : rule.fault;
    },
  };
}

const matches = (request: FaultTarget, only: FaultScope | undefined): boolean => {
  if (only === undefined) return true;
  if (typeof only === 'function') return only(request);
  if (only instanceof RegExp) return only.test(request.path);
  return request.path === only || request.path.startsWith(`${only}/`);
};
