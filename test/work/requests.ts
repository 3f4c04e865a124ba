import { api } from '../../src/api/routes.ts'

/** Ids used in request paths. */
export type Asked = { spaceId: string; changeRequestId: string; revisionId: string; pageId: string }

/** GETs below a space that read rows and no content. */
const ofRows =
  /^GET \/spaces\/:spaceId(?:$|\/permissions|.*\/comment|\/git|.*\/reviews|.*\/requested-reviewers|\/change-requests$|\/change-requests\/:changeRequestId$)/
/** GETs of a file or reusable content: none exist here, so they answer before they read a page. */
const ofOthers = /:fileId|:reusableContentId/

/** Variants of requests: path endings and queries. */
const queries: readonly [RegExp, readonly string[]][] = [
  [
    /\/(?:page\/:pageId|path\/\*pagePath)$/,
    ['', '?evaluated=true', '?evaluated=deterministic-only'],
  ],
  [/\/pages$|\/content$|:revisionId$/, ['', '?format=markdown']],
  [/\/changes$/, ['', '?format=diff']],
  [
    /\/search$/,
    ['?query=page', '?query=a%20b%20c%20d%20e', '?query=%E6%96%87', `?query=${'ab'.repeat(120)}`],
  ],
  [/(?:spaceId|changeRequestId)\/links$/, ['', '?status=broken', '?limit=1000']],
  [/links$/, ['', '?limit=1000']],
]

/** Every operation that reads content, by its line in the table of operations. */
export const contentReads: readonly string[] = Object.keys(api).filter(
  key =>
    key === 'GET /orgs/:organizationId/search' ||
    (key.startsWith('GET /spaces/:spaceId') && !ofRows.test(key) && !ofOthers.test(key)),
)

/** The paths with which an operation is requested. */
export function pathsOf(key: string, ids: Asked): string[] {
  const path = `/v1${key.slice('GET '.length)}`
    .replace(':organizationId', 'acme')
    .replace('*pagePath', 'page')
    .replace(/:(\w+)/g, (_, name: keyof Asked) => ids[name])
  const [, endings = ['']] = queries.find(([pattern]) => pattern.test(key)) ?? []
  return endings.map(ending => path + ending)
}
