import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url))

/** Returns the files of the manual by name: the pages of `docs/`. Empty if the program is installed without them. */
export async function readManual(): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const name of await listPages()) files.set(name, await readFile(folder + name))
  return files
}

async function listPages(): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(name => name.endsWith('.md')).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
