import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { machineClock } from '../lib/clock.ts'
import { crashPoint } from '../lib/crash-points.ts'
import { syncFolders } from './durable.ts'
import { commandError, GitError, isGitError } from './errors.ts'
import { type Oid, parseOid, zeroOid } from './oid.ts'
import { parseRefLines } from './parse.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/**
 * One ref that moves: from what it must be now (null: it must not exist) to what it shall be (null: deleted).
 */
export type RefMove = { ref: string; from: Oid | null; to: Oid | null }

/**
 * What the ref points at, undefined when it does not exist. It is read as Git reads it (the loose file, then
 * packed-refs), but exactly: `cat-file` would also try refs/tags/<ref> and refs/heads/<ref>, which an outside
 * push may have made. A symbolic ref is followed. Throws GitError 'ref_invalid' for a name that no ref can
 * have.
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
        throw new GitError('object_unreadable', 'A branch of the repository is broken.', { ref: name })
      return oid
    }
    name = text.slice(5).trim()
  }
  return undefined
}

/** All refs whose names begin with the prefix (e.g. 'refs/heads/'), in order of name. */
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
 * Moves refs, all or none, each only if it is what `from` says; the last one moves last. On return the move
 * survives a power cut. Throws GitError 'ref_moved' (detail.ref) when one is not as expected, 'ref_conflict'
 * when a name stands in the way of another, 'ref_locked' when another process holds one (for less than an hour: after
 * that it is dead, and its lock goes), 'not_found' for an object that is not there or no commit.
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
    // The process may have gone after it did the work: what the refs say now is the truth.
    const unsure = isGitError(error, 'failed') || isGitError(error, 'timeout')
    if (!unsure) throw error
    endOwnLocks(repo, moves)
    if (!(await areMoved(repo, moves))) throw error
  }
}

/** How long a lock of refs may be held, in milliseconds: after that its holder is dead. */
const mostLockMs = 3_600_000

/** Removes the locks that stand in the way of these moves and whose holders must be dead. Gives whether there were any. */
function endOldLocks({ dir }: Repository, moves: readonly RefMove[]): boolean {
  // By a clock that has just jumped every lock seems old.
  if (machineClock.sinceJump() < mostLockMs) return false
  const files = [...moves.map(({ ref }) => ref), 'packed-refs'].map(name => join(dir, `${name}.lock`))
  const old = files.filter(file => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found?.isFile() && Date.now() - found.mtimeMs > mostLockMs
  })
  for (const file of old) rmSync(file, { force: true })
  return old.length > 0
}

/** Removes the locks that a process of ours has left which was killed: each says what it was to become. */
function endOwnLocks({ dir }: Repository, moves: readonly RefMove[]): void {
  for (const { ref, to } of moves)
    if (to !== null && readLoose(dir, `${ref}.lock`) === to) rmSync(join(dir, `${ref}.lock`), { force: true })
}

/** Makes refs that have moved survive a power cut, whoever moved them. */
export async function syncRefs(repo: Repository, moves: readonly RefMove[]): Promise<void> {
  const folders = new Set<string>()
  for (const { ref, to } of moves) {
    if (to === null) folders.add(repo.dir) // packed-refs may have been rewritten
    for (let at = dirname(ref); at !== '.'; at = dirname(at)) folders.add(join(repo.dir, at))
  }
  await syncFolders(folders)
}

/** Throws GitError 'ref_invalid' unless Git takes this as the full name of a ref (`check-ref-format`). */
export function checkRefName(ref: string): void {
  const parts = ref.split('/')
  const valid =
    parts[0] === 'refs' &&
    parts.length >= 3 &&
    Buffer.byteLength(ref) <= 1024 &&
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\.$/.test(ref) &&
    parts.every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  if (!valid)
    throw new GitError('ref_invalid', 'That is not a name for a branch.', { ref: ref.slice(0, 200) })
}

function command({ ref, from, to }: RefMove): string {
  if (to === null) return from === null ? `verify ${ref}\0${zeroOid}\0` : `delete ${ref}\0${from}\0`
  if (from === null) return `create ${ref}\0${to}\0`
  return from === to ? `verify ${ref}\0${from}\0` : `update ${ref}\0${to}\0${from}\0`
}

async function areMoved(repo: Repository, moves: readonly RefMove[]): Promise<boolean> {
  for (const { ref, to } of moves) if ((await readRef(repo, ref)) !== (to ?? undefined)) return false
  return true
}

// Refs are read with synchronous calls: 20 µs each, where a trip through the thread pool takes ten times as
// long.
function readLoose(dir: string, ref: string): string | undefined {
  try {
    return readFileSync(join(dir, ref), 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}

type PackedRefs = { stamp: string; refs: Map<string, Oid> }

/** The last packed-refs of the repositories read last, valid while the file is the same one. */
const packed = new Map<string, PackedRefs>()
const maxPacked = 200
/** A clock that file systems go by may stand still for so many milliseconds: a younger file can be followed by its double. */
const tickMs = 1000

function readPacked(dir: string): Map<string, Oid> {
  const file = join(dir, 'packed-refs')
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (!stat) return new Map()
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
  const known = packed.get(dir)
  if (known?.stamp === stamp) return known.refs
  const refs = parseRefLines(readFileSync(file, 'utf8'))
  packed.delete(dir)
  const changedAt = Math.max(Number(stat.ctimeMs), Number(stat.mtimeMs))
  if (Date.now() - changedAt <= tickMs) return refs
  packed.set(dir, { stamp, refs })
  for (const oldest of packed.keys()) {
    if (packed.size <= maxPacked) break
    packed.delete(oldest)
  }
  return refs
}
