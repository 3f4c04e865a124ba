import { type MarkupElement, type MarkupNode, pixels } from '../markup/tree.ts'

/**
 * Widths in em of the table's text: the longest word of a cell, its longest unbreakable part, and
 * the whole line.
 */
type Extent = { word: number; part: number; line: number }

/** The cells of one column, without cells that span several. */
export type ColumnCells = { cells: readonly MarkupElement[]; title: MarkupElement | undefined }

/** The widths of a table's columns: as Typst code, and in em. */
type Columns = { widths: string; ems: readonly number[] }

/** The text width of a sheet in points, and the size of the book's text. */
const sheetPoints = 459
const textPoints = 10.5
/** The width that each box or list around a table takes, in points. */
const boxPoints = 26

/**
 * The size of a table's text relative to the book's, and the inset beside each cell in points: as
 * `sheet-table` sets them.
 */
const scaleOf = (count: number): number => (count > 10 ? 0.66 : count > 6 ? 0.78 : 0.9)
const insetOf = (count: number): number => (count > 8 ? 6 : 12)

/** The minimum width of a column in em. */
const narrowest = 3.2
/**
 * The maximum widths that words and lines count with, so that one long cell does not take all of
 * the room.
 */
const widestWord = 24
const widestLine = 90

const wide =
  /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f000}-\u{1faff}]/u

const between = new RegExp(`\\s+|(?<=${wide.source})|(?=${wide.source})`, 'u')

/** Returns an upper estimate of the width of a character, in em. */
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
 * Splits a word into pieces of at most `most` em: at its joints, and between two joints only where
 * that part alone is too wide. A word that fits, or that has wide characters, is one piece.
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

/** Adds the content of a cell to its extent. Images count as a few words. */
function measure(nodes: readonly MarkupNode[], code: boolean, extent: Extent): Extent {
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

/**
 * Splits a text into words. A line may be broken between any two wide characters, such as Chinese
 * ones.
 */
const wordsOf = (text: string): string[] => text.split(wide.test(text) ? between : /\s+/)

/** Returns the width of the longest part of a word between two joints; a short word is one part. */
function longestPart(word: string, code: boolean, ems: number): number {
  if (ems <= 9) return ems
  return Math.max(9, ...word.split(joint).map(part => emsOf(part, code)))
}

/** Returns the width that the cells of a table share for their text, in em. */
function roomFor(count: number, depth: number): number {
  const points = Math.max(120, sheetPoints - depth * boxPoints) - count * insetOf(count)
  return points / (textPoints * scaleOf(count))
}

/**
 * Returns the widths of a table's columns. The author's widths take precedence. Otherwise a table
 * that fits keeps its natural widths; in others each column is as wide as its longest word, and
 * columns with long texts get the rest. `depth` is the number of boxes and lists around the table,
 * `outer` the width in em of the cell around it.
 */
export function columnsOf(columns: readonly ColumnCells[], depth: number, outer?: number): Columns {
  const room =
    outer === undefined
      ? roomFor(columns.length, depth)
      : Math.max(narrowest, outer - columns.length)
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
      // Header cells are bold.
      const scale = name === 'th' ? 1.12 : 1
      most.word = Math.max(most.word, Math.min(extent.word * scale, widestWord))
      most.part = Math.max(most.part, Math.min(extent.part * scale, widestWord))
      most.line = Math.max(most.line, Math.min(extent.line * scale, widestLine))
    }

    return { ...most, line: Math.max(most.word, most.line) }
  })

  if (sum(extents.map(({ line }) => line)) <= room * 0.9)
    return {
      widths: columns.map(() => 'auto').join(', '),
      ems: extents.map(() => room / columns.length),
    }

  const ems = share(extents, room)

  return { widths: ems.map(width => `${width.toFixed(2)}fr`).join(', '), ems }
}

/**
 * Divides the room among columns: first for their longest words, the rest by the length of their
 * lines.
 */
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
