import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type BookPart,
  frontSource,
  partSource,
  partSteps,
  printSteps,
} from '../content/print/book.ts'
import type { PrintBook, PrintPage } from '../content/print/book-types.ts'
import { PdfJoiner } from '../content/print/join.ts'
import { notesOfImages } from '../content/print/left-out.ts'
import type {
  LeftOut,
  PrintAnswer,
  PrintImage,
  PrintOrder,
  PrintOutcome,
  PrintQuestion,
} from '../content/print/order.ts'
import { loadCompiler } from '../content/print/packages.ts'
import { printTargets } from '../content/print/targets.ts'
import { atOnce } from '../lib/slices.ts'
import { scaleImages } from './scale-image.ts'

// Started as a process by lib/child.ts: writes `out.pdf` into its folder. The compiler can read
// only that folder and fonts.
const folder = process.cwd()
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const readLines = <Value>(name: string): Value[] =>
  read(name)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Value)

const { book, root, fontFolders, decodedPixels, time } = JSON.parse(
  read('order.json'),
) as PrintOrder
const pages = readLines<PrintPage>('pages')
const imageBlobs = readLines<[string, string]>('images')
const targets = printTargets({
  root,
  pages,
  includes: new Map(readLines<[string, string]>('includes')),
  images: new Map(imageBlobs),
})
const whole = { ...book, pages, link: targets.link, include: targets.include }
const compiler = loadCompiler().create({
  workspace: folder,
  fontArgs: [{ fontPaths: [...fontFolders] }],
})

/** Returns the blobs of all images that the book shows. */
function blobsShown(): string[] {
  const blobs = new Set<string>()
  const image: PrintBook['image'] = (fromFile, target) => {
    const blob = targets.imageBlob(fromFile, target)
    if (blob !== undefined) blobs.add(blob)
    return undefined
  }
  atOnce(printSteps({ ...whole, image }))
  return [...blobs]
}

/** Prints the book. Adds the images that cannot be decoded to those that are left out. */
function print(
  images: Map<string, PrintImage>,
  left: LeftOut[],
  others: readonly string[],
): PrintOutcome {
  const paths = new Map(imageBlobs.map(([path, blob]) => [blob, path]))
  const image: PrintBook['image'] = (fromFile, target) =>
    images.get(targets.imageBlob(fromFile, target) ?? '')
  for (;;) {
    const notes = [...others, ...notesOfImages(left, paths)]
    const made = make({ ...whole, notes, image })
    if (made === undefined) return { notes }

    // An image may be the cause. Without it, its text is shown.
    const broken = [...images].filter(([, { name }]) => !isShown(name))
    if (broken.length === 0) return { error: made.error }
    for (const [blob] of broken) {
      images.delete(blob)
      left.push({ blob, why: 'cannot be decoded' })
    }
  }
}

/**
 * How many characters of code the compiler gets at once: it needs some hundred times their size in
 * memory.
 */
const longestPart = 600_000

/** The place of the front in a book: it has no bookmarks. */
const front = { level: 1, headings: [] }

/** Writes the book. Returns an error if it does not compile. */
function make(book: PrintBook): { error: string } | undefined {
  const parts = atOnce(partSteps(book, longestPart))
  if (parts.length > 1) return makeInParts(book, parts)
  const made = compile(atOnce(printSteps(book)).source)
  if (!Buffer.isBuffer(made)) return made
  writeFileSync(join(folder, 'out.pdf'), made)
  return undefined
}

/**
 * Writes the book from parts that are compiled one by one and joined. The front is compiled twice:
 * its length is needed for the numbers of the pages, and their numbers for its table of contents;
 * it is equally long with any numbers. There are no tags for screen readers.
 */
function makeInParts(book: PrintBook, parts: readonly BookPart[]): { error: string } | undefined {
  const draft = compile(
    frontSource(book, parts, () => 888),
    false,
  )
  if (!Buffer.isBuffer(draft)) return draft

  const joiner = new PdfJoiner()
  const numbers = new Map<string, number>()
  let before = new PdfJoiner().add(draft, front).pages
  const file = openSync(join(folder, 'out.pdf'), 'w')

  try {
    writeSync(file, joiner.start())
    for (const part of parts) {
      const made = compile(partSource(book, part, before), false)
      if (!Buffer.isBuffer(made)) return made
      const { bytes, pages, pageOf } = joiner.add(made, part)
      writeSync(file, bytes)
      for (const { label } of part.entries) numbers.set(label, before + (pageOf(label) ?? 0) + 1)
      before += pages
    }

    const last = compile(
      frontSource(book, parts, ({ label }) => numbers.get(label) ?? 1),
      false,
    )
    if (!Buffer.isBuffer(last)) return last
    writeSync(file, joiner.add(last, front, true).bytes)
    writeSync(file, joiner.end())
  } finally {
    closeSync(file)
  }

  return undefined
}

function compile(source: string, tagged = true): Buffer | { error: string } {
  writeFileSync(join(folder, 'main.typ'), source)
  const document = { mainFilePath: join(folder, 'main.typ'), resetRead: true }
  try {
    return compiler.pdf(document, { creationTimestamp: time, pdfTags: tagged })
  } catch (error) {
    const words = wordsOf(error)
    // The tags for screen readers come last, and the compiler fails on some of them: print without
    // tags instead.
    return tagged && words.includes('internal error')
      ? compileUntagged(document, words)
      : { error: words }
  } finally {
    // What was compiled is kept for the next time otherwise.
    compiler.evictCache(0)
  }
}

function compileUntagged(
  document: { mainFilePath: string },
  words: string,
): Buffer | { error: string } {
  try {
    return compiler.pdf(document, { creationTimestamp: time, pdfTags: false })
  } catch {
    return { error: words }
  }
}

function isShown(name: string): boolean {
  try {
    compiler.pdf({ mainFileContent: `#image(${JSON.stringify(name)}, width: 1cm)` })
    return true
  } catch {
    return false
  }
}

/** Returns the compiler's message, which may be in the `code` of the error. */
function wordsOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown }
  return String(message || code || error).slice(0, 2000)
}

const say = (value: PrintQuestion | PrintOutcome) =>
  process.stdout.write(`${JSON.stringify(value)}\n`)

say({ blobs: blobsShown() })
const lines = createInterface({ input: process.stdin })
for await (const line of lines) {
  const { images, left, notes } = JSON.parse(line) as PrintAnswer
  const own = new Map(images)
  const excess = await scaleImages(folder, own, decodedPixels)
  say(print(own, [...left, ...excess], notes))
  lines.close()
}
