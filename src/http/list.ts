import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'

const defaultLimit = 50
const mostLimit = 1000

/** What every list takes: the `page` that the answer before named in `next`, and how many items. */
export const PageQuery = z.strictObject({
  page: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'The page of results, as `next.page` of the one before named it.' }),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'takes a whole number from 1 to 1000')
    .transform(Number)
    .refine(limit => limit >= 1 && limit <= mostLimit, 'takes a whole number from 1 to 1000')
    .optional()
    .meta({ description: `How many items, 1 to ${mostLimit}; ${defaultLimit} when not said.` }),
})

/** The envelope of a list of `item`. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    next: z.object({ page: z.string() }).optional(),
    count: z.number(),
    items: z.array(item),
  })

/** The query parameter of a boolean. */
export const QueryFlag = z.enum(['true', 'false'], 'takes true or false').transform(text => text === 'true')

/** The query parameter of a text to search for. Empty, as a search field begins, it is as if it was not said. */
export const QuerySearch = z
  .string()
  .max(200)
  .transform(text => (text === '' ? undefined : text))

type Keyset = (string | number)[]

/**
 * One page of a list. `list` names it with everything that tells it from other lists (organization, space, filters):
 * a cursor is signed for that name and good for no other. `read` gives up to `limit` rows that come after the key,
 * `key` the key of a row. One row more than asked is read, so that `next` is there only when there is more.
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

/** The envelope around the items of a page. */
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
      '"page" in the query: is not a page of this list. Take it from "next.page" of the same list, or leave it out.',
    )
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Keyset
}
