/**
 * Returns the time of a commit (seconds since 1970) in ISO format; commits from elsewhere may have
 * times outside the calendar.
 */
export function timeOf(seconds: number): string {
  const latest = 253_402_300_799
  return new Date(Math.min(Math.max(seconds, 0), latest) * 1000).toISOString()
}
