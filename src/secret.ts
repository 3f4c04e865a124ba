import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Keys, keysFrom } from './lib/keys.ts'
import { resealAll } from './store/sealed.ts'
import type { Store } from './store/store.ts'

const bytes = 32
const keyFile = (dataDir: string) => join(dataDir, 'key')
/** The key that a rotation changes to; it is there only while one is under way. */
const nextFile = (dataDir: string) => join(dataDir, 'key.next')

/**
 * Returns the keys of a data folder. The secret of 32 bytes behind them is made at the first start, readable by its owner
 * alone. While a rotation is under way, what is sealed with either secret can be opened.
 */
export function readKeys(dataDir: string): Keys {
  if (!existsSync(keyFile(dataDir))) {
    writeSecret(keyFile(dataDir))
    syncParent(dataDir)
  }
  const next = existsSync(nextFile(dataDir)) ? [readSecret(nextFile(dataDir))] : []
  return keysFrom(readSecret(keyFile(dataDir)), next)
}

/** Writes down a new secret: from then on `finishRotation` has something to do. Hold the folder's lock. */
export function beginRotation(dataDir: string): void {
  if (!existsSync(nextFile(dataDir))) writeSecret(nextFile(dataDir))
}

/**
 * Completes a rotation that was begun: seals everything with the new secret, in one transaction, and then puts that in the
 * place of the old one. Killed in between, it is done again from the start, and nothing is lost: what was sealed anew is
 * opened with the new secret. Returns how many texts were sealed anew, undefined when there was no rotation. Hold the
 * folder's lock.
 */
export function finishRotation(dataDir: string, store: Store): number | undefined {
  if (!existsSync(nextFile(dataDir))) return undefined
  const next = readSecret(nextFile(dataDir))
  const [fresh, both] = [keysFrom(next), keysFrom(next, [readSecret(keyFile(dataDir))])]
  const sealed = resealAll(store, text => {
    try {
      return fresh.seal(both.open(text))
    } catch {
      // It was sealed with a secret that is lost: the next who needs it says so.
      return undefined
    }
  })
  renameSync(nextFile(dataDir), keyFile(dataDir))
  syncFolder(dataDir)
  return sealed
}

function writeSecret(file: string): void {
  const temporary = `${file}.new`
  rmSync(temporary, { force: true })
  const fd = openSync(temporary, 'wx', 0o600)
  writeSync(fd, randomBytes(bytes))
  fsyncSync(fd)
  closeSync(fd)
  renameSync(temporary, file)
  syncFolder(dirname(file))
}

function readSecret(file: string): Buffer {
  const secret = readFileSync(file)
  if (secret.length !== bytes) throw new Error(`${file} does not hold a key of ${bytes} bytes.`)
  return secret
}

/** Makes the names in a folder survive a power cut. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The data folder may be as new as what is in it. A folder above it that we may not read was not made by us. */
function syncParent(dataDir: string): void {
  try {
    syncFolder(dirname(resolve(dataDir)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}
