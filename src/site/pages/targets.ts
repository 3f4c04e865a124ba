import type { HtmlImage, HtmlLink, HtmlTargets } from '../../content/html/page-html.ts'
import { resolveLink } from '../../content/links/find.ts'
import type { ContentTree, FileNode, PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../place/page-address.ts'

/** What targets in the texts of a space lead to. */
export type TargetScope = {
  content: ContentTree
  /** The base of the addresses of pages, with a slash at its end. */
  base: string
  /** Returns the address of a file. */
  fileAddress: (file: FileNode) => string
  /** Sizes of files, by oid. */
  media: ReadonlyMap<string, { size: number; width: number | null; height: number | null }>
  /** The texts of reusable content, by path. */
  includes: ReadonlyMap<string, string>
}

/** Returns whether an address is safe in a link: other schemes could run code or start a program. */
export const isHarmless = (address: string): boolean => /^(?:https?:\/\/|mailto:|tel:)/i.test(address)

/** Returns look-ups for the targets in the texts of a space. */
export function htmlTargets(scope: TargetScope): HtmlTargets {
  const { content, includes } = scope
  const root = content.config.root
  const within = (path: string) => (path.startsWith(root) ? path.slice(root.length) : path)
  const resolve = (fromFile: string | undefined, target: string) => {
    const found = resolveLink(within(fromFile ?? `${root}README.md`), target)
    return { paths: found.candidates.map(path => root + path), fragment: found.fragment }
  }
  const fileAt = (paths: readonly string[]) =>
    paths.map(path => content.fileByPath.get(path)).find(file => file !== undefined)
  return {
    link: (fromFile, written) => {
      const target = written.trim()
      if (isHarmless(target)) return { href: target, kind: 'external' }
      if (/^#./.test(target)) return { href: target, kind: 'anchor' }
      const { paths, fragment } = resolve(fromFile, target)
      const page = pageAt(content, paths)
      if (page) return linkToPage(scope, page, fragment)
      const file = fileAt(paths)
      return file && linkToFile(scope, file)
    },
    image: (fromFile, written) => {
      const target = written.trim()
      if (/^https?:\/\//i.test(target)) return { src: target }
      const file = fileAt(resolve(fromFile, target).paths)
      return file && imageOf(scope, file)
    },
    include: (fromFile, target) => {
      const path = resolve(fromFile, target.trim()).paths.find(path => includes.has(path))
      return path === undefined ? undefined : { path, markdown: includes.get(path) as string }
    },
  }
}

/** Returns the page at the first of some paths of files that has one. `dir/`, `dir` and `page` mean `dir/README.md` and `page.md`. */
function pageAt({ pageByFile }: ContentTree, paths: readonly string[]): PageNode | undefined {
  for (const path of paths) {
    const spellings =
      path === '' || path.endsWith('/') ? [`${path}README.md`] : [path, `${path}.md`, `${path}/README.md`]
    for (const spelling of spellings) {
      const page = pageByFile.get(spelling)
      if (page) return page
    }
  }
  return undefined
}

function linkToPage({ content, base }: TargetScope, page: PageNode, fragment: string | undefined): HtmlLink {
  const { title, emoji, icon, facts } = page
  return {
    href: addressOfPage(base, content, page) + (fragment ? `#${encodeURIComponent(fragment)}` : ''),
    kind: 'page',
    title,
    emoji,
    icon,
    description: facts?.frontMatter.description,
  }
}

const linkToFile = ({ fileAddress, media }: TargetScope, file: FileNode): HtmlLink => ({
  href: fileAddress(file),
  kind: 'file',
  title: file.name,
  size: media.get(file.oid)?.size,
})

function imageOf({ fileAddress, media }: TargetScope, file: FileNode): HtmlImage {
  const { width, height } = media.get(file.oid) ?? {}
  return {
    src: fileAddress(file),
    ...(width && height && { width, height }),
  }
}
