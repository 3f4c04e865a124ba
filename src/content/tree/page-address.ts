import type { ContentTree, PageNode } from './build.ts'

/** A path that is the same as part of an address, like most paths. */
const plain = /^[A-Za-z0-9_.!~*'()/-]*$/

/** Returns a path of a page as part of an address. */
export const encodePath = (path: string): string =>
  plain.test(path) ? path : path.split('/').map(encodeURIComponent).join('/')

/** Returns the path of a page below the base of its content: '' for the landing page. */
export const pathOfPage = (
  { pageByPath }: Pick<ContentTree, 'pageByPath'>,
  { id, path }: PageNode,
): string => (pageByPath.get('')?.id === id ? '' : path)

/** Returns the address of a page below a base with a slash at its end. */
export const addressOfPage = (base: string, content: ContentTree, node: PageNode): string =>
  base + encodePath(pathOfPage(content, node))

/** Returns the address of the Markdown of a page, given the address of the page. */
export const markdownAddress = (address: string): string =>
  address.endsWith('/') ? `${address}README.md` : `${address}.md`
