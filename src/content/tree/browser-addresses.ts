import type { PageNode } from './build.ts'

/** Where a browser opens content: in the workbench, or in the API. */
export type BrowserAddresses = {
  /** The address of the content. */
  content: string
  /** The base of the addresses of its pages, which end with their ids; with a slash at its end. */
  pages: string
}

/** Returns the addresses of the API for content with this URL without a trailing slash. */
export const apiAddresses = (location: string): BrowserAddresses => ({
  content: location,
  pages: `${location}/page/`,
})

/** Returns the address at which a browser opens a page. */
export const pageAddressIn = ({ pages }: BrowserAddresses, { id }: Pick<PageNode, 'id'>): string =>
  pages + id
