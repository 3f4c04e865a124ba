import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { LockedError, lockFolder } from '../../lock.ts'
import { exitLocked, exitUsage, Failure } from '../output/failure.ts'

/** The help text of --passphrase-file. */
export const passphraseOption =
  'a file whose first line is the passphrase (default: STEMMA_BACKUP_PASSPHRASE; without it the backup is not encrypted)'

/**
 * Returns the settings of the environment. Throws Failure with a line about an invalid variable.
 */
export function readSettings(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    throw error instanceof ConfigError ? new Failure(error.message, exitUsage) : error
  }
}

/**
 * Throws Failure if the rows are in PostgreSQL, for a command that works on a folder with all rows.
 * `instead` says what to do.
 */
export function refuseDatabase({ database }: Config, command: string, instead: string): void {
  if (database)
    throw new Failure(
      `"stemma ${command}" does not work with STEMMA_DATABASE, where PostgreSQL has the rows. ${instead}`,
      exitUsage,
    )
}

/** Throws Failure if the rows are in PostgreSQL and the key that its nodes share is nowhere. */
export function requireKeys({ dataDir, database, keys }: Config): void {
  if (database && !keys && !existsSync(join(dataDir, 'key')))
    throw new Failure(
      'STEMMA_DATABASE is set without STEMMA_KEYS, the key that all its nodes share. For a new database, "openssl rand -base64 32" prints one.',
      exitUsage,
    )
}

/**
 * Returns the passphrase of backups: the first line of `file`, else STEMMA_BACKUP_PASSPHRASE, else
 * undefined. Throws Failure for an invalid file.
 */
export function readPassphrase(config: Config, file: string | undefined): string | undefined {
  if (file === undefined) return config.backupPassphrase
  const [line = ''] = readFileSync(file, 'utf8').split(/\r?\n/, 1)
  if (line.length < 12)
    throw new Failure(
      `The first line of ${file} must be a passphrase of at least 12 characters.`,
      exitUsage,
    )
  return line
}

/**
 * Locks a data folder and returns a function that releases it. Throws Failure when a server uses
 * the folder.
 */
export function holdFolder(dataDir: string, about: string): () => void {
  try {
    return lockFolder(dataDir, about).release
  } catch (error) {
    throw lockFailure(error)
  }
}

/** Locks a data folder like `holdFolder`; returns undefined if a server uses it. */
export function holdIfFree(dataDir: string, about: string): (() => void) | undefined {
  try {
    return lockFolder(dataDir, about).release
  } catch (error) {
    if (error instanceof LockedError) return undefined
    throw error
  }
}

/** Returns a Failure for a folder that another process uses; any other error unchanged. */
export const lockFailure = (error: unknown): unknown =>
  error instanceof LockedError ? new Failure(error.message, exitLocked) : error
