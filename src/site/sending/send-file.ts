import type { Request, Response } from 'express'
import { missing } from '../../errors.ts'
import { sendFile } from '../../files/send-file.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import { parseOid } from '../../git/values/oid.ts'
import { isSignedFile } from '../place/file-address.ts'
import type { Place } from '../place/place.ts'
import { audienceHeaders } from './headers.ts'

/** Sends a file that a page of the space shows. `segments` are the oid, the signature and the name. Throws 'missing'. */
export async function sendSiteFile(
  place: Place,
  req: Request,
  res: Response,
  [id = '', signature = '', name = '']: readonly string[],
): Promise<void> {
  const { ctx, open, resolved } = place
  const oid = parseOid(id)
  if (!oid || !isSignedFile(ctx, open.space.id, { oid, name }, signature)) throw missing('file', name)
  const info = (await objectInfo(open.repo, [oid])).get(oid)
  if (info?.type !== 'blob') throw missing('file', name)
  const { visibility } = resolved.site
  const isOpen = visibility === 'public' || visibility === 'unlisted'
  const headers = {
    ...audienceHeaders(visibility, false),
    'Cache-Control': `${isOpen ? 'public' : 'private'}, max-age=31536000, immutable`,
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
  await sendFile(ctx, req, res, { repo: open.repo, oid, name, size: info.size, headers })
}
