import { sql } from 'kysely'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { randomId } from '../../src/lib/digest.ts'
import { putGitSync } from '../../src/store/git/git-sync.ts'
import { sqlRows } from '../../src/store/store.ts'
import { type Actor, type App, actor } from '../support/app.ts'
import { commitFiles } from '../support/git/repo.ts'
import { publishedSite, readingToken } from '../support/sites.ts'
import { grant, join, levels } from './callers.ts'
import { at, putImportRun } from './rows.ts'

/** The values of path parameters by name. */
export type Ids = Record<string, string>

/** An organization with one of everything, and helpers to create more. */
export type World = {
  app: App
  /** An admin of the organization, and the author of everything in it. */
  by: Actor
  ids: Ids
  /** A collection in that of the space. */
  shelf: string
  /** A plain member outside the table's columns. */
  fellow: string
  /** A member with the role "review" outside the table's columns. */
  reviewer: string
}

let counter = 0
/** Returns a different text each time. */
export const another = (word: string): string => `${word}-${++counter}`

/** Returns the answer to a request of `by` that has to succeed. */
export async function must(by: Actor, method: string, path: string, body?: unknown) {
  const reply = await by.request(method, `/v1${path}`, body)
  if (reply.status >= 300)
    throw new Error(`${method} ${path} answered ${reply.status} ${reply.text}`)
  return reply.body
}

/** Creates an empty collection in that of the world's space. */
export const newCollection = async ({ by, ids }: Pick<World, 'by' | 'ids'>): Promise<string> =>
  (
    await must(by, 'POST', `/orgs/${ids.organizationId}/collections`, {
      title: another('Shelf'),
      parent: ids.collectionId,
    })
  ).id

/** Creates a space in the world's collection; "guest+" may read it. */
export async function newSpace(
  { app, by, ids }: Pick<World, 'app' | 'by' | 'ids'>,
  settings: object = {},
): Promise<string> {
  const { id } = await must(by, 'POST', `/orgs/${ids.organizationId}/spaces`, {
    title: another('Space'),
    parent: ids.collectionId,
    ...settings,
  })
  if (ids.organizationId === 'acme') grant(app, 'space', id, 'guest+', 'read')
  return id
}

export const insertPage = (title: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: `About ${title}.\n` } }],
})

/** An open change request with a page of its own. */
export async function newChangeRequest(
  { by, ids }: Pick<World, 'by' | 'ids'>,
  spaceId = ids.spaceId,
) {
  const path = `/spaces/${spaceId}/change-requests`
  const { id } = await must(by, 'POST', path, { subject: another('Change') })
  await must(by, 'POST', `${path}/${id}/content`, insertPage(another('Proposed')))
  return id as string
}

/** Records a Git sync state of the space. */
export const noteGitSync = (app: App, spaceId: string) =>
  putGitSync(app.ctx.store, {
    space_id: spaceId,
    repo_name: 'docs',
    url: 'https://example.org/docs.git',
    updated_at: at,
  })

function newOperation(app: App, spaceId: string, by: Actor): string {
  const id = randomId()
  app.ctx.store.run(
    sqlRows(sql`
      insert into git_sync_operation (id, space_id, direction, state, ref, url, request, timestamp, created_by,
        created_at, updated_at, completed_at)
      values (${id}, ${spaceId}, 'import', 'failure', 'refs/heads/main', 'https://example.org/docs.git', '{}', ${at},
        ${by.id}, ${at}, ${at}, ${at})`),
  )

  return id
}

/**
 * Fills an organization: a collection, a space with a page, a file and reusable content, a change
 * request, and so on.
 */
export async function makeWorld(app: App, by: Actor, organizationId: string): Promise<World> {
  const organization = { organizationId }
  // The first visit makes the key of the organization.
  await must(by, 'POST', `/orgs/${organizationId}/ping`)
  const { id: collectionId } = await must(by, 'POST', `/orgs/${organizationId}/collections`, {
    title: 'Docs',
  })
  await must(by, 'PATCH', `/collections/${collectionId}`, { defaultLevel: null })
  if (organizationId === 'acme')
    for (const level of levels) grant(app, 'collection', collectionId, level, level)

  const early = { app, by, ids: { ...organization, collectionId } }
  const spaceId = await newSpace(early)

  await commitFiles(spaceRepository(app.ctx, spaceId), {
    'SUMMARY.md': `# Summary\n\n* [Home](README.md)\n* [Guide](${organizationId}.md)\n`,
    [`${organizationId}.md`]: `# The ${organizationId} guide\n\n![](picture.png)\n\n{% include ".gitbook/includes/note.md" %}\n`,
    'picture.png': `not really one of ${organizationId}`,
    '.gitbook/includes/note.md': `Mind ${organizationId}.\n`,
  })
  const changeRequestId = await newChangeRequest({ by, ids: { spaceId } })
  const content = await must(by, 'GET', `/spaces/${spaceId}/content`)
  const page = content.pages.find((each: { path: string }) => each.path === organizationId)

  noteGitSync(app, spaceId)
  const ids = {
    ...early.ids,
    spaceId,
    changeRequestId,
    revisionId: content.id,
    pageId: page.id,
    pagePath: page.path,
    fileId: content.files[0].id,
    reusableContentId: content.reusableContents[0].id,
    operationId: newOperation(app, spaceId, by),
    importRunId: putImportRun(app, { organizationId, spaceId }, by.id),
    userId: by.id,
    tokenId: (await must(by, 'POST', '/user/tokens', { name: another('Token') })).id,
  }
  const shelf = await newCollection({ by, ids })
  const fellow = app.user(another('fellow')).id

  join(app, organizationId, fellow, 'read')
  const reviewer = app.user(another('reviewer')).id

  join(app, organizationId, reviewer, 'review')
  grant(app, 'collection', collectionId, reviewer, 'review')

  return { app, by, ids, shelf, fellow, reviewer }
}

/** Publishes a site that shows the world's space, as `siteId`, and returns a reader of it. */
export async function makeReader({ app, ids }: World): Promise<Actor> {
  const site = await publishedSite(app, [ids.spaceId as string])
  ids.siteId = site.id
  return actor(app.url, '', readingToken(app, site.id))
}
