import { readFileSync, statSync } from 'node:fs'
import { BoundedCache } from '../../lib/bounded-cache.ts'

/**
 * The clock of a file system may tick this slowly (ms): a file younger than this can be replaced by
 * one with the same stamp.
 */
const tickMs = 1000

/**
 * Returns a function that returns the parsed text of a file, undefined if there is no file. It reads a
 * file again only after it was replaced or changed, because to ask for its state takes a fraction of the
 * time. It remembers the values of the `most` files read last.
 */
export function rememberingFiles<Value>(
  parse: (text: string) => Value,
  most: number,
): (file: string) => Value | undefined {
  const known = new BoundedCache<string, { stamp: string; value: Value }>(most)

  return file => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
    if (!stat) return undefined

    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
    const before = known.get(file)
    if (before?.stamp === stamp) return before.value

    const value = parse(readFileSync(file, 'utf8'))
    const changedAt = Math.max(Number(stat.ctimeMs), Number(stat.mtimeMs))
    if (Date.now() - changedAt > tickMs) known.set(file, { stamp, value }, 1)
    return value
  }
}
