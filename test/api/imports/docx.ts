import { type ZipEntry, zipOf } from './zip.ts'

const main = 'http://schemas.openxmlformats.org'
const names = [
  `xmlns:w="${main}/wordprocessingml/2006/main"`,
  `xmlns:r="${main}/officeDocument/2006/relationships"`,
  `xmlns:wp="${main}/drawingml/2006/wordprocessingDrawing"`,
  `xmlns:a="${main}/drawingml/2006/main"`,
  `xmlns:pic="${main}/drawingml/2006/picture"`,
  `xmlns:m="${main}/officeDocument/2006/math"`,
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
].join(' ')

const prolog = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const element = (name: string, content: string) =>
  `${prolog}<w:${name} ${names}>${content}</w:${name}>`

const style = (type: string, id: string, name: string) =>
  `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`

const styles = [
  ...[1, 2, 3].map(level => style('paragraph', `berschrift${level}`, `heading ${level}`)),
  style('paragraph', 'Titel', 'Title'),
  style('paragraph', 'Zitat', 'Quote'),
  style('paragraph', 'Warnung', 'Warning'),
  style('paragraph', 'HTMLVorformatiert', 'HTML Preformatted'),
  style('character', 'Fett', 'Strong'),
  style('character', 'HTMLCode', 'HTML Code'),
  style('character', 'Menue', 'Menu'),
].join('')

const level = (at: number, format: string) =>
  `<w:lvl w:ilvl="${at}"><w:numFmt w:val="${format}"/></w:lvl>`

const numbering = ['bullet', 'decimal']
  .map(
    (format, at) =>
      `<w:abstractNum w:abstractNumId="${at}">${level(0, format)}${level(1, format)}</w:abstractNum>`,
  )
  .concat([0, 1].map(at => `<w:num w:numId="${at + 1}"><w:abstractNumId w:val="${at}"/></w:num>`))
  .join('')

/** A paragraph of runs, with its style; `list` is the kind and the depth of a list that it is in. */
export const paragraph = (
  runs: string,
  { styleId, list }: { styleId?: string; list?: ['bullets' | 'numbers', number] } = {},
): string => {
  const styled = styleId === undefined ? '' : `<w:pStyle w:val="${styleId}"/>`
  const listed = list
    ? `<w:numPr><w:ilvl w:val="${list[1]}"/><w:numId w:val="${list[0] === 'bullets' ? 1 : 2}"/></w:numPr>`
    : ''
  return `<w:p><w:pPr>${styled}${listed}</w:pPr>${runs}</w:p>`
}

/** A run of text with properties such as `<w:b/>`. */
export const run = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`

/** A paragraph of one run. */
export const text = (words: string, styleId?: string): string =>
  paragraph(run(words), styleId === undefined ? {} : { styleId })

/** A picture that a relationship names. */
export const picture = (id: string, alt: string, how: 'embed' | 'link' = 'embed'): string =>
  `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="${alt}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:${how}="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`

export const table = (rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows.map(cells => `<w:tr>${cells.map(cell => `<w:tc>${text(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`

type Document = {
  /** The targets of relationships, by id. */
  targets?: Readonly<Record<string, string>>
  /** The paragraphs of footnotes, by id. */
  footnotes?: Readonly<Record<string, string>>
  /** Other parts, which replace those of the same name. */
  parts?: readonly ZipEntry[]
}

/** Returns a Word document with this body. */
export function docxOf(
  body: string,
  { targets = {}, footnotes = {}, parts = [] }: Document = {},
): Buffer {
  const types = ['png', 'emf', 'svg+xml']
    .map(type => `<Default Extension="${type.slice(0, 3)}" ContentType="image/${type}"/>`)
    .join('')
  const relationships = Object.entries(targets).map(
    ([id, target]) => `<Relationship Id="${id}" Type="${main}/x" Target="${target}"/>`,
  )
  const notes = Object.entries(footnotes).map(
    ([id, content]) => `<w:footnote w:id="${id}">${content}</w:footnote>`,
  )
  const own: ZipEntry[] = [
    {
      path: '[Content_Types].xml',
      bytes: `<Types xmlns="${main}/package/2006/content-types">${types}</Types>`,
    },
    {
      path: '_rels/.rels',
      bytes: `<Relationships xmlns="${main}/package/2006/relationships"><Relationship Id="r" Type="${main}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    { path: 'word/document.xml', bytes: element('document', `<w:body>${body}</w:body>`) },
    {
      path: 'word/_rels/document.xml.rels',
      bytes: `<Relationships xmlns="${main}/package/2006/relationships">${relationships.join('')}</Relationships>`,
    },
    { path: 'word/styles.xml', bytes: element('styles', styles) },
    { path: 'word/numbering.xml', bytes: element('numbering', numbering) },
    { path: 'word/footnotes.xml', bytes: element('footnotes', notes.join('')) },
  ]
  const replaced = new Set(parts.map(({ path }) => path))
  return zipOf([...own.filter(({ path }) => !replaced.has(path)), ...parts])
}

/** Returns the main part of a document, as it is written. */
export const documentPart = (body: string): string =>
  element('document', `<w:body>${body}</w:body>`)
