import type { ContentTree, PageNode } from '../tree/build.ts'
import { type LinkHome, linkClassifier, type PageInSpace, pageInSpace } from './classify.ts'

/** What a link in `metaLinks` leads to: a page of the same space or of another one, or a URL. */
export type MetaTarget =
  | { kind: 'page'; page: PageNode }
  | { kind: 'elsewhere'; page: PageInSpace; written: string }
  | { kind: 'url'; url: string }

export type MetaTargets = { canonical?: MetaTarget | undefined; alternates: MetaTarget[] }

/** Returns the targets of the `metaLinks` of a page, without those that lead nowhere. */
export function metaTargets(tree: ContentTree, home: LinkHome, node: PageNode): MetaTargets {
  const written = node.facts?.frontMatter.metaLinks
  if (!written || !node.file) return { alternates: [] }
  const classify = linkClassifier(tree, home)
  const { path } = node.file

  const read = (link: string): MetaTarget | undefined => {
    const { to } = classify(path, { target: link })
    if (to.kind === 'page') {
      const page = tree.pageById.get(to.id)
      return page && { kind: 'page', page }
    }
    if (to.kind === 'space') {
      const page = pageInSpace(home.own, to.url)
      return page && { kind: 'elsewhere', page, written: link }
    }
    return to.kind === 'url' && isWeb(to.url) ? { kind: 'url', url: to.url } : undefined
  }

  return {
    canonical: written.canonical === undefined ? undefined : read(written.canonical),
    alternates: written.alternates.flatMap(link => read(link) ?? []),
  }
}

/** Returns whether a link is the whole address of a page on the web. */
export const isWeb = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
