import MarkdownIt from 'markdown-it'
import { findPage } from '../../../src/actions/audience/find-page.ts'
import { readConfig } from '../../../src/config.ts'
import { writePage } from '../../../src/content/html/write-page.ts'
import type { Context } from '../../../src/context.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { makeLogger, openContext } from '../../../src/open.ts'
import { answerPage } from '../../../src/site/pages/answer-page.ts'
import { articleOf } from '../../../src/site/pages/article.ts'
import { frameOf } from '../../../src/site/pages/frame.ts'
import { listingOf } from '../../../src/site/pages/listing.ts'
import { navOf } from '../../../src/site/pages/nav.ts'
import { openPlace, resolve } from '../../../src/site/place/open-place.ts'
import type { SitePlace } from '../../../src/site/place/place.ts'
import { settingsOf } from '../../../src/site/place/settings-of-place.ts'
import type { SiteResponse } from '../../../src/site/sending/made.ts'
import { textOf } from '../../../src/site/text/text-of.ts'
import { openScope } from '../../../src/site/travel/open-scope.ts'
import { renderPage } from '../../../src/site/views/render.tsx'
import { surfaceLanguages } from '../../../src/ui/words/all.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { median } from '../figure.ts'

const origin = 'http://127.0.0.1:3000'

/**
 * The processor time in milliseconds of a page on average: writing its text (parsed and
 * highlighted), its layout around the text, the whole answer with rights, settings and Git, and as
 * a measure of the machine what markdown-it takes for the same text.
 */
export type Rendering = { writing: number; layout: number; page: number; plain: number }

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
  const taken = Object.fromEntries(
    ['writing', 'layout', 'page', 'plain'].map(name => [name, [] as number[]]),
  ) as Record<keyof Rendering, number[]>
  const parser = new MarkdownIt({ html: true, linkify: true })
  for (let round = 0; round < rounds + warmRounds; round++) {
    const page = await perPage(paths, async path => void (await pageAt(ctx, path)))
    const parts = await Promise.all(paths.map(path => partsOf(ctx, path)))
    const writing = await perPage(parts, async ({ write }) => void write())
    const layout = await perPage(parts, ({ layOut }) => layOut())
    const plain = await perPage(parts, async ({ markdown }) => void parser.render(markdown))
    if (round < warmRounds) continue
    taken.page.push(page)
    taken.writing.push(writing)
    taken.layout.push(layout)
    taken.plain.push(plain)
  }

  return {
    writing: median(taken.writing),
    layout: median(taken.layout),
    page: median(taken.page),
    plain: median(taken.plain),
  }
}

async function perPage<Each>(
  pages: readonly Each[],
  work: (page: Each) => Promise<void>,
): Promise<number> {
  const before = cpuTime()
  for (const page of pages) await work(page)
  return (cpuTime() - before) / pages.length
}

async function placeOf(ctx: Context, path: string): Promise<SitePlace> {
  const address = origin + path
  const found = await resolve(ctx, {
    address,
    isAgent: false,
    jwtToken: undefined,
    session: async () => undefined,
    unsigned: undefined,
    previewer: undefined,
    user: undefined,
  })
  if (found.kind !== 'content') throw new Error(`${path} leads to ${found.redirect}.`)

  return openPlace(ctx, found, {
    user: undefined,
    signal: new AbortController().signal,
    hold: async () => {},
  })
}

/**
 * Returns the answer with a page, also in another version or a comparison; nothing of it is kept.
 */
export async function pageAt(ctx: Context, path: string): Promise<SiteResponse> {
  const place = await placeOf(ctx, path)
  const scoped = place.path.startsWith('~/') ? await openScope(place, true) : place
  if (typeof scoped === 'string' || 'redirect' in scoped) throw new Error(`${path} is not a page.`)

  const answered = await answerPage(scoped, {
    form: 'page',
    endsWithSlash: path.endsWith('/'),
  })
  if ('redirect' in answered) throw new Error(`${path} leads to ${answered.redirect}.`)
  if (answered.status !== 200 || !answered.body.endsWith('</html>'))
    throw new Error(`${path} is not a page.`)

  return answered
}

type Parts = { markdown: string; write: () => string; layOut: () => Promise<void> }

/**
 * Returns the text of a page, a function that writes it as HTML, and one that writes the page
 * around it.
 */
async function partsOf(ctx: Context, path: string): Promise<Parts> {
  const place = await placeOf(ctx, path)
  const node = findPage(place.open.shown.content, place.open.space.id, place.path)
  if (!node) throw new Error(`${path} is not a page.`)

  const { markdown, targets } = await textOf(place, node)
  const options = {
    targets,
    words: surfaceLanguages.en!,
    file: node.file?.path,
    externalBlank: false,
    marksBroken: false,
  }
  const settings = settingsOf(place)
  const article = await articleOf(place, node, {
    settings,
    frame: await frameOf(place, settings, node),
  })

  const layOut = async () => {
    const nav = navOf(listingOf(place, settings), node)
    const html = renderPage(await frameOf(place, settings, node), { ...article, nav })
    if (!html.endsWith('</html>')) throw new Error(`${path} is not a page.`)
  }

  return { markdown, write: () => atOnce(writePage(markdown, options)).html, layOut }
}
