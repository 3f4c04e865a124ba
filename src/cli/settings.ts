import { readFileSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { LockedError, lockFolder } from '../lock.ts'
import { exitLocked, exitUsage, Failure } from './failure.ts'

/** What the option --passphrase-file says in the help. */
export const passphraseOption =
  'a file whose first line is the passphrase (default: STEMMA_BACKUP_PASSPHRASE; without it the backup is not encrypted)'

/** The settings of the environment. Throws Failure with the line about a variable that cannot be used. */
export function readSettings(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    throw error instanceof ConfigError ? new Failure(error.message, exitUsage) : error
  }
}

/**
 * Returns the passphrase of backups: the first line of `file`, else what STEMMA_BACKUP_PASSPHRASE says, else undefined. Throws
 * Failure for a file that cannot be used.
 */
export function readPassphrase(config: Config, file: string | undefined): string | undefined {
  if (file === undefined) return config.backupPassphrase
  const [line = ''] = readFileSync(file, 'utf8').split(/\r?\n/, 1)
  if (line.length < 12)
    throw new Failure(`The first line of ${file} must be a passphrase of at least 12 characters.`, exitUsage)
  return line
}

/** Holds a data folder, until the function that it gives is called. Throws Failure when a server has it. */
export function holdFolder(dataDir: string, about: string): () => void {
  try {
    return lockFolder(dataDir, about).release
  } catch (error) {
    throw lockFailure(error)
  }
}

/** The Failure for a folder that another process holds; any other error as it is. */
export const lockFailure = (error: unknown): unknown =>
  error instanceof LockedError ? new Failure(error.message, exitLocked) : error
