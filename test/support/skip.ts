/** The beginning of the line that marks a test as skipped. */
export const skipMark = 'skipped: '

/**
 * Marks the test that calls it as skipped; it then returns, as in `return skip('mount needs
 * root')`. The runner reports the reason, and counts the test as skipped instead of passed. Call it
 * once in a test.
 */
export function skip(reason: string): void {
  // On a line of its own: uvu prints a dot per test without an end of line.
  console.log(`\n${skipMark}${reason}`)
}
