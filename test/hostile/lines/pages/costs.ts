import { comparedKinds } from '../../../bench/site/compared.ts'
import { bytesOfKind, pageKinds } from '../../../bench/site/kinds.ts'
import { costing, costOf } from '../../cost.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { openStage, type Stage } from '../../stage.ts'
import { done, makeSite } from '../sites/tools.ts'
import { open } from './tools.ts'

/** Publishes a page for each text. Returns the path of the site, and the id of its space. */
async function publishTexts(stage: Stage, texts: Readonly<Record<string, string>>) {
  const { id: space } = await done(stage, 'POST /v1/orgs/acme/spaces', { title: 'Costs' })
  for (const [slug, markdown] of Object.entries(texts))
    await done(stage, `POST /v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: slug, slug, document: { markdown } }],
    })
  const site = await makeSite(stage, { visibility: 'public', timeTravel: 'readers' }, space)
  return { space, base: new URL(site.base).pathname }
}

const views = 5

/** Opens pages of 100 kB several times, each time with another query, so that nothing is kept. */
async function viewKinds(stage: Stage): Promise<Seen> {
  const texts = Object.values(pageKinds).map((write, at) => [`kind-${at}`, write(bytesOfKind)])
  const { base } = await publishTexts(stage, Object.fromEntries(texts))
  return costing(views * texts.length * 200, async () => {
    for (let view = 0; view < views; view++)
      for (const [slug] of texts) {
        const { status, text } = await open(stage, `${base}${slug}?view=${view}`)
        must(status === 200 && text.endsWith('</html>'), `${slug} was answered ${status}`)
      }
    return { status: 200, text: 'pages' }
  })(stage)
}

/** Replaces the texts of pages. Returns the path of the comparison with what they were before. */
async function rewriteTexts(stage: Stage, space: string, texts: Readonly<Record<string, string>>) {
  const content = `/v1/spaces/${space}/content`
  const former = (await done(stage, `GET ${content}`)).id
  const { pages } = await done(stage, `GET ${content}/pages`)

  for (const [name, markdown] of Object.entries(texts)) {
    const { id } = pages.find(({ slug }: { slug: string }) => slug === name)
    await done(stage, `POST ${content}`, {
      changes: [{ operation: 'update_page', page: id, document: { markdown } }],
    })
  }

  const later = (await done(stage, `GET ${content}`)).id

  return `~/compare/${former}...${later}/`
}

/**
 * Compares pages of 100 kB, and pages of a quarter of that, with others, each time with another
 * query.
 */
async function compareKinds(stage: Stage): Promise<Seen> {
  const sizes = [bytesOfKind / 4, bytesOfKind] as const
  const made = Object.entries(comparedKinds).map(([kind, write], at) => ({
    kind,
    pages: sizes.map(bytes => ({ slug: `${bytes}-${at}`, ...write(bytes) })),
  }))
  const pages = made.flatMap(({ pages }) => pages)
  const texts = pages.map(({ slug, before }) => [slug, before])
  const { space, base } = await publishTexts(stage, Object.fromEntries(texts))
  const later = pages.map(({ slug, after }) => [slug, after])
  const scope = base + (await rewriteTexts(stage, space, Object.fromEntries(later)))
  let view = 0

  async function compare(slug: string): Promise<void> {
    const { status, text } = await open(stage, `${scope}${slug}?view=${view++}`)
    must(status === 200 && text.endsWith('</html>'), `${slug} was answered ${status}`)
  }

  for (const { slug } of pages) await compare(slug)
  let sum = 0

  for (const { kind, pages } of made) {
    const costs: number[] = []
    for (const { slug } of pages) {
      const each: number[] = []
      for (let time = 0; time < 3; time++) each.push(await costOf(stage, () => compare(slug)))
      costs.push(Math.min(...each))
    }

    const [small = 0, large = 0] = costs

    // Below 50 ms of CPU for a page, the collection of garbage decides.
    must(
      large <= 6 * Math.max(small, 50),
      `${kind}: ${small} ms, four times as much text: ${large} ms`,
    )
    sum += large
  }

  const mean = Math.round(sum / made.length)

  must(mean <= 500, `${mean} ms for each comparison of 100 kB`)

  return { status: 200, text: 'comparisons' }
}

/**
 * The largest pages that can be written, of the parts that take the most memory. Each differs in
 * every part.
 */
const largest: Readonly<Record<string, (word: string) => string>> = {
  rows: word => `|a|b|\n|-|-|\n${`|${word}|y|\n`.repeat(99_000)}`,
  'rows-of-one': word => `|a|\n|-|\n${`|${word}\n`.repeat(290_000)}`,
  'rows-without-signs': word => `|a|\n|-|\n${`${word}\n`.repeat(499_000)}`,
  paragraphs: word => `${word}\n\n`.repeat(99_000),
  fences: word => `\`\`\`\n${word}\n\`\`\`\n`.repeat(49_000),
  items: word => `* ${word}\n`.repeat(49_000),
}

/** Opens the largest pages and compares them with other ones, on a server with little memory. */
async function viewLargest(): Promise<Seen> {
  const stage = await openStage({ nodeFlags: ['--max-old-space-size=256'] })
  try {
    const made = Object.entries(largest)
    const texts = Object.fromEntries(made.map(([name, write]) => [name, write('a')]))
    const { space, base } = await publishTexts(stage, texts)
    const others = Object.fromEntries(made.map(([name, write]) => [name, write('b')]))
    const compared = await rewriteTexts(stage, space, others)

    for (const [name] of made)
      for (const scope of ['', compared]) {
        const { status, text } = await open(stage, `${base}${scope}${name}`).catch(error => ({
          status: 'failed',
          text: String(error),
        }))
        if (!stage.alive())
          return { status: 'died', text: `${scope}${name}: ${stage.log().slice(-2_000)}` }
        must(status === 200 && text.endsWith('</html>'), `${scope}${name} was answered ${status}`)
      }

    return { status: 'alive', text: 'pages' }
  } finally {
    await stage.stop()
  }
}

/** What a single page may cost a server. */
export const pageCostLines: Line[] = [
  line(
    'X209',
    'comparisons of pages of ten kinds, every part of which differs, and of pages four times as long',
    200,
    'at most six times the CPU for four times the text, 500 ms for 100 kB on average',
    compareKinds,
    { slow: true, mostWait: 1_500 },
  ),
  line(
    'W16',
    'pages of 100 kB of ten kinds, opened with different queries',
    200,
    'less than 200 ms of CPU each',
    viewKinds,
    { slow: true, mostWait: 1_500 },
  ),
  line(
    'W17',
    'the largest pages and their comparisons, with a heap of 256 MB',
    'alive',
    'every page is answered',
    viewLargest,
    { slow: true, mostWait: 3_000 },
  ),
]
