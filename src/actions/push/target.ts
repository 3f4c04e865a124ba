import { checkPrimaryWriter, type PrimaryRight } from '../../access/guards/primary.ts'
import { atLeast } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import { isUtf8 } from '../../git/protocol/raw-text.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { changeRequestNumberOf, isAmongChangeRequests } from '../repositories/ref-names.ts'
import { checkBranchName, notUtf8 } from './branch-name.ts'
import { listedNames, type Push } from './push.ts'
import { Refused } from './refusals.ts'

const heads = 'refs/heads/'
const proposals = 'refs/for/'

/** What a command asks for, by its ref and the rows. */
export type Target =
  | { kind: 'primary' }
  /** Gives an untouched space its history. */
  | { kind: 'begin' }
  | { kind: 'update'; row: ChangeRequestRow }
  /** Opens a change request, or goes on with the own one that the commit goes on with. */
  | { kind: 'propose' }
  | { kind: 'open'; branch: string }

/**
 * Returns what a command asks for. Throws Refused or a Fault for what can
 * be refused without its commits: the pack need not be read then. Called again in the deciding
 * transaction.
 */
export function targetOf(ctx: Context, push: Push, command: PushCommand): Target {
  const { ref, to } = command
  if (!isUtf8(ref)) throw notUtf8()
  if (ref.startsWith('refs/tags/')) throw new Refused('tags are not taken here')
  if (!ref.startsWith(heads) && !ref.startsWith(proposals))
    throw new Refused('only branches can be pushed')
  if (to === null) throw new Refused('branches are not deleted: archive the change request instead')

  if (ref === push.primary.ref) {
    checkMayMovePrimary(ctx, push)
    return { kind: command === push.begins ? 'begin' : 'primary' }
  }

  if (command === push.begins) {
    // Only its commits, which are not read yet, tell whether the command begins the space or is a
    // proposal, and which scope it requires.
    checkAnyScope(push)
    checkBranchName(ref.slice(heads.length), [])
    return { kind: 'begin' }
  }

  push.checkToken('change-requests')
  if (isAmongChangeRequests(ref)) return { kind: 'update', row: requestOf(ctx, push, ref) }

  const name = ref.startsWith(heads) ? ref.slice(heads.length) : topicOf(ref, push)

  return name === undefined ? { kind: 'propose' } : named(push, name)
}

/** Throws a Fault unless the token can be used for some kind of push. */
function checkAnyScope({ checkToken }: Push): void {
  try {
    checkToken('content')
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'forbidden') throw error
    checkToken('change-requests')
  }
}

/**
 * Returns the right of the pusher to change the primary content directly; undefined if merge rules
 * leave only merges of change requests that fulfil them. Throws otherwise, with a hint at change
 * requests.
 */
export function checkMayMovePrimary(ctx: Context, push: Push): PrimaryRight | undefined {
  const { by, checkToken, space, role } = push
  checkToken('content')
  try {
    return checkPrimaryWriter(ctx, space, { user: by, role }, 'edit')
  } catch (error) {
    if (!(error instanceof Fault) || !atLeast(role, 'edit')) throw error
    if (space.edit_mode === 'locked')
      throw new Refused(
        'The space is locked: change it with a change request',
        adviceToPropose(push),
      )
    return undefined
  }
}

/** Returns the line that says how to propose a change instead. */
export const adviceToPropose = ({ primary }: Push): string =>
  `Propose it: git push <remote> HEAD:${proposals}${primary.name}`

/** Returns the change request with this branch. Throws Refused unless it can be pushed to. */
function requestOf(ctx: Context, { space, primary }: Push, ref: string): ChangeRequestRow {
  const number = changeRequestNumberOf(ref)
  if (number === undefined)
    throw new Refused(
      'a branch below change-requests/ must be named after the number of a change request',
    )

  const row = findChangeRequest(ctx.store, space.id, String(number))

  if (!row)
    throw new Refused(
      `there is no change request ${number}; open one with ${proposals}${primary.name}`,
    )

  return inWork(row)
}

function inWork(row: ChangeRequestRow): ChangeRequestRow {
  if (row.status === 'merged')
    throw new Refused(`change request #${row.number} is merged: push to a new branch`)
  if (row.status === 'archived')
    throw new Refused(`change request #${row.number} is archived: open it again first`)
  return row
}

/**
 * Returns a remark if the `topic` option has no effect because the ref of the command names another
 * branch.
 */
export function adviceOnTopic(ref: string, { options: { topic }, primary }: Push): string[] {
  const name = [heads, `${proposals}${primary.name}/`].flatMap(prefix =>
    ref.startsWith(prefix) ? ref.slice(prefix.length) : [],
  )[0]
  if (topic === undefined || name === undefined || name === topic || isAmongChangeRequests(ref))
    return []
  return [`The option "topic=${topic}" has no effect: the ref names "${name}".`]
}

/**
 * Returns the name in `refs/for/<main>/<name>`, else that of the option; undefined without a name.
 */
function topicOf(ref: string, { options: { topic }, primary }: Push): string | undefined {
  const rest = ref.slice(proposals.length)
  if (rest === primary.name) return topic
  if (rest.startsWith(`${primary.name}/`)) return rest.slice(primary.name.length + 1)
  throw new Refused(
    `the branch of this space is "${primary.name}": push to ${proposals}${primary.name}`,
  )
}

function named(push: Push, name: string): Target {
  const row = push.unmerged.find(({ branch }) => branch === name)
  if (row) return { kind: 'update', row: inWork(row) }
  checkBranchName(name, listedNames(push))
  return { kind: 'open', branch: name }
}
