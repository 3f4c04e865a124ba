import type { Figure, Pace } from '../figure.ts'
import { runBundled } from '../site/bundle.ts'
import { comparedKinds } from '../site/compared.ts'
import type { ComparisonCost } from '../site/compared-child.ts'
import { bytesOfKind } from '../site/kinds.ts'
import { publish, sites } from '../site/publish.ts'
import { makeSpace } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

/** Comparisons of pages of 100 kB in which every part differs, when nothing of them is kept. */
export const comparisonsRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma => costs(stemma, pace))

async function costs(stemma: Stemma, { rounds }: Pace): Promise<Figure[]> {
  const { caller } = stemma
  const pages = Object.entries(comparedKinds).map(([name, write], at) => ({
    ...{ name, slug: `kind-${at}` },
    ...write(bytesOfKind),
  }))
  const space = await makeSpace(stemma)
  const content = `${space.path}/content`
  const head = async (): Promise<string> => (await caller.json('GET', content)).id

  for (const { name: title, slug, before: markdown } of [
    { name: 'Start', slug: 'start', before: 'The start.\n' },
    ...pages,
  ]) {
    const changes = [{ operation: 'insert_page', title, slug, document: { markdown } }]
    await caller.json('POST', content, { body: { changes } })
  }

  const former = await head()

  for (const { slug, after: markdown } of pages) {
    const { id } = await caller.json('GET', `${content}/path/${slug}`)
    const changes = [{ operation: 'update_page', page: id, document: { markdown } }]
    await caller.json('POST', content, { body: { changes } })
  }

  const later = await head()
  const site = await publish(stemma, [space])

  await caller.json('PATCH', `${sites}/${site.id}`, { body: { timeTravel: 'readers' } })
  let found: ComparisonCost[] = []

  await stemma.restart(async () => {
    found = await runBundled<ComparisonCost[]>('compared-child', [
      ...[stemma.dataDir, site.path, former, later, String(rounds)],
    ])
  })

  return pages.map(({ name, after }, at) => figureOf(name, after, found[at]!))
}

function figureOf(name: string, after: string, { comparison, pages }: ComparisonCost): Figure {
  const per = 100_000 / after.length
  return {
    work: `a comparison of 100 kB, ${name}: the whole answer, processor time`,
    value: comparison * per,
    unit: 'ms',
    reference: { what: 'both pages', value: pages * per },
    target: { of: 'ratio', is: 'at most', value: 3 },
  }
}
