import type { z } from 'zod'
import { addressesOfChangeRequest } from '../../../actions/app-addresses.ts'
import { descriptionOf } from '../../../actions/change-requests/description.ts'
import type { Mergeability } from '../../../actions/change-requests/mergeability.ts'
import type { Context } from '../../../context.ts'
import type { ContributorRow } from '../../../store/discussions/change-requests.ts'
import type { ChangeRequestRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import type { ChangeRequest, Contributor } from './schema.ts'

type Shown = {
  createdBy: UserRow
  outdated: boolean
  merge?: Mergeability | undefined
  showsRules?: boolean
}

/** Returns a change request as the API shows it. */
export function presentChangeRequest(
  ctx: Context,
  row: ChangeRequestRow,
  { createdBy, outdated, merge, showsRules = false }: Shown,
): z.input<typeof ChangeRequest> {
  const base = ctx.publicUrl()
  const location = `${base}/v1/spaces/${row.space_id}/change-requests/${row.id}`
  return {
    object: 'change-request',
    id: row.id,
    number: row.number,
    status: row.status,
    subject: row.subject,
    ...(row.description !== null && { description: descriptionOf(row) }),
    createdBy: presentUser(createdBy, base),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    space: row.space_id,
    revision: row.revision,
    revisionInitial: row.revision_initial,
    ...(row.revision_merged_ancestor !== null && {
      revisionMergedAncestor: row.revision_merged_ancestor,
    }),
    ...(row.revision_merged !== null && { revisionMerged: row.revision_merged }),
    ...(row.branch !== null && { branch: row.branch }),
    comments: row.open_comments,
    outdated,
    ...(merge && {
      mergeable: merge.conflicts.length === 0 && merge.unmetRules.length === 0,
      conflicts: merge.conflicts,
      ...(showsRules && { unmetRules: merge.unmetRules }),
    }),
    ...(row.conversations_issues_cluster !== null && {
      conversationsIssuesCluster: row.conversations_issues_cluster,
    }),
    urls: { app: addressesOfChangeRequest(base, row).content, location },
  }
}

/** Returns a contributor to a change request with the kind of contribution. */
export const presentContributor = (
  row: Pick<ContributorRow, 'count' | 'updated_at'> & { actionType: 'edit' | 'comment' },
  user: UserRow,
  base: string,
): z.input<typeof Contributor> => ({
  user: presentUser(user, base),
  count: row.count,
  updatedAt: row.updated_at,
  actionType: row.actionType,
})
