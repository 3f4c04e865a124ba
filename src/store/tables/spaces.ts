import type { Generated } from 'kysely'
import type {
  CommenterTable,
  CommentReplyTable,
  CommentTable,
  ReactionTable,
  RequestedReviewerTable,
  ReviewTable,
} from './discussions.ts'
import type { AuditEventTable, WebhookDeliveryTable, WebhookTable } from './events.ts'
import type { LimitsTables } from './limits.ts'
import type { LinksTables } from './links.ts'
import type { OpenapiTables } from './openapi.ts'
import type {
  InvitationTable,
  LinkInviteTable,
  LinkInviteUseTable,
  MemberTable,
  OrganizationKeyTable,
  OrganizationTable,
  RevocationTable,
  TeamMemberTable,
  TeamTable,
  TokenRefusalTable,
  TokenTable,
  UserTable,
} from './people.ts'
import type { SearchTables } from './search.ts'

/** The roles, weakest first: `read < comment < edit < review < create < admin`. */
export type Role = 'read' | 'comment' | 'edit' | 'review' | 'create' | 'admin'
/** A default level: a role, 'inherit', or null for none. */
export type Level = Role | 'inherit' | null
export type ChangeRequestStatus = 'draft' | 'open' | 'archived' | 'merged'

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
  merge_rules: Generated<string>
  position: Generated<number>
  pristine: Generated<number>
  last_change_request: Generated<number>
  open_comments: Generated<number>
  created_by: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
}

type PermissionTable = {
  target_kind: 'space' | 'collection'
  target_id: string
  subject_kind: 'user' | 'team'
  subject_id: string
  role: Role | null
  created_at: string
}

type RefTable = { space_id: string; name: string; oid: string }

type RevisionTable = {
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

type ServiceCommitTable = { space_id: string; oid: string; kind: ServiceCommitKind }

type PublishedJumpTable = { space_id: string; oid: string; previous: string }

type RevisionPathTable = {
  space_id: string
  path: string
  seq: number
  status: string
  from_path: string | null
}

type BlobFactsTable = { oid: string; version: number; facts: string }

type BlobMediaTable = { oid: string; size: number; width: number | null; height: number | null }

type ChangeRequestTable = {
  seq: Generated<number>
  id: string
  space_id: string
  number: number
  status: ChangeRequestStatus
  subject: Generated<string>
  description: string | null
  created_by: string
  created_at: string
  updated_at: string
  revision: string
  revision_initial: string
  revision_merged_ancestor: string | null
  revision_merged: string | null
  merged_by: string | null
  merged_at: string | null
  conversations_issues_cluster: string | null
  open_comments: Generated<number>
}

type ContributorTable = {
  change_request_id: string
  user_id: string
  count: number
  updated_at: string
  /** 0: only updates with the primary content. */
  wrote: Generated<number>
}

type OperationTable = {
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

type IdempotencyTable = {
  user_id: string
  key: string
  request_hash: string
  status: number
  body: string | null
  /** JSON of the headers, by name. */
  headers: Generated<string | null>
  created_at: string
}

type JobTable = {
  seq: Generated<number>
  id: string
  kind: string
  lane: string
  key: string | null
  payload: string
  state: Generated<'waiting' | 'running' | 'dead'>
  attempts: Generated<number>
  run_at: number
  owner: string | null
  error: string | null
  created_at: string
  user_id: string | null
  organization_id: string | null
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

/** Every table, by the name it has in SQL. */
export type Tables = LimitsTables & SearchTables & LinksTables & OpenapiTables & OwnTables

type OwnTables = {
  user: UserTable
  organization: OrganizationTable
  member: MemberTable
  team: TeamTable
  team_member: TeamMemberTable
  token: TokenTable
  token_refusal: TokenRefusalTable
  collection: CollectionTable
  space: SpaceTable
  permission: PermissionTable
  ref: RefTable
  revision: RevisionTable
  revision_path: RevisionPathTable
  service_commit: ServiceCommitTable
  published_jump: PublishedJumpTable
  blob_facts: BlobFactsTable
  blob_media: BlobMediaTable
  change_request: ChangeRequestTable
  change_request_contributor: ContributorTable
  operation: OperationTable
  idempotency: IdempotencyTable
  job: JobTable
  git_sync: GitSyncTable
  git_sync_operation: GitSyncOperationTable
  organization_key: OrganizationKeyTable
  invitation: InvitationTable
  content_purge: ContentPurgeTable
  rewritten_commit: RewrittenCommitTable
  link_invite: LinkInviteTable
  link_invite_use: LinkInviteUseTable
  revocation: RevocationTable
  comment: CommentTable
  comment_reply: CommentReplyTable
  commenter: CommenterTable
  reaction: ReactionTable
  requested_reviewer: RequestedReviewerTable
  review: ReviewTable
  audit_event: AuditEventTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
}
