import type { paths } from './stemma.d.ts'

/**
 * A program as a user writes it: every call is checked with types that were generated from the API
 * document. It makes a space, changes it in a change request, publishes it and reads it.
 */
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P]
  ? paths[P][M]
  : never
type Part<T, Name extends string> = T extends { [Key in Name]?: infer Found } ? Found : undefined
type Asked<T> = {
  path: Part<Part<T, 'parameters'>, 'path'>
  query?: Part<Part<T, 'parameters'>, 'query'>
  body?: Part<Part<Part<T, 'requestBody'>, 'content'>, 'application/json'>
}
type Answer<T> = T extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : T extends { responses: { 201: { content: { 'application/json': infer Body } } } }
    ? Body
    : undefined

const [, , server = '', token = '', organizationId = ''] = process.argv

async function call<P extends keyof paths, M extends Method & keyof paths[P]>(
  method: M,
  path: P,
  asked: Asked<Operation<P, M>>,
): Promise<Answer<Operation<P, M>>> {
  const names: Record<string, string> = { ...(asked.path as object | undefined) }
  const url = new URL(
    server + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name] ?? '')),
  )
  for (const [name, value] of Object.entries(asked.query ?? {}))
    url.searchParams.set(name, String(value))
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text ? JSON.parse(text) : undefined) as Answer<Operation<P, M>>
}

const inOrganization = { path: { organizationId } }
const { displayName } = await call('get', '/v1/user', { path: undefined })
const space = await call('post', '/v1/orgs/{organizationId}/spaces', {
  ...inOrganization,
  body: { title: 'Bicycles', emoji: '🚲', language: 'en' },
})
const inSpace = { path: { spaceId: space.id } }
await call('patch', '/v1/spaces/{spaceId}', { ...inSpace, body: { title: 'Bicycle manual' } })
const spaces = await call('get', '/v1/orgs/{organizationId}/spaces', {
  ...inOrganization,
  query: { limit: 50 },
})
const changeRequest = await call('post', '/v1/spaces/{spaceId}/change-requests', {
  ...inSpace,
  body: { subject: 'Describe the brakes' },
})
const inRequest = { path: { spaceId: space.id, changeRequestId: changeRequest.id } }
const edited = await call(
  'post',
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  {
    ...inRequest,
    query: { compat: false },
    body: {
      changes: [
        {
          operation: 'insert_page',
          title: 'Brakes',
          document: { markdown: 'Two brakes, front and rear.' },
        },
      ],
    },
  },
)
const [inserted] = 'changes' in edited ? edited.changes : []
const pageId = inserted?.object === 'created_page' ? inserted.page.id : ''
const comment = await call(
  'post',
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
  { ...inRequest, body: { body: { markdown: 'Which levers?' } } },
)
await call(
  'post',
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
  {
    path: { ...inRequest.path, commentId: comment.id },
    body: { body: { markdown: 'Both.' } },
  },
)
const comments = await call(
  'get',
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
  { ...inRequest, query: { limit: 10 } },
)
const changes = await call(
  'get',
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes',
  inRequest,
)
await call('patch', '/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
  ...inRequest,
  body: { status: 'open' },
})
const merged = await call(
  'post',
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge',
  inRequest,
)
const revision = await call('get', '/v1/spaces/{spaceId}/content', {
  ...inSpace,
  query: { metadata: false },
})
const titles = revision.pages.map(page => page.title)
const revisions = await call('get', '/v1/spaces/{spaceId}/revisions', {
  ...inSpace,
  query: { limit: 5 },
})
const days = revisions.items.map(({ createdAt }) => new Date(createdAt).getUTCFullYear())
const page = await call('get', '/v1/spaces/{spaceId}/content/page/{pageId}', {
  path: { spaceId: space.id, pageId },
  query: { format: 'markdown' },
})
const found = await call('get', '/v1/spaces/{spaceId}/search', {
  ...inSpace,
  query: { query: 'brakes', limit: 3 },
})
const links = await call('get', '/v1/spaces/{spaceId}/links', inSpace)
const site = await call('post', '/v1/orgs/{organizationId}/sites', {
  ...inOrganization,
  body: { title: 'Manuals', visibility: 'public', spaces: [space.id] },
})
const inSite = { path: { organizationId, siteId: site.id } }
await call('post', '/v1/orgs/{organizationId}/sites/{siteId}/publish', inSite)
const published = await call('get', '/v1/orgs/{organizationId}/sites/{siteId}', inSite)
await call('delete', '/v1/spaces/{spaceId}', inSpace)

console.log(
  JSON.stringify({
    displayName,
    isListed: spaces.items.some(({ id }) => id === space.id),
    comments: comments.items.length,
    changes: changes.changes.length,
    merged: merged.result,
    titles,
    days: days.length > 0 && days.every(year => year > 2000),
    markdown: 'markdown' in page ? page.markdown : undefined,
    found: found.items.length,
    broken: links.stats.broken.total,
    isPublished: published.published,
  }),
)
