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
import {
  type Keys,
  keysFrom,
  nextKeyName,
  sealVersion,
  secretBytes,
  secretsIn,
} from './lib/keys.ts'
import { findKeyCheck, putKeyCheck } from './store/cluster/key-check.ts'
import { resealAll } from './store/sealed.ts'
import type { Store } from './store/store.ts'

const keyFile = (dataDir: string) => join(dataDir, 'key')
const nextFile = (dataDir: string) => join(dataDir, nextKeyName)

/**
 * Returns the keys of a server: from the secrets in its settings, or from that of its data folder,
 * which has 32 bytes and is created at the first start, readable by its owner only. A folder that was
 * moved or restored from nodes with several secrets has these, until a rotation. During a rotation,
 * values sealed with any of the secrets can be opened.
 */
export function readKeys(dataDir: string, secrets: readonly Buffer[] = []): Keys {
  const [first, ...others] = secrets
  if (first) return keysFrom(first, others)
  if (!existsSync(keyFile(dataDir))) {
    writeSecret(keyFile(dataDir))
    syncParent(dataDir)
  }
  const next = existsSync(nextFile(dataDir)) ? readSecrets(nextFile(dataDir)) : []
  const [own, ...former] = readSecrets(keyFile(dataDir))
  return keysFrom(own, [...former, ...next])
}

/**
 * Creates the new secret of a rotation, which `finishRotation` completes. The caller holds the
 * folder's lock.
 */
export function beginRotation(dataDir: string): void {
  if (!existsSync(nextFile(dataDir))) writeSecret(nextFile(dataDir))
}

/**
 * Completes a rotation: seals everything with the new secret in one transaction, then replaces the
 * old secret. If killed in between, it starts over without loss, because resealed values open with
 * the new secret. Returns the number of resealed values, or undefined if there is no rotation. The
 * caller holds the folder's lock.
 */
export function finishRotation(dataDir: string, store: Store): number | undefined {
  if (!existsSync(nextFile(dataDir))) return undefined
  const [next] = readSecrets(nextFile(dataDir))
  const sealed = sealWithFirst(keysFrom(next, readSecrets(keyFile(dataDir))), store)
  renameSync(nextFile(dataDir), keyFile(dataDir))
  syncFolder(dataDir)
  return sealed
}

/** Seals everything with the first of the secrets. Returns the number of resealed values. */
export function sealWithFirst(keys: Keys, store: Store): number {
  if (store.isShared) putKeyCheck(store, checkOf(keys))
  return resealAll(store, 'all', (purpose, text) => resealed(keys, purpose, text))
}

const check = ['key check', 'stemma'] as const
const checkOf = (keys: Keys): string => keys.sign(...check)

/**
 * Checks that a node has a key of the nodes that used the database before it; the first one records
 * its own. Throws an Error with a sentence for the operator.
 */
export function checkSharedKey(keys: Keys, store: Store): void {
  if (!store.isShared) return
  const known = store.transact(() => {
    const held = findKeyCheck(store)
    if (held === undefined) putKeyCheck(store, checkOf(keys))
    return held
  })
  if (known !== undefined && !keys.verify(...check, known))
    throw new Error(
      'The database was used with another key. Set STEMMA_KEYS to the keys of the other nodes.',
    )
}

/**
 * Seals what an earlier version sealed without a purpose, for the purpose of its column. Only the
 * server itself writes such columns, so what is in them was meant for them.
 */
export const sealForPurposes = (keys: Keys, store: Store): number =>
  resealAll(store, 'first', (purpose, text) => resealed(keys, purpose, text))

/**
 * Returns a text sealed again; undefined if it was sealed with a lost secret, which its next use
 * reports.
 */
function resealed(keys: Keys, purpose: string, text: string): string | undefined {
  try {
    return keys.seal(
      purpose,
      text.startsWith(sealVersion) ? keys.open(purpose, text) : keys.openFirst(text),
    )
  } catch {
    return undefined
  }
}

function writeSecret(file: string): void {
  const temporary = `${file}.new`
  rmSync(temporary, { force: true })
  const fd = openSync(temporary, 'wx', 0o600)
  writeSync(fd, randomBytes(secretBytes))
  fsyncSync(fd)
  closeSync(fd)
  renameSync(temporary, file)
  syncFolder(dirname(file))
}

function readSecrets(file: string): [Buffer, ...Buffer[]] {
  const secrets = secretsIn(readFileSync(file))
  if (!secrets) throw new Error(`${file} does not hold a key of ${secretBytes} bytes.`)
  return secrets as [Buffer, ...Buffer[]]
}

/** Syncs the names in a folder, so that they survive a power cut. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * The data folder itself may be new. A parent folder that cannot be read was not created by this
 * process.
 */
function syncParent(dataDir: string): void {
  try {
    syncFolder(dirname(resolve(dataDir)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}
