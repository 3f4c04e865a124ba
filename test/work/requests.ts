import { api } from '../../src/api/routes.ts'

/** Ids of what is asked for. */
export type Asked = { spaceId: string; changeRequestId: string; revisionId: string; pageId: string }

/** GETs below a space that read rows and no content. */
const ofRows =
  /^GET \/spaces\/:spaceId(?:$|\/permissions|.*\/comment|\/git|.*\/reviews|.*\/requested-reviewers|\/change-requests$|\/change-requests\/:changeRequestId$)/
/** GETs that name a file or a piece of reusable content: there is none here, and they answer before they read a page. */
const ofOthers = /:fileId|:reusableContentId/

/** What else than the plain question is asked: endings of paths, and queries. */
const queries: readonly [RegExp, readonly string[]][] = [
  [/\/(?:page\/:pageId|path\/\*pagePath)$/, ['', '?evaluated=true', '?evaluated=deterministic-only']],
  [/\/pages$|\/content$|:revisionId$/, ['', '?format=markdown']],
  [/\/changes$/, ['', '?format=diff']],
  [
    /\/search$/,
    ['?query=page', '?query=a%20b%20c%20d%20e', '?query=%E6%96%87', `?query=${'ab'.repeat(120)}`],
  ],
  [/(?:spaceId|changeRequestId)\/links$/, ['', '?status=broken', '?limit=1000']],
  [/links$/, ['', '?limit=1000']],
]

/** Every operation of the table that reads content, by its line there. */
export const contentReads: readonly string[] = Object.keys(api).filter(
  key =>
    key === 'GET /orgs/:organizationId/search' ||
    (key.startsWith('GET /spaces/:spaceId') && !ofRows.test(key) && !ofOthers.test(key)),
)

/** The paths with which an operation is asked. */
export function pathsOf(key: string, ids: Asked): string[] {
  const path = `/v1${key.slice('GET '.length)}`
    .replace(':organizationId', 'acme')
    .replace('*pagePath', 'page')
    .replace(/:(\w+)/g, (_, name: keyof Asked) => ids[name])
  const [, endings = ['']] = queries.find(([pattern]) => pattern.test(key)) ?? []
  return endings.map(ending => path + ending)
}
