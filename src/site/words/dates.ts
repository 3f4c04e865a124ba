/** More languages than any server has. */
const mostLanguages = 200

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the day of a time in UTC as readers of a language write it, such as "12 March 2026". */
export function dayIn(lang: string, time: Date): string {
  let format = formats.get(lang)
  if (!format) {
    if (formats.size >= mostLanguages) formats.clear()
    format = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' })
    formats.set(lang, format)
  }
  return format.format(time)
}
