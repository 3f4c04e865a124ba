import type { z } from 'zod'
import { type Fields, pick } from '../../access/fields.ts'
import { directoryOf, insidePath } from '../../content/files.ts'
import type { LinkHome } from '../../content/links/classify.ts'
import {
  isWeb,
  type MetaTarget,
  type MetaTargets,
  metaTargetsIn,
} from '../../content/links/meta-targets.ts'
import type { FrontMatter } from '../../content/markdown/front-matter.ts'
import { layoutOf } from '../../content/page/layout.ts'
import { type BrowserAddresses, pageAddressIn } from '../../content/tree/browser-addresses.ts'
import type { ComputedSource, ContentTree, PageNode } from '../../content/tree/build.ts'
import type { Steps } from '../../lib/slices.ts'
import type { MetaLinkTarget } from './meta-link-schema.ts'
import { linkTargets } from './present-link-target.ts'
import type { ChildPage, DocumentPage, Page } from './schema.ts'

export type PageShown = {
  content: ContentTree
  /** Where a browser opens the content. */
  app: BrowserAddresses
  /** The space of the content; without it, `metaLinks` are left out. */
  home?: LinkHome | undefined
  /** False leaves out Git metadata. */
  metadata: boolean
  /** False leaves out variables. */
  variables?: boolean
  /**
   * The texts of pages by blob, by path where it makes a difference, or by page id for computed
   * pages; pages without an entry have no text.
   */
  markdown?: ReadonlyMap<string, string> | undefined
}

type Show = PageShown & {
  linked: ReturnType<typeof linkTargets>
  metaTargets: ReturnType<typeof metaTargetsIn> | undefined
}

const showing = (shown: PageShown): Show => ({
  ...shown,
  linked: linkTargets(shown.content),
  metaTargets: shown.home && metaTargetsIn(shown.content, shown.home),
})

/** Returns pages as the API shows them, each with its subpages. */
export function presentPages(nodes: readonly PageNode[], shown: PageShown): Page[] {
  const show = showing(shown)
  return nodes.map(node => presentNode(node, show))
}

/**
 * Yields the JSON text of the same list, with the wanted fields alone, in pieces and steps: as objects, the pages of a very large
 * space would take hundreds of megabytes and block the event loop.
 */
export function* pagesAsJson(
  nodes: readonly PageNode[],
  shown: PageShown,
  fields?: Fields,
): Steps<Buffer> {
  const show = showing(shown)
  const pieces: Buffer[] = []
  let text = ''
  let count = 0

  function* list(pages: readonly PageNode[]): Steps<void> {
    text += '['
    for (const [i, node] of pages.entries()) {
      if (i > 0) text += ','
      yield* one(node)
    }
    text += ']'
  }

  function* one(node: PageNode): Steps<void> {
    const json = JSON.stringify(pick(fields, presentAlone(node, show)))
    const below = (fields?.has('pages') ?? true) && (node.pages.length > 0 || alwaysHasPages(node))
    text += below ? `${json.slice(0, -1)}${json === '{}' ? '' : ','}"pages":` : json
    if (++count % 64 === 0) yield

    if (text.length > 65_536) {
      pieces.push(Buffer.from(text))
      text = ''
    }

    if (!below) return
    yield* list(node.pages)
    text += '}'
  }

  yield* list(nodes)
  pieces.push(Buffer.from(text))

  return Buffer.concat(pieces)
}

const alwaysHasPages = ({ type }: PageNode): boolean => type === 'group' || type === 'document'

// Trees are at most 64 levels deep.
function presentNode(node: PageNode, show: Show): Page {
  // Groups exist at the top level only, so no child is a group.
  const pages = node.pages.map(child => presentNode(child, show) as ChildPage)
  const below = pages.length > 0 || alwaysHasPages(node)
  return { ...presentAlone(node, show), ...(below && { pages }) } as Page
}

type MetaLink = z.input<typeof MetaLinkTarget>

type Alone = { [Type in Page['type']]: Omit<Extract<Page, { type: Type }>, 'pages'> }[Page['type']]

/** Returns a page without its subpages. */
function presentAlone(node: PageNode, show: Show): Alone {
  const { id, title, linkTitle, emoji, icon } = node
  const named = {
    id,
    title,
    ...(linkTitle !== undefined && { linkTitle }),
    ...(isEmoji(emoji) && { emoji }),
    ...(isIcon(icon) && { icon }),
  }
  if (node.type === 'link')
    return { ...named, type: 'link', kind: 'link', ...show.linked(node.target ?? '') }

  if (node.type === 'computed') {
    const computed = node.computed ?? { type: 'unknown', props: {}, dependencies: {} }
    return { ...named, type: 'computed', computed: sourceOf(computed) }
  }

  const address = {
    urls: { app: appOf(node, show) },
    slug: node.slug,
    path: node.path,
  }
  if (node.type === 'group') return { ...named, type: 'group', kind: 'group', ...address }

  return { ...named, type: 'document', kind: 'sheet', ...address, ...documentFields(node, show) }
}

/** Returns the address at which a browser opens a page. */
const appOf = (node: PageNode, { app }: PageShown): string => pageAddressIn(app, node)

const sourceOf = ({ type, props, dependencies }: ComputedSource) => ({ type, props, dependencies })

function documentFields(
  node: PageNode,
  { content, metadata, variables, markdown, metaTargets }: Show,
): Omit<DocumentPage, 'id' | 'title' | 'type' | 'kind' | 'slug' | 'path' | 'urls' | 'pages'> {
  const { id, file, facts, computed } = node
  const front = facts?.frontMatter ?? {}
  const metaLinks = front.metaLinks && metaTargets && metaLinksOf(metaTargets(node))
  const cover = file && coverOf(front, content, file.path)
  return {
    ...(front.description !== undefined && { description: front.description }),
    ...(markdown && textOf(markdown, id, file)),
    ...(metadata && file && { git: { oid: file.oid, path: file.path } }),
    layout: layoutOf(front),
    tags: [],
    ...(cover && { cover }),
    ...(metaLinks && { metaLinks }),
    ...(front.vars && variables !== false && { variables: front.vars }),
    ...shownIn(front),
    ...(computed && { computed: sourceOf(computed), computedSeed: computed.seed ?? '' }),
  }
}

/** Returns the targets of `metaLinks` as a field; undefined without any. */
function metaLinksOf({ canonical, alternates }: MetaTargets): DocumentPage['metaLinks'] {
  const own = canonical && metaLinkOf(canonical)
  const others = alternates.flatMap(target => metaLinkOf(target) ?? [])
  return own || others.length > 0
    ? { ...(own && { canonical: own }), alternates: others }
    : undefined
}

/** Returns one target. Whether the caller may read the page of another space is not known here. */
function metaLinkOf(target: MetaTarget): MetaLink | undefined {
  if (target.kind === 'page') return { kind: 'page', page: target.page.id }
  if (target.kind === 'url') return target
  return isWeb(target.written) ? { kind: 'url', url: target.written } : undefined
}

/** Returns where a page is not shown, as fields. */
function shownIn({ hidden = false, draft, noIndex = false, noRobotsIndex = false }: FrontMatter) {
  return { hidden, ...(draft && { draft: true as const }), noIndex, noRobotsIndex }
}

/** Returns the text of a page as a field; a computed page without a text is empty. */
function textOf(
  texts: ReadonlyMap<string, string>,
  id: string,
  file: PageNode['file'],
): { markdown?: string } {
  const text = file ? (texts.get(file.path) ?? texts.get(file.oid)) : (texts.get(id) ?? '')
  return text === undefined ? {} : { markdown: text }
}

function coverOf(front: FrontMatter, content: ContentTree, page: string): DocumentPage['cover'] {
  if (front.cover === undefined && front.coverDark === undefined) return undefined
  const ref = imageRef(front.cover, content, page)
  const refDark = imageRef(front.coverDark, content, page)
  const { coverY, coverHeight } = front

  return {
    ...(ref && { ref }),
    ...(refDark && { refDark }),
    yPos: coverY ?? 0,
    ...(coverHeight !== undefined && { height: Math.min(700, Math.max(10, coverHeight)) }),
  }
}

function imageRef(image: string | undefined, content: ContentTree, page: string) {
  if (!image) return undefined
  if (/^(?:https?:)?\/\//i.test(image)) return { kind: 'url', url: image } as const

  for (const spelling of spellings(image)) {
    const from = spelling.startsWith('/') ? content.config.root : directoryOf(page)
    const path = insidePath(from, spelling.replace(/^\/+/, ''))
    const file = path === undefined ? undefined : content.fileByPath.get(path)
    if (file) return { kind: 'file', file: file.id } as const
  }

  return undefined
}

function spellings(path: string): string[] {
  try {
    return [path, decodeURIComponent(path)]
  } catch {
    return [path]
  }
}

const signs = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Returns whether a text is one grapheme, or the code points of one in hexadecimal; front matter
 * may hold anything.
 */
const isEmoji = (text: string | undefined): text is string =>
  text !== undefined &&
  text.length <= 50 &&
  (/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/.test(text) ||
    (/\p{Extended_Pictographic}|\p{RI}|\u20e3/u.test(text) &&
      [...signs.segment(text)].length === 1))

const isIcon = (text: string | undefined): text is string =>
  text !== undefined && /^[a-z0-9:-]{1,50}$/.test(text)
