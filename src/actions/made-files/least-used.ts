import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the paths of the files below a folder that have to go, the least recently used first,
 * until the rest has `most` bytes.
 */
export async function leastUsed(folder: string, pattern: RegExp, most: number): Promise<string[]> {
  const files: { path: string; size: number; at: number }[] = []
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name)
    // A file may be deleted in the meantime.
    const found = pattern.test(name) ? await stat(path).catch(() => undefined) : undefined
    if (found) files.push({ path, size: found.size, at: found.mtimeMs })
  }

  let total = files.reduce((sum, { size }) => sum + size, 0)
  const going: string[] = []

  for (const { path, size } of files.sort((a, b) => a.at - b.at)) {
    if (total <= most) break
    going.push(path)
    total -= size
  }

  return going
}
