import { describeCause, type Log, logLine } from '../../runtime/log.ts';

interface AlarmParts {
  setAlarm(time: number): Promise<void>;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

const AGAIN_MS = 60_000;

/**
 * Does what an object's alarm is for. One that fails, because a variable is out of its bounds or a key is missing, is set again: the
 * runtime repeats an alarm that throws six times and then forgets it, and nobody else would see to what waits here.
 */
export const ringAlarm = async (
  ring: () => Promise<void>,
  { setAlarm, now = Date.now, log = logLine }: AlarmParts,
): Promise<void> => {
  try {
    await ring();
  } catch (error) {
    const fault = { event: 'fault', librarian: 'webhooks', where: 'alarm', code: 'INTERNAL_ERROR' } as const;
    log({ ...fault, time: now(), cause: describeCause(error) });
    await setAlarm(now() + AGAIN_MS);
  }
};
