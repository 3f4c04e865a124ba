import { mustGet } from '../../lib/must-get.ts'
import { targetFor } from '../edit/paths.ts'
import { baseName, directoryOf } from '../files.ts'
import { endingOfImage } from '../image-types.ts'
import { resolveLink } from '../links/find.ts'
import { type Findings, Unreadable } from './finding.ts'
import type { FolderFile, KeptBytes, ReadFile } from './folder-file.ts'
import { markdownOfHtml, mostHtml } from './from-html.ts'
import { type Budget, type ImportLimits, spend } from './read-zip.ts'
import { whyNoPage } from './why-no-page.ts'

type PageConverter = {
  findings: Findings
  limits: ImportLimits
  budget: Budget
  keep: (bytes: Buffer) => KeptBytes
}

/**
 * Returns files whose pages in HTML are texts in Markdown, with the pictures that they contained as files
 * beside them. Throws Unreadable for more bytes than an import may have.
 */
export function convertPages(files: readonly ReadFile[], converter: PageConverter): FolderFile[] {
  const names = newPaths(files)
  return files.flatMap(file => ('html' in file ? convertPage(file, names, converter) : [file]))
}

/** Returns the paths of pages in HTML as those of texts in Markdown. */
function newPaths(files: readonly ReadFile[]): Map<string, string> {
  const taken = new Set(files.map(({ path }) => path.toLowerCase()))
  const names = new Map<string, string>()
  for (const file of files) {
    if (!('html' in file)) continue
    const stem = file.path.replace(/\.[^./]+$/, '')
    let name = `${stem}.md`
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${stem}-${n}.md`
    taken.add(name.toLowerCase())
    names.set(file.path, name)
  }
  return names
}

function convertPage(
  { path: from, html }: { path: string; html: string },
  names: ReadonlyMap<string, string>,
  converter: PageConverter,
): FolderFile[] {
  const { findings } = converter
  const path = mustGet(names, from)
  const pictures: FolderFile[] = []
  const leave = (why: string): FolderFile[] => {
    findings.add(from, `${why} It was left out.`)
    return []
  }
  if (html.length > mostHtml) return leave('The page is too large.')

  try {
    const text = markdownOfHtml(html, {
      hrefOf: href => hrefOf(href, { from, path }, names),
      pictureOf: address => {
        const picture = pictureIn(address, converter, `${path.slice(0, -3)}-${pictures.length + 1}`)
        if (picture) pictures.push(picture)
        else findings.add(from, 'A picture in the page is of no known kind. It was left out.')
        return picture && baseName(picture.path)
      },
      leftOut: name => findings.add(from, `Markdown has nothing for <${name}>. It was left out.`),
    })
    const why = whyNoPage(text)
    return why === undefined ? [{ path, text }, ...pictures] : leave(why)
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

/** Returns the picture in a data URL as a file; undefined for what is none. */
function pictureIn(
  address: string,
  { limits, budget, keep }: PageConverter,
  stem: string,
): FolderFile | undefined {
  const [, type = '', encoding, data = ''] =
    /^\s*data:([^;,]*)[^,]*?(;base64)?,(.*)$/is.exec(address) ?? []
  const ending = endingOfImage(type.toLowerCase())
  if (ending === undefined) return undefined
  const bytes = encoding ? Buffer.from(data, 'base64') : Buffer.from(decodeOr(data))
  if (bytes.length === 0) return undefined
  const path = `${stem}.${ending}`
  spend(budget, limits, path, bytes.length)
  return { path, kept: keep(bytes) }
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
