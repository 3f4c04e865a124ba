import { resolveLink } from '../content/links.ts'
import type { PrintBook, PrintLink } from '../content/print.ts'
import type { ContentTree } from '../content/tree.ts'
import { isImagePath } from './print-images.ts'

/** What the targets that stand in the texts of a book lead to. */
export type PrintTargets = Pick<PrintBook, 'link' | 'include'> & {
  /** The blob of an image that the space has; undefined for others, above all for those of other servers. */
  imageBlob: (fromFile: string | undefined, target: string) => string | undefined
}

/** What may stand in a PDF as it is: others could start something. */
const harmless = /^(?:https?:\/\/|mailto:)/i

/** Looks targets up in a tree: pages among the printed ones, images among its files, pieces of reusable content among theirs. */
export function printTargets(
  content: ContentTree,
  printed: ReadonlySet<string>,
  includes: ReadonlyMap<string, string>,
): PrintTargets {
  const { root } = content.config
  const within = (path: string) => (path.startsWith(root) ? path.slice(root.length) : path)
  const resolve = (fromFile: string | undefined, target: string) => {
    const { candidates, fragment } = resolveLink(within(fromFile ?? `${root}README.md`), target.trim())
    return { paths: candidates.map(path => root + path), fragment }
  }
  const pageAt = (path: string) =>
    spellings(path)
      .map(spelling => content.pageByFile.get(spelling))
      .find(page => page && printed.has(page.id))
  return {
    link: (fromFile, target): PrintLink | undefined => {
      if (harmless.test(target)) return { url: target }
      const { paths, fragment } = resolve(fromFile, target)
      for (const path of paths) {
        const page = pageAt(path)
        if (page) return { page: page.id, ...(fragment && { anchor: fragment }) }
      }
      return undefined
    },
    include: (fromFile, target) => {
      for (const path of resolve(fromFile, target).paths) {
        const markdown = includes.get(path)
        if (markdown !== undefined) return { path, markdown }
      }
      return undefined
    },
    imageBlob: (fromFile, target) =>
      resolve(fromFile, target)
        .paths.map(path => content.fileByPath.get(path))
        .find(file => file && isImagePath(file.path))?.oid,
  }
}

/** `dir/`, `dir` and `page` mean `dir/README.md` and `page.md`. */
const spellings = (path: string): string[] =>
  path === '' || path.endsWith('/') ? [`${path}README.md`] : [path, `${path}.md`, `${path}/README.md`]
