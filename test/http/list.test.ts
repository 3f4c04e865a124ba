import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { routes } from '../../src/http/endpoint.ts'
import { inMemory, listing, PageQuery, QueryFlag } from '../../src/http/list.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'
import { runs } from '../support/long-run.ts'

/** A list of the numbers below `count`, with its own name for each `list` and `odd`. */
const numbers = listing({
  operationId: 'listNumbers',
  summary: 'Count',
  params: z.object({ list: z.string(), count: z.string() }),
  query: PageQuery.extend({ odd: QueryFlag.optional() }),
  item: z.number(),
  access: () => ({}),
  list: ({ params, query }) => {
    const all = Array.from({ length: Number(params.count) }, (_, n) => n).filter(
      n => !query.odd || n % 2 === 1,
    )

    return inMemory({
      name: `numbers ${params.list} ${query.odd ?? false}`,
      rows: all,
      key: n => n,
      show: rows => rows,
    })
  },
})

/** A list in memory, whose rows come in an order that is not that of their keys. */
const titles = listing({
  operationId: 'listTitles',
  summary: 'List titles',
  params: z.object({}),
  item: z.string(),
  access: () => ({}),
  list: () =>
    inMemory({
      name: 'titles',
      rows: ['Zebra', 'Über', 'apple', 'École', 'über uns'],
      key: title => title.toLowerCase(),
      show: rows => rows,
    }),
})

type List = { items: number[]; count: number; next?: { page: string } }

let server: Mounted
test.before(async () => {
  server = await serveTable(routes({ 'GET /numbers/:list/:count': numbers, 'GET /titles': titles }))
})
test.after(() => server.stop())

async function get(path: string): Promise<List> {
  const reply = await server.send(path)
  assert.is(reply.status, 200, reply.text)
  return reply.body as List
}

async function refused(path: string, said: RegExp) {
  const reply = await server.send(path)
  assert.is(reply.status, 400, `${path}: ${reply.text}`)
  assert.match((reply.body as { error: { message: string } }).error.message, said)
}

test('paging returns every item once and in order, for any limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 45 }), async (count, limit) => {
      const seen: number[] = []
      let page = ''
      for (let turn = 0; turn <= count; turn++) {
        const list = await get(`/numbers/a/${count}?limit=${limit}${page}`)
        assert.is(list.count, list.items.length)
        seen.push(...list.items)
        if (!list.next) break
        assert.is(list.items.length, limit)
        page = `&page=${encodeURIComponent(list.next.page)}`
      }

      assert.equal(
        seen,
        Array.from({ length: count }, (_, n) => n),
      )
    }),
    { numRuns: runs(40) },
  )
})

test('paging a list in memory returns every item once, in the order of the keys', async () => {
  const seen: unknown[] = []
  let page = ''
  for (let turn = 0; turn < 5; turn++) {
    const list = await get(`/titles?limit=1${page}`)
    seen.push(...list.items)
    page = `&page=${list.next?.page}`
  }

  assert.equal(seen, ['apple', 'Zebra', 'École', 'Über', 'über uns'])
})

test('a page has 50 items by default and at most 1000', async () => {
  const list = await get('/numbers/a/60')
  assert.is(list.items.length, 50)
  assert.ok(list.next)
  assert.is((await get('/numbers/a/50')).next, undefined)
  assert.is((await get('/numbers/a/1200?limit=1000')).items.length, 1000)

  for (const limit of ['0', '1001', '-1', '1e3', '2.5', '', 'all'])
    await refused(
      `/numbers/a/5?limit=${limit}`,
      /"limit" in the query: takes a whole number from 1 to 1000/,
    )
})

test('a cursor is valid for its own list only', async () => {
  const { page } = (await get('/numbers/a/9?limit=3')).next!
  assert.equal((await get(`/numbers/a/9?limit=2&page=${page}`)).items, [3, 4])
  await refused(`/numbers/b/9?page=${page}`, /not a page of this list/)
  await refused(`/numbers/a/9?odd=true&page=${page}`, /not a page of this list/)
  const [text, signature] = page.split('.')
  const forged = Buffer.from('[7]').toString('base64url')

  for (const bad of [
    `${forged}.${signature}`,
    `${text}.`,
    `${text}`,
    `${page}.x`,
    `.${signature}`,
    '..',
    'null',
  ])
    await refused(`/numbers/a/9?page=${bad}`, /not a page of this list/)

  await refused('/numbers/a/9?page=', /"page" in the query/)
  await refused(`/numbers/a/9?page=${page}&page=${page}`, /"page" in the query/)
  await refused(`/numbers/a/9?page=${'x'.repeat(2001)}`, /"page" in the query/)
})

test('wrong parameters of a list are refused', async () => {
  await refused('/numbers/a/5?odd=1', /"odd" in the query: takes true or false/)
})

test.run()
