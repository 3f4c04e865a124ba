import { decode } from '../content/bytes.ts'
import { type Print, type PrintBook, type PrintPage, printSteps } from '../content/print.ts'
import type { RevisionView } from '../content/view.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { streamBlobs } from '../git/objects.ts'
import type { Oid } from '../git/oid.ts'
import type { Repository } from '../git/repository.ts'
import { inSlices } from '../lib/slices.ts'
import type { SpaceRow } from '../store/rows.ts'
import { missingFonts, printFonts } from './print-fonts.ts'
import { type ImageLimits, type PrintImage, writeImages } from './print-images.ts'
import type { ChosenPage } from './print-pages.ts'
import { type PrintTargets, printTargets } from './print-targets.ts'

/** What a book is made of. */
export type PrintSubject = {
  space: SpaceRow
  repo: Repository
  view: RevisionView
  pages: readonly ChosenPage[]
  /** The name of the part, where it is not the whole space. */
  part?: string | undefined
}

/** A book before it is set: its source for given images, and what is to be said about it. */
export type PrintDraft = {
  /** The source without these images. */
  compose: (without: ReadonlySet<string>) => Promise<Print>
  notes: string[]
}

/** The most bytes of text in one book. */
const mostText = 16 * 1024 * 1024

/**
 * Reads what a book is made of, and writes its images into `folder`. Throws 'too_large' when there is more text than a book
 * may have.
 */
export async function draftPrint(
  ctx: Context,
  subject: PrintSubject,
  folder: string,
  limits: ImageLimits,
): Promise<PrintDraft> {
  const { space, repo, view } = subject
  const texts = await readTexts(repo, subject)
  const includes = await readIncludes(repo, view)
  const printed = new Set(subject.pages.map(({ node }) => node.id))
  const targets = printTargets(view.content, printed, includes)
  const notes: string[] = []
  const book = {
    title: space.title,
    ...(subject.part !== undefined && { subtitle: subject.part }),
    revision: view.oid,
    date: new Date(view.committedAt * 1000).toISOString().slice(0, 10),
    ...(space.language && { language: space.language }),
    pages: subject.pages.map(page => pageOf(page, texts)),
    fonts: printFonts,
    notes,
    link: targets.link,
    include: targets.include,
  }
  const { images, left } = await writeImages(repo, await imagesOf(book, targets), folder, limits)
  if (left > 0)
    notes.push(`Images that are not shown, because all of them together are too large for one PDF: ${left}.`)
  const fonts = await missingFonts(ctx, [space.title, ...textsOf(book.pages), ...includes.values()])
  if (fonts) notes.push(fonts)
  return {
    notes,
    compose: without => inSlices(printSteps({ ...book, image: imageFor(targets, images, without) })),
  }
}

function* textsOf(pages: readonly PrintPage[]): Iterable<string> {
  for (const { title, emoji = '', markdown } of pages) {
    yield title + emoji
    yield markdown
  }
}

const imageFor =
  (
    targets: PrintTargets,
    images: ReadonlyMap<string, PrintImage>,
    without: ReadonlySet<string>,
  ): PrintBook['image'] =>
  (fromFile, target) => {
    const image = images.get(targets.imageBlob(fromFile, target) ?? '')
    return image && !without.has(image.name) ? image : undefined
  }

/** The blobs of all images that a book shows. */
async function imagesOf(book: Omit<PrintBook, 'image'>, targets: PrintTargets): Promise<Set<string>> {
  const found = new Set<string>()
  const image: PrintBook['image'] = (fromFile, target) => {
    const blob = targets.imageBlob(fromFile, target)
    if (blob !== undefined) found.add(blob)
    return undefined
  }
  await inSlices(printSteps({ ...book, image }))
  return found
}

function pageOf({ node, depth, group }: ChosenPage, texts: ReadonlyMap<string, string>): PrintPage {
  const { id, title, emoji, file, facts } = node
  const description = facts?.frontMatter.description
  return {
    id,
    title,
    ...(emoji !== undefined && { emoji }),
    ...(description !== undefined && { description }),
    depth,
    filePath: file?.path,
    markdown: texts.get(file?.oid ?? '') ?? '',
    ...(group !== undefined && { group }),
  }
}

/** The texts of the pages, by blob. */
async function readTexts(repo: Repository, { pages }: PrintSubject): Promise<Map<string, string>> {
  const oids = pages.flatMap(({ node }) => (node.file ? [node.file.oid as Oid] : []))
  const texts = new Map<string, string>()
  let bytes = 0
  for await (const [oid, content] of streamBlobs(repo, oids, mostText)) {
    bytes += content.length
    if (bytes > mostText)
      throw new Fault(
        'too_large',
        'These pages hold more than 16 MB of text: ask for a part of them, with the id of a page as "page".',
      )
    texts.set(oid, decode(content).text)
  }
  return texts
}

/** The texts of reusable content, by path; as much as a book may have. */
async function readIncludes(repo: Repository, { content }: RevisionView): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  if (content.includes.length === 0) return texts
  const byOid = new Map<string, string>()
  let bytes = 0
  for await (const [oid, found] of streamBlobs(
    repo,
    content.includes.map(({ oid }) => oid as Oid),
    mostText,
  )) {
    bytes += found.length
    if (bytes <= mostText) byOid.set(oid, decode(found).text)
  }
  for (const { path, oid } of content.includes) {
    const text = byOid.get(oid)
    if (text !== undefined) texts.set(path, text)
  }
  return texts
}
