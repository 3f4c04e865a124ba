import { dayIn, timeIn } from '../words/dates.ts'

/** Returns the day of a commit in words of a language. `at` is in seconds since 1970. */
export const dayInWords = (lang: string, at: number): string =>
  dayIn(lang, new Date(clamped(at) * 1000))

/** Returns the time of a commit like `dayInWords`, to the second. */
export const timeInWords = (lang: string, at: number): string =>
  timeIn(lang, new Date(clamped(at) * 1000))

/** The last second that a date can name. */
const latest = 8_640_000_000_000

/** Commits from elsewhere may have times outside the calendar. */
const clamped = (at: number): number => Math.min(Math.max(at, 0), latest)
