import type { DocumentRef } from '../document/to-page.ts'
import { documentToPageMarkdown } from '../document/to-page.ts'
import { directoryOf, withoutEnding } from '../files.ts'
import { findLinks, findLinksOfAny, type Link, rewriteLink } from '../links/find.ts'
import { checkPage, scanBlocks } from '../markdown/blocks.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { type Inline, scanInline } from '../markdown/inline.ts'
import { piecesOf } from '../markdown/table-cells.ts'
import { type Splice, spliceAll } from '../text/lines.ts'
import type { PageNode } from '../tree/build.ts'
import type { Body } from './changes.ts'
import { type Draft, putText } from './draft.ts'
import { targetFor } from './paths.ts'
import { textAt } from './read.ts'
import type { Asking } from './requests.ts'
import { treeOf } from './tree.ts'

/**
 * Returns a body as Markdown for a page at `path`; undefined for an empty body. Throws 'invalid'
 * for unknown blocks.
 */
export function markdownOf(draft: Draft, body: Body | undefined, path: string): string | undefined {
  if (body === undefined) return undefined
  if ('markdown' in body && typeof body.markdown === 'string') return body.markdown
  if (!('document' in body) || !body.document) return undefined
  return documentToPageMarkdown(body.document, ref => targetOfRef(draft, path, ref))
}

/**
 * Returns the target of a reference in a block tree, relative to the page at `path`; null if it
 * does not exist.
 */
function targetOfRef(draft: Draft, path: string, ref: DocumentRef): string | null {
  const tree = treeOf(draft)
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  if (ref.kind === 'file') return toFile(path, tree.fileById.get(text(ref.file))?.path)
  if (ref.kind === 'page') return toFile(path, tree.pageById.get(text(ref.page))?.file?.path)
  if (ref.kind !== 'anchor') return null
  if (ref.page === undefined) return `#${text(ref.anchor)}`
  const target = toFile(path, tree.pageById.get(text(ref.page))?.file?.path)
  return target === null ? null : `${target}#${text(ref.anchor)}`
}

const toFile = (from: string, path: string | undefined): string | null =>
  path === undefined ? null : targetFor(directoryOf(from), path)

/**
 * Returns the splice that changes the target of a link, preserving its spelling; `tail` is a query
 * or fragment as written.
 */
export function relink(markdown: string, link: Link, target: string, tail = ''): Splice {
  // A percent-encoded path in HTML stays percent-encoded.
  const before = tail === '' ? link.target : link.target.replace(/[?#].*$/s, '')
  const encoded = link.how === 'html-attr' && /%[0-9a-f]{2}/i.test(before)
  const wanted = encoded ? target.split('/').map(encodeURIComponent).join('/') : target

  // The spelling depends only on the adjacent characters; this avoids copying a long page for every
  // link.
  const start = Math.max(0, link.raw.start - 1)
  const part = markdown.slice(start, link.raw.end + 1)
  const raw = { start: link.raw.start - start, end: link.raw.end - start }

  return {
    start,
    end: start + part.length,
    text: rewriteLink(part, { ...link, raw }, wanted, tail),
  }
}

/** Returns whether a target has a form that only the API knows and that cannot be a path. */
const isReference = (target: string): boolean => /^\/(?:pages|files)\//.test(target)

/**
 * Converts API links in submitted Markdown (`/pages/…`, `/files/…`, `./<ref>`) to relative ones.
 * With `last`, API links without a destination become plain text, unless the page had them before;
 * otherwise they are kept for a later pass.
 */
export function settleLinks(
  draft: Draft,
  path: string,
  text: string,
  { before, last }: { before: string; last: boolean },
): string {
  if (!/\/(?:pages|files)\/|\.\//.test(text)) return text
  const links = findLinks(text)
  const splices: Splice[] = []

  for (const link of links) {
    const found = resolveReference(draft, path, link.target)
    if (found) splices.push(relink(text, link, found.path, found.fragment))
  }

  if (!last) return spliceAll(text, splices)
  if (splices.length === 0) return withoutDead(draft, path, text, links, before)

  const settled = spliceAll(text, splices)

  return withoutDead(draft, path, settled, findLinks(settled), before)
}

/** Reduces links without a destination to their text, except those that the page had before. */
function withoutDead(
  draft: Draft,
  path: string,
  text: string,
  links: readonly Link[],
  before: string,
): string {
  const isDead = ({ how, target }: Link) =>
    (how === 'md-link' || how === 'md-image') &&
    isReference(target) &&
    resolveReference(draft, path, target) === undefined
  const dead = links.filter(isDead)
  if (dead.length === 0) return text

  const kept = new Set(findLinksOfAny(before).map(link => link.target))
  const targets = new Set(dead.flatMap(({ target, raw }) => (kept.has(target) ? [] : [raw.start])))
  if (targets.size === 0) return text

  return spliceAll(
    text,
    inlinesOf(text)
      .filter(({ target }) => target && targets.has(target.start))
      .flatMap(inline => [
        { start: inline.start, end: inline.text.start, text: '' },
        { start: inline.text.end, end: inline.end, text: '' },
      ]),
  )
}

/** Returns the inline elements in the paragraphs and headings of a page. */
export function inlinesOf(markdown: string): Inline[] {
  const { body } = splitFrontMatter(markdown)
  return scanBlocks(markdown, body).flatMap(({ kind, text }) =>
    kind === 'paragraph' || kind === 'heading'
      ? [...piecesOf(markdown, text)].flatMap(piece => scanInline(markdown, piece.start, piece.end))
      : [],
  )
}

/**
 * Returns the relative target of a reference; undefined if it is not one or its destination does
 * not exist (yet).
 */
function resolveReference(
  draft: Draft,
  path: string,
  target: string,
): { path: string; fragment: string } | undefined {
  const hash = target.indexOf('#')
  const bare = hash === -1 ? target : target.slice(0, hash)
  const fragment = hash === -1 ? '' : target.slice(hash)
  const tree = treeOf(draft)
  let found: string | undefined

  if (bare.startsWith('/pages/')) found = findPage(draft, bare.slice('/pages/'.length))?.file?.path
  else if (bare.startsWith('/files/')) {
    const name = bare.slice('/files/'.length)
    const ref = draft.refs.get(name)
    found = tree.fileById.get(name)?.path ?? (ref && 'file' in ref ? ref.file : undefined)
  } else if (bare.startsWith('./')) {
    const ref = draft.refs.get(bare.slice(2)) ?? draft.refs.get(bare.slice(2).replace(/\.md$/, ''))
    if (ref) found = 'file' in ref ? ref.file : tree.pageById.get(ref.page)?.file?.path
  }

  return found === undefined ? undefined : { path: targetFor(directoryOf(path), found), fragment }
}

/** Returns a page by id, by address, or by the path of its file relative to the root. */
function findPage(draft: Draft, name: string): PageNode | undefined {
  const tree = treeOf(draft)
  const byId = tree.pageById.get(name)
  if (byId) return byId

  const decoded = decode(name)
  const address = withoutEnding(decoded.replace(/(?:^|\/)README\.md$/, ''))

  return (
    tree.pageByFile.get(tree.config.root + decoded) ??
    tree.pageByPath.get(decoded.replace(/\/$/, '')) ??
    tree.pageByPath.get(address)
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Converts the remaining API links of every page whose Markdown came with the batch, now that all
 * refs are known. Throws 'too_large' for a page that is too large to be parsed.
 */
export function* settleSubmitted(draft: Draft): Asking<void> {
  for (const [path, before] of draft.submitted) {
    const text = yield* textAt(draft, path)
    yield* checkPage(text)
    putText(draft, path, settleLinks(draft, path, text, { before, last: true }))
  }
}
