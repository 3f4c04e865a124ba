import MarkdownIt from 'markdown-it'
import { readyOf } from '../../../src/site/sending/made.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { median } from '../figure.ts'
import { bytesOfKind, pageKinds } from './kinds.ts'
import { pageAt, withContext } from './rendering.ts'

/**
 * The processor time in milliseconds of a page, of packing it, and of markdown-it for its Markdown;
 * and its HTML in bytes.
 */
export type KindCost = { page: number; packing: number; plain: number; bytes: number }

const [dataDir = '', base = '', rounds = '1'] = process.argv.slice(2)
const parser = new MarkdownIt({ html: true, linkify: true })

/** How often each work is repeated, so that it pays for the garbage that it leaves. */
const repeats = 4
/** The compiler is busy with the first rounds, which do not count. */
const warmRounds = 2

async function timed(work: () => unknown): Promise<number> {
  const before = cpuTime()
  for (let time = 0; time < repeats; time++) await work()
  return (cpuTime() - before) / repeats
}

const costs = await withContext(dataDir, async ctx => {
  const found: KindCost[] = []
  for (const [at, write] of Object.values(pageKinds).entries()) {
    const path = `${base}kind-${at}`
    const markdown = write(bytesOfKind)
    const taken = { page: [] as number[], packing: [] as number[], plain: [] as number[] }
    const made = await pageAt(ctx, path)

    for (let round = 0; round < Number(rounds) + warmRounds; round++) {
      const page = await timed(() => pageAt(ctx, path))
      const packing = await timed(() => readyOf(made).encode('br'))
      const plain = await timed(() => parser.render(markdown))
      if (round < warmRounds) continue
      taken.page.push(page)
      taken.packing.push(packing)
      taken.plain.push(plain)
    }

    found.push({
      page: median(taken.page),
      packing: median(taken.packing),
      plain: median(taken.plain),
      bytes: Buffer.byteLength(made.body),
    })
  }

  return found
})
process.send?.(costs)
process.disconnect?.()
