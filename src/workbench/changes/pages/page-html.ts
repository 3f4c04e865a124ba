import { formerPage } from '../../../actions/audience/compare.ts'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import { nodesOfVersion } from '../../../content/changes/one-version.ts'
import type { HtmlOptions, PageHtml } from '../../../content/html/page-html.ts'
import { writeTree } from '../../../content/html/write-page.ts'
import type { MarkupElement } from '../../../content/markup/tree.ts'
import type { PageNode } from '../../../content/tree/build.ts'
import type { Hold } from '../../../http/limits/admission.ts'
import { inSlices } from '../../../lib/slices.ts'
import { markText } from '../../../page-text/mark-text.ts'
import { type MarkedPart, markedParts } from '../../../page-text/marked-parts.ts'
import { placeOnServer } from '../../../page-text/place-on-server.ts'
import { readText, type TextPlace } from '../../../page-text/read-text.ts'
import { lang, words } from '../request-text.ts'

/** Where a page is shown: `hrefOf` returns the address of another one. */
export type Showing = { place: OpenRequest; hold: Hold; hrefOf: (pageId: string) => string }

/** A page with its changes marked, block by block. */
export type MarkedHtml = {
  parts: readonly MarkedPart[]
  /** What follows the blocks: footnotes. */
  rest: string
  changes: number
  cut: boolean
  /** The ends of the blocks whose ids were asked for, as indices of parts, by id. */
  partById: ReadonlyMap<string, number>
}

/** A page as it was and as it is, block beside block; '' where a version lacks it. */
export type SideHtml = { rows: readonly SideRow[] }
export type SideRow = { before: string; after: string; isChanged: boolean }

type Marked = {
  root: MarkupElement
  changes: number
  write: (root: MarkupElement, wanted?: ReadonlySet<string>) => Promise<PageHtml>
  signal: AbortSignal
}

/**
 * Reads both versions of a page as readers see them, and marks what changed. With `unsaved`, the later one is read
 * as if that were its text in Git.
 */
async function markPage(showing: Showing, node: PageNode, unsaved?: string): Promise<Marked> {
  const { place } = showing
  const { open, compared } = place
  const signal = open.signal ?? new AbortController().signal
  const later = open.shown.content.pageById.get(node.id)
  const formerNode = compared && (later ? formerPage(open, later, compared) : node)
  const was =
    formerNode?.file && (await readText(placeOf(showing, compared!.before, signal), formerNode))
  const is = later?.file && (await readText(placeOf(showing, open, signal), later, unsaved))
  const files = { former: formerNode?.file?.path, later: later?.file?.path }
  const { root, notes, changes, targets } = await inSlices(markText(was, is, files), signal)
  const options: HtmlOptions = {
    ...{ targets, words, lang },
    file: files.later ?? files.former,
    externalBlank: true,
    marksBroken: true,
    allEnds: true,
  }

  return {
    root,
    changes,
    write: (tree, wanted) => inSlices(writeTree(tree, notes, { ...options, wanted }), signal),
    signal,
  }
}

const placeOf = ({ hold, hrefOf }: Showing, open: OpenContent, signal: AbortSignal): TextPlace =>
  placeOnServer(open, { signal, hold, hrefOf: page => hrefOf(page.id) })

/** Returns a page with its changes marked; its later text is `unsaved` if that is there. */
export async function markedHtml(
  showing: Showing,
  node: PageNode,
  wanted: ReadonlySet<string>,
  unsaved?: string,
): Promise<MarkedHtml> {
  const { root, changes, write, signal } = await markPage(showing, node, unsaved)
  const written = await write(root, wanted)
  const { parts, rest } = await inSlices(markedParts(root, written), signal)
  const { everyEnd } = written
  const partById = new Map(
    written.ends.map(({ id, at }) => [id, everyEnd.findIndex(end => end >= at)]),
  )
  return { parts, rest, changes, cut: written.cut, partById }
}

/** Returns a page as it was and as it is, block beside block. */
export async function sideHtml(showing: Showing, node: PageNode): Promise<SideHtml> {
  const { root, write, signal } = await markPage(showing, node)
  const both = await inSlices(markedParts(root, await write(root)), signal)
  const sides = []

  for (const dropped of ['added', 'removed'] as const) {
    const nodes = await inSlices(nodesOfVersion(root.nodes, dropped), signal)
    const tree = { ...root, nodes }
    const { parts } = await inSlices(markedParts(tree, await write(tree)), signal)
    sides.push(parts)
  }

  // Ids stand once in a page: in the version that is now.
  const [before = [], after = []] = sides
  let [b, a] = [0, 0]
  const rows = both.parts.map(({ wasBefore, isNow, isChanged }) => ({
    before: wasBefore ? withoutIds(before[b++]?.html ?? '') : '',
    after: isNow ? (after[a++]?.html ?? '') : '',
    isChanged,
  }))
  if (b === before.length && a === after.length) return { rows }

  // Lines of words between removed blocks are one line without them: they have no row each.
  const whole = (parts: readonly MarkedPart[]): string => parts.map(({ html }) => html).join('')
  return { rows: [{ before: withoutIds(whole(before)), after: whole(after), isChanged: true }] }
}

/** Texts have no quotation marks of their own. */
const withoutIds = (html: string): string => html.replace(/ id="[^"]*"/g, '')
