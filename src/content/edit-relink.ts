import { decode } from './bytes.ts'
import { bytesAt, type Draft, fileAt, putText, tellPage } from './edit-draft.ts'
import { allHintsOf, linkingPaths } from './edit-linking.ts'
import { relink } from './edit-links.ts'
import { respellTarget } from './edit-paths.ts'
import { treeOf } from './edit-tree.ts'
import { directoryOf } from './files.ts'
import { findLinks, type Link, resolveLink } from './links.ts'
import { type Splice, spliceAll } from './markdown-lines.ts'

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
  const seen = target.startsWith('/') ? root + target.replace(/^\/+/, '') : target
  const resolved = target.startsWith('/') ? resolveLink('', seen) : resolveLink(`${folder}x`, seen)
  if (resolved.external) return undefined
  for (const candidate of resolved.candidates) {
    if (wanted(candidate)) return candidate
    const bare = candidate.replace(/\/$/, '')
    const found = [bare === '' ? 'README.md' : `${bare}/README.md`, `${bare}.md`].find(wanted)
    const there = fileAt(draft, candidate)
    if (found !== undefined) return there ? undefined : found
    if (there) return undefined
  }
  return undefined
}

/** The files with links to one of `paths`, those themselves left out. */
export function inboundTo(draft: Draft, paths: ReadonlySet<string>): Inbound[] {
  const hints = allHintsOf(paths)
  const inbound: Inbound[] = []
  for (const path of linkingPaths(treeOf(draft))) {
    if (paths.has(path)) continue
    const read = linksAt(draft, path, hints)
    if (!read) continue
    const folder = directoryOf(path)
    const links = read.links.flatMap(link => {
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
  return { text, links: links ?? findLinks(text) }
}

/** Rewrites the links of other files to files that move (from old to new), each in its own spelling. */
export function relinkOthers(draft: Draft, moves: ReadonlyMap<string, string>): void {
  const { root } = treeOf(draft).config
  for (const { path, text, links } of inboundTo(draft, new Set(moves.keys()))) {
    const folder = directoryOf(path)
    const splices = links.map(({ link, to }) =>
      relink(text, link, respellTarget(link.target, folder, moves.get(to)!, root)),
    )
    putRelinked(draft, path, text, splices)
  }
}

/** Writes a file whose links were rewritten, and remembers its page. */
export function putRelinked(draft: Draft, path: string, text: string, splices: readonly Splice[]): void {
  const edited = spliceAll(text, splices)
  if (edited === text) return
  putText(draft, path, edited)
  const page = treeOf(draft).pageByFile.get(path)
  if (page) tellPage(draft, page.id, 'updated_page')
}

/** Rewrites the relative links of a page that goes to another folder, where they lead to something. */
export function relinkOwn(draft: Draft, from: string, to: string): void {
  const text = readable(draft, from)
  if (text === undefined || !treeOf(draft).pageByFile.has(from)) return
  const { root } = treeOf(draft).config
  const splices: Splice[] = []
  for (const link of findLinks(text)) {
    if (link.target.startsWith('/') || link.target.startsWith('#')) continue
    const target = followed(draft, from, to, link.target, root)
    if (target !== undefined && target !== link.target) splices.push(relink(text, link, target))
  }
  if (splices.length > 0) putText(draft, from, spliceAll(text, splices))
}

/** What a relative target of a page at `from` is at `to`; undefined when it leads to no file. */
function followed(draft: Draft, from: string, to: string, target: string, root: string): string | undefined {
  for (const candidate of resolveLink(from, target).candidates) {
    const bare = candidate.replace(/\/$/, '')
    const readme = bare === '' ? 'README.md' : `${bare}/README.md`
    const found = [candidate, readme, `${bare}.md`].find(path => fileAt(draft, path))
    if (found === undefined) continue
    // Without its file's ending a target is spelled as one that leads to the page.
    return respellTarget(target, directoryOf(to), found === from ? to : found, root)
  }
  return undefined
}

/** The text of a file, or undefined when it is not there or must not be edited. */
function readable(draft: Draft, path: string): string | undefined {
  const bytes = bytesAt(draft, path)
  const read = bytes && decode(bytes)
  return read?.exact ? read.text : undefined
}
