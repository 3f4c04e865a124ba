import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { git, tryGit } from '../clients/git.ts'
import { repositoryOf } from '../clients/repository.ts'
import type { Random } from '../random.ts'
import { findLocks } from './all.ts'
import { databaseOf, type Rows, readRows, type Stored } from './rows.ts'

type Move = { ref: string; from: string | null; to: string | null }

/** The work that a killed server left for recovery. */
export type Leftovers = {
  /** Intents whose refs have all moved, so that only rows are missing. */
  redo: number
  /** Intents with refs that have not moved. */
  forward: number
  locks: number
}

/** Reads what a killed server left without changing it: the database is read from a copy. */
export async function findLeftovers({ dataDir, shared }: Stored): Promise<Leftovers> {
  // A shared database has no journal.
  const rows = shared ? undefined : readCopy(dataDir)
  const found: Leftovers = { redo: 0, forward: 0, locks: findLocks(dataDir).length }
  for (const { space_id, moves } of rows?.operations ?? []) {
    const dir = repositoryOf(dataDir, space_id)
    const moved = await Promise.all((JSON.parse(moves) as Move[]).map(move => hasMoved(dir, move)))
    if (moved.every(Boolean)) found.redo++
    else found.forward++
  }

  return found
}

const hasMoved = async (dir: string, { ref, to }: Move): Promise<boolean> =>
  (await readRef(dir, ref)) === (to ?? '')

/** Returns the value of a ref, or '' if it does not exist. */
async function readRef(dir: string, ref: string): Promise<string> {
  const { stdout } = await tryGit(dir, ['for-each-ref', '--format=%(objectname)', ref])
  return stdout.trim()
}

/**
 * Copies the database, because opening it would run the recovery that is the next server's work.
 */
function readCopy(dataDir: string): Rows | undefined {
  const file = databaseOf(dataDir)
  if (!existsSync(file)) return undefined
  const folder = mkdtempSync(join(dirname(dataDir), 'copy-'))

  try {
    for (const name of ['stemma.db', 'stemma.db-wal', 'derived.db', 'derived.db-wal'])
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(folder, name))
    return readRows(join(folder, 'stemma.db'), false)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Puts the refs of intents whose server died before moving them into the state that a killed `git
 * update-ref` leaves: the first few refs moved in Git's order (deletions last), with the lock files
 * of the others still there.
 */
export async function moveSomeRefs(dataDir: string, random: Random): Promise<void> {
  for (const { space_id, moves } of readCopy(dataDir)?.operations ?? []) {
    const dir = repositoryOf(dataDir, space_id)
    const listed = (JSON.parse(moves) as Move[]).filter(({ from, to }) => from !== to)
    const ordered = [
      ...listed.filter(({ to }) => to !== null),
      ...listed.filter(({ to }) => to === null),
    ]
    const now = await Promise.all(ordered.map(({ ref }) => readRef(dir, ref)))

    // A push came in between: such a transaction moves nothing.
    if (ordered.some(({ from }, place) => now[place] !== (from ?? ''))) continue

    const many = random.below(ordered.length + 1)

    for (const { ref, to } of ordered.slice(0, many))
      await git(dir, to === null ? ['update-ref', '-d', ref] : ['update-ref', ref, to])

    for (const { ref, to } of ordered.slice(many)) {
      mkdirSync(join(dir, dirname(ref)), { recursive: true })
      writeFileSync(join(dir, `${ref}.lock`), to === null ? '' : `${to}\n`)
    }

    if (ordered.slice(many).some(({ to }) => to === null))
      writeFileSync(join(dir, 'packed-refs.lock'), '')
  }
}
