import mammoth from 'mammoth'
import type { Entry } from 'yauzl'
import { mustGet } from '../../lib/must-get.ts'
import { endingOfImage } from '../image-types.ts'
import { decode } from '../text/bytes.ts'
import { type Findings, Unreadable } from './finding.ts'
import type { KeptBytes, PagePicture, ReadPage } from './folder-file.ts'
import { partsLeftOut, sentenceOf } from './word-findings.ts'
import { wordStyles } from './word-styles.ts'
import { BadZip, type Budget, type ImportLimits, openZip } from './zip-file.ts'

type WordReading = {
  findings: Findings
  limits: ImportLimits
  budget: Budget
  keep: (bytes: Buffer) => KeptBytes
}

/** More text in XML would take minutes, and more memory than a thread has. */
export const mostXml = 16_000_000

/** Thrown for a document that is left out, with the sentence that says why. */
class Left extends Error {}

/** The parts of a document, as mammoth asks for them. */
type Parts = {
  exists: (name: string) => boolean
  read: (name: string, encoding?: string) => Promise<string | Buffer>
}

/**
 * Returns a Word document as a page in HTML with its pictures; undefined for one that is left out. What
 * mammoth does not understand is a finding. Nothing but the document is read. Throws Unreadable for
 * more bytes than an import may have.
 */
export async function readWord(
  path: string,
  bytes: Buffer,
  { findings, limits, budget, keep }: WordReading,
): Promise<ReadPage | undefined> {
  const pictures: PagePicture[] = []

  try {
    const zip = await openZip(bytes, path, { limits, budget })
    const entries = new Map(zip.entries.map(entry => [entry.fileName, entry]))
    const convertImage = mammoth.images.imgElement(
      pictureIn(pictures, async name => keep(await zip.unpack(mustGet(entries, name)))),
    )
    // The option is not in the README of mammoth. With the bytes of the document it would unpack them
    // itself, without limits.
    const file = { file: partsOf(entries, zip.unpack) } as unknown as { buffer: Buffer }
    const { value, messages } = await mammoth.convertToHtml(file, {
      ...{ convertImage, styleMap: wordStyles, includeDefaultStyleMap: false },
      ...{ includeEmbeddedStyleMap: false, externalFileAccess: false },
    })

    for (const sentence of new Set(messages.flatMap(({ message }) => sentenceOf(message))))
      findings.add(path, sentence)
    const left = partsLeftOut([...entries.keys()])
    if (left !== undefined) findings.add(path, left)
    return { path, html: value, pictures }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    findings.add(path, `${whyLeft(error)} It was left out.`)
    return undefined
  }
}

/**
 * Returns the parts of a document for mammoth: texts as they are, and of pictures only the name of the
 * part. Their bytes do not pass through it.
 */
function partsOf(
  entries: ReadonlyMap<string, Entry>,
  unpack: (entry: Entry) => Promise<Buffer>,
): Parts {
  let left = mostXml
  return {
    // Styles that a document brings for mammoth are not followed.
    exists: name => entries.has(name) && name !== 'mammoth/style-map',
    read: async (name, encoding) => {
      const entry = entries.get(name)
      if (!entry) throw new Error(`A picture is not in the document ("${name}"). It was left out.`)
      if (encoding === undefined) return Buffer.from(name)
      left -= entry.uncompressedSize
      if (left < 0) throw new Left('The document is too large.')
      const { text, exact } = decode(await unpack(entry))
      if (!exact) throw new Left('The document is not in UTF-8.')
      if (/<!(?:DOCTYPE|ENTITY)/.test(text))
        throw new Left('The document declares types or entities, which Word documents do not have.')
      return text
    },
  }
}

/** Returns what gives each picture its address: its place in `pictures`. */
function pictureIn(pictures: PagePicture[], take: (name: string) => Promise<KeptBytes>) {
  const places = new Map<string, number>()
  return async (image: { contentType: string; readAsBuffer: () => Promise<Buffer> }) => {
    const name = (await image.readAsBuffer()).toString()
    const known = places.get(name)
    if (known !== undefined) return { src: `data:,${known}` }
    const ending = endingOfImage(image.contentType)
    if (ending === undefined)
      throw new Error(
        `A picture is of the type ${image.contentType ?? 'unknown'}, which pages do not show. It was left out.`,
      )
    const kept = await take(name)
    if (kept.size === 0) throw new Error(`A picture is empty ("${name}"). It was left out.`)
    places.set(name, pictures.length)
    return { src: `data:,${pictures.push({ ending, kept }) - 1}` }
  }
}

function whyLeft(error: unknown): string {
  if (error instanceof Left) return error.message
  if (error instanceof RangeError) return 'The elements of the document are nested too deep.'
  if (error instanceof BadZip)
    return `The document ${error.message} A document with a password cannot be read.`
  return 'The document is damaged, or it is not one of Word.'
}
