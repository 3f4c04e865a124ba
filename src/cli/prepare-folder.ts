import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import { exitUsage, Failure, failureOf } from './failure.ts'

/** What these codes mean of a folder that is to be made. */
const unusable: Readonly<Record<string, string>> = {
  EEXIST: 'It is a file.',
  ENOENT: 'No folder can be made there.',
}

/** Makes the folder of the data if need be. Throws Failure when it cannot be used. */
export function prepareFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = unusable[code ?? ''] ?? failureOf(Object.assign(new Error(), { code })).sentence
    throw new Failure(
      `STEMMA_DATA is ${JSON.stringify(dataDir)}, which cannot be used as a folder. ${why}`,
      exitUsage,
    )
  }
}

/** A sentence for each folder of templates or fonts that is named and is not there now: the server does without it. */
export function missingFolders({ templatesDir, fontDirs }: Config): string[] {
  const named = fontDirs.map(dir => ['STEMMA_FONTS', dir])
  if (templatesDir !== undefined) named.unshift(['STEMMA_TEMPLATES', templatesDir])
  return named
    .filter(([, dir]) => !isFolder(dir!))
    .map(([name, dir]) => `${name} names ${dir}, which is no folder; it has no effect.`)
}

/**
 * Makes a folder for our user alone, and those above it that are not there. Throws the error of Node, with its code, when
 * it cannot be made or is a file. Not `mkdirSync` with `recursive`: where a folder refuses new ones with ENOENT, as those
 * below /proc do, that never ends.
 */
function makeFolder(path: string): void {
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

/** False also for what this user may not look at. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
