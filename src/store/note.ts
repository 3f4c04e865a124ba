import { isDatabaseError } from './engine/driver.ts'

/** Returns whether an error means that nothing can be written now. */
export const saysCannotWrite = (error: unknown): boolean =>
  isDatabaseError(error, 'full', 'busy', 'io', 'readonly', 'unavailable')

/**
 * Runs an optional write, such as the time at which a token was used. Skips it if the database
 * cannot be written now, so that reads go on. Throws other errors.
 */
export function note(write: () => unknown): void {
  try {
    write()
  } catch (error) {
    if (!saysCannotWrite(error)) throw error
  }
}

/**
 * Ignores an error of the database, for derived rows that follow a completed write: they are found
 * missing later and derived again. Throws other errors.
 */
export function ignoreDatabaseError(error: unknown): void {
  if (!isDatabaseError(error)) throw error
}
