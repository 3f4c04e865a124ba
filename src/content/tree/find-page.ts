import { normalize } from '../../lib/normalize.ts'
import type { ContentTree, PageNode } from './build.ts'

const withoutSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '')
const withoutEnding = (path: string): string => path.replace(/\.(?:mdx?|markdown)$/i, '')

/**
 * Returns the document or group at a path of the tree. Ignores surrounding slashes, a trailing
 * `.md`, and a trailing `README` or `index`.
 */
export function findPageByPath(
  { pageByPath }: Pick<ContentTree, 'pageByPath'>,
  path: string,
): PageNode | undefined {
  const plain = withoutSlashes(path)
  const named = withoutEnding(plain)
  const folder = named.replace(/(?:^|\/)(?:readme|_?index)$/i, '')
  return pageByPath.get(plain) ?? pageByPath.get(named) ?? pageByPath.get(folder)
}

/**
 * Returns the page that the redirects of `.gitbook.yaml` lead to from a path without a page,
 * ignoring case.
 */
export function findRedirectedPage(
  { config, pageByFile }: Pick<ContentTree, 'config' | 'pageByFile'>,
  path: string,
): PageNode | undefined {
  const plain = (text: string) => text.replace(/\.(?:mdx?|markdown|html)$/i, '').toLowerCase()
  const wanted = plain(withoutEnding(withoutSlashes(path)))
  const redirect = config.redirects.find(({ from }) => plain(from) === wanted)
  return redirect && pageOfRedirect({ pageByFile }, redirect)
}

/** Returns the page that a redirect of `.gitbook.yaml` leads to. */
export const pageOfRedirect = (
  { pageByFile }: Pick<ContentTree, 'pageByFile'>,
  { to }: { to: string },
): PageNode | undefined => pageByFile.get(to.replace(/#.*$/, ''))

/** Returns a key of a path that is equal for all spellings of the same address. */
export const foldPath = (path: string): string =>
  normalize('NFC', path)
    .toLowerCase()
    .replace(/\.(?:html?|mdx?|markdown)$/, '')
    .replace(/(?:^|\/)(?:readme|_?index)$/, '')
