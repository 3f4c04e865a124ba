import { cacheSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { findVisibleCommits } from '../git/serving/visible-commits.ts'
import { type Oid, parseOid, zeroOid } from '../lib/oid.ts'
import { type Branches, findShown } from './reachable-objects.ts'

/** Commits of which a visible branch has been seen to hold them, by space. */
const shown = cacheSlot<Set<Oid>>('shown')
/** The most of them, and what each takes, in bytes. */
const mostShown = 20_000
const bytesOfOne = 100
/** With more unknown ids than this, the list of all reachable objects is asked. */
const mostAsked = 1000

const named = /^(?:have|shallow) ([0-9a-f]{40})$/

/**
 * The lines of a fetch, null for a flush, and the number of commits among them that the client has.
 */
type Lines = { lines: readonly (string | null)[]; haves: number }

/**
 * Returns the lines of a fetch without the commits that no visible branch holds. Git would
 * acknowledge every object that it has, and so tell that a hidden one exists; this way it is the
 * same as one that does not. Throws GitError.
 */
export async function withoutHidden(
  ctx: Context,
  branches: Branches,
  lines: readonly (string | null)[],
  { version, gone }: { version: number; gone: AbortSignal },
): Promise<Lines> {
  const ids = new Set(lines.flatMap(line => idIn(line) ?? []))
  const known = await knownOf(ctx, branches, [...ids], gone)
  const kept = lines.filter(line => {
    const oid = idIn(line)
    return oid === undefined || known.has(oid)
  })
  const haves = kept.filter(isHave).length

  // Git answers a request of version 2 without any commit with a pack, where a client expects
  // acknowledgments.
  const stands = version === 2 && haves === 0 && lines.some(isHave)

  return { lines: stands ? [...kept, `have ${zeroOid}`] : kept, haves }
}

const isHave = (line: string | null): boolean => line?.startsWith('have ') ?? false

const idIn = (line: string | null): Oid | undefined => parseOid(named.exec(line ?? '')?.[1] ?? '')

/**
 * Returns those of these ids that a visible branch holds, or has held: what was shown once is no
 * secret.
 */
async function knownOf(
  ctx: Context,
  branches: Branches,
  ids: readonly Oid[],
  gone: AbortSignal,
): Promise<ReadonlySet<Oid>> {
  const before = ctx.caches.get(shown).get(branches.spaceId)
  const tips = new Set(branches.tips)
  const isKnown = (oid: Oid) => before?.has(oid) || tips.has(oid)
  const others = ids.filter(oid => !isKnown(oid))
  const found = await findOnBranches(ctx, branches, others, gone)
  note(ctx, branches, found)
  return new Set([...ids.filter(isKnown), ...found])
}

async function findOnBranches(
  ctx: Context,
  branches: Branches,
  ids: readonly Oid[],
  gone: AbortSignal,
): Promise<Oid[]> {
  if (ids.length === 0) return []
  if (ids.length > mostAsked) return findShown(ctx, branches, ids, gone)
  return findVisibleCommits(branches.repo, ids, { tips: branches.tips, signal: gone })
}

/** Keeps what was found on branches, and their tips: the next fetch of a client names them. */
function note(ctx: Context, { spaceId, tips }: Branches, found: readonly Oid[]): void {
  const cache = ctx.caches.get(shown)
  const known = cache.get(spaceId)
  const fresh = [...tips, ...found].filter(oid => !known?.has(oid)).slice(0, mostShown)
  if (known && fresh.length === 0) return
  const all = new Set(known && known.size + fresh.length <= mostShown ? known : [])
  for (const oid of fresh) all.add(oid)
  cache.set(spaceId, all, all.size * bytesOfOne)
}
