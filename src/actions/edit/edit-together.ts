import { joinRights, type PrimaryRight } from '../../access/guards/primary.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
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

type EditOutcome = { body: unknown } | { error: unknown }

type Heads = { primary: Head; branch: Head; changeRequest: ChangeRequestRow | undefined }

/**
 * A batch applied to the result of the one before; `written` is its commit, undefined if it changed
 * nothing.
 */
type Step = Omit<MadeEdit, 'written'> & { written: MadeEdit['written'] | undefined }

/** The state that edits written together share. */
type Work = {
  repo: Repository
  heads: Heads
  quarantine: Quarantine
  /**
   * The bytes of the files written so far, by blob id: they cannot be read from the repository yet.
   */
  fresh: Map<string, Uint8Array>
}

/**
 * Applies edits to one branch, each as a commit on top of the one before, and moves the branch
 * once, to the last of them: one wait for the disk for all. Returns their outcomes in order; those
 * of the first edits only, if the next one has to read what they wrote. A failing edit does not
 * affect the others. Hold the space's lock. Throws what `publish` throws; no edit was begun then.
 */
export async function editTogether(ctx: Context, edits: readonly Edit[]): Promise<EditOutcome[]> {
  const [first] = edits as [Edit, ...Edit[]]
  const repo = spaceRepository(ctx, first.order.space.id)
  const heads = await headsOf(ctx, first.order)
  const work: Work = { repo, heads, quarantine: openQuarantine(repo), fresh: new Map() }
  const steps = await applyAll(ctx, work, edits)
  const made = steps.filter(isMade)
  if (made.length === 0) return presentAll(ctx, heads, steps)

  const at = ctx.now()
  const notes = made.map(({ written, edits }) => ({
    commit: written.commit,
    identity: edits.identity,
  }))
  const moves = await writeIdentityNotes(repo, notes, service(at), work.quarantine)
  const cleared = await clearAll(ctx, work, steps)
  if ('error' in cleared)
    // The edits before it are made without it; the later ones build on it and are applied again.
    return cleared.at === 0 ? [cleared] : editTogether(ctx, edits.slice(0, cleared.at))
  await work.quarantine.flush()

  const outcomes = await presentAll(ctx, heads, steps)

  try {
    const refusal = await publishAll(ctx, { ...work, ...cleared }, moves, steps, outcomes)
    if (!refusal) return outcomes
    // The later edits build on the refused one: report it alone and apply them again.
    return edits.length > 1 ? editTogether(ctx, [first]) : [refusal]
  } catch (error) {
    if (!isReadOnly(error)) throw error
    // These edits were begun; edits that were refused or left for another turn keep their own
    // outcome.
    return outcomes.map(outcome => ('error' in outcome ? outcome : { error }))
  }
}

const isMade = (step: Step | { error: unknown }): step is MadeEdit =>
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
): Promise<(Step | { error: unknown })[]> {
  const steps: (Step | { error: unknown })[] = []
  let view = await viewRevision(ctx, edits[0]!.order.space.id, work.heads.branch.head)
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
  { repo, heads, quarantine, fresh }: Work,
  { order, origin }: Edit,
  base: RevisionView,
): Promise<Step> {
  const { space, changes, by } = order
  const { changeRequest } = heads
  checkMatch(order, base.oid)
  checkMayEdit(ctx, order, heads.branch.head)
  const quarantined = base.oid === heads.branch.head ? undefined : { fresh }
  const applying = { spaceId: space.id, view: base, changes, origin, quarantined }
  const edits = await applyToRevision(ctx, repo, applying)
  const at = ctx.now()
  const writing = { space, changeRequest, by, at, view: base, changes, edits }
  const written = await writeRevision(quarantine, writing)

  for (const file of edits.files.values()) if (file?.bytes) fresh.set(file.oid, file.bytes)

  return { order, base, edits, time: at.toISOString(), written }
}

/** Clears each commit for its own author. Returns the first one that may not become content. */
async function clearAll(
  ctx: Context,
  { repo, heads, quarantine }: Work,
  steps: readonly (Step | { error: unknown })[],
): Promise<{ clearance: Clearance } | { at: number; error: unknown }> {
  const clearances: Clearance[] = []
  for (const [at, step] of steps.entries()) {
    if (!isMade(step)) continue
    const beside = [...new Set([step.base.oid, heads.primary.head])]
    const writer = { ...step.order, quarantine }
    try {
      clearances.push(await clearContent(ctx, repo, writer, { head: step.written.commit, beside }))
    } catch (error) {
      return { at, error }
    }
  }

  return { clearance: joinClearances(clearances) }
}

async function presentAll(
  ctx: Context,
  heads: Heads,
  steps: readonly (Step | { error: unknown })[],
): Promise<EditOutcome[]> {
  const { primary, branch, changeRequest } = heads
  const spaceId = steps.find(step => 'order' in step)?.order.space.id
  const lacking =
    branch === primary || !spaceId
      ? undefined
      : await findOutdated(ctx, spaceId, primary.head, [branch])
  const outdated = lacking?.has(branch.head) ?? false
  let row = changeRequest
  const present = async ({ order, base, edits, time, written }: Step): Promise<EditOutcome> => {
    if (row && written) row = { ...row, revision: written.commit, updated_at: time }
    const revision = written?.commit ?? base.oid
    const { outcomes, insertedFiles } = edits
    const edited = { revision, changeRequest: row, outdated, outcomes, insertedFiles, base }
    return { body: await order.present(edited) }
  }
  const outcomes: EditOutcome[] = []

  for (const step of steps)
    outcomes.push(
      'error' in step ? step : await present(step).catch((error: unknown) => ({ error })),
    )

  return outcomes
}

/** Publishes the commits. Returns the refusal if one of the edits may not be made. */
async function publishAll(
  ctx: Context,
  { repo, heads, clearance }: Work & { clearance: Clearance },
  notes: readonly RefMove[],
  steps: readonly (Step | { error: unknown })[],
  outcomes: readonly EditOutcome[],
): Promise<{ error: unknown } | undefined> {
  const { primary, branch } = heads
  const made = steps.filter(isMade)
  const effects: Effect[] = []

  for (const [i, step] of steps.entries()) {
    const outcome = outcomes[i]!
    if (!isMade(step)) continue
    if ('error' in outcome) return outcome
    effects.push(...effectsOfEdit(step, outcome.body))
  }

  const editors = new Set(made.map(({ order }) => order.by.id))
  let refusal: { error: unknown } | undefined
  const plan = () => {
    let rights: PrimaryRight[] = []
    try {
      rights = made.flatMap(({ order }) => checkMayEdit(ctx, order, branch.head) ?? [])
    } catch (error) {
      refusal = { error }
      throw error
    }

    const to = made.at(-1)!.written.commit
    const moves = [...notes, { ref: branch.ref, from: branch.head, to }]
    const right = rights.length > 0 ? joinRights(rights) : undefined

    return { moves, effects, right, result: undefined }
  }
  const userId = editors.size === 1 ? made[0]!.order.by.id : null
  const spaceId = made[0]!.order.space.id

  try {
    await publish(ctx, repo, { spaceId, kind: 'edit-content', userId, clearance, plan })
  } catch (error) {
    if (refusal) return refusal
    throw error
  }

  for (const step of made) {
    const { commit } = step.written
    rememberRevision(ctx, spaceId, commit)
    if (branch !== primary) rememberChild(ctx, commit, step.base.oid, primary.head)
    const view = viewOfEdit(step)
    if (view) keepView(ctx, spaceId, view)
  }

  return undefined
}
