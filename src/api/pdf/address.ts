import type { PrintWish } from '../../actions/print/print-pages.ts'
import type { Context } from '../../context.ts'

/** The lifetime of an address, in seconds. */
const lifetime = 3600

/** The PDF that an address stands for: some pages of a revision, for a user. */
export type Printable = { spaceId: string; revision: string; userId: string; wish: PrintWish; name: string }

/** Returns a signed address of a PDF, which needs no authorization header and is valid for an hour. */
export function printAddress(ctx: Context, printable: Printable): string {
  const { spaceId, revision, userId, wish, name } = printable
  const expires = String(Math.floor(Date.now() / 1000) + lifetime)
  const query = new URLSearchParams({
    ...(wish.page !== undefined && { page: wish.page }),
    ...(wish.only && { only: 'true' }),
    user: userId,
    expires,
    signature: ctx.keys.sign('pdf', textOf(printable, expires)),
  })
  return `${ctx.publicUrl()}/pdf/${spaceId}/${revision}/${encodeURIComponent(name)}?${query}`
}

const textOf = ({ spaceId, revision, userId, wish, name }: Printable, expires: string): string =>
  [spaceId, revision, wish.page ?? '', wish.only === true, userId, expires, name].join('\n')

/**
 * Returns the PDF that an address stands for and its expiry in seconds since 1970; 'over' when it has expired, 'unknown' when
 * its signature is not valid.
 */
export function openPrintAddress(
  ctx: Context,
  path: { spaceId: string; revision: string; name: string },
  { page, only, user: userId, expires, signature }: Record<string, unknown>,
): { printable: Printable; until: number } | 'over' | 'unknown' {
  if (typeof userId !== 'string' || typeof expires !== 'string' || typeof signature !== 'string')
    return 'unknown'
  if ((page !== undefined && typeof page !== 'string') || (only !== undefined && only !== 'true'))
    return 'unknown'
  if (!/^\d{1,12}$/.test(expires)) return 'unknown'
  const printable = { ...path, userId, wish: { page, only: only === 'true' } }
  if (!ctx.keys.verify('pdf', textOf(printable, expires), signature)) return 'unknown'
  return Number(expires) * 1000 > Date.now() ? { printable, until: Number(expires) } : 'over'
}
