/** More languages than any server has. */
const mostFormats = 400

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the day of a time in UTC as readers of a language write it, such as "12 March 2026". */
export const dayIn = (lang: string, time: Date): string =>
  formatOf(lang, { dateStyle: 'long' }).format(time)

/**
 * Returns a time in UTC to the second as readers of a language write it, such as "12 March 2026 at
 * 14:05:09 UTC".
 */
const timeIn = (lang: string, time: Date): string =>
  formatOf(lang, { dateStyle: 'long', timeStyle: 'long' }).format(time)

/** Returns the cached format of a language, because making one takes longer than using it. */
function formatOf(lang: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${lang} ${Object.keys(style).join(' ')}`
  let format = formats.get(key)
  if (!format) {
    if (formats.size >= mostFormats) formats.clear()
    format = new Intl.DateTimeFormat(lang, { ...style, timeZone: 'UTC' })
    formats.set(key, format)
  }
  return format
}

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
