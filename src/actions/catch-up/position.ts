import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import type { GitStateRow } from '../../store/tables/rows.ts'

/** Where the database has a repository. */
export type State = Pick<GitStateRow, 'epoch' | 'seq' | 'mark'>

/** Up to where a folder has the packs and refs of its repository, and the mark of the last pack. */
export type Position = State & { packMark: string }

/** Returns the mark of a change. */
export const newMark = (): string => randomId(12)

/** Returns whether a position is that of a state. */
export const isAt = (at: Position | undefined, { epoch, seq, mark }: State): boolean =>
  at?.epoch === epoch && at.seq === seq && at.mark === mark

const fileOf = (dir: string): string => join(dir, 'stemma-position')

/** Returns the position of a folder; undefined: it has none, or a damaged one. */
export function readPosition(dir: string): Position | undefined {
  let text: string
  try {
    text = readFileSync(fileOf(dir), 'utf8')
  } catch {
    return undefined
  }
  const [, epoch, seq, mark = '', packMark = ''] =
    /^(\w+) (\d+)(?: (\w*) (\w*))?\n$/.exec(text) ?? []
  return epoch === undefined ? undefined : { epoch, seq: Number(seq), mark, packMark }
}

/**
 * Records the position of a folder, after its packs and refs. A power cut may undo it: then packs
 * are added again.
 */
export function writePosition(dir: string, { epoch, seq, mark, packMark }: Position): void {
  const temporary = `${fileOf(dir)}.${randomId(8)}`
  writeFileSync(temporary, `${epoch} ${seq} ${mark} ${packMark}\n`, { mode: 0o600 })
  renameSync(temporary, fileOf(dir))
}
