import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { syncFile } from '../../git/disk/durable.ts'

/** Where the key of a node is: in its settings, or in its folder. */
export type Keys = Pick<Context['config'], 'dataDir' | 'keys'>

/** Writes the key of the nodes of a database to a file. Throws Fault if they have several. */
export async function putKey({ dataDir, keys = [] }: Keys, file: string): Promise<void> {
  const [key, ...others] = keys
  if (others.length > 0)
    throw new Fault(
      'data_not_ready',
      'STEMMA_KEYS has several keys, and a folder has one. Run "stemma key rotate", leave the first key alone in STEMMA_KEYS, and try again.',
    )
  if (key) await writeFile(file, key, { mode: 0o600 })
  else await copyFile(join(dataDir, 'key'), file)
  await syncFile(file)
}
