import { Fault, invalid } from '../../errors.ts'
import { normalize } from '../../lib/normalize.ts'
import {
  baseName,
  directoryOf,
  isFolderPage,
  isMarkdown,
  readmeNames,
  withoutEnding,
} from '../files.ts'
import { foldSlug, slugOfFile, uniqueSlug } from '../text/slug.ts'
import type { PageNode } from '../tree/build.ts'
import { type ContentConfig, followsFiles } from '../tree/config.ts'
import { allFiles, type Draft, fileAt } from './draft.ts'
import { treeOf } from './tree.ts'

/** Returns the path of a file relative to a directory ('' or with a trailing slash). */
export function relativePath(from: string, path: string): string {
  const there = path.split('/')
  const here = from.split('/').slice(0, -1)
  let same = 0
  while (same < here.length && same < there.length - 1 && here[same] === there[same]) same++
  return [...here.slice(same).map(() => '..'), ...there.slice(same)].join('/')
}

/**
 * Returns a relative path as the target of a link: never mistaken for a URL or a fragment, its
 * outer blanks encoded.
 */
export function targetFor(from: string, path: string): string {
  const relative = relativePath(from, path).replace(/^\s|\s$/g, '%20')
  return /^(?:#|[^/]*:)/.test(relative) ? `./${relative}` : relative
}

/**
 * Splits a target that leads to the file at `path`, whose name may contain `?` and `#`, from its
 * query and fragment.
 */
export function splitTarget(target: string, path: string): { written: string; tail: string } {
  const [first, hash] = [target.search(/[?#]/), target.indexOf('#')]
  if (first === -1) return { written: target, tail: '' }
  const name = baseName(path)
  const names = [name, withoutEnding(name)]

  if (isFolderPage(path)) {
    const folder = baseName(directoryOf(path).slice(0, -1))
    names.push(folder, `${folder}/`)
  }

  const isWhole = (part: string) =>
    [part, decodedOr(part)].some(text =>
      names.some(name => text === name || text.endsWith(`/${name}`)),
    )
  const parts = [target, ...(hash > first ? [target.slice(0, hash)] : [])]
  const written = parts.find(isWhole) ?? target.slice(0, first)

  return { written, tail: target.slice(written.length) }
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Returns the target for another file, spelled like `written` (without query and fragment): from
 * the root, with `./`, as a folder, or without `.md`.
 */
export function respellTarget(written: string, from: string, path: string, root: string): string {
  let target = written.startsWith('/') ? `/${path.slice(root.length)}` : targetFor(from, path)
  if (written.startsWith('./') && !/^\.{1,2}\//.test(target)) target = `./${target}`

  if (/(?:^|\/)\.{0,2}$/.test(written) && isFolderPage(path)) target = directoryOf(target) || './'
  else if (!isMarkdown(written) && /\.mdx?$/.test(path) && !/\.[a-z0-9]{1,5}$/i.test(written))
    target = target.replace(/(?:\/README(?=\.md$))?\.mdx?$/, '') || target

  return target
}

const namedBadly =
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd\\/:*?"<>|]/

/**
 * Returns a file name that is valid on every system: composed (NFC), at most 255 bytes. Throws
 * 'invalid' with the reason; `what` names the field.
 */
export function fileName(name: string, what: string): string {
  const composed = normalize('NFC', name)
  const shown = JSON.stringify(name.slice(0, 60))
  const wrong = (why: string) => new Fault('path_not_allowed', `"${what}" ${shown} ${why}.`)
  if (composed === '' || composed === '.' || composed === '..') throw wrong('is not a file name')

  if (namedBadly.test(composed) || !composed.isWellFormed())
    throw wrong(
      'contains a character that is not allowed in file names (slashes, control characters or : * ? " < > |)',
    )

  if (/^\s|[\s.]$/.test(composed))
    throw wrong('must not start with a blank or end with a blank or a dot')
  if (Buffer.byteLength(composed) > 255) throw wrong('is longer than 255 bytes')
  if (/^(?:\.git|\.gitmodules|git~\d+)$/i.test(composed))
    throw wrong('is a name that is reserved by Git')
  if (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(composed))
    throw wrong('is a name that is reserved by Windows')

  return composed
}

/**
 * Returns the taken paths by their folded form (case, composition): files, folders, and pages whose
 * file is missing.
 */
export function takenPaths(draft: Draft): Map<string, string> {
  const taken = new Map<string, string>()
  const add = (path: string) => {
    const folded = foldSlug(path)
    if (!taken.has(folded)) taken.set(folded, path)
  }
  const folders = new Set<string>()

  for (const { path } of allFiles(draft)) {
    add(path)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (folders.has(folder)) break
      folders.add(folder)
      add(folder)
    }
  }

  const tree = treeOf(draft)

  add(tree.summaryPath)
  for (const page of tree.pageById.values()) if (page.missing !== undefined) add(page.missing)

  return taken
}

/** Returns a folder in its existing spelling. Throws 'conflict' if a part of it is a file. */
export function folderFor(
  draft: Draft,
  taken: ReadonlyMap<string, string>,
  folder: string,
): string {
  let path = ''
  for (const part of folder.split('/').slice(0, -1)) {
    const wanted = path + part
    const there = taken.get(foldSlug(wanted)) ?? wanted
    if (fileAt(draft, there))
      throw new Fault('path_conflict', `"${there}" is a file, not a folder.`)
    path = `${there}/`
  }
  return path
}

/** Reports whether a page at this path has the address of its folder. */
export function isPageOfFolder(config: ContentConfig, page: PageNode, path: string): boolean {
  const isReadme = page.ofFolder === true || readmeNames.includes(baseName(path))
  return isReadme || (followsFiles(config) && isFolderPage(path))
}

/** Returns the folder for the files of pages below `parent` (undefined: at the top level). */
function folderOfChildren(draft: Draft, parent: PageNode | undefined): string {
  const tree = treeOf(draft)
  const { root } = tree.config
  if (!parent) return root

  const path = parent.file?.path ?? parent.missing

  if (path?.startsWith(root)) {
    if (!isPageOfFolder(tree.config, parent, path)) return `${withoutEnding(path)}/`
    // The children of the landing page would otherwise mix with the pages at the top level.
    return directoryOf(path) === root ? `${root}readme/` : directoryOf(path)
  }

  const own = `${root}${parent.path}/`
  if (parent.type !== 'group') return own

  const files = parent.pages.flatMap(page => (page.file ? [page.file.path] : []))

  return files.length === 0 || files.some(file => file.startsWith(own)) ? own : root
}

/** Returns the children of `parent`, or the pages at the top level. */
export const siblingsOf = (draft: Draft, parent: PageNode | undefined): readonly PageNode[] =>
  parent ? parent.pages : treeOf(draft).pages

/**
 * Returns the path for the file of a new page below `parent`. A given slug must be free among
 * siblings and files: throws 'conflict' otherwise. A derived slug gets a number if necessary.
 * `self` is the page if it exists already.
 */
export function pathForPage(
  draft: Draft,
  parent: PageNode | undefined,
  slug: { given: string } | { derived: string },
  self?: PageNode,
): string {
  const taken = takenPaths(draft)
  const folder = folderFor(draft, taken, folderOfChildren(draft, parent))
  const siblings = siblingsOf(draft, parent).filter(page => page !== self)
  const name = 'given' in slug ? pageName(slug.given) : pageName(slug.derived, true)

  if ('given' in slug) {
    refuseTakenSlug(name, siblings)
    refuseTakenPath(draft, taken, `${folder}${name}.md`)
    return `${folder}${name}.md`
  }

  const used = new Set(siblings.flatMap(slugsOf))

  for (let at = name; ; used.add(foldSlug(at))) {
    at = uniqueSlug(name, used)
    const path = `${folder}${at}.md`
    if (!taken.has(foldSlug(path)) && !/^readme$/i.test(at)) return path
  }
}

/**
 * Returns a slug as the base name of a page's file. Throws 'invalid' if it is not a valid one.
 * `derived`: it is from a title, and may still get a number.
 */
export function pageName(slug: string, derived = false): string {
  const name = fileName(`${slug}.md`, 'slug').slice(0, -3)
  // "README" is the page of its folder and not a slug.
  if (/[#%\s]/.test(name) || /^\.|\.$/.test(name) || (!derived && /^readme$/i.test(name)))
    throw invalid(
      `"slug" ${JSON.stringify(slug.slice(0, 60))} cannot be a page's address: use letters, digits, "-", "_", "+" and dots.`,
    )
  return name
}

/** Returns the slugs that another page takes from a page by having them, in the compared form. */
const slugsOf = ({ slug, wanted = slug }: PageNode): string[] => [foldSlug(slug), foldSlug(wanted)]

/** Throws 'conflict' if another sibling has the slug, or would have it if no page shared it. */
export function refuseTakenSlug(
  slug: string,
  siblings: readonly PageNode[],
  self?: PageNode,
): void {
  const other = siblings.find(page => page !== self && slugsOf(page).includes(foldSlug(slug)))
  if (other)
    throw new Fault(
      'path_in_use',
      `The page "${other.title}" already has the slug "${slug}": choose another one.`,
      { page: other.id, path: other.path },
    )
}

/** Throws 'conflict' if the path is taken, ignoring case. */
export function refuseTakenPath(
  draft: Draft,
  taken: ReadonlyMap<string, string>,
  path: string,
): void {
  const there = taken.get(foldSlug(path))
  if (there === undefined) return
  const page = treeOf(draft).pageByFile.get(there)
  const owner = page ? ` of the page "${page.title}"` : ''

  throw new Fault(
    'file_exists',
    `The file "${there}"${owner} already exists: choose another slug or name.`,
    {
      file: there,
      ...(page && { page: page.id }),
    },
  )
}

/** Returns the slug that a page has because of its file. */
export const slugOfPath = (draft: Draft, path: string): string =>
  slugOfFile(path.slice(treeOf(draft).config.root.length))
