import type { z } from 'zod'
import { atLeast } from '../../access/roles.ts'
import type { ChangeRequestCounts } from '../../store/discussions/change-requests.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { GitSyncRow, SpaceRow } from '../../store/tables/rows.ts'
import { presentGitSync } from '../git/present.ts'
import type { Space } from './schema.ts'

type Resource = z.input<typeof Space>

/** What a space's resource shows beside its row. */
export type SpaceFacts = {
  /** The role of the one who looks. */
  role: Role
  /** True when nothing but the role stands between the one who looks and writing the primary content. */
  free: boolean
  revision: string
  counts: ChangeRequestCounts
  gitSync: GitSyncRow | undefined
}

const plainEmoji = '📄'

/** A space as somebody with this role sees it. `base` is what `urls.*` begin with. */
export function presentSpace(row: SpaceRow, facts: SpaceFacts, base: string): Resource {
  const location = `${base}/v1/spaces/${row.id}`
  return {
    object: 'space',
    id: row.id,
    title: row.title,
    emoji: row.emoji || plainEmoji,
    visibility: row.visibility as Resource['visibility'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    editMode: row.edit_mode,
    mergeRules: JSON.parse(row.merge_rules) as Resource['mergeRules'],
    urls: { location, app: location, ...(row.icon !== null && { icon: row.icon }) },
    organization: row.organization_id,
    ...(row.collection_id !== null && { parent: row.collection_id }),
    ...(row.language !== null && { language: row.language as NonNullable<Resource['language']> }),
    ...(facts.gitSync && { gitSync: presentGitSync(facts.gitSync) }),
    revision: facts.revision,
    defaultLevel: row.default_level,
    comments: row.open_comments,
    changeRequests: facts.counts.total,
    changeRequestsOpen: facts.counts.open,
    changeRequestsDraft: facts.counts.draft,
    permissions: permissionsOf(row, facts),
  }
}

function permissionsOf(row: SpaceRow, { role, free }: SpaceFacts): Resource['permissions'] {
  const admin = role === 'admin'
  const live = row.edit_mode === 'live'
  const reviews = atLeast(role, 'review')
  return {
    view: true,
    access: true,
    admin,
    viewInviteLinks: admin,
    edit: atLeast(role, 'edit'),
    triggerGitSync: reviews || (live && free && atLeast(role, 'edit')),
    comment: atLeast(role, 'comment'),
    // Whether the merge rules are met is told for each change request, when it is merged.
    merge: atLeast(role, live ? 'edit' : 'review'),
    review: reviews,
    installIntegration: admin,
  }
}
