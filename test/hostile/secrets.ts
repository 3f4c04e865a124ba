import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plantedPassword, type Stage } from './stage.ts'

/** Returns the bytes of a file; none of one that the server has deleted meanwhile. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return Buffer.alloc(0)
  }
}

/** Returns the files of the data folder that hold a planted secret, and "the log" if it does. */
export function placesWithSecrets({ dataDir, tokens, log }: Stage): string[] {
  const needles = [...Object.values(tokens), plantedPassword].flatMap(secret => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ])
  const held = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => {
      const bytes = readIfThere(path)
      return needles.some(needle => bytes.includes(needle))
    })
  if (needles.some(needle => log().includes(needle))) held.push('the log')
  return held
}
