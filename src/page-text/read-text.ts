import type { OpenContent } from '../actions/audience/open-content.ts'
import { shownText, showUnreadSpecs } from '../actions/audience/shown-text.ts'
import { readerInclude } from '../actions/reading/reader-texts.ts'
import { pageText } from '../actions/revisions/page-text.ts'
import type { HtmlImage, HtmlTargets } from '../content/html/page-html.ts'
import { firstOf, targetPaths } from '../content/links/target-paths.ts'
import type { Notes } from '../content/markup/grammar.ts'
import { pageTree, wordsTree } from '../content/markup/parse.ts'
import type { MarkupElement } from '../content/markup/tree.ts'
import { mayVary } from '../content/page/varies.ts'
import { decode } from '../content/text/bytes.ts'
import type { FileNode, PageNode } from '../content/tree/build.ts'
import type { Context } from '../context.ts'
import { loadMedia } from '../files/load-media.ts'
import { readBlob } from '../git/objects/objects.ts'
import type { Hold } from '../http/limits/admission.ts'
import { inSlices, type Steps } from '../lib/slices.ts'
import type { BlobMedia } from '../store/git/blob-media.ts'
import { htmlTargets, type TargetScope } from './targets.ts'

/** The most reusable contents, and the most bytes of one, that a page shows. */
const mostIncludes = 50
const longestInclude = 1024 * 1024

/** Where a text is read: its content, and the addresses of what it names. */
export type TextPlace = Pick<TargetScope, 'hrefOf' | 'origins' | 'fileAddress'> & {
  ctx: Context
  open: OpenContent
  imageOf: (file: FileNode, media: BlobMedia | undefined) => HtmlImage
  signal: AbortSignal
  /** Called with the size of each text before it is parsed. */
  hold: Hold
}

/** A text as in Git, and the path of its file. */
export type Written = { text: string; path: string | undefined }

/**
 * The text of a page as its reader is shown it, look-ups for the targets in it, the texts of the
 * reusable content that it shows, by path, and what it was made from as in Git.
 */
type PageText = {
  markdown: string
  tree: PageTree
  targets: HtmlTargets
  includes: ReadonlyMap<string, string>
  sources: readonly Written[]
  /** Whether nothing in the texts makes them differ between readers. */
  isForAll: boolean
  /** Whether it lacks parts of a spec that cannot be read now. */
  isUnsettled: boolean
}

type PageTree = { root: MarkupElement; notes: Notes }

/**
 * Reads the text of a document, the reusable content that it shows, and the sizes of its files.
 * With `unsaved`, the document is read as if that were its text in Git, with marks where a text is
 * hidden from readers if `isPreview`.
 */
export async function readText(
  place: TextPlace,
  node: PageNode,
  unsaved?: string,
  isPreview = false,
): Promise<PageText> {
  const { open, signal } = place
  const written = unsaved ?? (await (open.shown.textOf(node) ?? pageText(open.repo, node)))
  await place.hold(written.length)
  const markdown = await shownText(open, node, {
    text: written,
    mode: isPreview ? 'preview' : 'reader',
    signal,
  })

  await place.hold(Math.max(0, markdown.length - written.length))
  const tree = await inSlices(pageTree(markdown, node.file?.path), signal)
  const resolve = targetPaths(open.shown.content.config.root)
  const pathsIn = async (each: PageTree, fromFile: string | undefined) =>
    (await inSlices(targetsOf(each), signal)).map(({ include, target }) => ({
      include,
      paths: resolve(fromFile, target).paths,
    }))
  const named = await pathsIn(tree, node.file?.path)
  const includes = await readIncludes(place, named, async (text, path) =>
    pathsIn(await inSlices(pageTree(text, path), signal), path),
  )
  const { content } = open.shown
  const files = [
    ...named,
    ...includes.named,
    ...coversOf(node).map(target => ({ paths: resolve(node.file?.path, target).paths })),
  ].flatMap(({ paths }) => firstOf(paths, content.fileByPath) ?? [])
  const media = await loadMedia(place.ctx, open.repo, [...new Set(files)])
  const texts = [{ text: written, path: node.file?.path }, ...includes.written]

  return {
    markdown,
    tree,
    includes: includes.texts,
    isForAll: !texts.some(({ text }) => mayVary(text)),
    isUnsettled: await showUnreadSpecs(open, texts),
    sources: texts,
    targets: htmlTargets({
      content,
      hrefOf: place.hrefOf,
      origins: place.origins,
      fileAddress: place.fileAddress,
      imageOf: file => place.imageOf(file, media.get(file.oid)),
      media,
      includes: includes.texts,
    }),
  }
}

/** The paths that a target of a page may mean. */
type Named = { include: boolean; paths: readonly string[] }

/** The attributes of elements whose values are targets. */
const targetNames = ['href', 'src', 'srcset', 'poster', 'url', 'page'] as const

/** Returns the targets in the tree of a page and in its footnotes, in steps. */
function* targetsOf({ root, notes }: PageTree): Steps<{ include: boolean; target: string }[]> {
  const found: { include: boolean; target: string }[] = []
  const waiting = [root, ...[...notes.values()].map(wordsTree)]
  let seen = 0

  for (let element = waiting.pop(); element; element = waiting.pop()) {
    for (const name of targetNames) {
      const target = element.attributes[name]
      if (target) found.push({ include: element.name === '%include', target })
    }
    for (const node of element.nodes) if (typeof node !== 'string') waiting.push(node)
    if (++seen % 256 === 0) yield
  }

  return found
}

/** Returns the targets of the covers of a page. */
function coversOf({ facts }: PageNode): string[] {
  const { cover, coverDark } = facts?.frontMatter ?? {}
  return [cover, coverDark].filter(target => target !== undefined)
}

/**
 * Returns the reusable content that a page names, and that it names in turn, as the reader is shown
 * it, by path, and as it is written; and the targets in it.
 */
async function readIncludes(
  place: TextPlace,
  named: readonly Named[],
  pathsIn: (text: string, path: string) => Promise<Named[]>,
): Promise<{ texts: Map<string, string>; written: Written[]; named: Named[] }> {
  const { ctx, open, signal } = place
  const texts = new Map<string, string>()
  const sources: Written[] = []
  const inside: Named[] = []
  const waiting = [...named.filter(({ include }) => include)]
  if (waiting.length === 0) return { texts, written: sources, named: inside }

  const byPath = new Map(open.whole.content.includes.map(each => [each.path, each]))
  const reading = {
    organizationId: open.space.organization_id,
    spaceId: open.space.id,
    view: open.view,
    audience: open.audience ?? { claims: {}, claimsId: '' },
    signal,
  }

  for (let next = waiting.shift(); next && texts.size < mostIncludes; next = waiting.shift()) {
    for (const { path, oid } of next.paths.flatMap(each => byPath.get(each) ?? [])) {
      if (texts.has(path)) continue
      const bytes = await readBlob(open.repo, oid, longestInclude)
      const source = decode(bytes ?? Buffer.alloc(0)).text
      const text = await readerInclude(ctx, reading, source, path)

      await place.hold(text.length)
      texts.set(path, text)
      sources.push({ text: source, path })
      const below = await pathsIn(text, path)

      inside.push(...below)
      waiting.push(...below.filter(({ include }) => include))
    }
  }

  return { texts, written: sources, named: inside }
}
