import type { Figure, Pace } from '../../figure.ts'
import { runBundled } from '../../site/bundle.ts'
import { bytesOfKind, pageKinds } from '../../site/kinds.ts'
import type { KindCost } from '../../site/kinds-child.ts'
import { publish } from '../../site/publish.ts'
import { makeSpace } from '../../space.ts'
import { type Stemma, withStemma } from '../../stemma.ts'

/** Pages of 100 kB of one kind of part each, when nothing of them is kept. */
export const pageKindsRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma => costs(stemma, pace))

async function costs(stemma: Stemma, { rounds }: Pace): Promise<Figure[]> {
  const pages = Object.entries(pageKinds).map(([name, write], at) => ({
    name,
    slug: `kind-${at}`,
    markdown: write(bytesOfKind),
  }))
  const space = await makeSpace(stemma)
  for (const { name: title, slug, markdown } of [
    { name: 'Start', slug: 'start', markdown: 'The start.\n' },
    ...pages,
  ]) {
    const changes = [{ operation: 'insert_page', title, slug, document: { markdown } }]
    await stemma.caller.json('POST', `${space.path}/content`, { body: { changes } })
  }

  const site = await publish(stemma, [space])
  let found: KindCost[] = []

  await stemma.restart(async () => {
    const args = [stemma.dataDir, site.path, String(rounds)]
    found = await runBundled<KindCost[]>('kinds-child', args)
  })

  return pages.map(({ name, markdown }, at) => figureOf(name, markdown, found[at]!))
}

function figureOf(
  name: string,
  markdown: string,
  { page, packing, plain, bytes }: KindCost,
): Figure {
  const per = 100_000 / markdown.length
  return {
    work: `a page of 100 kB, ${name}: the whole answer, processor time`,
    value: (page + packing) * per,
    unit: 'ms',
    reference: { what: 'markdown-it, the same text', value: plain * per },
    target: { of: 'figure', is: 'at most', value: 100 },
    note: `of this ${Math.round(packing * per)} ms for packing ${Math.round(bytes / 1000)} kB of HTML`,
  }
}
