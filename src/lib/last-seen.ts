import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/**
 * Returns the time that `writeLastSeen` wrote to a file, in milliseconds since 1970; undefined when
 * it cannot be read.
 */
export function readLastSeen(file: string): number | undefined {
  try {
    const at = Date.parse(readFileSync(file, 'utf8').trim())
    return Number.isNaN(at) ? undefined : at
  } catch {
    return undefined
  }
}

/**
 * Writes a time to a file. On a full disk or an unwritable folder the previous time remains: it is
 * only a hint.
 */
export function writeLastSeen(file: string, at: Date): void {
  try {
    writeFileSync(`${file}.new`, `${at.toISOString()}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // The only effect: the next start waits an hour before it deletes anything.
  }
}
