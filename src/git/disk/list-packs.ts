import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of the packs of a repository, as `pack-<digest>.pack`. Throws what the system says, but for a missing folder. */
export async function listPacks({ dir }: { readonly dir: string }): Promise<string[]> {
  const names = await readdir(join(dir, 'objects/pack')).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code !== 'ENOENT') throw error
    return []
  })
  return names.filter(name => name.endsWith('.pack'))
}
