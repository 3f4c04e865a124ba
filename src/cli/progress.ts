const cells = 24

/** How far something long has come, for whoever watches: on stderr, so that stdout holds nothing but the result. */
export type Progress = {
  /** Shows a label, and a bar when `of` is known. */
  show: (label: string, done?: number, of?: number) => void
  /** Takes the bar away. */
  end: () => void
}

/** A bar on a terminal; elsewhere a line whenever the label changes, or nothing when `quiet`. */
export function watch(quiet = false): Progress {
  const out = process.stderr
  let last = ''
  if (!out.isTTY)
    return {
      show: label => {
        if (!quiet && label !== last) out.write(`${label}\n`)
        last = label
      },
      end: () => {},
    }
  return {
    show: (label, done = 0, of = 0) => {
      const line = of > 0 ? `${bar(done / of)} ${done}/${of} ${label}` : label
      if (line !== last) out.write(`\r\x1b[K${line.slice(0, (out.columns ?? 80) - 1)}`)
      last = line
    },
    end: () => void out.write('\r\x1b[K'),
  }
}

/** A bar of 24 cells for a share from 0 to 1. */
export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * cells)
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`
}
