import { authorAt, fillComments, makeAuthors, pageAt } from '../comments.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { makeSpace } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const sizes = [1_000, 100_000, 1_000_000]
const biggest = sizes.at(-1)!
/** How many times slower a list of more comments may be. */
const most = 1.3

const authors = [0, 1, 2].map(n => `authors=${authorAt(n)}`).join('&')

/** The measured lists: their parameters, and the number of comments per page of the list. */
const lists = [
  { name: 'all of them', query: 'limit=50', items: 50 },
  { name: 'open ones', query: 'status=open&limit=10', items: 10 },
  { name: 'of a page', query: `targetPage=${pageAt(3)}&limit=10`, items: 10 },
  { name: 'of three authors', query: `${authors}&limit=10`, items: 10 },
  {
    name: 'open ones of three authors on a page',
    query: `status=open&targetPage=${pageAt(3)}&${authors}&limit=10`,
    items: 10,
  },
]

type List = (typeof lists)[number]
type Commented = {
  size: number
  path: string
  /** The URL of a list's page in the middle, by the list's name. */
  middle: Map<string, string>
}

/** Lists of comments, and a new comment, in spaces with few, many and very many comments. */
export const comments = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const { spaces, fillMs } = await fillSpaces(stemma)
    const figures: Figure[] = [
      {
        work: `${biggest} comments are written for this row, and ${sizes.slice(0, -1).join(' and ')}`,
        value: fillMs / 1000,
        unit: 's',
        target: { of: 'figure', is: 'under', value: 60 },
        note: 'by SQL',
      },
    ]

    for (const list of lists) {
      // The unfiltered list at each size; the filtered ones at the largest size against the
      // smallest.
      const among =
        list === lists[0] ? spaces : spaces.filter(({ size }) => size === 1_000 || size === biggest)
      for (const where of ['first page', 'page in the middle'] as const)
        figures.push(...(await measure(stemma, among, list, where, pace)))
    }

    return [...figures, await post(stemma, spaces.at(-1)!, pace)]
  })

/**
 * Creates spaces with so many comments. The page in the middle starts at the cursor taken when half
 * of the comments were there, which stays valid when the others are added.
 */
async function fillSpaces(stemma: Stemma): Promise<{ spaces: Commented[]; fillMs: number }> {
  const spaces: (Commented & { id: string })[] = []
  for (const size of sizes) spaces.push({ size, middle: new Map(), ...(await makeSpace(stemma)) })
  let fillMs = 0
  const fillHalf = (half: 0 | 1) => {
    const fills = spaces.map(({ id, size }) => ({
      spaceId: id,
      from: (half * size) / 2,
      to: ((half + 1) * size) / 2,
    }))
    const begun = performance.now()
    fillComments(stemma, fills)
    fillMs += performance.now() - begun
  }

  await stemma.restart(() => {
    makeAuthors(stemma)
    fillHalf(0)
  })

  for (const space of spaces)
    for (const list of lists) {
      const { next } = await stemma.caller.json('GET', firstOf(space, list))
      space.middle.set(list.name, `${firstOf(space, list)}&page=${encodeURIComponent(next.page)}`)
    }

  await stemma.restart(() => fillHalf(1))

  return { spaces, fillMs }
}

const firstOf = ({ path }: Commented, { query }: List): string => `${path}/comments?${query}`

/** Measures a list at each size, warm, against the smallest. Throws if a page is not full. */
async function measure(
  stemma: Stemma,
  spaces: readonly Commented[],
  list: List,
  where: 'first page' | 'page in the middle',
  pace: Pace,
): Promise<Figure[]> {
  const addressOf = (space: Commented): string =>
    where === 'first page' ? firstOf(space, list) : space.middle.get(list.name)!
  for (const space of spaces) {
    const { items, next } = await stemma.caller.json('GET', addressOf(space))
    if (items.length !== list.items || !next)
      throw new Error(
        `${addressOf(space)} gave ${items.length} comments, not ${list.items} and more to come.`,
      )
  }

  const read = (space: Commented) =>
    typical(20, async () => (await stemma.caller.call('GET', addressOf(space))).ms)
  const each = spaces.map(space => [String(space.size), () => read(space)])
  const ms: Record<string, number> = await interleave(pace.rounds, Object.fromEntries(each))

  return spaces.map(({ size }) => ({
    work: `comments of a space with ${size}, ${list.name}, ${where}, p50`,
    value: ms[String(size)]!,
    unit: 'ms',
    ...(size !== sizes[0] && {
      reference: { what: `the same with ${sizes[0]}`, value: ms[String(sizes[0])]! },
      target: { of: 'ratio', is: 'at most', value: most } as const,
    }),
  }))
}

/** Posts a comment where there are very many. Throws if the space does not count it. */
async function post({ caller }: Stemma, { path, size }: Commented, pace: Pace): Promise<Figure> {
  const before = await caller.json('GET', path)
  let posted = 0
  const send = async () => {
    const body = { body: { markdown: `Comment number ${++posted} of the bench.` } }
    return (await caller.call('POST', `${path}/comments`, { body })).ms
  }
  const { ms } = await interleave(pace.rounds, { ms: () => typical(30, send) })
  const after = await caller.json('GET', path)

  if (after.comments !== before.comments + posted)
    throw new Error(
      `After ${posted} comments more than ${before.comments} there are ${after.comments}.`,
    )

  return {
    work: `a comment is posted in a space with ${size}, p50`,
    value: ms,
    unit: 'ms',
    target: { of: 'figure', is: 'under', value: 5 },
  }
}
