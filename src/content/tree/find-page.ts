import { normalize } from '../../lib/normalize.ts'
import { foldSlug } from '../text/slug.ts'
import type { ContentTree, PageNode } from './build.ts'
import type { ContentConfig } from './config.ts'

const withoutSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '')
const withoutEnding = (path: string): string => path.replace(/\.(?:mdx?|markdown)$/i, '')

type Paths = Pick<ContentTree, 'pageByPath'>

/**
 * Returns the document or group at exactly this path of the tree. Ignores surrounding slashes and a
 * trailing `.md`.
 */
export function findPageAt({ pageByPath }: Paths, path: string): PageNode | undefined {
  const plain = withoutSlashes(path)
  return pageByPath.get(plain) ?? pageByPath.get(withoutEnding(plain))
}

/** Returns the document or group at the path of a folder whose `README` or `index` is named. */
export function findPageOfFolder({ pageByPath }: Paths, path: string): PageNode | undefined {
  const named = withoutEnding(withoutSlashes(path))
  return pageByPath.get(named.replace(/(?:^|\/)(?:readme|_?index)$/i, ''))
}

/**
 * Returns the document or group at a path of the tree. Ignores surrounding slashes, a trailing
 * `.md`, and a trailing `README` or `index`.
 */
export const findPageByPath = (content: Paths, path: string): PageNode | undefined =>
  findPageAt(content, path) ?? findPageOfFolder(content, path)

/** Returns the page that a path leads to without being its address; see `ContentTree.otherPaths`. */
export function findPageByOtherPath(
  { otherPaths, pageById }: Pick<ContentTree, 'otherPaths' | 'pageById'>,
  path: string,
): PageNode | undefined {
  const page = otherPaths.get(foldSlug(withoutEnding(withoutSlashes(path))))
  // A reader may not be shown the page.
  return page && pageById.get(page.id)
}

/**
 * Returns the page that the redirects of `.gitbook.yaml` lead to from a path without a page,
 * ignoring case.
 */
export function findRedirectedPage(
  { config, pageByFile }: Pick<ContentTree, 'config' | 'pageByFile'>,
  path: string,
): PageNode | undefined {
  const redirect = redirectAt(config, path)
  return redirect && pageOfRedirect({ pageByFile }, redirect)
}

/**
 * Returns the anchor, with its number sign, to which the redirects of `.gitbook.yaml` lead from a
 * path on a page; '' without one.
 */
export function anchorOfRedirect(
  { config, pageByFile }: Pick<ContentTree, 'config' | 'pageByFile'>,
  path: string,
  page: Pick<PageNode, 'id'>,
): string {
  const redirect = redirectAt(config, path)
  if (!redirect || pageOfRedirect({ pageByFile }, redirect)?.id !== page.id) return ''
  return /#.*$/.exec(redirect.to)?.[0] ?? ''
}

function redirectAt({ redirects }: ContentConfig, path: string) {
  const plain = (text: string) => text.replace(/\.(?:mdx?|markdown|html)$/i, '').toLowerCase()
  const wanted = plain(withoutEnding(withoutSlashes(path)))
  return redirects.find(({ from }) => plain(from) === wanted)
}

/** Returns the page that a redirect of `.gitbook.yaml` leads to. */
export const pageOfRedirect = (
  { pageByFile }: Pick<ContentTree, 'pageByFile'>,
  { to }: { to: string },
): PageNode | undefined => pageByFile.get(to.replace(/#.*$/, ''))

/** Returns a key of a path that is equal for all spellings of the same address. */
export const foldPath = (path: string): string =>
  foldAddress(path).replace(/(?:^|\/)(?:readme|_?index)$/, '')

/** Returns a key like `foldPath`, in which a page named `index` has another address than its folder. */
export const foldAddress = (path: string): string =>
  normalize('NFC', path)
    .toLowerCase()
    .replace(/\.(?:html?|mdx?|markdown)$/, '')
