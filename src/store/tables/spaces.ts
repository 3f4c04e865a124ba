import type { Generated } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import type { MergeRules } from './merge-rules.ts'
import type { Level } from './roles.ts'
import { ofOrganization, table } from './table.ts'

type CollectionTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  parent_id: string | null
  title: string
  description: string | null
  default_level: Level
  position: Generated<number>
  created_at: string
  updated_at: string
}

type SpaceTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  collection_id: string | null
  title: string
  emoji: Generated<string>
  icon: string | null
  visibility: Generated<string>
  edit_mode: Generated<'live' | 'locked'>
  language: string | null
  default_level: Level
  merge_rules: Generated<MergeRules>
  position: Generated<number>
  pristine: Generated<number>
  last_change_request: Generated<number>
  open_comments: Generated<number>
  created_by: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
}

/** The size of the repository of a space when it was last measured. */
type SpaceSizeTable = {
  space_id: string
  bytes: number
  measured_at: string
}

/** A file on its way into a space. */
type UploadTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  user_id: string
  /** The token with which its address was made. */
  token_id: string
  name: string
  /** In bytes, as announced. */
  size: number
  /** The id that Git gives the bytes; null until they have arrived. */
  blob: string | null
  created_at: string
  expires_at: string
}

/** Files that become pages of a space. */
type ImportRunTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  space_id: string
  change_request_id: string | null
  page_id: string | null
  site_id: string | null
  created_by: string
  /** The keys of the uploads. */
  files: string[]
  status: 'pending' | 'in-progress' | 'completed' | 'failed' | 'cancelled'
  /** Why it failed. */
  reason: string | null
  /** The pages, with the names that they have in the batch until they are written. */
  pages: { id: string; path: string; title: string; type: 'page' | 'folder' }[]
  /** What was not taken over. */
  findings: { path: string; message: string }[]
  revision: Oid | null
  created_at: string
  started_at: string | null
  updated_at: string
  completed_at: string | null
}

export const spacesTables = {
  collection: table<CollectionTable>({ scope: ofOrganization, owner: true }),
  space: table<SpaceTable>({
    scope: ['spaceId', 'id'],
    owner: true,
    json: { merge_rules: true },
  }),
  space_size: table<SpaceSizeTable>({ scope: 'derived' }),
  upload: table<UploadTable>({ scope: 'derived' }),
  import_run: table<ImportRunTable>({
    scope: 'derived',
    json: { files: true, pages: true, findings: true },
  }),
}
