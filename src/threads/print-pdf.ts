import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { printSteps } from '../content/print/book.ts'
import type { PrintBook, PrintPage } from '../content/print/book-types.ts'
import type {
  PrintAnswer,
  PrintImage,
  PrintOrder,
  PrintOutcome,
  PrintQuestion,
} from '../content/print/order.ts'
import { loadCompiler } from '../content/print/packages.ts'
import { printTargets } from '../content/print/targets.ts'
import { atOnce } from '../lib/slices.ts'

// Started as a process by lib/child.ts: writes `out.pdf` into its folder. The compiler can read
// only that folder and fonts.
const folder = process.cwd()
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const readLines = <Value>(name: string): Value[] =>
  read(name)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Value)

const { book, root, fontFolders, time } = JSON.parse(read('order.json')) as PrintOrder
const pages = readLines<PrintPage>('pages')
const targets = printTargets({
  root,
  pages,
  includes: new Map(readLines<[string, string]>('includes')),
  images: new Map(readLines<[string, string]>('images')),
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

function print(images: Map<string, PrintImage>, notes: readonly string[]): PrintOutcome {
  const image: PrintBook['image'] = (fromFile, target) =>
    images.get(targets.imageBlob(fromFile, target) ?? '')
  for (;;) {
    writeFileSync(join(folder, 'main.typ'), atOnce(printSteps({ ...whole, notes, image })).source)
    const made = compile()
    if (Buffer.isBuffer(made)) {
      writeFileSync(join(folder, 'out.pdf'), made)
      return { made: true }
    }

    // An image may be the cause. Without it, its text is shown.
    const broken = [...images].filter(([, { name }]) => !isShown(name))
    if (broken.length === 0) return { error: made.error }
    for (const [blob] of broken) images.delete(blob)
  }
}

function compile(): Buffer | { error: string } {
  const document = { mainFilePath: join(folder, 'main.typ'), resetRead: true }
  try {
    return compiler.pdf(document, { creationTimestamp: time })
  } catch (error) {
    const words = wordsOf(error)
    // The tags for screen readers come last, and the compiler fails on some of them: print without
    // tags instead.
    return words.includes('internal error') ? compileUntagged(document, words) : { error: words }
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
  const { images, notes } = JSON.parse(line) as PrintAnswer
  say(print(new Map(images), notes))
  lines.close()
}
