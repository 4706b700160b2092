/** Has the browser save a file of lines under a name with the day: `answers-2026-11-30.jsonl`. */
export function offerFile(content: Blob | string, name: string): void {
  const file =
    typeof content === 'string' ? new Blob([content], { type: 'application/x-ndjson' }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  URL.revokeObjectURL(link.href);
}
