import { parseIdentity } from '../../content/tree/identity.ts'
import type { Context } from '../../context.ts'
import { readNote } from '../../git/commits/notes.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { listNamedCommits } from '../../store/git/named-commits.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { findLostJumps } from '../heads/published-jump.ts'
import { headOf, headsBelow, primaryRef } from '../repositories/head-of.ts'
import {
  changeRequestNumberOf,
  changeRequestRef,
  identityRef,
  publishedRef,
} from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { compareIndex, compareSearch } from './verify-index.ts'
import {
  findLost,
  type Problem,
  repairOf,
  runChecks,
  verifyRepository,
} from './verify-repository.ts'

/**
 * Returns the problems of a space: those of its repository, and differences between its rows and
 * Git.
 */
export async function verifySpace(ctx: Context, space: SpaceRow): Promise<Problem[]> {
  const repo = spaceRepository(ctx, space.id)
  const looked = { about: { space: space.id }, command: `stemma repair --space ${space.id}` }
  const repair = repairOf(looked)
  const { found, usable } = await verifyRepository(repo, looked)
  if (!usable) return found

  const reindex = found.length > 0 ? repair : `Run "stemma reindex --space ${space.id}".`
  const strays = await findStrayBranches(ctx, repo, space)
  const further = await runChecks(looked.about, [
    [reindex, () => compareRefs(ctx, space)],
    [reindex, () => findLost(repo, subjectsOf(ctx, space))],
    [repair, () => readNotes(ctx, repo, space)],
    [reindex, () => checkJumps(ctx, repo, space)],
    [reindex, () => checkIndex(ctx, repo, space)],
  ])

  return [...found, ...strays, ...further]
}

/** Returns the primary branch and the branches of unmerged change requests. */
const shownBranches = (ctx: Context, { id }: SpaceRow): string[] => [
  primaryRef(ctx, id),
  ...listUnmerged(ctx.store, id).map(request => changeRequestRef(request.number)),
]

/** Returns the commits that rows refer to, as beginnings of sentences. */
const subjectsOf = (ctx: Context, { id }: SpaceRow): Map<Oid, string> =>
  new Map(
    listNamedCommits(ctx.store, id).map(({ oid, by }) => [
      oid,
      `${by} refers to the commit ${oid}, which`,
    ]),
  )

/**
 * Returns the differences between the mirror of the refs and Git. Foreign branches are left to
 * `findStrayBranches`.
 */
async function compareRefs(ctx: Context, space: SpaceRow): Promise<string[]> {
  const mirror = listMirroredRefs(ctx.store, space.id)
  const inGit = await headsBelow(ctx, space.id, 'refs/')
  const names = new Set([...mirror.keys(), ...shownBranches(ctx, space)])

  return [...names]
    .filter(name => mirror.get(name) !== inGit.get(name) || !inGit.has(name))
    .map(
      name =>
        `${name} is ${inGit.get(name) ?? 'missing'} in Git, but ${mirror.get(name) ?? 'missing'} in the database.`,
    )
}

/**
 * Returns pushed branches that are not shown: neither the primary branch nor the branch of an
 * unmerged change request.
 */
async function findStrayBranches(
  ctx: Context,
  repo: Repository,
  space: SpaceRow,
): Promise<Problem[]> {
  const branches = await headsBelow(ctx, space.id, 'refs/heads/').catch(
    () => new Map<string, Oid>(),
  )
  const shown = new Set(shownBranches(ctx, space))

  return [...branches.keys()]
    .filter(ref => !shown.has(ref))
    .map(ref => ({
      space: space.id,
      what: strayWords(ref),
      remedy: strayRemedy(repo, ref),
      harmless: true,
    }))
}

function strayWords(ref: string): string {
  const name = ref.slice('refs/heads/'.length)
  const number = changeRequestNumberOf(ref)
  return number === undefined
    ? `The branch ${name} is neither the primary branch nor the branch of a change request. Its commits are not shown.`
    : `The branch ${name} was pushed, but change request ${number} is merged or does not exist. Its commits are not shown.`
}

const strayRemedy = ({ dir }: Repository, ref: string): string =>
  `If you need its commits, open a change request and push them to its branch. Then delete this branch: git --git-dir=${dir} branch -D -- ${ref.slice('refs/heads/'.length)}.`

/** Returns the heads whose note with page ids cannot be read or has invalid lines. */
async function readNotes(ctx: Context, repo: Repository, space: SpaceRow): Promise<string[]> {
  const tip = headOf(ctx, space.id, identityRef)
  if (!tip) return []
  const found: string[] = []

  for (const ref of shownBranches(ctx, space)) {
    const head = headOf(ctx, space.id, ref)
    const note = head && (await readNote(repo, tip, head))
    const lines = note?.split('\n').filter(line => line !== '').length ?? 0
    if (note && parseIdentity(note).size !== lines)
      found.push(`The note on ${head} in ${identityRef} has invalid lines.`)
  }

  return found
}

/** Returns jumps of the published history that Git has and the database does not. */
async function checkJumps(ctx: Context, repo: Repository, space: SpaceRow): Promise<string[]> {
  const lost = await findLostJumps(ctx, repo, space.id)
  return lost.map(
    ({ oid, previous }) =>
      `${publishedRef} says that ${oid} was published after ${previous}, but the database does not.`,
  )
}

async function checkIndex(ctx: Context, repo: Repository, space: SpaceRow): Promise<string[]> {
  const branch = primaryRef(ctx, space.id)
  const head = headOf(ctx, space.id, branch)
  if (!head) return [`${branch}, its primary branch, is missing.`]

  const history = await compareIndex(ctx, repo, space.id, head)
  const search = await compareSearch(ctx, space, head)

  return [
    ...(history ? [`The index of its history ${history}.`] : []),
    ...(search ? [`The search index ${search}.`] : []),
  ]
}
