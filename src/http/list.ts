import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'

const defaultLimit = 50
const mostLimit = 1000

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
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'takes a whole number from 1 to 1000')
    .transform(Number)
    .refine(limit => limit >= 1 && limit <= mostLimit, 'takes a whole number from 1 to 1000')
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

type Keyset = (string | number)[]

/**
 * Returns one page of a list. `list` names the list with everything that tells it from others
 * (organization, space, filters): a cursor is signed for that name and valid for no other list.
 * `read` returns up to `limit` rows after the key, `key` the key of a row. One extra row is read,
 * so that `next` is present only when there is more.
 */
export async function pageOf<Row, Key extends Keyset>(
  ctx: Context,
  list: string,
  query: { page?: string | undefined; limit?: number | undefined },
  read: (limit: number, after: Key | undefined) => Row[] | Promise<Row[]>,
  key: (row: Row) => Key,
): Promise<{ rows: Row[]; next?: { page: string } }> {
  const limit = query.limit ?? defaultLimit
  const after = query.page === undefined ? undefined : (openCursor(ctx, list, query.page) as Key)
  const rows = await read(limit + 1, after)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return rows.length > limit && last !== undefined
    ? { rows: shown, next: { page: makeCursor(ctx, list, key(last)) } }
    : { rows: shown }
}

/** Returns the response body of a page. */
export const envelope = <Item>(page: { next?: { page: string } }, items: Item[]) => ({
  ...(page.next && { next: page.next }),
  count: items.length,
  items,
})

function makeCursor(ctx: Context, list: string, key: Keyset): string {
  const text = Buffer.from(JSON.stringify(key)).toString('base64url')
  return `${text}.${ctx.keys.sign('cursor', `${list}\n${text}`)}`
}

function openCursor(ctx: Context, list: string, page: string): Keyset {
  const [text = '', signature = '', ...rest] = page.split('.')
  if (rest.length > 0 || !ctx.keys.verify('cursor', `${list}\n${text}`, signature)) {
    throw invalid(
      '"page" in the query: is not a page of this list. Use "next.page" of an answer of the same list, or leave it out.',
    )
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Keyset
}
