import type { Steps } from '../../lib/slices.ts'
import { directoryOf, isMarkdown } from '../files.ts'
import { findLinksOfAny, type Link, resolveLink } from '../links/find.ts'
import { allHintsOf, linkingPaths, mayLeadTo } from '../links/inbound.ts'
import { decode } from '../text/bytes.ts'
import { type Splice, spliceAll } from '../text/lines.ts'
import { bytesAt, type Draft, fileAt, putText, tellPage } from './draft.ts'
import { respellTarget, splitTarget } from './paths.ts'
import { relink } from './settle-links.ts'
import { treeOf } from './tree.ts'

/** A file with links to what goes or moves, each with the path that it leads to. */
export type Inbound = { path: string; text: string; links: { link: Link; to: string }[] }

/** Which of the wanted files a target in a file of the folder leads to, by the rules for what pages may leave out. */
export function leadTo(
  draft: Draft,
  folder: string,
  target: string,
  wanted: (path: string) => boolean,
): string | undefined {
  // Not `treeOf`: half way through a move there is nothing to be made of the files.
  const { root } = draft.tree.config
  const seen = target.startsWith('/') ? root + target.replace(/^\/+/, '') || './' : target
  const resolved = target.startsWith('/') ? resolveLink('', seen) : resolveLink(`${folder}x`, seen)
  if (resolved.external) return undefined
  for (const candidate of resolved.candidates)
    for (const path of placesOf(candidate)) {
      if (wanted(path)) return path
      if (fileAt(draft, path)) return undefined
    }
  return undefined
}

/** The paths that a target may mean, as far as it says: the first that is there is it. */
function placesOf(candidate: string): string[] {
  if (candidate === '' || candidate.endsWith('/')) return [`${candidate}README.md`]
  return [candidate, `${candidate}/README.md`, `${candidate}.md`]
}

/** The files with links to one of `paths`, those themselves left out. */
export function* inboundTo(draft: Draft, paths: ReadonlySet<string>): Steps<Inbound[]> {
  const hints = allHintsOf(paths)
  const mayLead = mayLeadTo(paths)
  const inbound: Inbound[] = []
  for (const path of linkingPaths(treeOf(draft))) {
    if (paths.has(path)) continue
    const read = linksAt(draft, path, hints)
    if (!read) continue
    yield
    const folder = directoryOf(path)
    const links = read.links.flatMap(link => {
      if (!mayLead(link.target)) return []
      const to = leadTo(draft, folder, link.target, wanted => paths.has(wanted))
      return to === undefined ? [] : [{ link, to }]
    })
    if (links.length > 0) inbound.push({ path, text: read.text, links })
  }
  return inbound
}

function linksAt(
  draft: Draft,
  path: string,
  hints: readonly string[] | null,
): { text: string; links: readonly Link[] } | undefined {
  const known = draft.changed.has(path) ? undefined : draft.source.links
  const links = known?.get(fileAt(draft, path)?.oid ?? '')
  if (known && !links) return undefined
  const text = readable(draft, path)
  if (text === undefined || (hints && !hints.some(hint => text.includes(hint)))) return undefined
  return { text, links: links ?? findLinksOfAny(text) }
}

/**
 * The target that leads to the file at `path`, spelled like `written`; with its ending, too, where it would lead to something
 * else without it.
 */
export function respell(draft: Draft, written: string, folder: string, path: string): string {
  const { root } = draft.tree.config
  const bare = path.replace(/\.md$/, '')
  const isDoubtful = [bare, `${bare}/README.md`].some(other => other !== path && fileAt(draft, other))
  return respellTarget(isDoubtful ? `${written}.md` : written, folder, path, root)
}

/** Rewrites the links of other files to files that move (from old to new), each in its own spelling. */
export function* relinkOthers(draft: Draft, moves: ReadonlyMap<string, string>): Steps<void> {
  for (const { path, text, links } of yield* inboundTo(draft, new Set(moves.keys()))) {
    yield
    const folder = directoryOf(path)
    const splices = links.map(({ link, to }) => {
      const { written, tail } = splitTarget(link.target, to)
      return relink(text, link, respell(draft, written, folder, moves.get(to)!), tail)
    })
    putRelinked(draft, path, text, splices)
  }
}

/** Writes a file whose links were rewritten, and remembers its page. */
export function putRelinked(draft: Draft, path: string, text: string, splices: readonly Splice[]): void {
  const edited = spliceAll(text, splices)
  if (edited === text) return
  putText(draft, path, edited)
  // Not `treeOf`: other targets make no other page of it, but perhaps another title, for each of many.
  const page = draft.tree.pageByFile.get(path)
  if (page) tellPage(draft, page.id, 'updated_page')
}

/**
 * Rewrites the links in a Markdown file that moves: in another folder its relative ones, where they lead to something, and
 * with `toItself` or there those to the file itself, whatever their form.
 */
export function relinkOwn(draft: Draft, from: string, to: string, { toItself }: { toItself: boolean }): void {
  const text = isMarkdown(from) ? readable(draft, from) : undefined
  const [here, there] = [directoryOf(from), directoryOf(to)]
  if (text === undefined || (here === there && !toItself)) return
  const splices: Splice[] = []
  for (const link of findLinksOfAny(text)) {
    if (link.target.startsWith('#')) continue
    const own = leadTo(draft, here, link.target, path => path === from)
    const isAbsolute = link.target.startsWith('/')
    const found = own ?? (here === there || isAbsolute ? undefined : followed(draft, from, link.target))
    if (found === undefined || (own !== undefined && isAbsolute && !toItself)) continue
    const { written, tail } = splitTarget(link.target, found)
    const target = respell(draft, written, there, own === undefined ? found : to)
    if (target !== written) splices.push(relink(text, link, target, tail))
  }
  if (splices.length > 0) putText(draft, from, spliceAll(text, splices))
}

/** The file that a relative target in the file at `from` leads to; undefined when it leads to none. */
function followed(draft: Draft, from: string, target: string): string | undefined {
  for (const candidate of resolveLink(from, target).candidates) {
    const found = placesOf(candidate).find(path => fileAt(draft, path))
    if (found !== undefined) return found
  }
  return undefined
}

/** The text of a file, or undefined when it is not there or must not be edited. */
function readable(draft: Draft, path: string): string | undefined {
  const bytes = bytesAt(draft, path)
  const read = bytes && decode(bytes)
  return read?.exact ? read.text : undefined
}
