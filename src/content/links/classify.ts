import { isMarkdown } from '../files.ts'
import type { ContentTree } from '../tree/build.ts'
import type { LinkFact } from './facts.ts'
import { resolveLink } from './find.ts'
import { linkPlaces, type Places } from './places.ts'

/** What kind of target a link has; for `brokenClasses` there is nothing. */
export const linkClasses = [
  ...(['page', 'page-unlisted', 'dir-page', 'dir-page-unlisted', 'extensionless-page'] as const),
  ...(['same-page-anchor', 'reusable-content', 'asset', 'other-file', 'openapi'] as const),
  ...(['external', 'mailto', 'other-scheme', 'app-space', 'stable-ref'] as const),
  ...(['placeholder', 'missing-page', 'missing-file', 'missing-other', 'missing-ref'] as const),
  ...(['dir-no-readme', 'case-mismatch', 'escape', 'unsafe', 'empty'] as const),
] as const
export type LinkClass = (typeof linkClasses)[number]

const brokenClasses: ReadonlySet<LinkClass> = new Set([
  ...(['placeholder', 'missing-page', 'missing-file', 'missing-other', 'missing-ref'] as const),
  ...(['dir-no-readme', 'case-mismatch', 'escape', 'unsafe', 'empty'] as const),
])

export type LinkStatus = 'ok' | 'broken' | 'in-app'

/** What a link leads to: something of the revision by its id, another space, a description by its slug, or an address. */
export type LinkTo =
  | { kind: 'page' | 'file' | 'reusable-content'; id: string }
  | { kind: 'space'; space: string; url: string }
  | { kind: 'openapi'; slug: string }
  | { kind: 'url'; url: string }

/** What a target means from where it stands. */
export type Classified = {
  class: LinkClass
  status: LinkStatus
  to: LinkTo
  fragment?: string
  /** Of what is not there: the path, from the root of the content, that it would have. */
  missing?: string
}

const statusOf = (kind: LinkClass): LinkStatus =>
  brokenClasses.has(kind) ? 'broken' : kind === 'app-space' || kind === 'stable-ref' ? 'in-app' : 'ok'

/** Where the content is: what tells its own addresses from others. `own` is what those of this server begin with. */
export type LinkHome = { spaceId: string; own: string }

/**
 * Tells what the targets of a tree's files mean. `source` is the path of the file that a link stands in. What has to be
 * known of all files is found out when it is needed first.
 */
export function linkClassifier(
  tree: ContentTree,
  home: LinkHome,
): (source: string, fact: Pick<LinkFact, 'target' | 'how'>) => Classified {
  const places = linkPlaces(tree)
  return (source, { target, how }) => {
    const written = target.trim()
    if (how === 'spec') return made('openapi', { kind: 'openapi', slug: written })
    const url = { kind: 'url', url: written } as const
    if (written === '') return made('empty', url)
    return (
      (/^(?:[a-z][a-z0-9+.-]+:|\/\/)/i.test(written) && ofAddress(tree, home, written)) ||
      ofPath(places, source, written) ||
      ofReference(tree, written) ||
      ofMissing(places, source, written)
    )
  }
}

const made = (kind: LinkClass, to: LinkTo, more: Partial<Classified> = {}): Classified => ({
  class: kind,
  status: statusOf(kind),
  to,
  ...more,
})

const appSpace = /^https?:\/\/app\.gitbook\.com\/s\/([^/?#]+)(?:\/([^?#]*))?/i

function ofAddress(tree: ContentTree, home: LinkHome, url: string): Classified {
  const to = { kind: 'url', url } as const
  const own = url.startsWith(`${home.own}/v1/spaces/`) && url.slice(home.own.length + '/v1/spaces/'.length)
  const [, space, path] = appSpace.exec(url) ?? /^([^/?#]+)(?:\/([^?#]*))?/.exec(own || '') ?? []
  if (space !== undefined) {
    const page = space === home.spaceId ? pageAt(tree, path ?? '') : undefined
    if (!page) return made('app-space', { kind: 'space', space, url })
    const hash = url.indexOf('#')
    return made('app-space', { kind: 'page', id: page }, hash > 0 ? { fragment: url.slice(hash + 1) } : {})
  }
  if (/^(?:https?:)?\/\//i.test(url)) return made('external', to)
  if (/^(?:mailto|tel):/i.test(url)) return made('mailto', to)
  return made(/^(?:javascript|vbscript):/i.test(url) ? 'unsafe' : 'other-scheme', to)
}

/** The page of the space itself that the rest of an address names. */
function pageAt(tree: ContentTree, path: string): string | undefined {
  const [, id] = /^content\/page\/([^/]+)$/.exec(path) ?? []
  if (id !== undefined) return tree.pageById.get(id)?.id
  const plain = path.replace(/^content(?:\/path\/|$)/, '').replace(/\/$/, '')
  return tree.pageByPath.get(plain)?.id
}

function ofPath(places: Places, source: string, target: string): Classified | undefined {
  const resolved = resolveLink(places.within(source), target)
  for (const candidate of resolved.candidates) {
    const found = places.find(candidate)
    if (!found) continue
    const kind = target.startsWith('#') ? 'same-page-anchor' : found.class
    // A number sign that is part of the name is no fragment.
    const { fragment } = candidate.endsWith(`#${resolved.fragment}`) ? {} : resolved
    return made(kind, found.to, fragment ? { fragment } : {})
  }
  return undefined
}

const reference = /^\/(pages|files|reusable-content|openapi)\/([^/#?]+)\/?(?:#(.*))?$/
const elsewhere = /^\/spaces\/([^/#?]+)(?:\/.*)?$/

/** The forms of links that only the API knows. */
function ofReference(tree: ContentTree, target: string): Classified | undefined {
  if (/^\/broken\/|^broken-reference\/?(?:#|$)/.test(target))
    return made('placeholder', { kind: 'url', url: target })
  const space = elsewhere.exec(target)?.[1]
  if (space !== undefined) return made('stable-ref', { kind: 'space', space, url: target })
  const [, kind, id = '', fragment] = reference.exec(target) ?? []
  if (kind === undefined) return undefined
  const more = fragment ? { fragment } : {}
  if (kind === 'openapi') return made('stable-ref', { kind: 'openapi', slug: id })
  if (kind === 'pages' && tree.pageById.get(id)) return made('stable-ref', { kind: 'page', id }, more)
  if (kind === 'files' && tree.fileById.get(id)) return made('stable-ref', { kind: 'file', id })
  if (kind === 'reusable-content' && tree.includes.some(each => each.id === id))
    return made('stable-ref', { kind: 'reusable-content', id })
  return made('missing-ref', { kind: 'url', url: target })
}

function ofMissing(places: Places, source: string, target: string): Classified {
  const to = { kind: 'url', url: target } as const
  const path = resolveLink(places.within(source), target).candidates.at(-1)
  if (path === undefined) return made('escape', to)
  const missing = { missing: path }
  if (places.isFolder(path)) return made('dir-no-readme', to, missing)
  if (places.hasOtherCase(path)) return made('case-mismatch', to, missing)
  if (path.endsWith('/') || isMarkdown(path)) return made('missing-page', to, missing)
  return made(/\.[a-z0-9]{1,10}$/i.test(path) ? 'missing-file' : 'missing-other', to, missing)
}
