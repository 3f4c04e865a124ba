import type { Generated } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import type { Level, Role } from './roles.ts'
import { table } from './table.ts'

/** Who may read earlier versions of a site's spaces on the site. */
type TimeTravel = 'members' | 'readers'

export type SiteVisibility = 'public' | 'unlisted' | 'share-link' | 'visitor-auth'

/** Where a redirect leads. */
export type RedirectDestination =
  | { kind: 'site-section'; siteSectionId: string }
  | { kind: 'site-space'; siteSpaceId: string }
  | { kind: 'site-page'; siteSpaceId: string; pageId: string }
  | { kind: 'external'; url: string }

type SiteTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  type: Generated<string>
  title: string
  visibility: Generated<SiteVisibility>
  /** Whether the readers are users who may read it; its visibility is then "visitor-auth". */
  members_only: Generated<number>
  published: Generated<number>
  published_at: string | null
  basename: string
  hostname: string | null
  proxy_origin: string | null
  withdrawn_hostname: Generated<string | null>
  withdrawn_proxy_origin: Generated<string | null>
  adaptive: Generated<number>
  agents_context: Generated<'included' | 'excluded'>
  default_level: Generated<Level>
  time_travel: Generated<TimeTravel>
  default_section_id: string | null
  default_site_space_id: string | null
  /** The settings that differ from the defaults. */
  customization: Record<string, unknown> | null
  access_version: Generated<number>
  created_by: string | null
  created_at: string
  updated_at: string
}

type SiteHostRuleTable = {
  pattern: string
  named: string
  organization_id: string
  resolved_at: string
}

type SiteSectionGroupTable = {
  seq: Generated<number>
  id: string
  site_id: string
  parent_id: string | null
  title: string
  icon: string | null
  position: number
  /** Whether readers are not shown it. */
  draft: Generated<number>
  created_at: string
}

type SiteSectionTable = {
  seq: Generated<number>
  id: string
  site_id: string
  group_id: string | null
  title: string
  description: string | null
  path: string
  condition: string | null
  icon: string | null
  position: number
  default_site_space_id: string | null
  /** Whether readers are not shown it. */
  draft: Generated<number>
  created_at: string
}

type SiteExternalLinkTable = {
  seq: Generated<number>
  id: string
  site_id: string
  group_id: string | null
  title: string
  description: string | null
  icon: string | null
  url: string
  condition: string | null
  /** Whether readers are not shown it. */
  draft: Generated<number>
  position: number
  created_at: string
}

type SiteSpaceTable = {
  seq: Generated<number>
  id: string
  site_id: string
  section_id: string | null
  space_id: string
  path: string
  condition: string | null
  position: number
  /** The settings that differ from those of the site. */
  override: Record<string, unknown> | null
  /** Whether readers are not shown it. */
  draft: Generated<number>
  created_at: string
}

type SiteAliasTable = {
  seq: Generated<number>
  organization_id: string
  /** Null for a former basename. */
  site_id: string | null
  /** 'organization' for a basename, '' for the root of the site, else the id of a section. */
  scope: string
  path: string
  target_kind: 'site' | 'site-section' | 'site-space'
  target_id: string
  created_at: string
}

type ShareLinkTable = {
  seq: Generated<number>
  id: string
  site_id: string
  name: string
  active: Generated<number>
  key_hash: string
  key_sealed: string
  created_by: string | null
  created_at: string
}

type PreviewLinkTable = {
  seq: Generated<number>
  id: string
  site_id: string
  space_id: string
  change_request_id: string
  key_hash: string
  access_version: number
  created_by: string
  created_at: string
  expires_at: string
}

type SiteVisitorAuthTable = {
  site_id: string
  backend: Generated<'custom' | 'integration'>
  integration: string | null
  fallback_url: string | null
  key_sealed: string
  key_version: Generated<number>
  updated_at: string
}

type SiteSchemaTable = {
  site_id: string
  json_schema: Record<string, unknown>
  updated_at: string
}

type SiteRedirectTable = {
  seq: Generated<number>
  id: string
  site_id: string
  source: string
  source_folded: string
  destination: RedirectDestination
  /** Whether it waits to be published: it is not followed. */
  draft: Generated<number>
  /** Whether what "*" stands for in an address is appended to the destination. */
  capture_wildcard: Generated<number>
  permanent: Generated<number>
  created_at: string
  updated_at: Generated<string | null>
}

type SitePermissionTable = {
  site_id: string
  subject_kind: 'user' | 'team'
  subject_id: string
  role: Role
  created_at: string
}

export type FeedbackRating = 'yes' | 'partly' | 'no'

type PageFeedbackTable = {
  site_id: string
  site_space_id: string
  page_id: string
  revision: Oid
  day: string
  rating: FeedbackRating
  count: number
}

type PageFeedbackReaderTable = {
  site_space_id: string
  page_id: string
  /** A digest of the reader's address. */
  reader: string
  day: string
  revision: Oid
  rating: FeedbackRating
}

/** What readers do on a site, as sums. '' stands for no site space, page or words. */
type SiteEventTable = {
  site_id: string
  /** In UTC. */
  day: string
  kind: string
  site_space_id: string
  page_id: string
  /** The words of a search. */
  words: string
  /** 1: the search found nothing. */
  in_vain: number
  count: number
}

export const sitesTables = {
  site: table<SiteTable>({ scope: 'any', json: { customization: true } }),
  site_host_rule: table<SiteHostRuleTable>({ scope: 'any' }),
  site_section_group: table<SiteSectionGroupTable>({ scope: 'any' }),
  site_section: table<SiteSectionTable>({ scope: 'any' }),
  site_external_link: table<SiteExternalLinkTable>({ scope: 'any' }),
  site_space: table<SiteSpaceTable>({ scope: 'any', json: { override: true } }),
  site_alias: table<SiteAliasTable>({ scope: 'any' }),
  share_link: table<ShareLinkTable>({ scope: 'any' }),
  preview_link: table<PreviewLinkTable>({ scope: 'any' }),
  site_visitor_auth: table<SiteVisitorAuthTable>({ scope: 'any' }),
  site_schema: table<SiteSchemaTable>({ scope: 'any', json: { json_schema: true } }),
  site_redirect: table<SiteRedirectTable>({ scope: 'any', json: { destination: true } }),
  site_permission: table<SitePermissionTable>({ scope: 'any' }),
  site_event: table<SiteEventTable>({ scope: 'derived' }),
  page_feedback: table<PageFeedbackTable>({ scope: 'derived' }),
  page_feedback_reader: table<PageFeedbackReaderTable>({ scope: 'derived' }),
}
