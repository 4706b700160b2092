/** Milliseconds of the quickest of some runs: what a busy machine adds to the others is not the work's. */
export const bestTime = (work: () => unknown, runs = 5): number => {
  const times = Array.from({ length: runs }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return Math.min(...times);
};
