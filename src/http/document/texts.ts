type Text = { description: string; example?: unknown }

/** The parameters of paths that many operations share: description and example. */
export const parameterTexts: Readonly<Record<string, Text>> = {
  organizationId: { description: 'The id of the organization.', example: 'default' },
  spaceId: { description: 'The id of the space.', example: 'looWpcS8APRkxZZpZDQq' },
  collectionId: { description: 'The id of the collection.', example: 'Xb2ktV8p4Q1yRz0s' },
  changeRequestId: {
    description: 'The id of the change request, or its number in the space.',
    example: '1',
  },
  revisionId: {
    description:
      'The id of the revision: the object id of a commit that a branch of the space contains.',
    example: '86cb172d2b6b40bdbd1a2d5d3ee0e1b8d3b7a2f1',
  },
  pageId: {
    description: 'The id of the page. It survives renames and moves.',
    example: 'kD3nQ0pLw9Yt5sVx2B7c',
  },
  fileId: { description: 'The id of the file.', example: 'pT6mZ1rKx4Hd8wQa0N3v' },
  reusableContentId: {
    description: 'The id of the reusable content.',
    example: 'sW5eY9uCq2Jb7fRk4L1g',
  },
  commentId: { description: 'The id of the comment.', example: 'cM4xG8tVz6Pn2hSd9K0j' },
  commentReplyId: { description: 'The id of the reply.', example: 'rA7bN3wXk1Fq5yTe8U2m' },
  reviewId: { description: 'The id of the review.', example: 'vH2jD6sLp0Zc4gRb9W5n' },
  previewLinkId: {
    description: 'The id of the preview link, not its key.',
    example: 'pL7xV2kNq9Ht4mJd6R1c',
  },
  userId: { description: 'The id of the user.', example: 'uQ9kB3mYx7Ws1dFz5T8e' },
  teamId: { description: 'The id of the team.', example: 'tE6rC0nVh4Jg8pLq2X7a' },
  inviteId: { description: 'The id of the invite.', example: 'iN5sK9bUw3Mf7yZx1D4v' },
  invitationId: { description: 'The id of the invitation.', example: 'nV8dL2rXy5Kq1mZt7C4h' },
  tokenId: { description: 'The id of the token, not its secret.', example: 'kY8hJ2tPq6Rc0nWd4G9s' },
  sessionId: { description: 'The id of the browser session.', example: 'wF3kP8sVt1Xe6uBh0Mq4' },
  webhookId: { description: 'The id of the webhook.', example: 'wL3vX7gSb1Tz5mQk9H0r' },
  deliveryId: { description: 'The id of the delivery.', example: 'dF1pM5cYn9Ew3jKa7V2u' },
  eventId: { description: 'The id of the event.', example: 'eZ4qT8xRj2Lh6sBv0N5w' },
  importRunId: { description: 'The id of the import of files.', example: 'iR5nX2cVq8Ld3wYb7T0k' },
  operationId: { description: 'The id of the import or export.', example: 'oG7wU1kDp5Vy9nXc3R6b' },
  specSlug: { description: 'The slug of the OpenAPI spec.', example: 'petstore' },
  siteId: { description: 'The id of the site.', example: 'qS5jT8nWb1Xk4mRv7Z0e' },
  siteSectionId: { description: 'The id of the section.', example: 'bN2hV6kQy9Lc3pDx5T8w' },
  siteSectionGroupId: {
    description: 'The id of the section group.',
    example: 'gJ7rF1sZm4Wt0qKc8H3v',
  },
  siteSpaceId: {
    description: 'The id of the site space, not of its space.',
    example: 'zK4mB9xPd2Rn6wVh1C5y',
  },
  shareLinkId: {
    description: 'The id of the share link, not its key.',
    example: 'lW8cX3tGq5Js7nYb0M2d',
  },
  samlProviderId: { description: 'The id of the SAML provider.', example: 'aP3nK8vQx6Tm1yRc5W0f' },
  oidcProviderId: {
    description: 'The id of the OpenID Connect provider.',
    example: 'jT9wB4hZs2Vd7kLe6X1q',
  },
  siteExternalLinkId: {
    description: 'The id of the external link.',
    example: 'bT4wQ8nXz1Mk6vRp0H3c',
  },
  siteRedirectId: { description: 'The id of the redirect.', example: 'yP1vD5hRk8Zf2tLm6N9s' },
  integrationName: { description: 'The name of the integration, in any case.', example: 'widgets' },
  installationId: { description: 'The id of the installation.', example: 'hR3wY8tBn5Qk1xDz6M0p' },
  status: { description: 'Only items with this status.' },
  metadata: { description: 'With `false`, the answer leaves out Git metadata.' },
  computed: {
    description:
      'With `true`, computed entries of the table of contents are expanded to their pages.',
  },
}

/**
 * The fields of requests and answers that mean the same everywhere: their description, by name, or
 * by the name of the field around them and theirs.
 */
export const fieldTexts: Readonly<Record<string, string>> = {
  id: 'The id: an opaque string that is never reused.',
  title: 'The name that people see.',
  createdAt: 'The time of the creation.',
  updatedAt: 'The time of its last change.',
  expiresAt: 'From this time on it cannot be used.',
  urls: 'The addresses of the resource.',
  'urls.location': 'The address in the API.',
  'urls.app': 'The address for a browser.',
  next: 'Present if there are more items.',
  'next.page': 'The value of `page` for the next part of the list.',
  count: 'The number of items in this answer.',
  items: 'The items of this part of the list.',
  permissions: 'What the caller may do with the resource.',
  'permissions.view': 'Whether the caller may read it.',
  'permissions.access': 'Whether the caller may open it.',
  'permissions.admin': 'Whether the caller has the role `admin`.',
  'permissions.edit': 'Whether the caller may change it.',
  'permissions.create': 'Whether the caller may create content in it.',
  'permissions.delete': 'Whether the caller may delete it.',
  'permissions.reply': 'Whether the caller may reply to it.',
  'permissions.comment': 'Whether the caller may post comments.',
  'permissions.review': 'Whether the caller may submit reviews.',
  'permissions.merge': 'Whether the caller has a role that can merge change requests.',
  'permissions.viewInviteLinks': 'Whether the caller may list its invite links.',
  'permissions.triggerGitSync': 'Whether the caller may start imports and exports.',
  'permissions.installIntegration': 'Whether the caller may install integrations on it.',
  organization: 'The id of the organization.',
  emoji: 'One emoji, which is shown before the title.',
}

/** The titles of tags whose names are not words. */
const tagTitles: Readonly<Record<string, string>> = {
  orgs: 'Organizations',
  sso: 'Single sign-on',
  pdf: 'PDF',
  openapi: 'OpenAPI',
}

/** Returns the title of a tag, as pages show it. */
export function tagTitle(name: string): string {
  const words = name.replaceAll('-', ' ')
  return tagTitles[name] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The description of each tag. */
export const tagTexts: Readonly<Record<string, string>> = {
  service: 'Information about this server and the caller.',
  users: 'The profiles of the people who share an organization with the caller.',
  tokens: 'The tokens of the caller: list, create, revoke.',
  orgs: 'Organizations: their settings, keys and audit events.',
  members: 'Members and guests of an organization: invitations, invite links and joining.',
  teams: 'Groups of members. A role given to a team is given to all its members.',
  sso: 'Single sign-on: identity providers of an organization, and signing in.',
  webhooks: 'Webhooks, their deliveries and redelivery.',
  collections: 'Folders of spaces and other collections.',
  permissions: 'The roles that users and teams are given on spaces and collections.',
  spaces: 'Spaces: each is one Git repository with its own settings.',
  sites: 'Sites: spaces published to readers, their structure, audience and settings.',
  integrations:
    'Integrations: tools with a manifest, installed on organizations and sites, with tokens limited to scopes.',
  content:
    'The pages and files of a space or change request: read by id or path, changed in batches.',
  templates: 'Sets of pages that a space can start from.',
  'change-requests': 'Proposed changes: each is one branch, updated and merged with Git merges.',
  revisions: 'The history of a space: each revision is one commit.',
  reviews: 'Requested reviewers, and the reviews that merge rules take into account.',
  comments: 'Discussions on pages and change requests, with replies and reactions.',
  search: 'Full-text search in one space, or in all spaces that the caller may read.',
  links:
    'Links and backlinks, with the broken ones; what search engines are told; and findings: what is not understood, or leads nowhere.',
  pdf: 'PDFs of spaces, change requests and parts of them.',
  openapi: 'The OpenAPI specs of an organization, which pages can embed.',
  imports: 'Imports of uploaded files, which become pages of a space.',
  git: 'Imports from, and exports to, remote Git repositories.',
}

const header = (description: string, type: 'string' | 'integer', example: unknown) => ({
  description,
  schema: { type },
  example,
})

/** The headers of answers. */
export const headerTexts = {
  'X-Request-Id': header(
    'The id of the request in the log of the server.',
    'string',
    'h3K9dXq2-1f',
  ),
  ETag: header(
    'The version of the answer. Send it in `If-None-Match` to get a 304 while the answer is the same, or in `If-Match` to write only if the resource has not changed.',
    'string',
    '"86cb172d2b6b40bdbd1a2d5d3ee0e1b8d3b7a2f1"',
  ),
  Location: header(
    'The address of what was created.',
    'string',
    'http://127.0.0.1:3000/v1/spaces/looWpcS8APRkxZZpZDQq',
  ),
  'Idempotent-Replayed': header(
    '`true` when the answer is that of an earlier request with the same `Idempotency-Key`.',
    'string',
    'true',
  ),
  'Retry-After': header('The seconds to wait before the next request.', 'integer', 2),
  'RateLimit-Limit': header(
    'The number of requests that the caller may send per minute.',
    'integer',
    6000,
  ),
  'RateLimit-Remaining': header('The number of requests that are left.', 'integer', 5981),
  'RateLimit-Reset': header('The number of seconds until the limit is reset.', 'integer', 1),
  'Stemma-Ignored': header(
    'The query parameters that the operation does not know and has ignored: percent-encoded, separated by commas.',
    'string',
    'utm_source',
  ),
}

/** The introduction of the document, in Markdown. */
export const introduction = [
  'Documentation content as Git: every space is a repository, every revision a commit, every change request a branch.',
  '',
  '**Authentication.** Send `Authorization: Bearer <token>`. Create a token with `stemma token create` on the server, or with `POST /v1/user/tokens`.',
  '',
  '**Errors.** Every error has the body `{"error": {"code": 404, "reason": "not_found", "message": "…"}}`; `code` is the HTTP status, `reason` a stable word for programs, and `message` says what to do. `details` lists invalid fields or conflicts. The status is 404 for something that the caller may not read, and 403 for something that they may read but not do.',
  '',
  '**Lists.** `limit` and `page` page through lists. Send `next.page` of an answer as `page` to get the next page; the last page has no `next`.',
  '',
  '**Conditional requests.** Reads have a strong `ETag` and support `If-None-Match` (304). A write with that `ETag` in `If-Match` is refused with 412 when the resource has changed since; writes of content also take the id of a revision.',
  '',
  '**Retries.** A POST accepts an `Idempotency-Key`, unless its answer contains a secret: for 24 hours, the same request with the same key returns the first answer.',
].join('\n')

/** The description of each error status. */
export const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is not valid: `message` names the first problem, `details.issues` lists all of them.',
  401: 'The token is missing or cannot be used.',
  403: 'The caller may read the resource, but not do this.',
  404: 'The resource does not exist, or the caller may not read it.',
  409: 'The current state does not allow this, or the `Idempotency-Key` was used for another request.',
  412: 'A condition is not met: the resource is not in the state that `If-Match` names, or merge rules are unmet.',
  413: 'The body or the result is too large.',
  415: 'The body is not JSON in UTF-8, or has an unknown encoding.',
  429: 'Too many requests. `Retry-After` is the number of seconds to wait.',
  503: 'The server is busy, or takes no changes at the moment. `Retry-After` is the number of seconds to wait.',
}
