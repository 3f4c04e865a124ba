import { type PrintElement, type PrintNode, pixels } from '../markup/tree.ts'

/** Widths in em of the table's text: the longest word of a cell, its longest part without a joint, and the whole line. */
type Extent = { word: number; part: number; line: number }

/** The cells of one column, without those that span several. */
export type ColumnCells = { cells: readonly PrintElement[]; title: PrintElement | undefined }

/** How a table's columns are set: Typst's column widths, and how wide each is in em. */
export type Columns = { widths: string; ems: readonly number[] }

/** The text width of a sheet in points, and the size of the book's text. */
const sheetPoints = 459
const textPoints = 10.5
/** What each box or list around a table takes from its width, in points. */
const boxPoints = 26

/** The size of a table's text relative to the book's, and the inset beside each cell in points: as `sheet-table` sets them. */
const scaleOf = (count: number): number => (count > 10 ? 0.66 : count > 6 ? 0.78 : 0.9)
const insetOf = (count: number): number => (count > 8 ? 6 : 12)

/** A column is never narrower than this, in em, however long the words of the others are. */
const narrowest = 3.2
/** Longer words and lines count as this wide: one long cell must not take all of the room. */
const widestWord = 24
const widestLine = 90

const wide =
  /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f000}-\u{1faff}]/u

const between = new RegExp(`\\s+|(?<=${wide.source})|(?=${wide.source})`, 'u')

/** Returns the width of a character in em, on the safe side. */
function widthOf(character: string, code: boolean): number {
  if (wide.test(character)) return 1.02
  if (code) return 0.56
  if (/[A-Z@%&mwMW_]/.test(character)) return 0.76
  return /[iljtfr.,;:!'|()[\]]/.test(character) ? 0.36 : 0.52
}

/** Returns the width of a text on one line in em. */
export function emsOf(text: string, code: boolean): number {
  let ems = 0
  for (const character of text) ems += widthOf(character, code)
  return ems
}

/** Code and addresses may be broken after these signs, and before a capital letter. */
const joint = /(?<=[/._\-:,;=(&?|\\@#+])(?=[^\s])|(?<=[a-z0-9])(?=[A-Z])/

/**
 * Returns the pieces between which a word may be broken so that each fits into `most` em: at its joints, and within what
 * lies between two of them only where that is too wide by itself. A word that fits, or that has wide characters, is one
 * piece.
 */
export function piecesOf(word: string, most: number, code: boolean): string[] {
  if (emsOf(word, code) <= most || wide.test(word)) return [word]
  return word.split(joint).flatMap(part => {
    const pieces: string[] = []
    let piece = ''
    let ems = 0
    for (const character of part) {
      const own = widthOf(character, code)
      if (piece !== '' && ems + own > most) {
        pieces.push(piece)
        piece = ''
        ems = 0
      }
      piece += character
      ems += own
    }
    pieces.push(piece)
    return pieces
  })
}

/** Adds what a cell holds to its extent. Images count as a few words. */
function measure(nodes: readonly PrintNode[], code: boolean, extent: Extent): Extent {
  for (const node of nodes) {
    if (extent.line > widestLine) return extent
    if (typeof node === 'string') {
      for (const word of wordsOf(node)) {
        const ems = emsOf(word.slice(0, 200), code)
        extent.word = Math.max(extent.word, ems)
        extent.part = Math.max(extent.part, longestPart(word.slice(0, 200), code, ems))
        extent.line += ems + 0.3
      }
    } else if (node.name === 'img') {
      extent.word = Math.max(extent.word, 6)
      extent.part = Math.max(extent.part, 6)
      extent.line += Math.min(24, (pixels(node.attributes.width) ?? 240) / 12)
    } else measure(node.nodes, code || node.name === 'code' || node.name === 'pre', extent)
  }
  return extent
}

/** Returns the words of a text. Between wide characters, such as Chinese ones, a line may be broken anywhere. */
const wordsOf = (text: string): string[] => text.split(wide.test(text) ? between : /\s+/)

/** Returns the width of what has no joint in a word that is too long to stay whole. */
function longestPart(word: string, code: boolean, ems: number): number {
  if (ems <= 9) return ems
  return Math.max(9, ...word.split(joint).map(part => emsOf(part, code)))
}

/** Returns the width that a table has for the words of its cells, in em of its text. */
function roomFor(count: number, depth: number): number {
  const points = Math.max(120, sheetPoints - depth * boxPoints) - count * insetOf(count)
  return points / (textPoints * scaleOf(count))
}

/**
 * Returns the widths of a table's columns. The author's widths come first. Otherwise a table that fits keeps its natural
 * widths; in others each column is as wide as its longest word, and what is left goes to the columns with long texts.
 * `depth` is how many boxes and lists are around the table, `outer` the width in em of the cell that it stands in.
 */
export function columnsOf(columns: readonly ColumnCells[], depth: number, outer?: number): Columns {
  const room =
    outer === undefined ? roomFor(columns.length, depth) : Math.max(narrowest, outer - columns.length)
  const own = columns.map(({ title }) => pixels(title?.attributes.width))
  if (columns.length > 1 && own.every(width => width !== undefined)) {
    const all = sum(own.map(width => width ?? 0))
    return {
      widths: own.map(width => `${width}fr`).join(', '),
      ems: own.map(width => ((width ?? 0) / all) * room),
    }
  }
  const extents = columns.map(({ cells }) => {
    const most: Extent = { word: narrowest, part: narrowest, line: narrowest }
    for (const { name, nodes } of cells) {
      const extent = measure(nodes, false, { word: 0, part: 0, line: 0 })
      // Heads are bold.
      const scale = name === 'th' ? 1.12 : 1
      most.word = Math.max(most.word, Math.min(extent.word * scale, widestWord))
      most.part = Math.max(most.part, Math.min(extent.part * scale, widestWord))
      most.line = Math.max(most.line, Math.min(extent.line * scale, widestLine))
    }
    return { ...most, line: Math.max(most.word, most.line) }
  })
  if (sum(extents.map(({ line }) => line)) <= room * 0.9)
    return { widths: columns.map(() => 'auto').join(', '), ems: extents.map(() => room / columns.length) }
  const ems = share(extents, room)
  return { widths: ems.map(width => `${width.toFixed(2)}fr`).join(', '), ems }
}

/** Divides the room among columns: the longest words first, the rest by the length of the lines. */
function share(extents: readonly Extent[], room: number): number[] {
  const whole = extents.map(({ word }) => word)
  const least = sum(whole) <= room ? whole : extents.map(({ part }) => part)
  const taken = sum(least)
  if (taken >= room) {
    const over = taken - least.length * narrowest
    const left = Math.max(0, room - least.length * narrowest)
    return least.map(word => narrowest + (over > 0 ? ((word - narrowest) / over) * left : 0))
  }
  const wanted = extents.map(({ line }, at) => line - (least[at] ?? 0))
  const rest = sum(wanted)
  return least.map(
    (word, at) => word + (rest > 0 ? (wanted[at] ?? 0) / rest : 1 / least.length) * (room - taken),
  )
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0)
