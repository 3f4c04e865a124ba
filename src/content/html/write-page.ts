import type { Steps } from '../../lib/slices.ts'
import type { Notes } from '../markup/grammar.ts'
import { blocksAndLines, ownHeading } from '../markup/lines.ts'
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
import type { BlockEnd, HtmlOptions, PageHtml } from './page-html.ts'
import { endPiece, isFull, put, type Sheet } from './sheet.ts'

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
    belowTabs: undefined,
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

const none: ReadonlySet<string> = new Set()

/** The end of a block that was looked for, as the number of pieces before it. */
type EndedPiece = Omit<BlockEnd, 'at'> & { pieces: number }

/**
 * Writes the blocks of a page. Returns where those end that have a wanted id, and with `all` where
 * each ends.
 */
function* writeAndFind(
  sheet: Sheet,
  nodes: readonly MarkupNode[],
  wanted: ReadonlySet<string>,
  all: boolean,
): Steps<{ found: EndedPiece[]; every: EndedPiece[] }> {
  const left = new Map([...wanted].map(id => [escapeHtml(id), id]))
  const found: EndedPiece[] = []
  const every: EndedPiece[] = []
  if (left.size === 0 && !all) {
    yield* writeBlocks(sheet, nodes)
    return { found, every }
  }

  for (const part of blocksAndLines(nodes)) {
    if (isFull(sheet)) break
    const from = endPiece(sheet)
    yield* writeBlocks(sheet, Array.isArray(part) ? part : [part])
    const pieces = endPiece(sheet)
    const level = sheet.headings.at(-1)?.level ?? 1
    if (all) every.push({ id: '', level, pieces })
    if (left.size === 0) continue

    for (const written of idsIn(sheet.out.slice(from, pieces))) {
      const id = left.get(written)
      if (id === undefined) continue
      left.delete(written)
      found.push({ id, level, pieces })
    }
  }

  return { found, every }
}

/** Yields the ids in some HTML, as they are written: texts have no quotation marks of their own. */
function* idsIn(pieces: Sheet['out']): Generator<string> {
  const html = pieces.map(piece => (typeof piece === 'string' ? piece : '')).join('')
  for (const [, id] of html.matchAll(/ id="([^"]*)"/g)) yield id!
}

function endsOf(found: readonly EndedPiece[], pieces: readonly string[]): BlockEnd[] {
  let at = 0
  let seen = 0
  return found.map(({ pieces: before, id, level }) => {
    for (; seen < before; seen++) at += pieces[seen]!.length
    return { id, at, level }
  })
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

  const { found, every } = yield* writeAndFind(
    sheet,
    nodes,
    options.wanted ?? none,
    options.allEnds === true,
  )
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
    ends: endsOf(found, pieces),
    everyEnd: endsOf(every, pieces).map(({ at }) => at),
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
