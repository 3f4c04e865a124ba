import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repositoryOf } from '../clients/repository.ts'
import { keepWords, type Ledger, type Space } from '../ledger.ts'
import { checkFacts } from './facts.ts'
import { findUnfinished, type Rows, readStored, type Stored, withCopy } from './rows.ts'
import type { SharedRows } from './shared-rows.ts'
import { checkSites } from './sites.ts'
import { checkSpace } from './space.ts'
import { checkSpecs } from './specs.ts'

export type CheckOptions = {
  /** All spaces, `git fsck` and the whole database, instead of recent writes only. */
  thorough: boolean
  round: number
  /** A text that no file may contain. */
  secret: string
  /**
   * How long to wait for what the server does in the background after its start: opening spaces,
   * and orphans.
   */
  openMs?: number
}

/** A job that takes longer is stuck, however busy the machine is. */
const patienceMs = 120_000

/**
 * Checks a data folder from outside the server that runs on it. Returns the problems. Jobs may
 * still be running, and spaces may not be opened yet, so a problem counts only if it persists after
 * that.
 */
export async function check(
  stored: Stored,
  ledger: Ledger,
  options: CheckOptions,
): Promise<string[]> {
  const takeBack = keepWords(ledger)
  let found = await look(stored, ledger, options)
  if (found.length === 0) return found

  const late = await waitForJobs(stored)
  const until = performance.now() + (options.openMs ?? 0)

  do {
    // A look settles what was in doubt according to what it finds. Undo that, so that the next look
    // is as strict.
    takeBack()
    found = await look(stored, ledger, options)
    if (found.length > 0) await new Promise(resolve => setTimeout(resolve, 200))
  } while (found.length > 0 && performance.now() < until)

  return late ? [...found, late] : found
}

/** An index waits for further writes, up to a second, before it is updated. */
const soonMs = 1_500

/**
 * Waits until no job is running, due, or due soon. Returns a description of a job that does not
 * end.
 */
export async function waitForJobs(stored: Stored): Promise<string | undefined> {
  for (let waited = 0; ; waited += 50) {
    const busy = await findUnfinished(stored, soonMs)
    if (!busy) return undefined
    if (waited > patienceMs) return `a job or operation does not end: ${JSON.stringify(busy)}`
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function look(stored: Stored, ledger: Ledger, options: CheckOptions): Promise<string[]> {
  const { thorough, round } = options
  const { dataDir, shared } = stored
  const rows = await readStored(stored, thorough)
  const found = [...rows.problems]
  for (const row of rows.operations)
    found.push(`the operation ${row.id} (${row.kind}) is still in the journal`)
  for (const job of rows.jobs)
    if (job.state === 'dead')
      found.push(`the job ${job.id} (${job.kind}) was abandoned: ${job.error}`)
  found.push(...checkSpaces(rows, ledger), ...findLocks(dataDir))
  const recent = (space: Space | undefined) => space && (!space.passing || space.since >= round - 1)
  const promised = new Map(ledger.spaces.map(space => [space.id, space]))
  // A cache of a deleted space stays as it was.
  const kept = rows.spaces.filter(row => !(shared && row.deleted_at))
  const wanted = kept.filter(row => thorough || recent(promised.get(row.id)))

  // A deleted space may be purged during the look; the second look then finds no row of it.
  const results = await Promise.all(
    wanted.map(({ id }) =>
      checkSpace(rows, repositoryOf(dataDir, id), id, promised.get(id), thorough).catch(error => [
        `space ${id} cannot be checked: ${error}`,
      ]),
    ),
  )

  found.push(...results.flat())

  for (const { id } of wanted) {
    const space = promised.get(id)
    if (space) found.push(...checkFacts(rows, space))
  }

  found.push(...checkSites(rows, ledger.sites))
  found.push(...(await checkSpecs(rows, dataDir, ledger.specs, thorough)))
  if (thorough) {
    found.push(...findOrphans(dataDir, rows, kept), ...findSecret(dataDir, options.secret))
    if (shared) found.push(...(await findSecretIn(shared, dirname(dataDir), options.secret)))
  }

  return found
}

/**
 * Checks that promised spaces exist or are deleted as promised, and that a key created at most one.
 */
function checkSpaces(rows: Rows, ledger: Ledger): string[] {
  const found: string[] = []
  const byId = new Map(rows.spaces.map(row => [row.id, row]))
  for (const space of ledger.spaces) {
    const row = byId.get(space.id)
    const deleted = !row || row.deleted_at !== null
    if (space.deleted === 'yes' && !deleted)
      found.push(`space ${space.id} was promised to be deleted, but is not`)
    if (space.deleted === 'no' && deleted)
      found.push(`the promised space ${space.id} does not exist`)
    space.deleted = deleted ? 'yes' : 'no'
  }

  const titles = new Map<string, number>()

  for (const { title } of rows.spaces) titles.set(title, (titles.get(title) ?? 0) + 1)

  for (const title of ledger.onceOnly) {
    const times = titles.get(title) ?? 0
    if (times > 1)
      found.push(`the space "${title}" was requested with one key, but created ${times} times`)
  }

  return found
}

/** Lock files that block the next writer, and leftovers of a killed fetch. */
export const findLocks = (dataDir: string): string[] =>
  ['spaces', 'specs']
    .flatMap(folder => filesBelow(join(dataDir, folder)))
    .filter(file => /\.lock$|\/packed-refs\.new$/.test(file))
    .map(file => `${file} was left`)

/** Folders without a row, and rows without a folder. */
function findOrphans(dataDir: string, rows: Rows, kept: readonly { id: string }[]): string[] {
  const top = join(dataDir, 'spaces')
  const shelves = existsSync(top) ? readdirSync(top) : []
  const folders = shelves.flatMap(shelf => readdirSync(join(top, shelf)))
  const known = new Set(rows.spaces.map(row => `${row.id}.git`))

  return [
    ...folders
      .filter(name => !known.has(name))
      .map(name => `the folder ${name} belongs to no space`),
    ...kept
      .filter(({ id }) => !existsSync(repositoryOf(dataDir, id)))
      .map(({ id }) => `the space ${id} has no repository`),
  ]
}

/** The same for the rows in a shared database. */
const findSecretIn = (shared: SharedRows, folder: string, secret: string): Promise<string[]> =>
  withCopy(shared, folder, file =>
    readFileSync(file).includes(secret) ? ['the database holds a password'] : [],
  )

/** Files that contain the password of the Git host. */
const findSecret = (dataDir: string, secret: string): string[] =>
  filesBelow(dataDir)
    .filter(file => unlessGone(() => readFileSync(file).includes(secret), false))
    .map(file => `${file} holds a password`)

/** The files below a folder, without those removed meanwhile. */
const filesBelow = (folder: string): string[] =>
  unlessGone(() => readdirSync(folder, { withFileTypes: true }), []).flatMap(entry => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })

function unlessGone<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  }
}
