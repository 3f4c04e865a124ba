import { digestId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import type { Steps } from '../../lib/slices.ts'
import { foldSlug, slugOfTitle } from '../text/slug.ts'
import { addressPages, numberedPaths, type PagePlace, slugWithDigest } from '../tree/addresses.ts'
import { type ComputedSource, type ContentTree, type PageNode, parentOf } from '../tree/build.ts'
import { splitEmoji } from '../tree/page-node.ts'
import type { OpenapiOutline } from './describe.ts'
import type { PlannedPage } from './plan.ts'
import { words } from './text.ts'

/** A version of a spec that pages are made from; `file` is the address of its entry file. */
export type ComputedSpec = {
  specId: string
  slug: string
  versionId: Oid
  outline: OpenapiOutline
  file: string
}

/** The parts that the text of a computed page is assembled from. */
export type ComputedText = Pick<ComputedSpec, 'slug' | 'versionId'> &
  Pick<PlannedPage, 'title' | 'pieces' | 'single'>

/** Returns the text of a computed page, given its pieces in order. */
export const textOfPieces = (
  { title, single }: Pick<ComputedText, 'title' | 'single'>,
  pieces: readonly string[],
): string =>
  `${[
    `# ${words(title)}`,
    ...pieces.map(piece => (single ? piece.replace(/^## .*\n*/, '') : piece)),
  ]
    .map(part => part.trim())
    .filter(part => part !== '')
    .join('\n\n')}\n`

/** Returns the slug of the spec that a computed entry names; undefined for any other page. */
export const slugOfEntry = ({ type, computed }: PageNode): string | undefined =>
  type === 'computed' ? slugOfSource(computed) : undefined

/** Returns the slug of the spec that the source of an entry names; undefined when it names none. */
export function slugOfSource(source: ComputedSource | undefined): string | undefined {
  if (source?.type !== 'builtin:openapi') return undefined
  const { spec } = source.dependencies as { spec?: { ref?: { spec?: unknown } } | null }
  const slug = spec?.ref?.spec
  return typeof slug === 'string' && /^[a-zA-Z0-9-]{1,100}$/.test(slug) ? slug : undefined
}

/** The state while the pages of a tree's computed entries are made. */
export type PageBuild = {
  tree: ContentTree
  /** The parts of each page's text, by page id. */
  texts: Map<string, ComputedText>
  /** The made pages, parents before their children. Their addresses follow when all are made. */
  places: PagePlace[]
}

/** An entry and its spec. */
type Source = { build: PageBuild; entry: PageNode; spec: ComputedSpec }

/** Makes the planned pages of an entry, in order, below a page or at the top. */
export function* computedPageSteps(
  source: Source,
  planned: readonly PlannedPage[],
  parent: PageNode | undefined,
  above?: PagePlace,
): Steps<PageNode[]> {
  const pages: PageNode[] = []
  const { build } = source
  for (const plan of planned) {
    const node = makePage(source, plan, parent)
    const folder = above ? {} : { folder: prefixOf(build, parent) }
    const place: PagePlace = { node, above, ...slugsOf(source, plan), ...folder }
    build.places.push(place)
    pages.push(node)
    if (build.texts.size % 64 === 0) yield
    if (plan.pages.length > 0)
      node.pages = yield* computedPageSteps(source, plan.pages, node, place)
  }
  return pages
}

/**
 * Returns the slugs that a page may have: the one of its title and, if others want it too, those of
 * what it shows, which do not depend on other pages.
 */
function slugsOf(
  { entry, spec }: Source,
  { title, key }: PlannedPage,
): Required<Pick<PagePlace, 'wanted' | 'further'>> {
  const wanted = slugOfTitle(splitEmoji(title).title)
  // `operation get /pets` is `get-pets`.
  const named = slugOfTitle(key.replace(/^\S+ (?=.)/, ''))
  const further = [named, slugOfTitle(key), slugOfTitle(`${spec.slug}-${named}`)]
  return { wanted, further: [...further, slugWithDigest(wanted, `${entry.key}/${key}`)] }
}

function makePage(
  { build, entry, spec }: Source,
  plan: PlannedPage,
  parent: PageNode | undefined,
): PageNode {
  const { slug: name, specId, versionId } = spec
  const { title, emoji } = splitEmoji(plan.title)
  const value = { object: 'openapi-spec', id: specId, slug: name, lastVersion: versionId }
  const node: PageNode = {
    id: digestId(entry.id, plan.key),
    key: `${entry.key}/${plan.key}`,
    type: 'document',
    title: title || 'Untitled',
    slug: '',
    path: '',
    group: entry.group,
    pages: [],
    computed: {
      type: 'builtin:openapi',
      props: plan.doc,
      dependencies: { spec: { ref: { kind: 'openapi', spec: slugOfEntry(entry)! }, value } },
      seed: entry.id,
    },
    facts: {
      frontMatter: plan.description === undefined ? {} : { description: plan.description },
      empty: false,
      issues: [],
    },
  }
  if (parent) node.parentId = parent.id
  if (emoji) node.emoji = emoji
  if (plan.icon) node.icon = plan.icon

  const { pieces, single } = plan

  build.texts.set(node.id, { slug: name, versionId, title: plan.title, pieces, single })

  return node
}

/**
 * Returns the path prefix of pages below a page: the path of the nearest ancestor that has one,
 * with a slash.
 */
function prefixOf({ tree }: PageBuild, parent: PageNode | undefined): string {
  let node = parent
  while (node && node.path === '') node = parentOf(tree, node)
  return node ? `${node.path}/` : ''
}

/**
 * Sets the addresses of the made pages. Pages of the table of contents keep theirs. Returns the
 * pages by the paths that they had while equal addresses got numbers.
 */
export function* addressSteps({ tree, places }: PageBuild): Steps<Map<string, PageNode>> {
  const scopes = new Map<string, Set<string>>()
  const fixed = (prefix: string): ReadonlySet<string> => {
    const known = scopes.get(prefix)
    if (known) return known
    const taken = new Set(prefix === '' ? ['readme'] : [])
    const above = tree.pageByPath.get(prefix.slice(0, -1))
    takenBy(prefix === '' ? tree.pages : (above?.pages ?? []), taken)
    scopes.set(prefix, taken)
    return taken
  }

  yield* addressPages(places, fixed)
  return yield* numberedPaths(places, fixed)
}

/**
 * Adds the slugs of a list to `taken`. Pages below an entry without a path share the path of the
 * list.
 */
function takenBy(pages: readonly PageNode[], taken: Set<string>): void {
  for (const node of pages) {
    if (node.path === '') takenBy(node.pages, taken)
    else taken.add(foldSlug(node.slug))
  }
}

/** Makes the link of an entry to the file of its spec. */
export function linkToFile(
  entry: PageNode,
  target: string,
  parent: PageNode | undefined,
): PageNode {
  const node: PageNode = {
    id: digestId(entry.id, 'file'),
    key: `${entry.key}/file`,
    type: 'link',
    title: 'Download the OpenAPI spec',
    slug: '',
    path: '',
    target,
    group: entry.group,
    pages: [],
  }
  if (parent) node.parentId = parent.id
  return node
}
