import { shownText } from '../../actions/content/shown-text.ts'
import { readerInclude } from '../../actions/reading/reader-texts.ts'
import { pageText } from '../../actions/revisions/page-text.ts'
import type { HtmlTargets } from '../../content/html/page-html.ts'
import { type Link, linkSteps, noFindings, resolveLink } from '../../content/links/find.ts'
import { withinLimits } from '../../content/markdown/limits.ts'
import { decode } from '../../content/text/bytes.ts'
import type { FileNode, IncludeNode, PageNode } from '../../content/tree/build.ts'
import { loadMedia } from '../../files/load-media.ts'
import { readBlob } from '../../git/objects/objects.ts'
import type { Oid } from '../../git/values/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { fileAddress } from '../place/file-address.ts'
import type { Place } from '../place/place.ts'
import { htmlTargets } from './targets.ts'

/** The most reusable contents, and the most bytes of one, that a page shows. */
const mostIncludes = 50
const longestInclude = 1024 * 1024

/** The text of a page as its reader is shown it, and look-ups for the targets in it. */
export type PageText = { markdown: string; targets: HtmlTargets }

/** Reads the text of a document, the reusable content that it shows, and the sizes of its files. */
export async function readText(place: Place, node: PageNode): Promise<PageText> {
  const { open, signal } = place
  const written = await (open.shown.textOf(node) ?? pageText(open.repo, node))
  const markdown = await shownText(open, node, { text: written, mode: 'reader', signal })
  const links = await linksOf(markdown, signal)
  const includes = await readIncludes(place, node, links)
  const inIncludes = [...includes].map(async ([path, text]) =>
    filesIn(place, path, await linksOf(text, signal)),
  )
  const files = [filesIn(place, node.file?.path, links), ...(await Promise.all(inIncludes))].flat()
  const covers = coverFiles(place, node)
  const media = await loadMedia(place.ctx, open.repo, [...new Set([...files, ...covers])])
  const { content } = open.shown
  return {
    markdown,
    targets: htmlTargets({
      content,
      base: place.base,
      fileAddress: file => fileAddress(place, file),
      media,
      includes,
    }),
  }
}

async function linksOf(markdown: string, signal: AbortSignal): Promise<Link[]> {
  return (await inSlices(withinLimits(linkSteps(markdown), noFindings), signal)).links
}

function pathsOf({ open }: Place, fromFile: string | undefined, target: string): string[] {
  const { root } = open.shown.content.config
  const from = fromFile ?? `${root}README.md`
  const { candidates } = resolveLink(from.startsWith(root) ? from.slice(root.length) : from, target)
  return candidates.map(path => root + path)
}

function filesIn(place: Place, fromFile: string | undefined, links: readonly Link[]): FileNode[] {
  const { fileByPath } = place.open.shown.content
  return links.flatMap(({ target }) =>
    pathsOf(place, fromFile, target)
      .flatMap(path => fileByPath.get(path) ?? [])
      .slice(0, 1),
  )
}

/** Returns the files of the covers of a page. */
function coverFiles(place: Place, { facts, file }: PageNode): FileNode[] {
  const { cover, coverDark } = facts?.frontMatter ?? {}
  return [cover, coverDark].flatMap(target =>
    target === undefined ? [] : filesIn(place, file?.path, [{ target } as Link]),
  )
}

/** Returns the reusable content that links name, and that it names in turn, as the reader is shown it, by path. */
async function readIncludes(
  place: Place,
  node: PageNode,
  links: readonly Link[],
): Promise<Map<string, string>> {
  const { ctx, open, signal } = place
  const texts = new Map<string, string>()
  const byPath = new Map(open.whole.content.includes.map(each => [each.path, each]))
  const waiting = includesIn(place, byPath, node.file?.path, links)
  const reading = {
    organizationId: open.space.organization_id,
    view: open.view,
    audience: open.audience ?? { claims: {}, claimsId: '' },
    signal,
  }
  for (let next = waiting.shift(); next && texts.size < mostIncludes; next = waiting.shift()) {
    if (texts.has(next.path)) continue
    const bytes = await readBlob(open.repo, next.oid as Oid, longestInclude)
    const text = await readerInclude(ctx, reading, decode(bytes ?? Buffer.alloc(0)).text)
    texts.set(next.path, text)
    waiting.push(...includesIn(place, byPath, next.path, await linksOf(text, signal)))
  }
  return texts
}

const includesIn = (
  place: Place,
  byPath: ReadonlyMap<string, IncludeNode>,
  fromFile: string | undefined,
  links: readonly Link[],
): IncludeNode[] =>
  links
    .filter(({ tag }) => tag === 'include')
    .flatMap(({ target }) => pathsOf(place, fromFile, target).flatMap(path => byPath.get(path) ?? []))
