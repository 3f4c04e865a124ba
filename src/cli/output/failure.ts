import { Fault } from '../../errors.ts'
import { isGitError } from '../../git/values/errors.ts'
import { type DatabaseErrorCode, isDatabaseError } from '../../store/engine/driver.ts'

export const exitFailed = 1
/** The command line or the environment is invalid. */
export const exitUsage = 2
/** A temporary failure in `sysexits.h`: another server uses the folder. */
export const exitLocked = 75

/**
 * Ends a command with a sentence for stderr ('' when everything is already printed) and an exit
 * code.
 */
export class Failure extends Error {
  readonly exitCode: number

  constructor(sentence: string, exitCode = exitFailed) {
    super(sentence)
    this.exitCode = exitCode
  }
}

/** Returns the sentence and the exit code for an error. */
export function failureOf(error: unknown): { sentence: string; exitCode: number } {
  if (error instanceof Failure) return { sentence: error.message, exitCode: error.exitCode }
  if (error instanceof Fault || isGitError(error))
    return { sentence: error.message, exitCode: exitFailed }
  if (!(error instanceof Error)) return { sentence: String(error), exitCode: exitFailed }

  if (isDatabaseError(error)) {
    const sentence = databaseSentences[error.code] ?? `Unexpected error: ${error.message}`
    return { sentence, exitCode: exitFailed }
  }

  const { code, path } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : sentences[code]
  if (known) return { sentence: path ? `${path}: ${known}` : known, exitCode: exitFailed }

  // Our own errors are sentences; errors that Node throws because of a bug are not.
  if (error.constructor === Error) return { sentence: error.message, exitCode: exitFailed }

  return { sentence: `Unexpected error: ${error.message}`, exitCode: exitFailed }
}

const damaged =
  'The database of the data folder is damaged: "stemma verify" names the file. Stop the server and keep a copy of the folder. Then restore the last good backup, or delete derived.db if only that file is damaged.'

const databaseSentences: Partial<Record<DatabaseErrorCode, string>> = {
  full: 'The disk is full. Free some space and try again.',
  damaged,
  busy: 'The database is busy. Try again in a moment.',
  readonly: 'The database of the data folder cannot be written: permission denied.',
  unavailable: 'The database does not answer. Check that PostgreSQL runs, and try again.',
  unopened: 'The database of the data folder cannot be opened: permission denied.',
}

/** Sentences for the error codes of Node. */
const sentences: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied.',
  EPERM: 'The operation is not permitted.',
  EROFS: 'The disk is mounted read-only.',
  ENOENT: 'It does not exist.',
  ENOTDIR: 'A part of its path is not a folder.',
  EISDIR: 'It is a folder, not a file.',
  EEXIST: 'It already exists.',
  ENOSPC: 'The disk is full. Free some space and try again.',
}
