import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomId } from '../../lib/digest.ts'

/** Up to where a folder has the packs and refs of its repository. */
export type Position = { epoch: string; seq: number }

const fileOf = (dir: string): string => join(dir, 'stemma-position')

/** Returns the position of a folder; undefined: it has none, or a damaged one. */
export function readPosition(dir: string): Position | undefined {
  let text: string
  try {
    text = readFileSync(fileOf(dir), 'utf8')
  } catch {
    return undefined
  }
  const [, epoch, seq] = /^(\w+) (\d+)\n$/.exec(text) ?? []
  return epoch === undefined ? undefined : { epoch, seq: Number(seq) }
}

/**
 * Records the position of a folder, after its packs and refs. A power cut may undo it: then packs
 * are added again.
 */
export function writePosition(dir: string, { epoch, seq }: Position): void {
  const temporary = `${fileOf(dir)}.${randomId(8)}`
  writeFileSync(temporary, `${epoch} ${seq}\n`, { mode: 0o600 })
  renameSync(temporary, fileOf(dir))
}
