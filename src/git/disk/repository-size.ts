import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What is known of the size of a repository: its bytes when it was measured, and those written to it since. */
export type KnownSize = { bytes: number; measuredAt: number; written: number }

/** Returns the bytes of all objects of a repository on the disk. What goes meanwhile counts as gone. */
export async function repositoryBytes({ dir }: { readonly dir: string }): Promise<number> {
  const objects = join(dir, 'objects')
  let bytes = 0
  for (const folder of await namesIn(objects)) {
    if (folder === 'info') continue
    const names = await namesIn(join(objects, folder))
    const sizes = await Promise.all(
      names.map(name =>
        stat(join(objects, folder, name)).then(
          found => found.size,
          () => 0,
        ),
      ),
    )
    for (const size of sizes) bytes += size
  }
  return bytes
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
