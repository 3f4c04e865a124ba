import { changeSteps } from '../../content/edit/apply.ts'
import { needsOf } from '../../content/edit/needs.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../git/values/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { type Clearance, clearContent, joinClearances } from '../clearance/clear-content.ts'
import { type Head, readHeads, readHeadsOf } from '../heads/read-heads.ts'
import { commitOperation } from '../journal/commit-operation.ts'
import type { Effect } from '../journal/effects.ts'
import { isReadOnly } from '../journal/settle-operation.ts'
import { service } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { findOutdated, noteChild, notePublished } from '../revisions/find-outdated.ts'
import { noteIdentities } from '../revisions/identity.ts'
import { noteRevision } from '../revisions/is-revision.ts'
import { keepView, viewRevision } from '../revisions/view-revision.ts'
import { checkMatch, checkMayEdit } from './check-may-edit.ts'
import type { EditOrder } from './edit-content.ts'
import { effectsOfEdit, type MadeEdit, viewOfEdit } from './edit-effects.ts'
import { readSource } from './edit-sources.ts'
import { writeRevision } from './write-revision.ts'

/** A batch of changes that somebody waits for. */
export type Edit = {
  order: EditOrder<unknown>
  /** The revision that a change request began with, where a change goes back to it. */
  origin: Oid | undefined
}

export type EditOutcome = { body: unknown } | { error: unknown }

type Heads = { primary: Head; branch: Head; changeRequest: ChangeRequestRow | undefined }

/** A batch that was applied to what the one before it left; `written` is its commit, unless it changed nothing. */
type Step = Omit<MadeEdit, 'written'> & { written: MadeEdit['written'] | undefined }

/** What edits that are written together build up. */
type Work = {
  repo: Repository
  heads: Heads
  quarantine: Quarantine
  /** The bytes of the files that were written, by id: they cannot be read from the repository yet. */
  fresh: Map<string, Uint8Array>
}

/**
 * Makes edits of one branch, each a commit on top of the one before, and moves the branch once, to the last of them: the
 * disk is waited for once for all. Gives what came of them, in their order; of the first ones only, where the next has to
 * read what these wrote. An edit that cannot be made stands in nobody's way. Hold the space's lock. Throws what
 * `commitOperation` throws, and then none of them was begun.
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
  const notes = made.map(({ written, edits }) => ({ commit: written.commit, identity: edits.identity }))
  const moves = await noteIdentities(repo, notes, service(at), work.quarantine)
  await work.quarantine.flush()
  const cleared = await clearAll(ctx, work, steps)
  if ('error' in cleared)
    // The edits before it are made without it; those behind it stand on it, and are made anew.
    return cleared.at === 0 ? [cleared] : editTogether(ctx, edits.slice(0, cleared.at))

  const outcomes = await presentAll(ctx, heads, steps)
  try {
    const refusal = await commitAll(ctx, { ...work, ...cleared }, moves, steps, outcomes)
    if (!refusal) return outcomes
    // Those behind it stand on it: it is told alone, and they are made anew.
    return edits.length > 1 ? editTogether(ctx, [first]) : [refusal]
  } catch (error) {
    if (!isReadOnly(error)) throw error
    // They were begun: that is said to them alone, not to those that are refused or left for another turn.
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
  let written = false
  for (const edit of edits) {
    if (written && needsOf(view.content, edit.order.changes).structure) break
    const step = await apply(ctx, work, edit, view).catch((error: unknown) => ({ error }))
    steps.push(step)
    if (!isMade(step)) continue
    written = true
    const next = viewOfEdit(step)
    if (!next) break
    view = next
  }
  return steps
}

/** Applies one edit to a revision, and writes its commit into the quarantine. */
async function apply(
  ctx: Context,
  { repo, heads, quarantine, fresh }: Work,
  { order, origin }: Edit,
  base: RevisionView,
): Promise<Step> {
  const { space, changes, by } = order
  const { changeRequest } = heads
  checkMatch(order, base.oid as Oid)
  checkMayEdit(ctx, order, heads.branch.head)
  const source = await readSource(ctx, repo, { spaceId: space.id, view: base, changes, origin, fresh })
  const edits = await inSlices(changeSteps(source, changes))
  const at = ctx.now()
  const writing = { space, changeRequest, by, at, view: base, changes, edits }
  const written = await writeRevision(quarantine, writing)
  for (const file of edits.files.values()) if (file?.bytes) fresh.set(file.oid, file.bytes)
  return { order, base, edits, time: at.toISOString(), written }
}

/** Clears what was written, each commit for its own writer; gives the first one that may not become content. */
async function clearAll(
  ctx: Context,
  { repo, heads }: Work,
  steps: readonly (Step | { error: unknown })[],
): Promise<{ clearance: Clearance } | { at: number; error: unknown }> {
  const clearances: Clearance[] = []
  for (const [at, step] of steps.entries()) {
    if (!isMade(step)) continue
    const beside = [...new Set([step.base.oid as Oid, heads.primary.head])]
    try {
      clearances.push(await clearContent(ctx, repo, step.order, { head: step.written.commit, beside }))
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
    branch === primary || !spaceId ? undefined : await findOutdated(ctx, spaceId, primary.head, [branch])
  const outdated = lacking?.has(branch.head) ?? false
  let row = changeRequest
  const present = async ({ order, base, edits, time, written }: Step): Promise<EditOutcome> => {
    if (row && written) row = { ...row, revision: written.commit, updated_at: time }
    const revision = written?.commit ?? (base.oid as Oid)
    const { outcomes, insertedFiles } = edits
    const edited = { revision, changeRequest: row, outdated, outcomes, insertedFiles, base }
    return { body: await order.present(edited) }
  }
  const outcomes: EditOutcome[] = []
  for (const step of steps)
    outcomes.push('error' in step ? step : await present(step).catch((error: unknown) => ({ error })))
  return outcomes
}

/** Writes down and makes the moves and rows of what was written; gives the refusal where one of the edits may not be made. */
async function commitAll(
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
    try {
      for (const { order } of made) checkMayEdit(ctx, order, branch.head)
    } catch (error) {
      refusal = { error }
      throw error
    }
    const to = made.at(-1)!.written.commit
    return { moves: [...notes, { ref: branch.ref, from: branch.head, to }], effects, result: undefined }
  }
  const userId = editors.size === 1 ? made[0]!.order.by.id : null
  const spaceId = made[0]!.order.space.id
  try {
    await commitOperation(ctx, repo, { spaceId, kind: 'edit-content', userId, clearance, plan })
  } catch (error) {
    if (refusal) return refusal
    throw error
  }
  for (const step of made) {
    const { commit } = step.written
    noteRevision(spaceId, commit)
    if (branch === primary) notePublished(commit)
    else noteChild(commit, step.base.oid as Oid, primary.head)
    const view = viewOfEdit(step)
    if (view) keepView(ctx, spaceId, view)
  }
  return undefined
}
