import type { Fault } from '../server/faults.ts';
import type { LocalIndex } from './local-index.ts';

export interface OperationCall {
  index: LocalIndex;
  /** Empty for the default namespace. */
  namespace: string;
  body: unknown;
  query: URLSearchParams;
  fault: Fault | undefined;
}

export interface Operation {
  /** Besides POST, which everything takes. */
  methods: readonly ('GET' | 'DELETE' | 'PUT')[];
  /** Whether a namespace may follow in the path; `required` where one has to. */
  namespace: 'optional' | 'required' | 'none';
  writes: boolean;
  /** @returns What goes into `result`. @throws {VectorRefusal} */
  run(call: OperationCall): unknown;
}
