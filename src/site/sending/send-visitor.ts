import type { Request, Response } from 'express'
import { readerClaims } from '../../actions/sites/reader-claims.ts'
import { missing } from '../../errors.ts'
import type { SitePlace } from '../place/place.ts'

/**
 * Sends the current claims of the reader as JSON, as expressions see them: only those in the schema
 * of the site, and none while adaptive content is off. Throws 'missing' if the path continues after
 * the name.
 */
export function sendVisitor(
  { ctx, reader }: SitePlace,
  req: Request,
  res: Response,
  rest: readonly string[],
): void {
  if (rest.length > 0) throw missing('visitor', rest.join('/'))
  const { claims } = readerClaims(ctx, reader)
  const bytes = Buffer.from(JSON.stringify({ visitor: { claims } }))
  res.set({
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'private, no-store',
    Vary: 'Cookie',
    'X-Robots-Tag': 'noindex',
    'Content-Length': String(bytes.length),
  })
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
