import { mustGet } from '../../lib/must-get.ts'
import {
  directoryOf,
  folderPages,
  isFolderPage,
  isMarkdown,
  pageSpellings,
  withoutEnding,
} from '../files.ts'
import { pageAsking } from '../links/asked.ts'
import { findLinksOfAny, type Link, resolveLink } from '../links/find.ts'
import { allHintsOf, linkingPaths, mayLeadTo } from '../links/inbound.ts'
import { furtherPaths, servedFolders } from '../links/served.ts'
import { decode } from '../text/bytes.ts'
import { type Splice, spliceAll } from '../text/lines.ts'
import { type Draft, fileAt, putText, tellPage } from './draft.ts'
import { respellTarget, splitTarget } from './paths.ts'
import { bytesAt, linksTo } from './read.ts'
import type { Asking } from './requests.ts'
import { relink } from './settle-links.ts'
import { treeOf } from './tree.ts'

/** A file with links to moved or removed files, each with the path that it leads to. */
export type Inbound = { path: string; text: string; links: { link: Link; to: string }[] }

/**
 * Returns which of the wanted files a target leads to, seen from a folder; `.md` and the name of
 * the page of a folder may be omitted.
 */
export function leadTo(
  draft: Draft,
  folder: string,
  target: string,
  wanted: (path: string) => boolean,
): string | undefined {
  // Not `treeOf`: in the middle of a move, no tree can be built from the files.
  const { root } = draft.tree.config
  const isAbsolute = target.startsWith('/')
  const base = isAbsolute ? root : ''

  for (const candidate of meantBy(isAbsolute ? '' : `${folder}x`, target))
    for (const path of pageSpellings(base + candidate)) {
      if (wanted(path)) return path
      if (fileAt(draft, path)) return undefined
    }

  return undefined
}

/** Returns the paths that a target in a file may mean, likeliest first; none for a URL. */
function meantBy(from: string, target: string): string[] {
  const { candidates } = resolveLink(from, target)
  return [...candidates, ...furtherPaths(target, candidates)]
}

/** Returns the files with links to one of `paths`, except those files themselves. */
export function* inboundTo(draft: Draft, paths: ReadonlySet<string>): Asking<Inbound[]> {
  const mayLead = mayLeadTo(paths)
  const files = linkingPaths(treeOf(draft)).flatMap(
    path => (!paths.has(path) && fileAt(draft, path)) || [],
  )
  const oids = files.flatMap(({ oid }) => (draft.bytes.has(oid) ? [] : [oid]))
  const found = yield* linksTo(draft, paths, oids)
  const hints = allHintsOf(paths)
  const inbound: Inbound[] = []

  for (const { path, oid } of files) {
    const text = found.get(oid) || draft.bytes.has(oid) ? yield* readable(draft, path) : undefined
    if (text === undefined || (hints && !hints.some(hint => text.includes(hint)))) continue
    yield
    const folder = directoryOf(path)
    const links = (found.get(oid) ?? findLinksOfAny(text)).flatMap(link => {
      if (!mayLead(link.target)) return []
      const to = leadTo(draft, folder, link.target, wanted => paths.has(wanted))
      return to === undefined ? [] : [{ link, to }]
    })
    if (links.length > 0) inbound.push({ path, text, links })
  }

  return inbound
}

/**
 * Returns the target that leads to the file at `path`, spelled like `written`; with its extension
 * if it would lead to another file without it.
 */
export function respell(draft: Draft, written: string, folder: string, path: string): string {
  const { root } = draft.tree.config
  const bare = withoutEnding(path)
  const inFolder = folderPages(directoryOf(path))
  const before = isFolderPage(path) ? inFolder.slice(0, inFolder.indexOf(path)) : []
  const spellings = pageSpellings(bare)
  const sooner = spellings.slice(0, Math.max(0, spellings.indexOf(path)))
  const isDoubtful = [...sooner, ...before].some(other => other !== path && fileAt(draft, other))
  const top = root + servedFolder(draft, written, path)
  return respellTarget(isDoubtful ? `${written}.md` : written, folder, path, top)
}

/**
 * Returns the folder that an absolute target leaves out before the path of a file, as in
 * `/img/a.png` for `static/img/a.png`; '' for none, and where the target would mean another file.
 */
function servedFolder(draft: Draft, written: string, path: string): string {
  const { root } = draft.tree.config
  const served = servedFolders.find(name => path.startsWith(root + name))
  if (served === undefined || !written.startsWith('/') || written.startsWith(`/${served}`))
    return ''
  const rest = path.slice(root.length + served.length)
  const sooner = ['', ...servedFolders.slice(0, servedFolders.indexOf(served))]
  return sooner.some(name => fileAt(draft, root + name + rest)) ? '' : served
}

/**
 * Rewrites links of other files to files that move, preserving their spelling; `moves` maps old to
 * new paths.
 */
export function* relinkOthers(draft: Draft, moves: ReadonlyMap<string, string>): Asking<void> {
  for (const { path, text, links } of yield* inboundTo(draft, new Set(moves.keys()))) {
    yield
    const folder = directoryOf(path)
    const splices = links.map(({ link, to }) => {
      const { written, tail } = splitTarget(link.target, to)
      return relink(text, link, respell(draft, written, folder, mustGet(moves, to)), tail)
    })
    putRelinked(draft, path, text, splices)
  }
}

/** Writes a file whose links were rewritten, and records its page as updated. */
export function putRelinked(
  draft: Draft,
  path: string,
  text: string,
  splices: readonly Splice[],
): void {
  const edited = spliceAll(text, splices)
  if (edited === text) return
  putText(draft, path, edited)
  // Not `treeOf`: other targets do not change which page it is, and rebuilding the tree per file
  // would be slow.
  const page = draft.tree.pageByFile.get(path)
  if (page) tellPage(draft, page.id, 'updated_page')
}

/**
 * Rewrites the links in a Markdown file that moves: its relative links if it moves to another
 * folder and they lead to a file, and its links to itself, absolute ones only with `toItself`.
 */
export function* relinkOwn(
  draft: Draft,
  from: string,
  to: string,
  { toItself }: { toItself: boolean },
): Asking<void> {
  const text = isMarkdown(from) ? yield* readable(draft, from) : undefined
  const [here, there] = [directoryOf(from), directoryOf(to)]
  if (text === undefined || (here === there && !toItself)) return

  const splices: Splice[] = []

  for (const link of findLinksOfAny(text)) {
    const found = ownTarget(draft, from, to, link.target, toItself)
    if (found === undefined) continue
    const { written, tail } = splitTarget(link.target, found)
    const target = respell(draft, written, there, found === from ? to : found)
    if (target !== written) splices.push(relink(text, link, target, tail))
  }

  if (splices.length > 0) putText(draft, from, spliceAll(text, splices))
}

/** Returns the file that a link of a moving file leads to, if the link has to be rewritten. */
function ownTarget(
  draft: Draft,
  from: string,
  to: string,
  target: string,
  toItself: boolean,
): string | undefined {
  if (target.startsWith('#')) return undefined
  const here = directoryOf(from)
  const isAbsolute = target.startsWith('/')
  const own = leadTo(draft, here, target, path => path === from)
  if (own !== undefined) return isAbsolute && !toItself ? undefined : own
  return isAbsolute || here === directoryOf(to) ? undefined : followed(draft, from, target)
}

/**
 * Returns the file that a relative target in the file at `from` leads to; undefined if there is
 * none.
 */
function followed(draft: Draft, from: string, target: string): string | undefined {
  for (const candidate of meantBy(from, target)) {
    const found = pageSpellings(candidate).find(path => fileAt(draft, path))
    if (found !== undefined) return found
  }
  return pageAsking(draft.tree, meantBy(from, target))?.file?.path
}

/** Returns the text of a file; undefined if it does not exist or cannot be edited. */
function* readable(draft: Draft, path: string): Asking<string | undefined> {
  const bytes = yield* bytesAt(draft, path)
  const read = bytes && decode(bytes)
  return read?.exact ? read.text : undefined
}
