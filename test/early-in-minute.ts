/**
 * Waits until the current minute of the clock has at least 20 seconds left. Rate limits are counted by the clock's minutes, so requests on
 * both sides of a full minute may be twice as many.
 */
export async function earlyInMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 20_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
}
