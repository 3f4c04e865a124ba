import { changeSteps, type Edits } from '../../content/edit/apply.ts'
import type { Change } from '../../content/edit/changes.ts'
import { type Answering, answerTo, type LinkingBlob } from '../../content/edit/requests.ts'
import { inboundOf } from '../../content/links/inbound.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { objectInfo, streamBlobs, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type Oid, parseOid } from '../../lib/oid.ts'
import { pauses, type Steps } from '../../lib/slices.ts'
import { isRevision } from '../revisions/is-revision.ts'
import { readInput } from '../revisions/read-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/** Larger files are neither edited nor compared, in bytes. */
const fileLimit = 20 * 1024 * 1024
/** The most bytes that one batch may keep in memory. */
const batchLimit = 256 * 1024 * 1024

type Applying = {
  spaceId: string
  view: RevisionView
  changes: readonly Change[]
  /** The revision that pages are reverted to by default; undefined: each change must name one. */
  origin: Oid | undefined
  /** The revision is in quarantine: its new files can be read, but not the list of its files. */
  quarantined?: { fresh: ReadonlyMap<string, Uint8Array> } | undefined
}

/**
 * Thrown by `applyToRevision` for changes that need the list of files of a quarantined revision.
 */
export class NotPublished extends Error {}

/**
 * Applies changes to a revision, and answers from the repository what they ask for. Throws the
 * fault of a change that cannot be made, or of a revision that it refers to; 'too_large' for
 * changes that read too much.
 */
export async function applyToRevision(
  ctx: Context,
  repo: Repository,
  applying: Applying,
): Promise<Edits> {
  const { spaceId, view, changes } = applying
  const answering = answersFrom(ctx, repo, applying)
  const steps = changeSteps({ spaceId, tree: view.content, identity: view.identity }, changes)
  const pause = pauses()
  let step = steps.next()

  while (!step.done) {
    const waiting = step.value ? answerTo(answering, step.value) : pause()
    step = steps.next(waiting && (await waiting))
  }

  return step.value
}

/**
 * Returns the answers to the requests of one batch. Together, they are limited to `batchLimit`
 * bytes.
 */
function answersFrom(
  ctx: Context,
  repo: Repository,
  { spaceId, view, origin, quarantined }: Applying,
): Answering {
  let length = 0
  const keep = (bytes: Uint8Array) => {
    length += bytes.length
    if (length > batchLimit) throw tooMuch()
  }

  return {
    blobs: async ({ oids }) => {
      const blobs = new Map<string, Uint8Array>()
      const fresh = quarantined?.fresh
      for (const oid of oids) {
        const bytes = fresh?.get(oid)
        if (bytes) blobs.set(oid, bytes)
      }

      const stored = oids.filter(oid => !blobs.has(oid))

      for await (const [oid, bytes] of streamBlobs(repo, stored, fileLimit)) {
        keep(bytes)
        blobs.set(oid, bytes)
      }

      // A blob that was skipped is too large, unless the repository lacks it.
      const large = stored.filter(oid => !blobs.has(oid))
      const known = await objectInfo(repo, large)
      const lost = large.find(oid => !known.has(oid))
      if (lost) throw unreadable(lost)

      return blobs
    },
    links: async ({ to, oids }) => {
      const linking = new Map<string, LinkingBlob>()
      const linksOf = inPauses(inboundOf(to))

      // Streamed, so that a space is never in memory as a whole.
      for await (const [oid, bytes] of streamBlobs(repo, oids, fileLimit)) {
        const links = await linksOf(bytes)
        if (!links) continue
        keep(bytes)
        linking.set(oid, { bytes, links })
      }

      return linking
    },
    snapshots: async ({ names }) => {
      const snapshots = new Map<string, ContentTree>()
      for (const name of names) {
        const revision = name === '' ? origin : name
        if (revision !== undefined) snapshots.set(name, await readSnapshot(ctx, spaceId, revision))
      }
      return snapshots
    },
    structure: () => {
      if (quarantined) throw new NotPublished()
      return readInput(ctx, repo, spaceId, view)
    },
  }
}

const tooMuch = (): Fault =>
  new Fault(
    'too_large',
    `The affected files exceed ${batchLimit / 1024 ** 2} MB in total. Change fewer at once, or use Git.`,
  )

async function readSnapshot(ctx: Context, spaceId: string, name: string): Promise<ContentTree> {
  const oid = parseOid(name)
  if (!oid) throw invalid(`"${name.slice(0, 60)}" is not a revision id: send its 40 hex digits.`)
  if (!(await isRevision(ctx, spaceId, oid))) throw missing('revision', name)
  return (await viewRevision(ctx, spaceId, oid)).content
}

/**
 * Wraps stepped work so that all its calls together yield to the event loop at regular intervals.
 */
function inPauses<Input, Result>(
  work: (input: Input) => Steps<Result>,
): (input: Input) => Promise<Result> {
  const pause = pauses()
  return async input => {
    const steps = work(input)
    for (let step = steps.next(); ; step = steps.next()) {
      const wait = pause()
      if (wait) await wait
      if (step.done) return step.value
    }
  }
}
