import { joinRights, type PrimaryRight } from '../../access/guards/primary.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { isDatabaseError } from '../../store/engine/driver.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { type Clearance, clearContent, joinClearances } from '../clearance/clear-content.ts'
import { type Head, readHeads, readHeadsOf } from '../heads/read-heads.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { isReadOnly } from '../journal/settle-intent.ts'
import { service } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { findOutdated, rememberChild } from '../revisions/find-outdated.ts'
import { writeIdentityNotes } from '../revisions/identity.ts'
import { rememberRevision } from '../revisions/is-revision.ts'
import { keepView, viewRevision } from '../revisions/view-revision.ts'
import { applyToRevision, NotPublished } from './apply-to-revision.ts'
import { checkMatch, checkMayEdit } from './check-may-edit.ts'
import { effectsOfEdit, type MadeEdit, viewOfEdit } from './edit-effects.ts'
import type { EditOrder } from './edit-order.ts'
import { writeRevision } from './write-revision.ts'

/** A batch of changes whose caller is waiting. */
export type Edit = {
  order: EditOrder<unknown>
  /** The revision that a change request started from, if a change reverts to it. */
  origin: Oid | undefined
}

/** An edit that was not made, or cannot be finished now. */
type Failed = { error: unknown }
type EditOutcome = { body: unknown } | Failed

type Heads = { primary: Head; branch: Head; changeRequest: ChangeRequestRow | undefined }

/**
 * A batch applied to the result of the one before; `written` is its commit, undefined if it changed
 * nothing.
 */
type Step = Omit<MadeEdit, 'written'> & { written: MadeEdit['written'] | undefined }

/** The state that edits written together share. */
type Work = {
  spaceId: string
  repo: Repository
  heads: Heads
  quarantine: Quarantine
  /**
   * The bytes of the files written so far, by blob id: they cannot be read from the repository yet.
   */
  fresh: Map<string, Uint8Array>
}

/** Thrown if an edit may not be made after commits of later ones were built on it. */
class Refused extends Error {
  readonly at: number
  readonly reason: unknown

  constructor(at: number, reason: unknown) {
    super('An edit may not be made.')
    this.at = at
    this.reason = reason
  }
}

/**
 * Applies edits to one branch, each as a commit on top of the one before, and moves the branch
 * once, to the last of them: one wait for the disk for all. Returns the outcomes of the first edits
 * in order; call it again with the others. A failing edit does not affect the others:
 *
 * | An edit that …                          | Its outcome                             | The next |
 * | --------------------------------------- | --------------------------------------- | -------- |
 * | cannot be applied                       | its error                               | go on    |
 * | has to read what those before it wrote  | none yet                                | none yet |
 * | is refused once its commit is written   | its error if it is the first, else none | none yet |
 * | was begun, and cannot be finished now   | the error of `publish`                  | the same |
 *
 * Hold the space's lock. Throws what `publish` throws; no edit was begun then.
 */
export async function editTogether(ctx: Context, edits: readonly Edit[]): Promise<EditOutcome[]> {
  try {
    return await tryTogether(ctx, edits)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return error.at === 0 ? [{ error: error.reason }] : editTogether(ctx, edits.slice(0, error.at))
  }
}

/** Makes edits as `editTogether` does. Throws Refused for the first edit that may not be made. */
async function tryTogether(ctx: Context, edits: readonly Edit[]): Promise<EditOutcome[]> {
  const [first] = edits as [Edit, ...Edit[]]
  const spaceId = first.order.space.id
  const repo = spaceRepository(ctx, spaceId)
  const heads = await headsOf(ctx, first.order)
  const work: Work = { spaceId, repo, heads, quarantine: openQuarantine(repo), fresh: new Map() }
  const steps = await applyAll(ctx, work, edits)
  const made = steps.filter(isMade)
  if (made.length === 0) return presentAll(ctx, work, steps)

  const at = ctx.now()
  const notes = made.map(({ written, edits }) => ({
    commit: written.commit,
    identity: edits.identity,
  }))
  const moves = await writeIdentityNotes(ctx, repo, spaceId, notes, service(at), work.quarantine)
  const clearance = await clearAll(ctx, work, steps)
  await work.quarantine.flush()

  const outcomes = await presentAll(ctx, work, steps)

  try {
    await publishAll(ctx, { ...work, clearance }, moves, steps, outcomes)
    return outcomes
  } catch (error) {
    if (!isReadOnly(error)) throw error
    // These edits were begun; edits that failed before keep their own outcome.
    return outcomes.map(outcome => ('error' in outcome ? outcome : { error }))
  }
}

const isMade = (step: Step | Failed): step is MadeEdit =>
  'written' in step && step.written !== undefined

async function headsOf(ctx: Context, { space, changeRequest }: EditOrder<unknown>): Promise<Heads> {
  if (changeRequest) return readHeadsOf(ctx, space, changeRequest)
  const { primary } = await readHeads(ctx, space)
  return { primary, branch: primary, changeRequest: undefined }
}

async function applyAll(
  ctx: Context,
  work: Work,
  edits: readonly Edit[],
): Promise<(Step | Failed)[]> {
  const steps: (Step | Failed)[] = []
  let view = await viewRevision(ctx, work.spaceId, work.heads.branch.head)
  for (const edit of edits) {
    const step = await apply(ctx, work, edit, view).catch((error: unknown) => ({ error }))
    if ('error' in step && step.error instanceof NotPublished) break
    steps.push(step)
    if (!isMade(step)) continue
    const next = viewOfEdit(step)
    if (!next) break
    view = next
  }

  return steps
}

/** Applies one edit to a revision and writes its commit into the quarantine. */
async function apply(
  ctx: Context,
  { spaceId, repo, heads, quarantine, fresh }: Work,
  { order, origin }: Edit,
  base: RevisionView,
): Promise<Step> {
  const { space, changes, by, message } = order
  const { changeRequest } = heads
  checkMatch(order, base.oid)
  checkMayEdit(ctx, order, heads.branch.head)
  const quarantined = base.oid === heads.branch.head ? undefined : { fresh }
  const applying = { spaceId, view: base, changes, origin, quarantined }
  const edits = await applyToRevision(ctx, repo, applying)
  const at = ctx.now()
  const writing = { space, changeRequest, by, at, view: base, changes, edits, message }
  const written = await writeRevision(quarantine, writing)

  for (const file of edits.files.values()) if (file?.bytes) fresh.set(file.oid, file.bytes)

  return { order, base, edits, time: at.toISOString(), written }
}

/** Clears each commit for its own author. Throws Refused for one that may not become content. */
async function clearAll(
  ctx: Context,
  { repo, heads, quarantine }: Work,
  steps: readonly (Step | Failed)[],
): Promise<Clearance> {
  const clearances: Clearance[] = []
  for (const [at, step] of steps.entries()) {
    if (!isMade(step)) continue
    const beside = [...new Set([step.base.oid, heads.primary.head])]
    const writer = { ...step.order, quarantine }
    try {
      clearances.push(await clearContent(ctx, repo, writer, { head: step.written.commit, beside }))
    } catch (error) {
      throw new Refused(at, error)
    }
  }

  return joinClearances(clearances)
}

/** Calls the presenters of the edits that were applied, each with the row after its commit. */
async function presentAll(
  ctx: Context,
  { spaceId, heads }: Work,
  steps: readonly (Step | Failed)[],
): Promise<EditOutcome[]> {
  const { primary, branch } = heads
  const isAsked = branch !== primary && !steps.every(step => 'error' in step)
  const outdated =
    isAsked && (await findOutdated(ctx, spaceId, primary.head, [branch])).has(branch.head)
  let { changeRequest } = heads
  const outcomes: EditOutcome[] = []

  for (const step of steps) {
    if ('error' in step) {
      outcomes.push(step)
      continue
    }

    const { order, base, edits, time, written } = step
    const revision = written?.commit ?? base.oid
    if (changeRequest && written) changeRequest = { ...changeRequest, revision, updated_at: time }
    const { outcomes: changed, insertedFiles } = edits

    try {
      const body = await order.present({
        revision,
        changeRequest,
        outdated,
        outcomes: changed,
        insertedFiles,
        base,
      })
      outcomes.push({ body })
    } catch (error) {
      outcomes.push({ error })
    }
  }

  return outcomes
}

/** Publishes the commits. Throws Refused for an edit that may not be made. */
async function publishAll(
  ctx: Context,
  { spaceId, repo, heads, quarantine, clearance }: Work & { clearance: Clearance },
  notes: readonly RefMove[],
  steps: readonly (Step | Failed)[],
  outcomes: readonly EditOutcome[],
): Promise<void> {
  const { primary, branch } = heads
  const made = steps.filter(isMade)
  const effects: Effect[] = []

  for (const [i, step] of steps.entries()) {
    const outcome = outcomes[i]!
    if (!isMade(step)) continue
    if ('error' in outcome) throw new Refused(i, outcome.error)
    effects.push(...effectsOfEdit(step, outcome.body))
  }

  const editors = new Set(made.map(({ order }) => order.by.id))
  const to = made.at(-1)!.written.commit
  const moves = [...notes, { ref: branch.ref, from: branch.head, to }]
  const plan = () => {
    const rights = rightsOf(ctx, branch, steps)
    const right = rights.length > 0 ? joinRights(rights) : undefined

    return { moves, effects, right, result: undefined }
  }
  const userId = editors.size === 1 ? made[0]!.order.by.id : null
  const objects = await quarantine.objects()
  const about = { key: spaceId, kind: 'edit-content', userId, clearance }
  await publish(ctx, repo, { ...about, moves, objects, plan })

  for (const step of made) {
    const { commit } = step.written
    rememberRevision(ctx, spaceId, commit)
    if (branch !== primary) rememberChild(ctx, commit, step.base.oid, primary.head)
    const view = viewOfEdit(step)
    if (view) keepView(ctx, spaceId, view)
  }
}

/** Returns the rights to make the edits as rows are now. Throws Refused for one without. */
function rightsOf(ctx: Context, branch: Head, steps: readonly (Step | Failed)[]): PrimaryRight[] {
  return steps.flatMap((step, at) => {
    try {
      return isMade(step) ? (checkMayEdit(ctx, step.order, branch.head) ?? []) : []
    } catch (error) {
      // The transaction fails as a whole, and may run again.
      if (isDatabaseError(error)) throw error
      throw new Refused(at, error)
    }
  })
}
