import { mustGet } from '../../lib/must-get.ts'
import { targetFor } from '../edit/paths.ts'
import { baseName, directoryOf } from '../files.ts'
import { endingOfImage } from '../image-types.ts'
import { resolveLink } from '../links/find.ts'
import { type Findings, Unreadable } from './finding.ts'
import type { FolderFile, KeptBytes, ReadFile, ReadPage } from './folder-file.ts'
import { markdownOfHtml, mostHtml } from './from-html.ts'
import { whyNoPage } from './why-no-page.ts'
import { type Budget, type ImportLimits, spend } from './zip-file.ts'

type PageConverter = {
  findings: Findings
  limits: ImportLimits
  budget: Budget
  keep: (bytes: Buffer) => KeptBytes
}

/** The paths of the pages as texts in Markdown, and what finds free ones for their pictures. */
type NewPaths = {
  names: ReadonlyMap<string, string>
  free: (stem: string, ending: string) => string
}

/**
 * Returns files whose pages in HTML are texts in Markdown, with the pictures that they contained as files
 * beside them, and the new paths of pages by their old ones. Throws Unreadable for more bytes than an import may have.
 */
export function convertPages(
  files: readonly ReadFile[],
  converter: PageConverter,
): { files: FolderFile[]; renamed: ReadonlyMap<string, string> } {
  const paths = newPaths(files)
  return {
    files: files.flatMap(file => ('html' in file ? convertPage(file, paths, converter) : [file])),
    renamed: paths.names,
  }
}

function newPaths(files: readonly ReadFile[]): NewPaths {
  const taken = new Set(files.map(({ path }) => path.toLowerCase()))
  const free = (stem: string, ending: string) => {
    let path = `${stem}.${ending}`
    for (let n = 2; taken.has(path.toLowerCase()); n++) path = `${stem}-${n}.${ending}`
    taken.add(path.toLowerCase())
    return path
  }
  const names = new Map<string, string>()
  for (const file of files)
    if ('html' in file) names.set(file.path, free(file.path.replace(/\.[^./]+$/, ''), 'md'))
  return { names, free }
}

function convertPage(page: ReadPage, paths: NewPaths, converter: PageConverter): FolderFile[] {
  const { path: from, html } = page
  const { findings } = converter
  const path = mustGet(paths.names, from)
  const pictures = new PagePictures(page, path, paths, converter)
  const leave = (why: string): FolderFile[] => {
    findings.add(from, `${why} It was left out.`)
    return []
  }
  if (html.length > mostHtml) return leave('The page is too large.')

  try {
    const text = markdownOfHtml(html, {
      isWord: page.pictures !== undefined,
      hrefOf: href => hrefOf(href, { from, path }, paths.names),
      pictureOf: address => {
        const picture = pictures.at(address)
        if (!picture)
          findings.add(from, 'A picture in the page is of no known kind. It was left out.')
        return picture && encodeURIComponent(baseName(picture.path))
      },
      leftOut: name => findings.add(from, `Markdown has nothing for <${name}>. It was left out.`),
    })
    const why = whyNoPage(text)
    return why === undefined ? [{ path, text }, ...pictures.files] : leave(why)
  } catch (error) {
    if (error instanceof Unreadable || !(error instanceof RangeError)) throw error
    return leave('The elements of the page are nested too deep.')
  }
}

/** Returns the target of a link as one of the new path of the page. */
function hrefOf(
  href: string,
  { from, path }: { from: string; path: string },
  names: ReadonlyMap<string, string>,
): string {
  const { external, candidates, fragment } = resolveLink(from, href.trim())
  if (external || href.trim().startsWith('#')) return href
  const spellings = candidates.flatMap(each => {
    const folder = each === '' || each.endsWith('/') ? each : `${each}/`
    return [each, `${folder}index.html`, `${folder}index.htm`]
  })
  const to = spellings.map(each => names.get(each)).find(each => each !== undefined)
  if (to === undefined) return href
  return `${targetFor(directoryOf(path), to)}${fragment === undefined ? '' : `#${fragment}`}`
}

/** The pictures of a page that become files beside it, in their order. */
class PagePictures {
  readonly #page: ReadPage
  readonly #stem: string
  readonly #paths: NewPaths
  readonly #converter: PageConverter
  readonly #byAddress = new Map<string, FolderFile>()

  constructor(page: ReadPage, path: string, paths: NewPaths, converter: PageConverter) {
    this.#page = page
    this.#stem = path.slice(0, -3)
    this.#paths = paths
    this.#converter = converter
  }

  get files(): FolderFile[] {
    return [...this.#byAddress.values()]
  }

  /** Returns the picture of an address; undefined for what is none. */
  at(address: string): FolderFile | undefined {
    const known = this.#byAddress.get(address)
    if (known) return known
    const found = this.#page.pictures
      ? this.#page.pictures[Number(/^data:,(\d+)$/.exec(address)?.[1])]
      : pictureIn(address)
    if (!found) return undefined
    const path = this.#paths.free(`${this.#stem}-${this.#byAddress.size + 1}`, found.ending)
    const picture: FolderFile = {
      path,
      kept: 'kept' in found ? found.kept : this.#keep(path, found.bytes),
    }
    this.#byAddress.set(address, picture)
    return picture
  }

  #keep(path: string, bytes: Buffer): KeptBytes {
    const { budget, limits, keep } = this.#converter
    spend(budget, limits, path, bytes.length)
    return keep(bytes)
  }
}

/** Returns the picture in a data URL; undefined for what is none. */
function pictureIn(address: string): { ending: string; bytes: Buffer } | undefined {
  const [, type = '', encoding, data = ''] =
    /^\s*data:([^;,]*)[^,]*?(;base64)?,(.*)$/is.exec(address) ?? []
  const ending = endingOfImage(type.toLowerCase())
  if (ending === undefined) return undefined
  const bytes = encoding ? Buffer.from(data, 'base64') : Buffer.from(decodeOr(data))
  return bytes.length === 0 ? undefined : { ending, bytes }
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
