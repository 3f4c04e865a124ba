import { z } from 'zod'
import type { WebhookEvent } from './webhook-events.ts'

const described = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description })

const text = (description: string) => described(z.string(), description)
const flag = (description: string) => described(z.boolean(), description).optional()
const texts = (description: string) => described(z.array(z.string()), description)

/** The value of a setting before and after. */
const change = (description: string) =>
  described(
    z.object({
      from: described(z.unknown(), 'The former value.'),
      to: described(z.unknown(), 'The new value.'),
    }),
    description,
  ).optional()

/** The value of a setting of a member before and after. */
const held = (value: z.ZodType, description: string) =>
  described(
    z.object({
      before: described(value, 'The former value.'),
      after: described(value, 'The new value.'),
    }),
    description,
  ).optional()

/** An item of the structure of a site. */
const Item = z.object({
  type: described(
    z.enum(['site-space', 'site-section', 'site-section-group']),
    'What kind of item it is.',
  ),
  id: z.string(),
})

const changed = texts('The names of the settings that changed.')

const revisionId = text('The id of the revision that is the head now.')
const from = described(z.string().nullable(), 'The id of the revision that was the head before.')
const pushed = flag('`true`: the change was pushed with Git.')
const synchronized = flag('`true`: the change was imported from another repository.')
const number = described(z.int(), 'The number of the change request in its space.')
const visibility = text(
  'The audience: `public`, `unlisted`, `share-link`, `visitor-auth` or `private`.',
)
const role = described(z.string().nullable(), 'The role in the organization; null for a guest.')

const roles = z.record(z.string(), z.enum(['member', 'owner']))

const ofMove = { from, pushed, synchronized }
const status = change('The status of the change request before and after.')

const ofDiscussion = {
  changeRequest: text('The id of the change request that it is on.').optional(),
  page: text('The id of the page that it is on.').optional(),
}
const ofReply = { ...ofDiscussion, reply: text('The id of the reply.') }

const ofSync = {
  operationId: text('The id of the import or export.'),
  direction: described(z.enum(['import', 'export']), 'Whether it was an import or an export.'),
  revisionId: text('The id of the revision of the space.').optional(),
  commitId: text('The id of the commit: that of the revision.').optional(),
}

/**
 * What the body of a webhook event has besides `eventFields`: the only details of the audited event
 * that are sent. The OpenAPI document describes them from here.
 */
export const webhookFields = {
  space_created: {
    revisionId: text('The id of its first revision; of a copy, the one that was copied.'),
    parent: text('The id of the collection that the space is in.').optional(),
    from: text('The id of the space that it is a copy of.').optional(),
  },
  space_updated: {
    changed: changed.optional(),
    editMode: change('Who may edit the primary content directly, before and after.'),
    defaultLevel: change('The role of members without one of their own, before and after.'),
    language: change('The language before and after.'),
    parent: change('The id of the collection that the space is in, before and after.'),
    organization: change('The id of the organization of the space, before and after.'),
  },
  space_content_updated: {
    ...ofMove,
    revisionId: revisionId.optional(),
    from: from.optional(),
    number: number.optional(),
    merged: text('The head of the change request that was merged.').optional(),
    purged: texts('The object ids of the files that were removed from the history.').optional(),
  },
  space_gitsync_started: {
    ...ofSync,
    ref: text('The branch or tag of the other repository.'),
    url: text('The address of the other repository.'),
  },
  space_gitsync_completed: {
    ...ofSync,
    state: described(z.enum(['success', 'failure']), 'The result.'),
  },
  change_request_opened: {
    number,
    revisionId: revisionId.optional(),
    status,
    pushed,
  },
  change_request_updated: {
    ...ofMove,
    number: number.optional(),
    changed: changed.optional(),
    status,
    revisionId: revisionId.optional(),
    from: from.optional(),
    mergedAncestor: text('The revision of the primary content that was merged into it.').optional(),
  },
  change_request_merged: {
    number,
    revisionId: text('The id of the merge commit, which is the new head of the primary content.'),
    from,
    merged: text('The head of the change request that was merged.'),
    pushed,
  },
  change_request_archived: { number, status },
  review_requested: { number, users: texts('The ids of the users who are asked for a review.') },
  review_submitted: {
    changeRequest: text('The id of the change request.'),
    number,
    status: text('What the review says: `approved` or `changes-requested`.'),
    revisionId: text('The id of the revision that was reviewed.'),
  },
  comment_created: {
    ...ofDiscussion,
    number: number.optional(),
    review: text('The id of the review that it came with.').optional(),
  },
  comment_resolved: ofDiscussion,
  comment_deleted: ofDiscussion,
  reply_created: ofReply,
  reply_deleted: ofReply,
  space_visibility_updated: {
    previousVisibility: text('The widest audience before.'),
    visibility: text('The widest audience of the sites that show the space now.'),
  },
  site_published: { visibility },
  site_unpublished: { visibility },
  site_updated: {
    changed,
    visibility: change('The audience before and after.'),
    membersOnly: change('Whether only members read it, before and after.'),
    basename: change('Its part of the address, before and after.'),
    adaptiveContent: change('Whether content depends on the visitor, before and after.'),
    agentsContext: change('The setting `agentsContext` before and after.'),
    defaultLevel: change('The role of members on the site, before and after.'),
    timeTravel: change('Whether readers may read former revisions, before and after.'),
    hostname: change('The host name before and after.'),
    proxy: change('The host and path of the proxy, before and after.'),
    defaultSiteSection: change('The id of the default section before and after.'),
    defaultSiteSpace: change('The id of the default site space before and after.'),
    reason: text('The setting of the server that changed it.').optional(),
  },
  site_structure_updated: {
    item: described(Item, 'The site space, section or section group.'),
    change: described(z.enum(['added', 'updated', 'moved', 'removed']), 'What happened to it.'),
    changed: changed.optional(),
    space: text('The id of its space.').optional(),
    spaces: texts('The ids of the spaces that were in the section.').optional(),
    sections: texts('The ids of the sections in the group.').optional(),
    children: described(z.array(Item), 'The items that were in the group.').optional(),
    group: text('The id of the group that the section is in now.').optional(),
    converted: text('The id of the section that was made of the site spaces.').optional(),
  },
  openapi_spec_processed: {
    slug: text('The slug of the spec.'),
    version: described(z.string().nullable(), 'The id of its latest version.').optional(),
    error: text('Why the source gave no version, e.g. `PARSE_ERROR`.').optional(),
  },
  member_joined: {
    role,
    by: text('How: `invite`, `invitation`, `domain` or `sso`.').optional(),
    sso: flag('Whether they sign in through the identity provider of the organization.'),
    invite: text('The id of the invite link.').optional(),
    invitation: text('The id of the invitation.').optional(),
    provider: text('The id of the identity provider.').optional(),
  },
  member_updated: {
    role: held(z.string().nullable(), 'The role before and after; null for a guest.'),
    sso: held(z.boolean(), 'Whether they sign in through the identity provider.'),
    disabled: held(z.boolean(), 'Whether the operator of the server turned the access off.'),
  },
  member_removed: {
    role,
    tokensRevoked: described(z.int(), 'How many tokens and sessions ended.'),
  },
  team_created: { members: texts('The ids of its members.') },
  team_updated: {
    changed: described(
      z.union([z.array(z.string()), roles]),
      'Of a team: the names of the settings that changed. Of its members: the new roles by user id.',
    ),
    added: described(roles, 'The roles of new members by user id.').optional(),
    removed: texts('The ids of the users who were removed.').optional(),
  },
  team_deleted: {},
} satisfies Record<WebhookEvent, z.ZodRawShape>
