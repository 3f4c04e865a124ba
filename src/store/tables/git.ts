import type { Generated } from 'kysely'

export type RefTable = { space_id: string; name: string; oid: string }

export type RevisionTable = {
  space_id: string
  seq: number
  oid: string
  tree: string
  parents: string
  author_name: string
  author_email: string
  message: string
  committed_at: number
}

/** How the service made a commit. */
export type ServiceCommitKind = 'create-space' | 'edit' | 'merge' | 'update' | 'import' | 'export'

export type ServiceCommitTable = { space_id: string; oid: string; kind: ServiceCommitKind }

export type PublishedJumpTable = { space_id: string; oid: string; previous: string }

export type RevisionPathTable = {
  space_id: string
  path: string
  seq: number
  status: string
  from_path: string | null
}

export type FormerPathTable = { space_id: string; path: string; seq: number; page_id: string }

export type FormerPathScanTable = { space_id: string; seq: number }

export type BlobFactsTable = { oid: string; version: number; facts: string }

export type BlobMediaTable = {
  oid: string
  size: number
  width: number | null
  height: number | null
}

export type OperationTable = {
  seq: Generated<number>
  id: string
  space_id: string
  kind: string
  user_id: string | null
  moves: string
  effects: string
  answer: string | null
  created_at: string
}

export type GitSyncTable = {
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

export type GitSyncOperationTable = {
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
  request: string
  sealed: string | null
  timestamp: string
  revision: string | null
  error: string | null
  files_added: Generated<number | null>
  files_changed: Generated<number | null>
  files_removed: Generated<number | null>
  created_by: string
  created_at: string
  started_at: string | null
  updated_at: string
  completed_at: string | null
}

export type ContentPurgeTable = {
  seq: Generated<number>
  space_id: string
  blobs: string
  moves: string
  state: Generated<'begun' | 'moved'>
  created_at: string
}

export type RewrittenCommitTable = {
  space_id: string
  old_oid: string
  new_oid: string
}
