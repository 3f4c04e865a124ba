import { mustGet } from '../../lib/must-get.ts'
import { pageSpellings } from '../files.ts'
import { addressesAt } from '../links/asked.ts'
import { firstOf, targetPaths } from '../links/target-paths.ts'
import { foldSlug } from '../text/slug.ts'
import type { PrintBook, PrintLink, PrintPage } from './book-types.ts'

/** Look-ups for the link, include and image targets in the texts of a book. */
type PrintTargets = Pick<PrintBook, 'link' | 'include'> & {
  /**
   * Returns the blob of an image of the space; undefined for others, such as images on other
   * servers.
   */
  imageBlob: (fromFile: string | undefined, target: string) => string | undefined
}

/** The pages and files that a target can point to. */
type PrintIndex = {
  root: string
  pages: readonly Pick<PrintPage, 'id' | 'filePath' | 'otherPaths'>[]
  /** Markdown by path. */
  includes: ReadonlyMap<string, string>
  /** Blobs by path. */
  images: ReadonlyMap<string, string>
}

/** The addresses that are safe in a PDF: other schemes could start a program. */
const harmless = /^(?:https?:\/\/|mailto:)/i

/**
 * Returns look-ups for targets: pages among the printed ones, images and reusable content among
 * those of the space.
 */
export function printTargets({ root, pages, includes, images }: PrintIndex): PrintTargets {
  const ids = new Map(
    pages.flatMap(({ id, filePath }) => (filePath === undefined ? [] : [[filePath, id]])),
  )
  const others = new Map(
    pages.flatMap(({ id, otherPaths = [] }) => otherPaths.map(path => [path, id] as const)),
  )
  const resolve = targetPaths(root)
  return {
    link: (fromFile, target): PrintLink | undefined => {
      if (harmless.test(target)) return { url: target }
      const { paths, fragment } = resolve(fromFile, target)
      const page =
        firstOf(paths.flatMap(pageSpellings), ids) ??
        firstOf(addressesAt(root, paths).map(foldSlug), others)
      return page === undefined ? undefined : { page, ...(fragment && { anchor: fragment }) }
    },
    include: (fromFile, target) => {
      const path = resolve(fromFile, target).paths.find(each => includes.has(each))
      return path === undefined ? undefined : { path, markdown: mustGet(includes, path) }
    },
    imageBlob: (fromFile, target) => firstOf(resolve(fromFile, target).paths, images),
  }
}
