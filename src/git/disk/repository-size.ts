import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The size of a repository: bytes when it was measured, and bytes written since. */
export type KnownSize = { bytes: number; measuredAt: number; written: number }

/** Returns the bytes of all objects on the disk. Files removed during the walk are not counted. */
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
