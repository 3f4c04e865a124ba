import { type Config, ConfigError, readConfig } from '../config.ts'
import { LockedError, lockFolder } from '../lock.ts'
import { exitLocked, exitUsage, Failure } from './failure.ts'

/** The settings of the environment. Throws Failure with the line about a variable that cannot be used. */
export function readSettings(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    throw error instanceof ConfigError ? new Failure(error.message, exitUsage) : error
  }
}

/** Holds a data folder, until the function that it gives is called. Throws Failure when a server has it. */
export function holdFolder(dataDir: string, about: string): () => void {
  try {
    return lockFolder(dataDir, about)
  } catch (error) {
    throw lockFailure(error)
  }
}

/** The Failure for a folder that another process holds; any other error as it is. */
export const lockFailure = (error: unknown): unknown =>
  error instanceof LockedError ? new Failure(error.message, exitLocked) : error
