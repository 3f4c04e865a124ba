import { parse } from 'node:querystring'

/** The parameters that the answer to an address reads, each a text that the query has once. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** The parameters that answers read, by the path. The first match counts. */
const readBy: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [/\/~gitbook\/search$/, ['q', 'part', 'in']],
  [/\/~stemma\/history(?:\/|$)/, ['before']],
  [/\/~(?:gitbook|stemma)(?:\/|$)/, []],
  [/\/(?:[^/]+\.(?:mdx?|markdown)|llms(?:-full)?\.txt|sitemap[^/]*\.xml|rss\.xml)$/i, []],
  [/(?:)/, ['tag', 'thanks']],
]

/** Read besides by answers of other versions. */
const readByScopes = ['marks'] as const
const scope = /\/~\//

/**
 * Returns the names of the parameters that the answer to a path reads. All others make no
 * difference to it.
 */
export function parameterNames(path: string): readonly string[] {
  const names = readBy.find(([pattern]) => pattern.test(path))?.[1] ?? []
  return scope.test(path) ? [...names, ...readByScopes] : names
}

/** Returns the parameters of a request target that its answer reads. */
export function parametersOf(target: string): Parameters {
  const at = target.indexOf('?')
  if (at === -1) return none
  const names = parameterNames(decoded(target.slice(0, at)))
  if (names.length === 0) return none

  const query = parse(target.slice(at + 1))
  const given = names.flatMap(name => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
  })

  return given.length === 0 ? none : Object.fromEntries(given)
}

const none: Parameters = {}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
