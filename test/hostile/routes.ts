/** The prepared id for each path parameter. */
const known: Record<string, string> = {
  organizationId: 'organization',
  spaceId: 'space',
  collectionId: 'collection',
  changeRequestId: 'changeRequest',
  revisionId: 'revision',
  pageId: 'page',
  fileId: 'file',
  pagePath: 'pagePath',
  userId: 'user',
  tokenId: 'token',
  operationId: 'operation',
  reusableContentId: 'reusableContent',
  commentId: 'comment',
  commentReplyId: 'reply',
  teamId: 'team',
  inviteId: 'invite',
  reviewId: 'review',
  webhookId: 'webhook',
  deliveryId: 'delivery',
  eventId: 'event',
  siteId: 'site',
  siteSectionId: 'siteSection',
  siteSectionGroupId: 'siteSectionGroup',
  siteSpaceId: 'siteSpace',
  shareLinkId: 'shareLink',
  siteExternalLinkId: 'siteExternalLink',
  siteRedirectId: 'siteRedirect',
}

const fallback: Record<string, string> = { organization: 'acme', user: 'admin', pagePath: 'guide' }

/**
 * Returns the path of an operation with ids in place of its parameters; `instead` replaces one of
 * them.
 */
export function fillRoute(
  path: string,
  ids: Record<string, string>,
  instead: Record<string, string> = {},
): string {
  return `/v1${path.replace(/[:*](\w+)/g, (_, name: string) => {
    const id = known[name] ?? ''
    return instead[name] ?? ids[id] ?? fallback[id] ?? 'nothing'
  })}`
}

/** Returns the parameters of a path, in order. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name)

const said = { body: { markdown: 'Well said.' } }
const role = { role: 'read' }

/** Valid bodies of operations that need one, by the end of their path. */
const bodies: [end: RegExp, body: unknown][] = [
  [/\/(?:comments|replies)$/, said],
  [/\/requested-reviewers$/, { users: ['editor'] }],
  [/\/reviews$/, { status: 'approved' }],
  [/\/permissions$/, { ...role, users: ['editor'] }],
  [/\/link-invites\/:\w+$/, role],
  [/\/link-invites$/, role],
  [/\/invites$/, { emails: ['somebody@example.org'] }],
  [/\/webhooks$/, { url: 'https://example.org', events: ['*'], secret: 'x'.repeat(16) }],
  [/\/webhooks\/:\w+$/, { active: true }],
  [/\/share-links\/:\w+$/, { active: true }],
  [/\/section-groups\/:\w+\/sections$/, { sectionId: 'nothing' }],
  [/:organizationId\/teams(?:\/:\w+)?$/, { title: 'Team' }],
]

/** Returns a valid body of an operation on users and discussions; an empty one for others. */
export const bodyFor = (path: string): unknown => bodies.find(([end]) => end.test(path))?.[1] ?? {}
