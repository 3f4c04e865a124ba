const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const clocks = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

const steps = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** Returns how long ago a time was, in words: the day, if that is a month or more. */
function timeAgo(at: string, now: Date): string {
  const time = new Date(at)
  const seconds = Math.round((now.getTime() - time.getTime()) / 1000)
  if (seconds < 60) return seconds < -60 ? days.format(time) : 'just now'
  if (seconds > 30 * 86_400) return days.format(time)
  const [unit, length] = steps.findLast(([, each]) => seconds >= each) ?? steps[0]
  return ago.format(-Math.floor(seconds / length), unit)
}

/** Returns a time in words; the exact time in UTC stands in its title. */
export function Time({ at, now = new Date() }: { at: string; now?: Date }) {
  const valid = !Number.isNaN(Date.parse(at))
  return (
    <time datetime={at} title={valid ? `${clocks.format(new Date(at))} UTC` : undefined}>
      {valid ? timeAgo(at, now) : at}
    </time>
  )
}
