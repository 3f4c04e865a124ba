import { existsSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { syncFile } from '../../git/disk/durable.ts'
import { nextKeyName } from '../../lib/keys.ts'

/** Where the key of a node is: in its settings, or in its folder. */
export type Keys = Pick<Context['config'], 'dataDir' | 'keys'>

/**
 * Throws Fault if a rotation of the key of a data folder was interrupted: rows may be sealed with a key that
 * the copy would not have.
 */
export function refuseRotation(dataDir: string): void {
  if (existsSync(join(dataDir, nextKeyName)))
    throw new Fault(
      'data_not_ready',
      'A rotation of the key was interrupted. Run "stemma key rotate" again, then try again.',
    )
}

/**
 * Writes the keys of the nodes of a database to a file, one after the other: rows stay sealed with the key
 * that they are sealed with.
 */
export async function putKey({ dataDir, keys = [] }: Keys, file: string): Promise<void> {
  if (keys.length > 0) await writeFile(file, Buffer.concat(keys), { mode: 0o600 })
  else await copyFile(join(dataDir, 'key'), file)
  await syncFile(file)
}
