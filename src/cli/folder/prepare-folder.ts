import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { exitUsage, Failure, failureOf } from '../output/failure.ts'

/** The meaning of these codes for a folder to be created. */
const unusable: Readonly<Record<string, string>> = {
  EEXIST: 'It is a file.',
  ENOENT: 'No folder can be created there.',
}

/**
 * Creates the data folder that a setting names, if necessary. Throws Failure when it cannot be used.
 */
export function prepareFolder(dataDir: string, setting = 'STEMMA_DATA'): void {
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = unusable[code ?? ''] ?? failureOf(Object.assign(new Error(), { code })).sentence
    throw new Failure(
      `${setting} is ${JSON.stringify(dataDir)}, which cannot be used as the data folder. ${why}`,
      exitUsage,
    )
  }
}

/** What an empty folder may have: our own lock, also of a killed process, and what a new disk contains. */
const nothing = /^(?:(?:lock\.db|stemma\.db-lock)(?:-journal)?|lock\.txt|seen\.txt|lost\+found)$/

/**
 * Returns what an empty folder must not have, beside what an interrupted command has left in it;
 * undefined: it is empty.
 */
export const findHeld = (folder: string, isLeft: (name: string) => boolean): string | undefined =>
  readdirSync(folder).find(name => !nothing.test(name) && !isLeft(name))

/** What a server leaves in a data folder before it has a database, and what a new disk contains. */
const ownNames =
  /^(?:(?:stemma|derived|lock)\.db.*|lock\.txt|seen\.txt|key(?:\.next)?|lost\+found|spaces|specs|staging|repairing|tmp|lost|damaged|prints|images|uploads|pushed)$/

/**
 * Refuses a folder without a database that has files of other programs, such as a home folder: the
 * server takes the permission to read from other users there. Names that begin with a dot are
 * ignored. With STEMMA_DATABASE, refuses a folder that has rows of its own. Throws Failure.
 */
export function refuseForeignFolder({ dataDir, database }: Config): void {
  const hasRows = existsSync(join(dataDir, 'stemma.db'))
  if (database && hasRows)
    throw new Failure(
      `STEMMA_DATABASE is set, but ${join(dataDir, 'stemma.db')} has rows too, which would be ignored. Set STEMMA_DATA to another folder, and STEMMA_KEYS to the key of this one.`,
      exitUsage,
    )
  if (hasRows || (database && existsSync(join(dataDir, 'derived.db')))) return
  const foreign = readdirSync(dataDir).find(name => !ownNames.test(name) && !name.startsWith('.'))
  if (foreign !== undefined)
    throw new Failure(
      `STEMMA_DATA is ${JSON.stringify(dataDir)}, which contains ${JSON.stringify(foreign)} and no data of Stemma. Set it to an empty folder, or to the data folder of a Stemma server.`,
      exitUsage,
    )
}

/**
 * Returns a warning for each configured folder of templates, integrations or fonts that does not
 * exist; the server works without it.
 */
export function missingFolders({ templatesDir, integrationsDir, fontDirs }: Config): string[] {
  const named = fontDirs.map(dir => ['STEMMA_FONTS', dir])
  if (integrationsDir !== undefined) named.unshift(['STEMMA_INTEGRATIONS', integrationsDir])
  if (templatesDir !== undefined) named.unshift(['STEMMA_TEMPLATES', templatesDir])
  return named
    .filter(([, dir]) => !isFolder(dir!))
    .map(([name, dir]) => `${name} is ${dir}, which is not a folder; it has no effect.`)
}

/**
 * Creates a folder with access for our user only, and its missing parents. Throws Node's error,
 * with its code, when that fails or it is a file. `mkdirSync` with `recursive` never returns where
 * a folder refuses new ones with ENOENT, as in /proc.
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
    // Another process may have just created it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** Returns false also for folders without permission to read. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
