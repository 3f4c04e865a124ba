import { readdir, readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url))

/**
 * Returns the files of the manual by path: those of `docs/`. Empty if the program is installed
 * without them.
 */
export async function readManual(): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const path of await listFiles()) files.set(path, await readFile(folder + path))
  return files
}

/**
 * Returns whether a path belongs to the manual: a page, or an image or reusable content that pages
 * show.
 */
const isOfManual = (path: string): boolean =>
  /^(?:[^/]+\.md|\.gitbook\/(?:assets|includes)\/[^/.][^/]*)$/.test(path)

async function listFiles(): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, `${entry.parentPath}/${entry.name}`).split(sep).join('/'))
      .filter(isOfManual)
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
