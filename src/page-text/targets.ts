import type { HtmlImage, HtmlLink, HtmlTargets } from '../content/html/page-html.ts'
import { decodedAnchor } from '../content/links/anchors.ts'
import { firstOf, pageAtPaths, targetPaths } from '../content/links/target-paths.ts'
import type { ContentTree, FileNode, PageNode } from '../content/tree/build.ts'

/** What targets in the texts of a space lead to. */
export type TargetScope = {
  content: ContentTree
  /** Returns the address of a page. */
  hrefOf: (page: PageNode) => string
  /** The origins of the place where the text is read: links to them are links within it. */
  origins: readonly string[]
  /** Returns the address of a file. */
  fileAddress: (file: FileNode) => string
  /** Returns a file as an image. */
  imageOf: (file: FileNode) => HtmlImage
  /** Sizes of files, by oid. */
  media: ReadonlyMap<string, { size: number; width: number | null; height: number | null }>
  /** The texts of reusable content, by path. */
  includes: ReadonlyMap<string, string>
}

/**
 * Returns whether an address is safe in a link: other schemes could run code or start a program.
 */
export const isHarmless = (address: string): boolean =>
  /^(?:https?:\/\/|mailto:|tel:)/i.test(address)

const isOwn = ({ origins }: TargetScope, address: string): boolean =>
  URL.canParse(address) && origins.includes(new URL(address).origin)

/** Returns look-ups for the targets in the texts of a space. */
export function htmlTargets(scope: TargetScope): HtmlTargets {
  const { content, includes } = scope
  const resolve = targetPaths(content.config.root)
  const fileAt = (paths: readonly string[]) => firstOf(paths, content.fileByPath)

  return {
    link: (fromFile, written) => {
      const target = written.trim()
      if (isHarmless(target))
        return { href: target, kind: isOwn(scope, target) ? 'page' : 'external' }
      if (/^#./.test(target)) return { href: target, kind: 'anchor' }

      const { paths, fragment } = resolve(fromFile, target)
      const file = fileAt(paths)
      const page = pageAtPaths(content, paths)

      if (page) {
        const link = linkToPage(scope, page, { query: queryOf(target, page), fragment })
        // The writer knows the spellings of the anchors of its own page.
        const isHere = fragment !== undefined && page.file?.path === fromFile
        return isHere ? { ...link, href: `#${fragment}` } : link
      }

      return file && linkToFile(scope, file)
    },
    image: (fromFile, written) => {
      const target = written.trim()
      if (/^https?:\/\//i.test(target)) return { src: target }
      const file = fileAt(resolve(fromFile, target).paths)
      return file && scope.imageOf(file)
    },
    include: (fromFile, target) => {
      const path = resolve(fromFile, target).paths.find(each => includes.has(each))
      return path === undefined ? undefined : { path, markdown: includes.get(path) as string }
    },
  }
}

/**
 * Returns the query of a target with its question mark. Returns '' if the question mark is part of
 * the file name of the page.
 */
function queryOf(target: string, { file }: PageNode): string {
  const [query = ''] = /\?[^#]*/.exec(target.replace(/#.*$/s, '')) ?? []
  return file?.path.includes('?')
    ? ''
    : query.replace(/[^!$&+,./0-9:;=?@A-Z_a-z~%-]/gu, encodeURIComponent)
}

type Tail = { query: string; fragment: string | undefined }

function linkToPage({ hrefOf }: TargetScope, page: PageNode, { query, fragment }: Tail): HtmlLink {
  const { title, emoji, icon, facts } = page
  return {
    href:
      hrefOf(page) + query + (fragment ? `#${encodeURIComponent(decodedAnchor(fragment))}` : ''),
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
