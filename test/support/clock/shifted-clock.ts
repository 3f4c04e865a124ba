/** Returns the settings of a process whose clock is wrong by some hours. */
export const withShiftedClock = (hours: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${new URL('./shifted-clock.mjs', import.meta.url).href}`,
  TEST_CLOCK_SHIFT_MS: String(hours * 3_600_000),
})
