import type { PageNode } from './build.ts'
import { encodePath } from './page-address.ts'

/** Where a browser opens content: on a site, at an address that leads to one, or in the API. */
export type BrowserAddresses = {
  /** The address of the content. */
  content: string
  /** The base of the addresses of its pages, with a slash at its end. */
  pages: string
  /** Whether addresses name pages by their paths; otherwise by their ids. */
  byPath: boolean
}

/** Returns the addresses of the API for content with this URL without a trailing slash. */
export const apiAddresses = (location: string): BrowserAddresses => ({
  content: location,
  pages: `${location}/page/`,
  byPath: false,
})

/** Returns the address at which a browser opens a page; `path` is its path below the content. */
export const pageAddressIn = (
  { pages, byPath }: BrowserAddresses,
  { id, path }: Pick<PageNode, 'id' | 'path'>,
): string => pages + (byPath ? encodePath(path) : id)
