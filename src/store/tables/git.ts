import type { Generated } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { ofSpace, table } from './table.ts'

type RefTable = { space_id: string; name: string; oid: Oid }

/** The state of a repository whose refs are in rows. */
type GitStateTable = { space_id: string; seq: number; epoch: string; head: string; mark: string }

/** A part of a pack. */
type GitLogTable = {
  space_id: string
  seq: number
  part: number
  kind: 'pack' | 'base'
  bytes: Uint8Array
  mark: string
  put_at: Generated<string>
}

type RevisionTable = {
  space_id: string
  seq: number
  oid: Oid
  tree: Oid
  parents: Oid[]
  author_name: string
  author_email: string
  message: string
  committed_at: number
}

type TextOfSides<Value> = { base: Value; ours: Value; theirs: Value }

/** A file that an import or export conflicted in, with the places where its texts differ. */
type SyncConflict = {
  path: string
  type: string
  hunks?: ({ hunk: string } & TextOfSides<string> & { lines: TextOfSides<number> })[]
}

/** How the service made a commit. */
export type ServiceCommitKind = 'create-space' | 'edit' | 'merge' | 'update' | 'import' | 'export'

type ServiceCommitTable = { space_id: string; oid: Oid; kind: ServiceCommitKind }

type PublishedJumpTable = { space_id: string; oid: Oid; previous: Oid }

type FolderChangeTable = {
  space_id: string
  path: string
  blob: Oid
  changed_at: number | null
  author_name: string | null
}

type RevisionPathTable = {
  space_id: string
  path: string
  seq: number
  status: string
  from_path: string | null
}

type FormerPathTable = { space_id: string; path: string; seq: number; page_id: string }

type FormerPathScanTable = { space_id: string; seq: number }

/**
 * The facts of a page or its links as JSON text: their readers parse thousands of them in slices,
 * and weigh them by the length of the text.
 */
type BlobFactsTable = { oid: Oid; version: number; facts: string }

type BlobMediaTable = {
  oid: Oid
  size: number
  width: number | null
  height: number | null
}

/** A move of a ref; null: it does not exist. */
type Move = { ref: string; from: Oid | null; to: Oid | null }

type OperationTable = {
  seq: Generated<number>
  id: string
  space_id: string
  kind: string
  user_id: string | null
  moves: readonly Move[]
  /** The row changes that follow, in their order. */
  effects: object[]
  /** The answer to replay for the Idempotency-Key `to`; `body` is the text that was sent. */
  answer: {
    to: { userId: string; key: string; requestHash: string }
    status: number
    body: string
  } | null
  created_at: string
}

type GitSyncTable = {
  space_id: string
  repo_name: string | null
  provider: string | null
  url: string | null
  repo_tree_url: string | null
  repo_commit_url: string | null
  project_directory: string | null
  ref: string | null
  last_timestamp: string | null
  updated_at: string | null
}

type GitSyncOperationTable = {
  seq: Generated<number>
  id: string
  space_id: string
  direction: 'import' | 'export'
  state: 'queued' | 'running' | 'success' | 'failure'
  stage: 'repo_fetch' | 'config_check' | 'content_process' | 'finalize' | null
  completed_tasks: Generated<number>
  dispatched_tasks: Generated<number>
  ref: string
  url: string
  request: object
  sealed: string | null
  timestamp: string
  revision: Oid | null
  error: { message: string; conflicts?: SyncConflict[] } | null
  files_added: Generated<number | null>
  files_changed: Generated<number | null>
  files_removed: Generated<number | null>
  created_by: string
  created_at: string
  started_at: string | null
  updated_at: string
  completed_at: string | null
}

type ContentPurgeTable = {
  seq: Generated<number>
  space_id: string
  blobs: Oid[]
  moves: readonly Move[]
  state: Generated<'begun' | 'moved'>
  created_at: string
}

type RewrittenCommitTable = {
  space_id: string
  old_oid: Oid
  new_oid: Oid
}

export const gitTables = {
  ref: table<RefTable>({ scope: ofSpace }),
  git_state: table<GitStateTable>({ scope: ofSpace, engine: 'postgres' }),
  git_log: table<GitLogTable>({ scope: 'derived', engine: 'postgres' }),
  revision: table<RevisionTable>({ scope: ofSpace, json: { parents: true } }),
  revision_path: table<RevisionPathTable>({ scope: ofSpace }),
  former_path: table<FormerPathTable>({ scope: 'derived' }),
  former_path_scan: table<FormerPathScanTable>({ scope: 'derived' }),
  service_commit: table<ServiceCommitTable>({ scope: ofSpace }),
  published_jump: table<PublishedJumpTable>({ scope: ofSpace }),
  folder_change: table<FolderChangeTable>({ scope: ofSpace }),
  blob_facts: table<BlobFactsTable>({ scope: 'derived' }),
  blob_links: table<BlobFactsTable>({ scope: 'derived' }),
  blob_media: table<BlobMediaTable>({ scope: 'derived' }),
  operation: table<OperationTable>({
    scope: 'derived',
    json: { moves: true, effects: true, answer: true },
  }),
  git_sync: table<GitSyncTable>({ scope: ofSpace }),
  git_sync_operation: table<GitSyncOperationTable>({
    scope: 'derived',
    owner: true,
    json: { request: true, error: true },
  }),
  content_purge: table<ContentPurgeTable>({ scope: 'any', json: { blobs: true, moves: true } }),
  rewritten_commit: table<RewrittenCommitTable>({ scope: 'any' }),
}
