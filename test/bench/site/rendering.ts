import MarkdownIt from 'markdown-it'
import { readConfig } from '../../../src/config.ts'
import { writePage } from '../../../src/content/html/write-page.ts'
import type { Context } from '../../../src/context.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { makeLogger, openContext } from '../../../src/open.ts'
import { answerPage } from '../../../src/site/pages/answer-page.ts'
import { readText } from '../../../src/site/pages/read-text.ts'
import { findPage } from '../../../src/site/place/find-page.ts'
import { openPlace, resolve } from '../../../src/site/place/open-place.ts'
import type { Place } from '../../../src/site/place/place.ts'
import { surfaceLanguages } from '../../../src/site/words/all.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { median } from '../figure.ts'

const origin = 'http://127.0.0.1:3000'

/**
 * The processor time in milliseconds of a page on average: the whole of it, writing its text alone, and as a measure of the
 * machine what markdown-it takes for the same text.
 */
export type Rendering = { page: number; writing: number; plain: number }

/** Opens the data folder of a stopped server while `work` runs. */
export async function withContext<Result>(
  dataDir: string,
  work: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const config = readConfig({ STEMMA_DATA: dataDir, STEMMA_LOG: 'warn' })
  const ctx = openContext(config, makeLogger('warn'), { publicUrl: () => origin })
  try {
    return await work(ctx)
  } finally {
    ctx.close()
  }
}

/** The compiler is busy with the first rounds, which do not count. */
const warmRounds = 4

/** Renders all pages, none of them kept, several times. */
export async function measureRendering(
  ctx: Context,
  paths: readonly string[],
  rounds: number,
): Promise<Rendering> {
  const taken = { page: [] as number[], writing: [] as number[], plain: [] as number[] }
  const parser = new MarkdownIt({ html: true, linkify: true })
  for (let round = 0; round < rounds + warmRounds; round++) {
    const page = await perPage(paths, path => render(ctx, path))
    const texts = await Promise.all(paths.map(path => textOf(ctx, path)))
    const writing = await perPage(texts, async ({ write }) => void write())
    const plain = await perPage(texts, async ({ markdown }) => void parser.render(markdown))
    if (round < warmRounds) continue
    taken.page.push(page)
    taken.writing.push(writing)
    taken.plain.push(plain)
  }
  return { page: median(taken.page), writing: median(taken.writing), plain: median(taken.plain) }
}

async function perPage<Each>(pages: readonly Each[], work: (page: Each) => Promise<void>): Promise<number> {
  const before = cpuTime()
  for (const page of pages) await work(page)
  return (cpuTime() - before) / pages.length
}

async function placeOf(ctx: Context, path: string): Promise<Place> {
  const address = origin + path
  const found = await resolve(ctx, {
    address,
    isAgent: false,
    jwtToken: undefined,
    session: async () => undefined,
    unsigned: undefined,
    previewer: undefined,
  })
  if (found.kind !== 'content') throw new Error(`${path} leads to ${found.redirect}.`)
  return openPlace(ctx, found, { user: undefined, signal: new AbortController().signal })
}

async function render(ctx: Context, path: string): Promise<void> {
  const answered = await answerPage(await placeOf(ctx, path), {
    wantsMarkdown: false,
    endsWithSlash: path.endsWith('/'),
  })
  if ('redirect' in answered) throw new Error(`${path} leads to ${answered.redirect}.`)
  if (answered.status !== 200 || !answered.body.endsWith('</html>')) throw new Error(`${path} is not a page.`)
}

/** Returns the text of a page, and a function that writes it as HTML. */
async function textOf(ctx: Context, path: string): Promise<{ markdown: string; write: () => string }> {
  const place = await placeOf(ctx, path)
  const node = findPage(place.open.shown.content, place.open.space.id, place.path)
  if (!node) throw new Error(`${path} is not a page.`)
  const { markdown, targets } = await readText(place, node)
  const options = {
    targets,
    words: surfaceLanguages.en!,
    file: node.file?.path,
    externalBlank: false,
    marksBroken: false,
  }
  return { markdown, write: () => atOnce(writePage(markdown, options)).html }
}
