import type { Steps } from '../../lib/slices.ts'
import { baseName, directoryOf, isFolderPage, isMarkdown, withoutEnding } from '../files.ts'
import { withinLimits } from '../markdown/limits.ts'
import { decode } from '../text/bytes.ts'
import type { ContentTree } from '../tree/build.ts'
import { type Link, linkSteps, noFindings } from './find.ts'
import { withoutHtml } from './served.ts'

/**
 * Returns the paths of the files whose links may lead to pages and files: pages, reusable content,
 * other Markdown.
 */
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

/**
 * Returns substrings, one of which occurs in any text that links to the file; null if none can be
 * guaranteed.
 */
function hintsOf(path: string): string[] | null {
  const name = baseName(path).replace(/\.[^.]*$/, '')
  const isFolder = isFolderPage(path)
  const stem = isFolder ? folderName(path) : name

  // Some writers percent-encode a plus sign, so only the text beside it is used.
  const [part = ''] = stem.split('+').sort((a, b) => b.length - a.length)
  if (!/^[A-Za-z0-9.+-]+$/.test(stem) || part === '') return null

  const escaped = part.replace(/[.-]/g, '\\$&')
  const parts = escaped === part ? [part] : [part, escaped]

  return isFolder ? [...parts, name, 'index.html', './', '.)'] : parts
}

/** Returns the name of the folder of a file. */
const folderName = (path: string): string => baseName(directoryOf(path).slice(0, -1))

const lastPart = /[^/]*$/

/**
 * Returns a fast check whether a target may lead to one of the files. It compares the last part of
 * the target with the names of the files, with and without extension, and of the folders whose
 * pages they are. Targets such as `..` always pass.
 */
export function mayLeadTo(paths: Iterable<string>): (target: string) => boolean {
  const names = new Set(['', '.', '..'])
  for (const path of paths) {
    const name = baseName(path)
    names.add(name).add(withoutEnding(name))
    if (isFolderPage(path)) names.add(folderName(path))
  }

  const isName = (path: string) => {
    const last = lastPart.exec(path.endsWith('/') ? path.slice(0, -1) : path)![0]
    return names.has(last) || names.has(withoutHtml(last))
  }

  return target => {
    if (target.includes('%')) return true
    const end = target.search(/[?#]/)
    if (end === -1) return isName(target)
    return isName(target.slice(0, end)) || isName(target) || isName(target.replace(/#.*$/s, ''))
  }
}

/** Returns the hints for several files; null if one of them has none. */
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
 * Returns a function that reads the links of a blob in steps. The result is undefined if none of
 * them may lead to one of `paths`, so that nothing has to be rewritten.
 */
export function inboundOf(
  paths: readonly string[],
): (bytes: Uint8Array) => Steps<Link[] | undefined> {
  const hints = allHintsOf(paths)?.map(hint => Buffer.from(hint))
  const mayLead = mayLeadTo(paths)
  return function* (bytes) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (hints && !hints.some(hint => buffer.includes(hint))) return undefined
    const { text, exact } = decode(bytes)
    if (!exact) return undefined
    // A page that is too large to be parsed keeps its links.
    const { links } = yield* withinLimits(linkSteps(text), noFindings)
    return links.some(({ target }) => mayLead(target)) ? links : undefined
  }
}
