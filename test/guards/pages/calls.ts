import { createToken } from '../../../src/actions/people/create-token.ts'
import { openSession } from '../../../src/actions/sso/sessions.ts'
import type { Part } from '../../support/http/multipart.ts'
import { formIn } from '../../workbench/forms.ts'
import { calls as operationCalls } from '../calls/all.ts'
import { type Calls, fresh, own } from '../calls/call.ts'
import { lockedSpace, ruledSpace } from '../calls/content.ts'
import { newSite } from '../calls/sites.ts'
import { putComment, putImportRun, putReply } from '../rows.ts'
import { another, must, newChangeRequest, newSpace, type World } from '../world.ts'
import { conflictingRequest, pageOf } from './conflict.ts'

type Ids = Record<string, string>

const idOf = ({ by }: World, { actor }: { actor: { id: string } }) => actor.id || by.id

/** A page of its own in a space, with the revision that has it. */
async function newPage(world: World, spaceId = world.ids.spaceId as string): Promise<Ids> {
  const path = `/spaces/${spaceId}/content`
  const title = another('Page')
  await must(world.by, 'POST', path, {
    changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.\n' } }],
  })
  const { id, pages } = await must(world.by, 'GET', path)
  const page = pages.find((each: { title: string }) => each.title === title)
  return { spaceId, pageId: page.id, revisionId: id }
}

/** The same, in a change request. */
async function newPageInRequest(world: World, spaceId = world.ids.spaceId as string): Promise<Ids> {
  const changeRequestId = await newChangeRequest(world, spaceId)
  const path = `/spaces/${spaceId}/change-requests/${changeRequestId}/content`
  const { id, pages } = await must(world.by, 'GET', path)
  return { spaceId, changeRequestId, pageId: pages.at(-1).id, revisionId: id }
}

const newRequest = async (world: World, spaceId = world.ids.spaceId as string): Promise<Ids> => ({
  spaceId,
  changeRequestId: await newChangeRequest(world, spaceId),
})

const written = (ids: Ids, more: object = {}) => ({
  ids,
  body: { revision: ids.revisionId, title: another('Title'), body: 'New text.\n', ...more },
})

/** The same, with an image that is added to the text. */
const withImage = (ids: Ids) => ({
  ...written(ids, { do: 'image' }),
  files: [['image', { name: 'a.png', type: 'image/png', bytes: Buffer.from('x') }] satisfies Part],
})

/** A form with a file that becomes a page. */
const withPage = (ids: Ids = {}) => ({
  ids,
  body: {},
  files: [
    ['file', { name: 'a.md', type: 'text/markdown', bytes: Buffer.from('# A\n') }] satisfies Part,
  ],
})

const newImport = ({ app, by, ids }: World): Ids => {
  const organizationId = ids.organizationId as string
  const spaceId = ids.spaceId as string
  return { spaceId, importRunId: putImportRun(app, { organizationId, spaceId }, by.id) }
}

/** The head of a change request, as a form sends it. */
async function withHead({ by }: World, ids: Ids, more: object = {}) {
  const path = `/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}`
  const { revision } = await must(by, 'GET', path)
  return { ids, body: { revision, ...more } }
}

/** A comment of somebody with a reply, on the page or the change request of the world. */
function thread({ app, ids }: World, author: string, changeRequestId: string | null): Ids {
  const spaceId = ids.spaceId as string
  const commentId = putComment(app, { spaceId, changeRequestId }, author)
  return { commentId, replyId: putReply(app, spaceId, commentId, author) }
}

const text = () => another('Text')

function accountToken({ app, by }: World, { id }: { id: string }): Ids {
  const token = { userId: id || by.id, name: 'old' }
  return { tokenId: createToken(app.ctx.store, token, app.ctx.now()).row.id }
}

/** Opens another session of a user; returns its id. */
function otherSession({ app: { ctx }, by }: World, { id }: { id: string }): string {
  const token = { userId: id || by.id, name: 'browser' }
  const { row } = createToken(ctx.store, token, ctx.now())
  const from = { userAgent: undefined, address: '127.0.0.1' }
  return openSession(ctx, row, from, null).row.id
}

const account: Calls = {
  'POST /account/name': fresh(() => ({ body: { displayName: another('Name') } })),
  'POST /account/tokens': fresh(() => ({
    body: { name: another('Token'), level: 'read', days: '7' },
  })),
  'POST /account/tokens/:tokenId/delete': own((world, { actor }) => ({
    ids: accountToken(world, actor),
  })),
  'POST /account/tokens/:tokenId/delete@theirs': fresh(world => ({
    ids: accountToken(world, { id: world.fellow }),
  })),
  'POST /account/sessions': own((world, { actor }) => ({
    body: { end: otherSession(world, actor) },
  })),
  'POST /account/sessions@theirs': fresh(world => ({
    body: { end: otherSession(world, { id: world.fellow }) },
  })),
}

const editor: Calls = {
  'GET /s/:spaceId/edit/:pageId@new': fresh(() => ({ query: '?to=new' })),
  'GET /s/:spaceId/edit/:pageId/links': fresh(({ ids }) => ({ query: `?at=${ids.revisionId}` })),
  'POST /s/:spaceId/edit/:pageId/preview': fresh(({ ids }) => written(ids)),
  'POST /s/:spaceId/import': fresh(() => withPage()),
  'POST /s/:spaceId/changes/:changeRequestId/import': fresh(async world =>
    withPage(await newRequest(world)),
  ),
  'GET /s/:spaceId/imports/:importRunId/live': fresh(() => ({ query: '?status=pending&pages=0' })),
  'POST /s/:spaceId/imports/:importRunId/cancel': fresh(world => ({ ids: newImport(world) })),
  'POST /s/:spaceId/edit/:pageId/images': fresh(() => ({
    body: { name: `${another('Image')}.png`, type: 'image/png', size: '1' },
  })),
  'POST /s/:spaceId/edit/:pageId': fresh(async world =>
    written(await newPage(world), { to: 'new' }),
  ),
  'POST /s/:spaceId/edit/:pageId@publish': fresh(async world =>
    written(await newPage(world), { do: 'publish' }),
  ),
  'POST /s/:spaceId/edit/:pageId@publish-locked': fresh(async world => {
    const ids = await newPage(world, await newSpace(world))
    await must(world.by, 'PATCH', `/spaces/${ids.spaceId}`, { editMode: 'locked' })
    return written(ids, { do: 'publish' })
  }),
  'POST /s/:spaceId/edit/:pageId@image': fresh(({ ids }) => withImage(ids)),
  'POST /s/:spaceId/changes/:changeRequestId/edit/:pageId': fresh(async world =>
    written(await newPageInRequest(world)),
  ),
  'POST /s/:spaceId/changes/:changeRequestId/edit/:pageId@image': fresh(async world =>
    withImage(await newPageInRequest(world)),
  ),
}

/** Entries of tables of contents, in the space and in a change request. */
const organize: Calls = Object.fromEntries(
  (
    [
      ['/s/:spaceId', newPage],
      ['/s/:spaceId/changes/:changeRequestId', newPageInRequest],
    ] as const
  ).flatMap(([base, make]) => [
    [
      `POST ${base}/organize`,
      fresh(async world => ({
        ids: await make(world),
        body: { do: 'group', title: another('Group') },
      })),
    ],
    [
      `POST ${base}/new`,
      fresh(async world => ({ ids: await make(world), body: { title: another('Page') } })),
    ],
    [
      `POST ${base}/delete/:pageId`,
      fresh(async world => {
        const ids = await make(world)
        return { ids, body: { revision: ids.revisionId, links: 'keep' } }
      }),
    ],
  ]),
)

const request = '/s/:spaceId/changes/:changeRequestId'

const review = (what: string) =>
  fresh(async (world: World) =>
    withHead(world, await newRequest(world), { do: what, text: text() }),
  )

/** Returns how a comment of the caller or of somebody else is treated, on the page or in the change request. */
const treated =
  (isInRequest: boolean) =>
  (what: string, whose: 'mine' | 'theirs', more: object = {}) => {
    const make = (world: World, caller: { actor: { id: string } }) => ({
      ids: thread(
        world,
        whose === 'mine' ? idOf(world, caller) : world.fellow,
        isInRequest ? (world.ids.changeRequestId as string) : null,
      ),
      body: { do: what, ...more },
    })
    return whose === 'mine' ? own(make) : fresh(make)
  }
const comment = treated(true)
const onPage = treated(false)

/** Returns how an operation of the API is called, with the fields of a form. */
const as = (operation: string, body: Record<string, string> = {}) => {
  const call = operationCalls[operation]
  if (!call) throw new Error(`How "${operation}" is called, nobody says.`)
  return {
    ...call,
    make: async (world: World, caller: Parameters<typeof call.make>[1]) => ({
      ...(await call.make(world, caller)),
      body,
    }),
  }
}

/** A page of a change request of its own, which its reader marks as viewed. */
async function viewing(world: World) {
  const { pageId = '', spaceId, changeRequestId } = await newPageInRequest(world)
  const path = `/spaces/${spaceId}/change-requests/${changeRequestId}`
  const { number } = await must(world.by, 'GET', path)
  const page = `/app/s/${spaceId}/changes/${number}`
  const html = await pageOf(world, `${page}/pages/${pageId}`)
  const fields = formIn(html, `${page}/viewed/pages/${pageId}`)
  return {
    ids: { spaceId, changeRequestId, kind: 'pages', itemId: pageId } as Ids,
    body: { blob: fields.blob, back: fields.back, viewed: 'yes' },
  }
}

const changes: Calls = {
  'POST /s/:spaceId/changes': fresh(() => ({ body: { subject: another('Subject') } })),
  [`GET ${request}/live`]: fresh(({ ids }) => ({
    query: `?revision=${ids.revisionId}&status=open`,
  })),
  [`POST ${request}/text`]: fresh(() => ({
    body: { subject: another('Subject'), description: text() },
  })),
  [`POST ${request}/status`]: fresh(async world => ({
    ids: await newRequest(world),
    body: { status: 'archived' },
  })),
  [`POST ${request}/update`]: fresh(async world => {
    const ids = await newRequest(world)
    await newPage(world)
    return { ids }
  }),
  [`POST ${request}/merge`]: fresh(async world => withHead(world, await newRequest(world))),
  [`POST ${request}/merge@locked`]: fresh(async world =>
    withHead(world, await newRequest(world, await lockedSpace(world))),
  ),
  [`POST ${request}/merge@rules`]: fresh(async world => {
    const ids = await newRequest(world, await ruledSpace(world))
    const path = `/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}`
    await must(world.by, 'PATCH', path, { subject: '' })
    return withHead(world, ids)
  }),
  [`POST ${request}/merge@bypass`]: fresh(async world => {
    const ids = await newRequest(world, await ruledSpace(world))
    const path = `/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}`
    await must(world.by, 'PATCH', path, { subject: '' })
    return withHead(world, ids, { bypass: 'on' })
  }),
  [`POST ${request}/review`]: review('comment'),
  [`POST ${request}/review@approve`]: review('approved'),
  [`POST ${request}/review@ask`]: review('changes-requested'),
  [`POST ${request}/reviewers`]: fresh(async world => ({
    ids: await newRequest(world),
    body: { user: world.reviewer },
  })),
  [`POST ${request}/comments/:commentId`]: comment('reply', 'theirs', { text: 'A reply.' }),
  [`POST ${request}/comments/:commentId@edit`]: comment('edit', 'mine', { text: 'Other.' }),
  [`POST ${request}/comments/:commentId@edit-theirs`]: comment('edit', 'theirs', {
    text: 'Other.',
  }),
  [`POST ${request}/comments/:commentId@delete`]: comment('delete', 'mine'),
  [`POST ${request}/comments/:commentId@delete-theirs`]: comment('delete', 'theirs'),
  [`POST ${request}/comments/:commentId@resolve`]: comment('resolve', 'theirs'),
  [`POST ${request}/pages/:pageId/comments`]: fresh(() => ({ body: { text: text() } })),
  [`POST ${request}/conflicts`]: fresh(conflictingRequest),
  [`GET ${request}/revert`]: as('revertChangeRequest'),
  [`POST ${request}/revert`]: as('revertChangeRequest', { subject: 'Take it back' }),
  [`POST ${request}/viewed/:kind/:itemId`]: fresh(viewing),
}

const ofPage = 'POST /s/:spaceId/p/:pageId/comments/:commentId'

const comments: Calls = {
  'POST /s/:spaceId/p/:pageId/comments': fresh(() => ({ body: { text: text() } })),
  [ofPage]: onPage('reply', 'theirs', { text: 'A reply.' }),
  [`${ofPage}@edit`]: onPage('edit', 'mine', { text: 'Other.' }),
  [`${ofPage}@edit-theirs`]: onPage('edit', 'theirs', { text: 'Other.' }),
  [`${ofPage}@delete`]: onPage('delete', 'mine'),
  [`${ofPage}@delete-theirs`]: onPage('delete', 'theirs'),
  [`${ofPage}@resolve`]: onPage('resolve', 'theirs'),
}

const member = '/people/:organizationId/members/:userId'

const people: Calls = {
  'POST /organizations': fresh(() => ({ body: { title: another('Org') } })),
  'POST /people/:organizationId/invites': fresh(() => ({
    body: { role: 'read', days: '7', uses: '5' },
  })),
  'POST /people/:organizationId/invites/:inviteId/delete': as('deleteOrganizationInviteById'),
  'POST /people/:organizationId/invites/:inviteId/delete@space': as(
    'deleteOrganizationInviteById@space',
  ),
  [`POST ${member}`]: as('updateMemberInOrganizationById', { role: 'edit' }),
  [`POST ${member}@self`]: as('updateMemberInOrganizationById@self', { role: 'admin' }),
  [`POST ${member}/remove`]: as('removeMemberFromOrganizationById'),
  [`POST ${member}/remove@self`]: as('removeMemberFromOrganizationById@self'),
  'POST /deleted/:organizationId/:spaceId': as('restoreSpace'),
  // The content is another one than that of the revision.
  'POST /s/:spaceId/history/:revisionId/restore': fresh(async world => {
    await newPage(world)
    return { ids: { revisionId: world.ids.revisionId as string }, body: {} }
  }),
}

const ofRedirect = 'POST /sites/:organizationId/:siteId/redirects/:siteRedirectId'

const ofItem = 'POST /sites/:organizationId/:siteId/structure/:itemId'

/** A form of an external link, as an item of the structure. */
const item = (body: object) =>
  fresh(async (world, caller) => {
    const { ids } = await as('deleteSiteExternalLinkById').make(world, caller)
    return {
      ids: { ...ids, itemId: ids?.siteExternalLinkId as string },
      body: { type: 'site-external-link', ...body },
    }
  })

const sites: Calls = {
  'GET /sites/:organizationId/:siteId': as('listSiteRedirects'),
  'GET /sites/:organizationId/:siteId/reads': as('aggregateSiteEvents'),
  'POST /sites/:organizationId/:siteId/redirects': fresh(async world => ({
    ids: await newSite(world),
    body: { lines: `/${another('old').replaceAll(' ', '-')} https://example.org/` },
  })),
  [`${ofRedirect}/delete`]: as('deleteSiteRedirectById'),
  [`${ofRedirect}/publish`]: fresh(async world => {
    const ids = await newSite(world)
    const path = `/orgs/${world.ids.organizationId}/sites/${ids.siteId}/redirects`
    const destination = { kind: 'external', url: 'https://example.org/' }
    const made = await must(world.by, 'POST', path, { source: '/old', destination, draft: true })
    return { ids: { ...ids, siteRedirectId: made.id }, body: {} }
  }),
  'POST /sites/:organizationId/:siteId/external-links': as('addExternalLinkToSite', {
    title: 'Blog',
    url: 'https://example.org/',
  }),
  'POST /sites/:organizationId/:siteId/spaces': fresh(async world => ({
    ids: { siteId: (await newSite(world)).siteId as string },
    body: { space: await newSpace(world), as: 'section' },
  })),
  'POST /sites/:organizationId/:siteId/publish': fresh(async world => ({
    ids: await newSite(world),
    body: { do: 'publish' },
  })),
  'POST /sites/:organizationId/:siteId/publish@unpublish': as('unpublishSite', { do: 'unpublish' }),
  [ofItem]: item({ title: 'Other', url: 'https://example.net/', condition: '' }),
  [`${ofItem}/step`]: item({ do: 'draft' }),
  [`${ofItem}/step@remove`]: item({ do: 'remove' }),
  'POST /sites/:organizationId/:siteId/site-spaces/:siteSpaceId/duplicate':
    as('duplicateSiteSpace'),
  'POST /sites/:organizationId/:siteId/template': as('applyTemplateToSite', {
    template: 'changelog',
  }),
}

const search: Calls = {
  'POST /new/:organizationId/space': fresh(() => ({ body: { title: another('Space') } })),
  'POST /new/:organizationId/site': fresh(() => ({
    body: { title: another('Site'), space: '', audience: 'public', publish: 'on' },
  })),
  'GET /search': fresh(() => ({ query: '?q=guide' })),
}

/** How the pages and forms are called, by the names of the lines of the table. */
export const calls: Calls = {
  ...account,
  ...editor,
  ...organize,
  ...changes,
  ...comments,
  ...people,
  ...sites,
  ...search,
}
