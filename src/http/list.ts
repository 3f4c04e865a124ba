import { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import {
  type Endpoint,
  type EndpointFacts,
  endpoint,
  type Infer,
  type Input,
  type MaybePromise,
  type Shape,
} from './endpoint.ts'

const defaultLimit = 50
const mostLimit = 1000

/**
 * The maximum number of characters of the texts in one page; a page of longer texts has fewer items.
 */
const mostCharacters = 4_000_000

/** Returns the schema of a query parameter that is a number of items, from 1 to `most`. */
export const queryCount = (most: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, `takes a whole number from 1 to ${most}`)
    .transform(Number)
    .refine(count => count >= 1 && count <= most, `takes a whole number from 1 to ${most}`)
    .meta({ minimum: 1, maximum: most })

/**
 * The query of every list: the `page` that the previous answer named in `next`, and a number of
 * items.
 */
export const PageQuery = z.strictObject({
  page: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'The page of results: `next.page` of the previous answer.' }),
  limit: queryCount(mostLimit)
    .optional()
    .meta({ description: `The number of items, 1 to ${mostLimit}. Default: ${defaultLimit}.` }),
})

/** Returns the schema of a list of `item`. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    next: z.object({ page: z.string() }).optional(),
    count: z.number(),
    items: z.array(item),
  })

/** A boolean query parameter. */
export const QueryFlag = z
  .enum(['true', 'false'], 'takes true or false')
  .transform(text => text === 'true')

/** A search query parameter. An empty text, as a cleared search field sends it, means no search. */
export const QuerySearch = z
  .string()
  .max(200)
  .transform(text => (text === '' ? undefined : text))

/** The place of a row in a list: one value, or several of which the first decide. */
type Key = Part | [Part, ...Part[]]
type Part = string | number

/** The rows of a list, and how it is divided into pages. */
type Paged<Row, K extends Key> = {
  /**
   * Names the list with everything that tells it from others (organization, space, filters): a
   * cursor is signed for that name and valid for no other list.
   */
  name: string
  /** All rows in any order, or up to `limit` rows after a key, in the order of their keys. */
  rows: readonly Row[] | ((limit: number, after: K | undefined) => MaybePromise<Row[]>)
  /** Returns the key of a row; its `seq` by default. */
  key?: (row: Row) => K
  /** Returns the length of the text of a row, for a list whose rows may be long. */
  length?: (row: Row) => number
} & (Row extends { seq: K } ? unknown : { key: unknown })

type List<Row, K extends Key, Item> = Paged<Row, K> & {
  /** Returns the resources of the rows of a page. */
  show: (rows: Row[]) => MaybePromise<Item[]>
}

type Query = { page?: string | undefined; limit?: number | undefined }

/** Returns a list in memory, from whose rows TypeScript infers the type of a row. */
export const inMemory = <Row, Item, K extends Key = number>(
  list: List<Row, K, Item> & { rows: readonly Row[] },
): List<Row, K, Item> => list

/** Returns the rows of one page of a list, and the address of the next page. */
export async function pageOf<Row, K extends Key = number>(
  ctx: Context,
  query: Query,
  { name, rows: source, key, length }: Paged<Row, K>,
): Promise<{ rows: Row[]; next?: { page: string } }> {
  const keyOf = key ?? (row => (row as { seq: K }).seq)
  const limit = query.limit ?? defaultLimit
  const after = query.page === undefined ? undefined : (openCursor(ctx, name, query.page) as K)
  // With one row more than the page holds, `next` is present only when there is more.
  const read =
    typeof source === 'function'
      ? await source(limit + 1, after)
      : rowsAfter(source, keyOf, after, limit + 1)
  const most = read.slice(0, limit)
  const rows = length ? fitting(most, length) : most
  const last = rows.at(-1)

  return read.length > rows.length && last !== undefined
    ? { rows, next: { page: makeCursor(ctx, name, keyOf(last)) } }
    : { rows }
}

/** Answers with one page of a list. */
export async function answerList<Row, Item, K extends Key = number>(
  ctx: Context,
  query: Query,
  list: List<Row, K, Item>,
) {
  const { rows, ...next } = await pageOf(ctx, query, list)
  const items = await list.show(rows)
  return { ...next, count: items.length, items }
}

/** Returns the answer of a list that is always one page. */
export const wholeList = <Item>(items: Item[]) => ({ count: items.length, items })

/** Returns an endpoint that answers with one page of a list of `item`. */
export function listing<
  P extends Shape<object>,
  I extends z.ZodType,
  G extends object,
  Row,
  K extends Key = number,
  Q extends Shape<Query> = typeof PageQuery,
>({
  item,
  query,
  list,
  ...facts
}: EndpointFacts<P, G> & {
  item: I
  /** `PageQuery` by default, or an extension of it. */
  query?: Q
  list: (
    asked: Input<z.output<P>, Infer<Q>, undefined, G>,
  ) => MaybePromise<List<Row, K, z.input<I>>>
}): Endpoint<z.output<P>> {
  return endpoint({
    ...facts,
    query: query ?? (PageQuery as Shape<Query> as Q),
    reply: listOf(item),
    handle: async asked => answerList(asked.ctx, asked.query, await list(asked)),
  })
}

/** Returns the first rows, those whose texts fit into one page. */
function fitting<Row>(rows: Row[], length: (row: Row) => number): Row[] {
  let characters = 0
  const over = rows.findIndex(row => {
    characters += length(row)
    return characters > mostCharacters
  })

  return over === -1 ? rows : rows.slice(0, Math.max(over, 1))
}

/** Returns the first rows after a key, in the order of their keys. */
function rowsAfter<Row, K extends Key>(
  rows: readonly Row[],
  key: (row: Row) => K,
  after: K | undefined,
  limit: number,
): Row[] {
  return rows
    .map(row => ({ row, at: key(row) }))
    .filter(({ at }) => after === undefined || compare(at, after) > 0)
    .sort((one, other) => compare(one.at, other.at))
    .slice(0, limit)
    .map(({ row }) => row)
}

/**
 * Compares two keys; the first parts that differ decide. SQLite orders texts differently: its
 * `lower` changes ASCII letters alone.
 */
function compare(one: Key, other: Key): number {
  const [parts, others] = [partsOf(one), partsOf(other)]
  const at = parts.findIndex((part, index) => part !== others[index])
  if (at < 0) return 0
  return (parts[at] as Part) > (others[at] as Part) ? 1 : -1
}

const partsOf = (key: Key): Part[] => (Array.isArray(key) ? key : [key])

function makeCursor(ctx: Context, list: string, key: Key): string {
  const text = Buffer.from(JSON.stringify(partsOf(key))).toString('base64url')
  return `${text}.${ctx.keys.sign('cursor', `${list}\n${text}`)}`
}

function openCursor(ctx: Context, list: string, page: string): Key {
  const [text = '', signature = '', ...rest] = page.split('.')
  if (rest.length > 0 || !ctx.keys.verify('cursor', `${list}\n${text}`, signature)) {
    throw new Fault(
      'invalid_page_token',
      '"page" in the query: is not a page of this list. Use "next.page" of an answer of the same list, or leave it out.',
    )
  }
  const key = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [Part, ...Part[]]
  return key.length === 1 ? key[0] : key
}
