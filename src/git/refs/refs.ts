import { rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { machineClock } from '../../lib/clock.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { type Oid, parseOid, zeroOid } from '../../lib/oid.ts'
import { syncFolders } from '../disk/durable.ts'
import { rememberingFiles } from '../disk/remembered-file.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError, GitError, isGitError } from '../values/errors.ts'
import { parseRefLines } from '../values/parse.ts'

/**
 * One ref update: from its required current value (null: it must not exist) to its new value (null:
 * delete it).
 */
export type RefMove = { ref: string; from: Oid | null; to: Oid | null }

/**
 * Returns what the ref points at, undefined when it does not exist. Reads it as Git does (the loose
 * file, then packed-refs), but only under its exact name: `cat-file` would also try refs/tags/<ref>
 * and refs/heads/<ref>, which an outside push may have created. A symbolic ref is followed. Throws
 * GitError 'ref_invalid' for an invalid name.
 */
export function readRef(repo: Pick<Repository, 'dir'>, ref: string): Oid | undefined {
  let name = ref
  for (let hops = 0; hops < 5; hops++) {
    checkRefName(name)
    const text = readLoose(repo.dir, name)
    if (text === undefined) return readPacked(repo.dir).get(name)

    if (!text.startsWith('ref: ')) {
      const oid = parseOid(text)
      if (!oid)
        throw new GitError('object_unreadable', 'A branch of the repository is corrupt.', {
          ref: name,
        })
      return oid
    }

    name = text.slice(5).trim()
  }

  return undefined
}

/** Returns the refs in packed-refs by name. A loose file of the same name has the newer value. */
export const listPacked = (repo: Pick<Repository, 'dir'>): ReadonlyMap<string, Oid> =>
  readPacked(repo.dir)

/** Returns all refs whose names start with the prefix (e.g. 'refs/heads/'), ordered by name. */
export async function listRefs(repo: Repository, prefix: string): Promise<Map<string, Oid>> {
  const { code, stdout, stderr } = await runGit(repo, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    prefix.replace(/\/+$/, ''),
  ])
  if (code !== 0) throw commandError('list refs', code, stderr)
  return parseRefLines(stdout.toString())
}

/**
 * Moves refs, all or none, each only if its value is `from`; the last one moves last. On return the
 * move survives a power cut. Throws GitError 'ref_moved' (detail.ref) for an unexpected value,
 * 'ref_conflict' for conflicting names, 'ref_locked' when another process holds a lock (a lock
 * older than an hour belongs to a dead process and is removed), 'not_found' for an object that is
 * missing or not a commit.
 */
export async function moveRefs(repo: Repository, moves: readonly RefMove[]): Promise<void> {
  if (moves.length === 0) return
  for (const { ref } of moves) checkRefName(ref)

  try {
    await transact(repo, moves)
  } catch (error) {
    if (!isGitError(error, 'ref_locked') || !endOldLocks(repo, moves)) throw error
    await transact(repo, moves)
  }

  crashPoint('W4')
  await syncRefs(repo, moves)
  crashPoint('W5')
}

async function transact(repo: Repository, moves: readonly RefMove[]): Promise<void> {
  try {
    await repo.processes.updateRef(repo.dir).transact(moves.map(command).join(''))
  } catch (error) {
    // The process may have died after doing the work: the refs now hold the truth.
    const unsure = isGitError(error, 'failed') || isGitError(error, 'timeout')
    if (!unsure) throw error
    endOwnLocks(repo, moves)
    if (!(await areMoved(repo, moves))) throw error
  }
}

/** Milliseconds after which the holder of a ref lock is considered dead. */
const mostLockMs = 3_600_000

/**
 * Removes the locks in the way of these moves whose holders must be dead. Returns whether there
 * were any.
 */
function endOldLocks({ dir }: Repository, moves: readonly RefMove[]): boolean {
  // After a clock jump every lock looks old.
  if (machineClock.sinceJump() < mostLockMs) return false
  const files = [...moves.map(({ ref }) => ref), 'packed-refs'].map(name =>
    join(dir, `${name}.lock`),
  )
  const old = files.filter(file => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found?.isFile() && Date.now() - found.mtimeMs > mostLockMs
  })

  for (const file of old) rmSync(file, { force: true })

  return old.length > 0
}

/**
 * Removes the locks of a killed process of ours, recognized by containing the new value of the ref.
 */
function endOwnLocks({ dir }: Repository, moves: readonly RefMove[]): void {
  for (const { ref, to } of moves)
    if (to !== null && readLoose(dir, `${ref}.lock`) === to)
      rmSync(join(dir, `${ref}.lock`), { force: true })
}

/** Makes moved refs survive a power cut, whichever process moved them. */
export async function syncRefs(repo: Repository, moves: readonly RefMove[]): Promise<void> {
  const folders = new Set<string>()
  for (const { ref, to } of moves) {
    if (to === null) folders.add(repo.dir) // packed-refs may have been rewritten
    for (let at = dirname(ref); at !== '.'; at = dirname(at)) folders.add(join(repo.dir, at))
  }
  await syncFolders(folders)
}

/**
 * Throws GitError 'ref_invalid' unless Git accepts this as the full name of a ref
 * (`check-ref-format`).
 */
export function checkRefName(ref: string): void {
  const parts = ref.split('/')
  const valid =
    parts[0] === 'refs' &&
    parts.length >= 3 &&
    Buffer.byteLength(ref) <= 1024 &&
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\.$/.test(ref) &&
    parts.every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  if (!valid)
    throw new GitError('ref_invalid', 'The branch name is invalid.', { ref: ref.slice(0, 200) })
}

function command({ ref, from, to }: RefMove): string {
  if (to === null) return from === null ? `verify ${ref}\0${zeroOid}\0` : `delete ${ref}\0${from}\0`
  if (from === null) return `create ${ref}\0${to}\0`
  return from === to ? `verify ${ref}\0${from}\0` : `update ${ref}\0${to}\0${from}\0`
}

async function areMoved(repo: Repository, moves: readonly RefMove[]): Promise<boolean> {
  for (const { ref, to } of moves)
    if ((await readRef(repo, ref)) !== (to ?? undefined)) return false
  return true
}

const textOfRef = rememberingFiles(text => text.trim(), 10_000)

// Refs are read synchronously: 20 µs each, a tenth of a trip through the thread pool.
function readLoose(dir: string, ref: string): string | undefined {
  try {
    return textOfRef(join(dir, ref))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}

const parsedRefs = rememberingFiles(parseRefLines, 200)

const readPacked = (dir: string): Map<string, Oid> =>
  parsedRefs(join(dir, 'packed-refs')) ?? new Map()
