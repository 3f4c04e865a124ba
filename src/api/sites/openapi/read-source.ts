import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { outgoingRoute } from '../../../actions/outgoing-route.ts'
import { mostSpecBytes } from '../../../actions/specs/gather-spec.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { checkPublicHost } from '../../../net/public-connection.ts'
import type { OpenapiSourceRow } from '../../../store/tables/rows.ts'
import type { SourceBody } from './schema.ts'

/**
 * Returns a source as it is stored until it is read. Throws 'invalid' for an address that this
 * server does not fetch from, 'too_large' for a text of more than 10 MB.
 */
export async function readSource(
  ctx: Context,
  source: SourceBody,
  user: string,
): Promise<Pick<OpenapiSourceRow, 'url' | 'packed'>> {
  if ('url' in source) return { url: await readUrl(ctx, source.url, user), packed: null }
  const bytes = Buffer.from(source.text)
  if (bytes.length > mostSpecBytes)
    throw new Fault(
      'too_large',
      '"source.text" in the body: is too large. An OpenAPI spec can have 10 MB.',
    )
  return { url: null, packed: await promisify(gzip)(bytes, { level: 1 }) }
}

async function readUrl(ctx: Context, text: string, user: string): Promise<string> {
  const allowPrivate = ctx.config.allowPrivateRemotes
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isTaken = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:')

  if (!url || !isTaken)
    throw refused(
      allowPrivate
        ? 'must be an https or http URL'
        : 'must be an https URL; http is allowed only when the server runs with STEMMA_ALLOW_PRIVATE_REMOTES=true',
    )

  if (url.username !== '' || url.password !== '') throw refused('must not contain credentials')
  url.hash = ''
  if (url.href.length > 2048) throw refused('must have at most 2048 characters')

  try {
    await checkPublicHost(url, outgoingRoute(ctx, { user }))
  } catch (error) {
    throw error instanceof Fault ? refused(error.message, error.reason) : error
  }

  return url.href
}

const refused = (why: string, reason: Fault['reason'] = 'invalid_input') =>
  new Fault(reason, `"source.url" in the body: ${why}.`)
