import type { ContentTree, PageNode } from '../tree/build.ts'
import { type LinkHome, linkClassifier, type PageInSpace, pageInSpace } from './classify.ts'

/** What a link in `metaLinks` leads to: a page of the same space or of another one, or a URL. */
export type MetaTarget =
  | { kind: 'page'; page: PageNode }
  | { kind: 'elsewhere'; page: PageInSpace; written: string }
  | { kind: 'url'; url: string }

export type MetaTargets = { canonical?: MetaTarget | undefined; alternates: MetaTarget[] }

/**
 * Returns a function that returns the targets of the `metaLinks` of a page, without those that lead
 * nowhere.
 */
export function metaTargetsIn(tree: ContentTree, home: LinkHome): (node: PageNode) => MetaTargets {
  const classify = linkClassifier(tree, home)

  const read = (path: string, link: string): MetaTarget | undefined => {
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

  return ({ facts, file }) => {
    const written = facts?.frontMatter.metaLinks
    if (!written || !file) return { alternates: [] }
    const { canonical, alternates } = written

    return {
      canonical: canonical === undefined ? undefined : read(file.path, canonical),
      alternates: alternates.flatMap(link => read(file.path, link) ?? []),
    }
  }
}

/** Returns whether a link is the whole address of a page on the web. */
export const isWeb = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
