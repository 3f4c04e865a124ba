import type {
  ChangeRequestTable,
  CommenterTable,
  CommentReplyTable,
  CommentTable,
  ContributorTable,
  ReactionTable,
  RequestedReviewerTable,
  ReviewTable,
} from './discussions.ts'
import type {
  AuditEventTable,
  IdempotencyTable,
  JobTable,
  WebhookDeliveryTable,
  WebhookTable,
} from './events.ts'
import type {
  BlobFactsTable,
  BlobMediaTable,
  ContentPurgeTable,
  FormerPathScanTable,
  FormerPathTable,
  GitSyncOperationTable,
  GitSyncTable,
  OperationTable,
  PublishedJumpTable,
  RefTable,
  RevisionPathTable,
  RevisionTable,
  RewrittenCommitTable,
  ServiceCommitTable,
} from './git.ts'
import type { IntegrationsTables } from './integrations.ts'
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
  PermissionTable,
  RevocationTable,
  TeamMemberTable,
  TeamTable,
  TokenRefusalTable,
  TokenTable,
  UserTable,
} from './people.ts'
import type { SearchTables } from './search.ts'
import type { SitesTables } from './sites.ts'
import type { CollectionTable, SpaceTable } from './spaces.ts'
import type { SsoTables } from './sso.ts'

/** Every table, by its name in SQL. */
export type Tables = LimitsTables &
  SearchTables &
  LinksTables &
  OpenapiTables &
  SitesTables &
  SsoTables &
  IntegrationsTables &
  OwnTables

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
  former_path: FormerPathTable
  former_path_scan: FormerPathScanTable
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
