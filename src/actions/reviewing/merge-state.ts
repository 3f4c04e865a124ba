import { mayBypass, mergeRulesOf } from '../../access/guards/primary.ts'
import { atLeast } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { listSitesWithSpace } from '../../store/sites/sites.ts'
import type { MergeRule } from '../../store/tables/merge-rules.ts'
import type { UnmetRule } from '../change-requests/merge-rules.ts'
import { findMergeability } from '../change-requests/mergeability.ts'
import type { ConflictingFile } from '../revisions/name-conflicts.ts'
import { baseOfSite } from '../sites/addresses.ts'
import type { OpenRequest } from './open-request.ts'

/** What a merge of a change request would do, and what stands in its way. */
export type MergeState = {
  /** The rules of the space, each with how to meet it if it is not met. */
  rules: readonly { rule: MergeRule; unmet: UnmetRule | undefined }[]
  conflicts: readonly ConflictingFile[]
  /** Git cannot merge the two at all. */
  isImpossible: boolean
  /** The role that the user lacks for a merge. */
  lacksRole: 'edit' | 'review' | undefined
  /** The user may merge although rules are not met. */
  mayBypass: boolean
  /** The addresses of the published sites that show the space, oldest first. */
  sites: readonly string[]
}

/**
 * Returns what a merge by the user would do. Undefined for a change request that is merged or
 * archived. May take the space's lock: do not hold it.
 */
export async function mergeStateOf(
  ctx: Context,
  { request, outdated, open, user, role }: OpenRequest,
): Promise<MergeState | undefined> {
  if (request.status === 'merged' || request.status === 'archived') return undefined
  const { space } = open
  const found = await findMergeability(ctx, { space, row: request, outdated, by: user })
  const needed = space.edit_mode === 'locked' ? 'review' : 'edit'
  const rules = mergeRulesOf(ctx, space).filter(({ rule }) => rule !== 'allow_bypass')
  const unmet = [...(found?.unmetRules ?? [])]

  return {
    rules: rules.map(rule => {
      // The unmet rules are in the order of the rules.
      const isUnmet = unmet[0]?.rule === rule.rule && unmet[0]
      return { rule, unmet: isUnmet ? unmet.shift() : undefined }
    }),
    conflicts: found?.conflicts ?? [],
    isImpossible: found === undefined,
    lacksRole: atLeast(role, needed) ? undefined : needed,
    mayBypass: mayBypass(ctx, space, { user, role }),
    sites: listSitesWithSpace(ctx.store, space.id)
      .filter(({ published }) => published === 1)
      .map(site => baseOfSite(ctx, site)),
  }
}
