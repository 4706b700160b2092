/** Whether another process with this id runs; after a crash there is none, or at worst a later one of the same number. */
export const isRunning = (id: number): boolean => {
  if (!Number.isInteger(id) || id <= 0 || id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
