import { directoryOf, folderPages, isMarkdown, pageSpellings } from '../files.ts'
import type { ContentTree } from '../tree/build.ts'
import { pageAsking } from './asked.ts'
import type { LinkFact } from './facts.ts'
import { resolveLink } from './find.ts'
import { furtherPaths } from './served.ts'

/** The kinds of targets. Those in `brokenClasses` do not exist. */
export const linkClasses = [
  ...(['page', 'page-unlisted', 'dir-page', 'dir-page-unlisted', 'extensionless-page'] as const),
  ...(['same-page-anchor', 'reusable-content', 'asset', 'other-file', 'openapi'] as const),
  ...(['external', 'mailto', 'other-scheme', 'app-space', 'stable-ref'] as const),
  ...(['placeholder', 'missing-page', 'missing-file', 'missing-other', 'missing-ref'] as const),
  ...(['dir-no-readme', 'case-mismatch', 'escape', 'unsafe', 'empty'] as const),
] as const
type LinkClass = (typeof linkClasses)[number]

const brokenClasses: ReadonlySet<LinkClass> = new Set([
  ...(['placeholder', 'missing-page', 'missing-file', 'missing-other', 'missing-ref'] as const),
  ...(['dir-no-readme', 'case-mismatch', 'escape', 'unsafe', 'empty'] as const),
])

type LinkStatus = 'ok' | 'broken' | 'in-app'

/**
 * The destination of a link: an object of the revision by its id, another space, a spec by its
 * slug, or a URL.
 */
export type LinkTo =
  | { kind: 'page' | 'file' | 'reusable-content'; id: string }
  | { kind: 'space'; space: string; url: string }
  | { kind: 'openapi'; slug: string }
  | { kind: 'url'; url: string }

/** The meaning of a target in the file that contains it. */
export type Classified = {
  class: LinkClass
  status: LinkStatus
  to: LinkTo
  fragment?: string
  /** The path, relative to the root of the content, that a missing target would have. */
  missing?: string
}

const statusOf = (kind: LinkClass): LinkStatus =>
  brokenClasses.has(kind)
    ? 'broken'
    : kind === 'app-space' || kind === 'stable-ref'
      ? 'in-app'
      : 'ok'

/** The space of the content, and the base URL of this server (`own`). */
export type LinkHome = { spaceId: string; own: string }

/**
 * Returns a function that classifies the targets in a tree's files; `source` is the path of the
 * file that contains the link. Lookups over all files are built when they are first needed.
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
      ofAsked(tree, places.within(source), written) ||
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

/** A page of a space as an address names it. */
export type PageInSpace = { space: string } & ({ id: string } | { path: string })

const appSpace = /^https?:\/\/app\.gitbook\.com\/s\/([^/?#]+)(?:\/([^?#]*))?/i

const referencedPage = /^\/spaces\/([^/#?]+)\/pages\/([^/#?]+)/

/**
 * Returns the page that a link to a space names: an address of the API of this server (at `own`),
 * of the original application, or in the form that only the API writes. Undefined for other links.
 */
export function pageInSpace(own: string, target: string): PageInSpace | undefined {
  const [, referenced, page] = referencedPage.exec(target) ?? []
  if (referenced !== undefined && page !== undefined) return { space: referenced, id: page }

  const below = `${own}/v1/spaces/`
  const rest = target.startsWith(below) ? target.slice(below.length) : ''
  const [, space, path = ''] = appSpace.exec(target) ?? /^([^/?#]+)(?:\/([^?#]*))?/.exec(rest) ?? []
  if (space === undefined) return undefined
  const [, id] = /^content\/page\/([^/]+)$/.exec(path) ?? []

  return id === undefined
    ? { space, path: path.replace(/^content(?:\/path\/|$)/, '').replace(/\/$/, '') }
    : { space, id }
}

function ofAddress(tree: ContentTree, home: LinkHome, url: string): Classified {
  const to = { kind: 'url', url } as const
  const named = pageInSpace(home.own, url)

  if (named) {
    const { space } = named
    const page = space === home.spaceId ? pageAt(tree, named) : undefined
    if (!page) return made('app-space', { kind: 'space', space, url })
    const hash = url.indexOf('#')
    return made(
      'app-space',
      { kind: 'page', id: page },
      hash > 0 ? { fragment: url.slice(hash + 1) } : {},
    )
  }

  if (/^(?:https?:)?\/\//i.test(url)) return made('external', to)
  if (/^(?:mailto|tel):/i.test(url)) return made('mailto', to)

  return made(/^(?:javascript|vbscript):/i.test(url) ? 'unsafe' : 'other-scheme', to)
}

/** Returns the id of a page of this space that an address names. */
const pageAt = ({ pageById, pageByPath }: ContentTree, named: PageInSpace): string | undefined =>
  ('id' in named ? pageById.get(named.id) : pageByPath.get(named.path))?.id

function ofPath(places: Places, source: string, target: string): Classified | undefined {
  const resolved = resolveLink(places.within(source), target)
  const { candidates } = resolved
  for (const candidate of [...candidates, ...furtherPaths(target, candidates)]) {
    const found = places.find(candidate)
    if (!found) continue
    const kind = target.startsWith('#') ? 'same-page-anchor' : found.class
    // A number sign may be part of the file name.
    const { fragment } = candidate.endsWith(`#${resolved.fragment}`) ? {} : resolved
    return made(kind, found.to, fragment ? { fragment } : {})
  }

  return undefined
}

/** Classifies the address that a page asks for. */
function ofAsked(tree: ContentTree, source: string, target: string): Classified | undefined {
  const { candidates, fragment } = resolveLink(source, target)
  const { root } = tree.config
  const page = pageAsking(
    tree,
    candidates.map(path => root + path),
  )
  return page && made('page', { kind: 'page', id: page.id }, fragment ? { fragment } : {})
}

const reference = /^\/(pages|files|reusable-content|openapi)\/([^/#?]+)\/?(?:#(.*))?$/
const elsewhere = /^\/spaces\/([^/#?]+)(?:\/.*)?$/

/** Classifies the forms of links that only the API writes. */
function ofReference(tree: ContentTree, target: string): Classified | undefined {
  if (/^\/broken\/|^broken-reference\/?(?:#|$)/.test(target))
    return made('placeholder', { kind: 'url', url: target })
  const space = elsewhere.exec(target)?.[1]
  if (space !== undefined) return made('stable-ref', { kind: 'space', space, url: target })

  const [, kind, id = '', fragment] = reference.exec(target) ?? []
  if (kind === undefined) return undefined

  const more = fragment ? { fragment } : {}
  if (kind === 'openapi') return made('stable-ref', { kind: 'openapi', slug: id })
  if (kind === 'pages' && tree.pageById.get(id))
    return made('stable-ref', { kind: 'page', id }, more)
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

/** Lookups of paths in a tree. Paths are relative to the root of the content. */
type Places = {
  /** Returns a path of the repository relative to the root of the content. */
  within: (path: string) => string
  /** Finds the object at a path, the page of the folder, or the path with `.md` appended. */
  find: (path: string) => { class: LinkClass; to: LinkTo } | undefined
  isFolder: (path: string) => boolean
  /** Reports whether the path of another file differs only in upper and lower case. */
  hasOtherCase: (path: string) => boolean
}

type ClassifiedTarget = {
  kind: 'page' | 'unlisted' | 'reusable-content' | 'asset' | 'other-file'
  to: LinkTo
}

/** Returns the lookups of a tree. */
function linkPlaces(tree: ContentTree): Places {
  const { root } = tree.config
  const included = new Map(tree.includes.map(({ path, id }) => [path, id]))
  const at = (path: string): ClassifiedTarget | undefined => {
    const full = root + path
    const page = tree.pageByFile.get(full)
    if (page) return { kind: 'page', to: { kind: 'page', id: page.id } }

    const include = included.get(full)
    if (include !== undefined)
      return { kind: 'reusable-content', to: { kind: 'reusable-content', id: include } }

    const file = tree.fileByPath.get(full)

    if (file) {
      const kind = path.startsWith('.gitbook/')
        ? 'asset'
        : isMarkdown(path)
          ? 'unlisted'
          : 'other-file'
      return { kind, to: { kind: 'file', id: file.id } }
    }

    if (full !== tree.summaryPath || tree.summary === null) return undefined

    return { kind: 'other-file', to: { kind: 'url', url: path } }
  }
  let folders: Set<string> | undefined
  let folded: Set<string> | undefined

  return {
    within: path => (path.startsWith(root) ? path.slice(root.length) : path),
    find: path => {
      const folder = path === '' || path.endsWith('/')
      const file = folder ? undefined : at(path)
      if (file) return { class: classOf(file), to: file.to }

      for (const spelling of pageSpellings(path)) {
        if (spelling === path) continue
        const found = at(spelling)
        if (found && spelling === `${path}.md`) return { class: 'extensionless-page', to: found.to }
        if (found?.kind === 'page') return { class: 'dir-page', to: found.to }
        if (found?.kind === 'unlisted') return { class: 'dir-page-unlisted', to: found.to }
      }

      const first = path === '' && tree.pageByFile.get(tree.config.readme)

      return first ? { class: 'dir-page', to: { kind: 'page', id: first.id } } : undefined
    },
    isFolder: path => {
      folders ??= foldersOf(tree)
      return folders.has(root + path.replace(/\/*$/, '/'))
    },
    hasOtherCase: path => {
      folded ??= new Set([...pathsOf(tree)].map(each => each.toLowerCase()))
      const files = path.endsWith('/') ? folderPages(path) : [path]
      return files.some(file => folded?.has((root + file).toLowerCase()))
    },
  }
}

const classOf = ({ kind }: ClassifiedTarget): LinkClass =>
  kind === 'unlisted' ? 'page-unlisted' : kind

function* pathsOf({ pageByFile, files, includes }: ContentTree): Iterable<string> {
  yield* pageByFile.keys()
  for (const { path } of files) yield path
  for (const { path } of includes) yield path
}

function foldersOf(tree: ContentTree): Set<string> {
  const folders = new Set<string>()
  for (const path of pathsOf(tree))
    for (let folder = directoryOf(path); folder !== '' && !folders.has(folder); ) {
      folders.add(folder)
      folder = directoryOf(folder.slice(0, -1))
    }
  return folders
}
