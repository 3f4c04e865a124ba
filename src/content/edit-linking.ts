import type { Steps } from '../lib/slices.ts'
import { decode } from './bytes.ts'
import { baseName, isMarkdown } from './files.ts'
import { type Link, linkSteps } from './links.ts'
import type { ContentTree } from './tree.ts'

/** The paths of the files of a tree whose links may lead to pages and files: pages, reusable content, other Markdown. */
export function linkingPaths(tree: ContentTree): string[] {
  const { root } = tree.config
  const isOther = (path: string) =>
    isMarkdown(path) && path.startsWith(root) && !path.startsWith(`${root}.gitbook/assets/`)
  return [
    ...new Set([
      ...tree.pageByFile.keys(),
      ...tree.includes.map(file => file.path),
      ...tree.files.flatMap(({ path }) => (isOther(path) ? [path] : [])),
    ]),
  ]
}

/** Words of which a text that links to the file has one; null: they cannot be told. */
export function hintsOf(path: string): string[] | null {
  const name = baseName(path)
  const stem =
    name === 'README.md' ? baseName(path.slice(0, -'/README.md'.length)) : name.replace(/\.[^.]*$/, '')
  if (!/^[A-Za-z0-9.+-]+$/.test(stem)) return null
  return name === 'README.md' ? [stem, 'README', './', '.)'] : [stem]
}

/** The hints for several files; null: they cannot be told for one of them. */
export function allHintsOf(paths: Iterable<string>): string[] | null {
  const all = new Set<string>()
  for (const path of paths) {
    const hints = hintsOf(path)
    if (!hints) return null
    for (const hint of hints) all.add(hint)
  }
  return [...all]
}

/**
 * The links of those files that may lead to one of `paths`, by blob: a blob that is not there has none. In steps, so that
 * a space of many pages holds nobody up while they are read.
 */
export function* inboundSteps(
  blobs: Iterable<readonly [oid: string, bytes: Uint8Array]>,
  paths: readonly string[],
): Steps<Map<string, Link[]>> {
  const hints = allHintsOf(paths)?.map(hint => Buffer.from(hint))
  const found = new Map<string, Link[]>()
  for (const [oid, bytes] of blobs) {
    yield
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (hints && !hints.some(hint => buffer.includes(hint))) continue
    const { text, exact } = decode(bytes)
    if (exact) found.set(oid, (yield* linkSteps(text)).links)
  }
  return found
}
