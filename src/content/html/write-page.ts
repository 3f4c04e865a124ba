import type { Steps } from '../../lib/slices.ts'
import type { Notes } from '../markup/grammar.ts'
import { ownHeading } from '../markup/lines.ts'
import { pageTree } from '../markup/parse.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import { anchorFinder, fragmentOf, noIds } from './anchors.ts'
import { writeBlocks } from './block.ts'
import { escapeHtml } from './escape.ts'
import { formulaRoom } from './formula.ts'
import { codeRoom } from './highlight.ts'
import { includedIn } from './includes.ts'
import { writeNotes } from './notes.ts'
import { headingText, outlineOf } from './outline.ts'
import type { HtmlOptions, PageHtml } from './page-html.ts'
import { endPiece, put, type Sheet } from './sheet.ts'

function openSheet(
  options: HtmlOptions,
  notes: Notes,
  parts: Pick<Sheet, 'included' | 'ids' | 'headlines'>,
): Sheet {
  const { included, ids, headlines } = parts
  // Without a spread: such an object is made several times faster.
  const sheet: Sheet = {
    included,
    ids,
    headlines,
    options,
    out: [],
    piece: '',
    size: 0,
    cut: false,
    origin: { file: options.file, notes },
    headings: [],
    diagrams: [],
    updates: [],
    dates: undefined,
    summary: '',
    noted: new Map(),
    notes: 0,
    depth: 0,
    linked: false,
    verbatim: false,
    removed: false,
    marks: new Set(),
    images: 0,
    tabs: 0,
    codeRoom,
    formulaRoom,
    blocks: 0,
    write: (nodes, bare) => writeBlocks(sheet, nodes, bare),
  }

  return sheet
}

/** Returns the pieces as texts. Anchors of this page lead to the ids that they mean. */
function* piecesOf({ out, ids }: Sheet): Steps<string[]> {
  const find = anchorFinder(ids)
  const pieces: string[] = []
  for (const [at, piece] of out.entries()) {
    pieces.push(typeof piece === 'string' ? piece : escapeHtml(fragmentOf(find(piece.anchor))))
    if (at % 8192 === 8191) yield
  }
  return pieces
}

/**
 * Writes the tree of a page and its footnotes as HTML, in steps. The heading that begins the page
 * is its title and is left out. Never throws; the output has at most 2 MB and names only elements
 * and attributes that are safe.
 */
export function* writeTree(
  root: MarkupElement,
  notes: Notes,
  options: HtmlOptions,
): Steps<PageHtml> {
  const title = ownHeading(root)
  const ids = noIds()
  const included = yield* includedIn(root, { file: options.file, notes }, options.targets.include)
  const headlines = yield* outlineOf(root, included, ids, title)
  const sheet = openSheet(options, notes, { included, ids, headlines })
  const nodes: readonly MarkupNode[] = title
    ? root.nodes.slice(root.nodes.indexOf(title) + 1)
    : root.nodes

  yield* writeBlocks(sheet, nodes)
  yield* writeNotes(sheet)
  const { headings, diagrams, summary, cut } = sheet
  if (cut) put(sheet, `<p class="cut">${escapeHtml(options.words.cut)}</p>\n`)
  endPiece(sheet)
  const pieces = yield* piecesOf(sheet)
  const updates = sheet.updates.map(({ from, to, ...update }) => ({
    ...update,
    html: pieces.slice(from, to).join(''),
  }))

  return {
    html: pieces.join(''),
    ...(title && { title: headingText(title, false) }),
    headings,
    diagrams,
    updates,
    summary,
    cut,
  }
}

/**
 * Writes the Markdown of a page as HTML, in steps; see `writeTree`. A page over 1 MB is one
 * sentence.
 */
export function* writePage(markdown: string, options: HtmlOptions): Steps<PageHtml> {
  const { root, notes } = yield* pageTree(markdown)
  return yield* writeTree(root, notes, options)
}
