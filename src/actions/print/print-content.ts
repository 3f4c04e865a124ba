import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrintPage } from '../../content/print/book-types.ts'
import { bookLanguage } from '../../content/print/language.ts'
import type { PrintAnswer, PrintOrder, PrintQuestion } from '../../content/print/order.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import type { PrintSubject } from './print-book.ts'
import { fontFolders, missingFonts, printFonts } from './print-fonts.ts'
import { type ImageLimits, isImagePath, writeImages } from './print-images.ts'
import { readIncludes, readPages } from './print-texts.ts'

/**
 * Writes the parts of a book into `folder`, except its images, for the printing process. Returns
 * a function that writes the images that the process asks for. Throws 'too_large' when there is too
 * much text.
 */
export async function draftPrint(
  ctx: Context,
  subject: PrintSubject,
  folder: string,
  { limits, signal }: { limits: ImageLimits; signal: AbortSignal },
): Promise<(question: PrintQuestion) => Promise<PrintAnswer>> {
  const { space, repo, view, shown, part } = subject
  const pages = await readPages(ctx, subject, signal)
  const includes = await readIncludes(ctx, subject, signal)
  const texts = [space.title, ...textsOf(pages)]
  const language = await inSlices(bookLanguage(space.language ?? undefined, texts), signal)
  const order: PrintOrder = {
    book: {
      title: space.title,
      ...(part !== undefined && { subtitle: part }),
      revision: view.oid,
      date: new Date(view.committedAt * 1000).toISOString().slice(0, 10),
      ...(language !== undefined && { language }),
      fonts: printFonts(language),
    },
    root: view.content.config.root,
    fontFolders: fontFolders(ctx),
    decodedPixels: limits.decodedPixels,
    time: view.committedAt,
  }

  await writeFile(join(folder, 'order.json'), JSON.stringify(order))
  await writeFile(join(folder, 'pages'), linesOf(pages))
  await writeFile(join(folder, 'includes'), linesOf(includes))
  await writeFile(join(folder, 'images'), linesOf(imagesIn(subject)))
  const fonts = await missingFonts(ctx, [...texts, ...includes.values()])
  const notes = fonts ? [fonts] : []

  return async ({ blobs }) => {
    const own = new Map<string, Oid>(shown.content.files.map(({ oid }) => [oid, oid]))
    const wanted = new Set(blobs.flatMap(blob => own.get(blob) ?? []))
    const { images, left } = await writeImages(repo, wanted, folder, limits)
    return { images: [...images], left, notes }
  }
}

/** Yields a line of JSON per value, in larger pieces. Yields to the event loop between them. */
async function* linesOf(values: Iterable<unknown>): AsyncGenerator<string> {
  const pause = pauses()
  let piece = ''
  for (const value of values) {
    piece += `${JSON.stringify(value)}\n`
    if (piece.length < 65_536) continue
    yield piece
    piece = ''
    await pause()
  }

  yield piece
}

function* imagesIn({ shown }: PrintSubject): Iterable<[path: string, blob: Oid]> {
  for (const { path, oid } of shown.content.files) if (isImagePath(path)) yield [path, oid]
}

function* textsOf(pages: readonly PrintPage[]): Iterable<string> {
  for (const { title, emoji = '', markdown } of pages) {
    yield title + emoji
    yield markdown
  }
}
