type Text = { description: string; example?: unknown }

/** The parameters of paths that many operations share, with what they take and an example of each. */
export const parameterTexts: Readonly<Record<string, Text>> = {
  organizationId: { description: 'The id of the organization.', example: 'default' },
  spaceId: { description: 'The id of the space.', example: 'looWpcS8APRkxZZpZDQq' },
  collectionId: { description: 'The id of the collection.', example: 'Xb2ktV8p4Q1yRz0s' },
  changeRequestId: { description: 'The id of the change request, or its number in the space.', example: '1' },
  revisionId: {
    description: 'The id of the revision: the object id of a commit that a branch of the space has reached.',
    example: '86cb172d2b6b40bdbd1a2d5d3ee0e1b8d3b7a2f1',
  },
  pageId: {
    description: 'The id of the page. It survives renames and moves.',
    example: 'kD3nQ0pLw9Yt5sVx2B7c',
  },
  fileId: { description: 'The id of the file.', example: 'pT6mZ1rKx4Hd8wQa0N3v' },
  reusableContentId: { description: 'The id of the reusable content.', example: 'sW5eY9uCq2Jb7fRk4L1g' },
  commentId: { description: 'The id of the comment.', example: 'cM4xG8tVz6Pn2hSd9K0j' },
  commentReplyId: { description: 'The id of the reply.', example: 'rA7bN3wXk1Fq5yTe8U2m' },
  reviewId: { description: 'The id of the review.', example: 'vH2jD6sLp0Zc4gRb9W5n' },
  userId: { description: 'The id of the user.', example: 'uQ9kB3mYx7Ws1dFz5T8e' },
  teamId: { description: 'The id of the team.', example: 'tE6rC0nVh4Jg8pLq2X7a' },
  inviteId: { description: 'The id of the invite.', example: 'iN5sK9bUw3Mf7yZx1D4v' },
  invitationId: { description: 'The id of the invitation.', example: 'nV8dL2rXy5Kq1mZt7C4h' },
  tokenId: { description: 'The id of the token, not its secret.', example: 'kY8hJ2tPq6Rc0nWd4G9s' },
  webhookId: { description: 'The id of the webhook.', example: 'wL3vX7gSb1Tz5mQk9H0r' },
  deliveryId: { description: 'The id of the delivery.', example: 'dF1pM5cYn9Ew3jKa7V2u' },
  eventId: { description: 'The id of the event.', example: 'eZ4qT8xRj2Lh6sBv0N5w' },
  operationId: { description: 'The id of the import or export.', example: 'oG7wU1kDp5Vy9nXc3R6b' },
  specSlug: { description: 'The slug of the OpenAPI description.', example: 'petstore' },
  status: { description: 'Only those with this status.' },
  metadata: { description: 'With `false`, without what Git says of it.' },
  computed: { description: 'With `true`, pages are listed that entries of the table of contents expand to.' },
}

/** The groups of operations, with a line on each. */
export const tagTexts: Readonly<Record<string, string>> = {
  service: 'What this server is, and who the caller is.',
  users: 'The profiles of the people who share an organization with the caller.',
  tokens: 'The tokens of the caller: list, create, revoke.',
  orgs: 'Organizations: their settings, keys and audit events.',
  members: 'The members and guests of an organization, and how people are invited to it and join it.',
  teams: 'Groups of members. What is given to a team is given to all of its members.',
  webhooks: 'Addresses that are called when something happens, with their deliveries.',
  collections: 'Folders of spaces and of other collections.',
  permissions: 'The roles that users and teams are given on spaces and collections.',
  spaces: 'Spaces: one Git repository each, with settings of its own.',
  content:
    'The pages and files of a space or of a change request, read by id or by path, and changed in batches.',
  templates: 'Sets of pages that a space can start from.',
  'change-requests': 'Proposed changes: one branch each, updated and merged with real Git merges.',
  revisions: 'The history of a space: one commit each, with what it changed.',
  reviews: 'Requested reviewers, and the reviews that merge rules count.',
  comments: 'Discussions of pages and of change requests, with replies and reactions.',
  search: 'Full-text search in one space or in all that the caller may read.',
  links: 'Links and backlinks, and which of them are broken.',
  pdf: 'Spaces, change requests and parts of them as PDF.',
  openapi: 'The OpenAPI descriptions of an organization, which pages can show.',
  git: 'Imports from and exports to remote Git repositories.',
}

/** The introduction of the document, in Markdown. */
export const introduction = [
  'Documentation in which every space is a Git repository, every revision a commit, every change request a branch.',
  '',
  '**Authentication.** Send `Authorization: Bearer <token>`. `stemma token create` makes a token on the server, `POST /v1/user/tokens` over HTTP.',
  '',
  '**Errors.** Every error has the body `{"error": {"code": 404, "message": "…"}}`; `code` is the HTTP status and `message` says what to do. `details` lists what is wrong with a request, or what conflicts. What the caller may not read is 404; what they may read but not do is 403.',
  '',
  '**Lists.** `limit` and `page` page through lists. `next.page` of an answer is the `page` of the next one; without `next` there are no more.',
  '',
  '**Conditional requests.** Reads of content carry a strong `ETag` and answer `If-None-Match` with 304. Writes of content take `If-Match` with the id of a revision and answer 412 when the content has changed since.',
  '',
  '**Repeating a request.** A POST takes an `Idempotency-Key`, unless its answer holds a secret: within 24 hours the same request with the same key gets the first answer again.',
].join('\n')

/** What the statuses of errors mean, by status. */
export const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is not valid: `message` names what is wrong, `details.issues` lists all of it.',
  401: 'There is no token, or the token cannot be used.',
  403: 'The caller may read this but not do this.',
  404: 'It does not exist, or the caller may not read it.',
  409: 'The present state does not allow this, or the `Idempotency-Key` was used for another request.',
  412: 'A condition is not met: the content is not at the revision that `If-Match` names, or merge rules are unmet.',
  413: 'The body, or what it asks for, is too large.',
  415: 'The body is not JSON in UTF-8, or has an unknown encoding.',
  429: 'There were too many requests. `Retry-After` says how many seconds to wait.',
}
