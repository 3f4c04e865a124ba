import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder for our user alone, and those above it that are not there. Throws the error of Node, with its code, when
 * it cannot be made or is a file. Not `mkdirSync` with `recursive`: where a folder refuses new ones with ENOENT, as those
 * below /proc do, that never ends.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory())
      throw Object.assign(new Error('It is a file.'), { code: 'EEXIST', path })
    return
  }
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it just now.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
