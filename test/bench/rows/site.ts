import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { cpuTime } from '../../support/cpu-time.ts'
import { type Figure, median, type Pace } from '../figure.ts'
import { runBundled } from '../site/bundle.ts'
import { finding } from '../site/finding.ts'
import { firstPage } from '../site/first-page.ts'
import { countingRate } from '../site/kept/counting.ts'
import { keptRates } from '../site/kept/rates.ts'
import { marking } from '../site/marking.ts'
import { handbook, importHandbook, pathsOf, publish } from '../site/publish.ts'
import { readableAfter } from '../site/readable.ts'
import { readersAtOnce } from '../site/readers.ts'
import type { Rendering } from '../site/rendering.ts'
import { largeSpaces } from '../site/sizes.ts'
import { weight } from '../site/weight.ts'
import { type Stemma, withStemma } from '../stemma.ts'

/** The pages of a site as readers open them: kept and rendered, after changes, and searched. */
export const site = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma => ofHandbook(stemma, pace))

/** Pages of a very large space, beside those of a small one. */
export const siteLarge = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma => largeSpaces(stemma, pace))

/** Pages with their changes marked. */
export const siteMarks = (): Promise<Figure[]> => marking()

/** Readers at once on small machines. */
export const siteReaders = (pace: Pace): Promise<Figure[]> => readersAtOnce(pace)

async function ofHandbook(stemma: Stemma, pace: Pace): Promise<Figure[]> {
  const corpus = handbook()
  const space = await importHandbook(stemma, corpus)
  const site = await publish(stemma, [space])
  const paths = await pathsOf(stemma, site)
  const middle =
    paths.find(path => path.endsWith('/deployment/trouble-shooting')) ?? paths[paths.length >> 1]!
  const query = corpus.name === 'fluentd' ? 'buffer' : 'workflow'

  return [
    ...(await keptRates(stemma, middle, pace)),
    await countingRate(stemma, paths, pace),
    ...(await rendered(stemma, paths, pace)),
    ...(await packed(stemma, paths)),
    ...(await finding(stemma, { space, path: site.path, query }, pace)),
    ...(await firstPage(stemma, middle, pace)),
    ...(await weight(stemma, { space, paths })),
    ...(await readableAfter(stemma, { space, path: site.path }, pace)),
  ]
}

async function rendered(
  stemma: Stemma,
  paths: readonly string[],
  { rounds }: Pace,
): Promise<Figure[]> {
  let taken: Rendering | undefined
  await stemma.restart(async () => {
    const args = [stemma.dataDir, JSON.stringify(paths), String(rounds)]
    taken = await runBundled<Rendering>('rendering-child', args)
  })
  const { page, writing, layout, plain } = taken as Rendering
  const reference = { what: 'markdown-it alone, the same texts', value: plain }

  return [
    {
      work: `${paths.length} pages, nothing kept: text with highlighting and layout, processor time of a page, mean`,
      value: writing + layout,
      unit: 'ms',
      reference,
      target: { of: 'figure', is: 'at most', value: 2.5 },
    },
    { work: 'of this, the text', value: writing, unit: 'ms', reference },
    { work: 'the same with rights, settings and Git', value: page, unit: 'ms', reference },
  ]
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** What compressing a page costs, which is done once for each page and commit. */
async function packed({ caller }: Stemma, paths: readonly string[]): Promise<Figure[]> {
  const sizes: number[] = []
  const times = { brotli: 0, gzip: 0 }
  for (const path of paths) {
    const { bytes } = await caller.call('GET', path)
    const before = cpuTime()
    const small = await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    const between = cpuTime()
    await zip(bytes)
    times.brotli += between - before
    times.gzip += cpuTime() - between
    sizes.push(small.length)
  }

  const mean = (sum: number) => sum / paths.length

  return [
    { work: 'HTML of a page, brotli, median', value: median(sizes), unit: 'bytes' },
    {
      work: 'compressing it with brotli, once a commit, processor time',
      value: mean(times.brotli),
      unit: 'ms',
      reference: { what: 'gzip', value: mean(times.gzip) },
    },
  ]
}
