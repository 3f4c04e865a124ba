import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the names of a repository's packs, as `pack-<digest>.pack`; none when the folder is
 * missing.
 */
export async function listPacks({ dir }: { readonly dir: string }): Promise<string[]> {
  const names = await readdir(join(dir, 'objects/pack')).catch(
    (error: NodeJS.ErrnoException): string[] => {
      if (error.code !== 'ENOENT') throw error
      return []
    },
  )
  return names.filter(name => name.endsWith('.pack'))
}
