/** Which of the prepared ids a parameter of a path takes. */
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
}

const fallback: Record<string, string> = { organization: 'acme', user: 'admin', pagePath: 'guide' }

/** A path of the table of operations with ids in place of its parameters; `instead` puts its own value in one of them. */
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

/** The parameters of a path of the table, in order. */
export const parametersOf = (path: string): string[] =>
  [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name)
