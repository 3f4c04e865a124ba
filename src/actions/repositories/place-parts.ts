import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolders } from '../../git/disk/durable.ts'

/**
 * Moves those of the named parts that a prepared folder has into a data folder, one after the other,
 * each durably. Calls `onPart` before each.
 */
export async function placeParts(
  made: string,
  dataDir: string,
  names: readonly string[],
  onPart: (name: string) => void = () => {},
): Promise<void> {
  await syncFolders([made])
  for (const name of names) {
    if (!existsSync(join(made, name))) continue
    onPart(name)
    await rename(join(made, name), join(dataDir, name))
    await syncFolders([dataDir])
  }
}
