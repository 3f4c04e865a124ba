import type { Request, Response } from 'express'
import { imageWidths, sizedImage } from '../../actions/images/sized-image.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import { missing } from '../../errors.ts'
import { sendFile } from '../../files/send-file.ts'
import { servingOf } from '../../files/serving.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import { notModified } from '../../http/conditional.ts'
import { type Oid, parseOid } from '../../lib/oid.ts'
import { isSignedFile } from '../place/file-address.ts'
import type { SitePlace } from '../place/place.ts'
import { fileHeaders } from './headers.ts'

/**
 * Sends a file that a page of the space shows. `segments` are the oid, the signature and the name.
 * Throws 'missing'.
 */
export async function sendSiteFile(
  place: SitePlace,
  req: Request,
  res: Response,
  [id = '', signature = '', name = '']: readonly string[],
): Promise<void> {
  const { ctx, open } = place
  const oid = parseOid(id)
  if (!oid || !isSignedFile(ctx, open.space.id, { oid, name }, signature))
    throw missing('file', name)

  const info = (await objectInfo(open.repo, [oid])).get(oid)
  if (info?.type !== 'blob') throw missing('file', name)

  const headers = {
    ...fileHeaders(place, 'max-age=31536000, immutable'),
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
  const width = Number(req.query.width)
  if (imageWidths.includes(width)) return sendSized(place, req, res, { oid, name, width, headers })
  await sendFile(ctx, req, res, { repo: open.repo, oid, name, size: info.size, headers })
}

type Sized = { oid: Oid; name: string; width: number; headers: Record<string, string> }

/** Sends a smaller version of an image; leads to the image itself where there is none. */
async function sendSized(
  { ctx, open, resolved, path, signal }: SitePlace,
  req: Request,
  res: Response,
  { oid, name, width, headers }: Sized,
): Promise<void> {
  const etag = `${oid}-${width}`
  const isKnown = notModified(req.headers['if-none-match'], etag)
  const image = { spaceId: open.space.id, repo: open.repo, oid }
  const bytes = isKnown ? undefined : await sizedImage(ctx, image, width, signal)

  if (!bytes && !isKnown) {
    res.set('Cache-Control', 'no-cache').redirect(307, resolved.basePath + encodePath(path))
    return
  }

  const { policy } = servingOf(name, Buffer.alloc(0))

  res.set({ ...headers, ETag: `"${etag}"`, 'Content-Security-Policy': policy })

  if (!bytes) {
    res.status(304).end()
    return
  }

  res.set({ 'Content-Type': 'image/webp', 'Content-Length': String(bytes.length) })
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
