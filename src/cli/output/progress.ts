const cells = 24

/** Progress of a long operation, on stderr so that stdout contains only the result. */
export type Progress = {
  /** Shows a label, and a bar when `of` is known. */
  show: (label: string, done?: number, of?: number) => void
  /** Removes the bar. */
  end: () => void
}

/** Returns a progress bar on a terminal; elsewhere a line per label, or nothing when `quiet`. */
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

/** Returns a bar of 24 cells for a share from 0 to 1. */
export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * cells)
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`
}
