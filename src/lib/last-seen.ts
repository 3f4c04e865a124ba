import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/**
 * Returns the time in a file that `writeLastSeen` wrote, in milliseconds since 1970; undefined when there is none that can
 * be read.
 */
export function readLastSeen(file: string): number | undefined {
  try {
    const at = Date.parse(readFileSync(file, 'utf8').trim())
    return Number.isNaN(at) ? undefined : at
  } catch {
    return undefined
  }
}

/** Writes a time into a file. A full disk, or a folder that cannot be written, leaves the earlier time: it is only a hint. */
export function writeLastSeen(file: string, at: Date): void {
  try {
    writeFileSync(`${file}.new`, `${at.toISOString()}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // The next start waits for an hour before it destroys anything: nothing else comes of it.
  }
}
