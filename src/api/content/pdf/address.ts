import type { PrintWish } from '../../../actions/print/print-pages.ts'
import type { Context } from '../../../context.ts'

/** The lifetime of an address, in seconds. */
const lifetime = 3600

/**
 * The caller of an address: a user by id, or a reader of a published site by the Authorization
 * header.
 */
type PrintCaller = { userId: string } | { authorization: string }

/** The PDF that an address stands for: some pages of a revision, for a caller. */
type Printable = {
  spaceId: string
  revision: string
  caller: PrintCaller
  wish: PrintWish
  name: string
}

/** The parts of an address that its signature covers, the caller as it is written there. */
type Signed = Omit<Printable, 'caller'> & { caller: string; expires: string }

/**
 * Returns a signed address of a PDF, which needs no authorization header and is valid for an hour.
 * It contains the token of a reader encrypted, so that the claims are those of the reader at the
 * time of the download.
 */
export function printAddress(ctx: Context, { caller, ...printable }: Printable): string {
  const { spaceId, revision, wish, name } = printable
  const expires = String(Math.floor(ctx.store.time / 1000) + lifetime)
  const named =
    'userId' in caller
      ? { user: caller.userId }
      : { reader: ctx.keys.seal('pdf reader', caller.authorization) }
  const [written = ''] = Object.values(named)
  const query = new URLSearchParams({
    ...(wish.page !== undefined && { page: wish.page }),
    ...(wish.only && { only: 'true' }),
    ...named,
    expires,
    signature: ctx.keys.sign('pdf', textOf({ ...printable, caller: written, expires })),
  })

  return `${ctx.publicUrl()}/pdf/${spaceId}/${revision}/${encodeURIComponent(name)}?${query}`
}

const textOf = ({ spaceId, revision, caller, wish, name, expires }: Signed): string =>
  [spaceId, revision, wish.page ?? '', wish.only === true, caller, expires, name].join('\n')

/**
 * Returns the PDF that an address stands for and its expiry in seconds since 1970; 'over' when it
 * has expired, 'unknown' when its signature is not valid.
 */
export function openPrintAddress(
  ctx: Context,
  path: { spaceId: string; revision: string; name: string },
  { page, only, user, reader, expires, signature }: Record<string, unknown>,
): { printable: Printable; until: number } | 'over' | 'unknown' {
  const caller = reader ?? user
  if (typeof caller !== 'string' || typeof expires !== 'string' || typeof signature !== 'string')
    return 'unknown'
  if ((page !== undefined && typeof page !== 'string') || (only !== undefined && only !== 'true'))
    return 'unknown'
  if (!/^\d{1,12}$/.test(expires)) return 'unknown'

  const wanted = { ...path, wish: { page, only: only === 'true' } }
  if (!ctx.keys.verify('pdf', textOf({ ...wanted, caller, expires }), signature)) return 'unknown'
  if (Number(expires) * 1000 <= ctx.store.time) return 'over'

  const opened = reader === undefined ? { userId: caller } : openSealed(ctx, caller)

  return opened ? { printable: { ...wanted, caller: opened }, until: Number(expires) } : 'unknown'
}

function openSealed(ctx: Context, sealed: string): PrintCaller | undefined {
  try {
    return { authorization: ctx.keys.open('pdf reader', sealed) }
  } catch {
    return undefined
  }
}
