import type { ContentTree } from '../../content/tree/build.ts'
import { type FileIndex, resolveTarget } from '../../content/tree/resolve.ts'
import type { LinkPage } from './schema.ts'

type Linked = Pick<LinkPage, 'target' | 'href'>

/** Schemes that are safe in a link; others could run code. */
const harmless = /^(?:https?|mailto|tel):/i

/** Returns a function that resolves link targets of a revision: by id for its own pages and files, else as a URL. */
export function linkTargets(content: ContentTree): (target: string) => Linked {
  let index: FileIndex | undefined
  return target => {
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target) || target === '') return toUrl(target)
    index ??= indexOf(content)
    const hash = target.indexOf('#')
    const whole = find(content, index, target)
    if (whole) return whole
    if (hash < 0) return toUrl(target)
    const anchor = target.slice(hash + 1)
    if (hash === 0) return { target: { kind: 'anchor', anchor }, href: target }
    const before = find(content, index, target.slice(0, hash))
    if (before?.target.kind !== 'page') return before ?? toUrl(target)
    return {
      target: { kind: 'anchor', anchor, page: before.target.page },
      href: `${before.href}#${anchor}`,
    }
  }
}

function toUrl(url: string): Linked {
  return { target: { kind: 'url', url }, ...(harmless.test(url) && { href: url }) }
}

function find(content: ContentTree, index: FileIndex, target: string): Linked | undefined {
  const resolved = resolveTarget(index, target)
  if (resolved.kind !== 'page' && resolved.kind !== 'file') return undefined
  const path = resolved.kind === 'page' ? resolved.file.path : resolved.path
  const page = content.pageByFile.get(path)
  if (page) return { target: { kind: 'page', page: page.id }, href: page.path }
  const file = content.fileByPath.get(path)
  return file && { target: { kind: 'file', file: file.id }, href: file.path }
}

/** Returns the index of the pages and files that a link can lead to, resolved as in the table of contents. */
function indexOf(content: ContentTree): FileIndex {
  const byPath: FileIndex['byPath'] = new Map()
  for (const [path, { oid, mode }] of content.fileByPath) byPath.set(path, { path, oid, mode })
  for (const [path, page] of content.pageByFile)
    byPath.set(path, { path, oid: page.file?.oid ?? '', mode: '100644' })
  return { byPath, odd: new Map(), root: content.config.root, summaryPath: content.summaryPath }
}
