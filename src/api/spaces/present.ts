import type { z } from 'zod'
import { atLeast } from '../../access/roles.ts'
import { addressesInApp } from '../../actions/app-addresses.ts'
import type { ChangeRequestCounts } from '../../store/discussions/change-requests.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { GitSyncRow, SpaceRow } from '../../store/tables/rows.ts'
import { presentGitSync } from './git/present.ts'
import type { Space } from './schema.ts'

type Resource = z.input<typeof Space>

/** The facts of a space's resource besides its row. */
type SpaceFacts = {
  /** The viewer's role. */
  role: Role
  /** True when only the role limits the viewer's writes to the primary content. */
  free: boolean
  revision: string
  counts: ChangeRequestCounts
  gitSync: GitSyncRow | undefined
  /** The address at which a site shows it. */
  published: string | undefined
}

const plainEmoji = '📄'

/** Returns a space as a user with this role sees it. `base` is the prefix of `urls.*`. */
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
    mergeRules: row.merge_rules,
    urls: {
      location,
      app: addressesInApp(base, row.id).content,
      git: `${base}/${row.id}.git`,
      ...publishedUrls(row, facts.published),
      ...(row.icon !== null && { icon: row.icon }),
    },
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

/**
 * Returns a space as a reader of a site gets it: what its rows say about work on the space is left
 * out or constant.
 */
export function presentSpaceToReader(row: SpaceRow, revision: string, base: string): Resource {
  const location = `${base}/v1/spaces/${row.id}`
  return {
    object: 'space',
    id: row.id,
    title: row.title,
    emoji: row.emoji || plainEmoji,
    visibility: row.visibility as Resource['visibility'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    editMode: 'locked',
    mergeRules: { type: 'none' },
    urls: { location, app: location, ...(row.icon !== null && { icon: row.icon }) },
    organization: row.organization_id,
    ...(row.language !== null && { language: row.language as NonNullable<Resource['language']> }),
    revision,
    defaultLevel: 'inherit',
    comments: 0,
    changeRequests: 0,
    changeRequestsOpen: 0,
    changeRequestsDraft: 0,
    permissions: onlyView,
  }
}

/** Returns a space with its published address; undefined leaves the resource as it is. */
export const withPublished = (space: Resource, published: string | undefined): Resource => ({
  ...space,
  urls: { ...space.urls, ...publishedUrls(space, published) },
})

/** Returns the `urls` that a published address adds to a resource of a space. */
export const publishedUrls = (
  { visibility }: { visibility: string },
  published: string | undefined,
): { published?: string; public?: string } =>
  published === undefined
    ? {}
    : { published, ...(visibility === 'public' && { public: published }) }

const onlyView: Resource['permissions'] = {
  view: true,
  access: false,
  admin: false,
  viewInviteLinks: false,
  edit: false,
  triggerGitSync: false,
  comment: false,
  merge: false,
  review: false,
  installIntegration: false,
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
    // Merge rules are checked per change request, at the merge.
    merge: atLeast(role, live ? 'edit' : 'review'),
    review: reviews,
    installIntegration: admin,
  }
}
