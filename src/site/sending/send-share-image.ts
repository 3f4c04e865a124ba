import type { Request, Response } from 'express'
import { drawsImages } from '../../actions/images/draw-image.ts'
import { shareDigest, shareImage } from '../../actions/images/share-image.ts'
import { missing } from '../../errors.ts'
import { notModified } from '../../http/conditional.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { shareCard } from '../place/share-card.ts'
import { fileHeaders } from './headers.ts'

/** Sends the share image of a page. Throws 'missing', and what `shareImage` throws. */
export async function sendShareImage(
  place: SitePlace,
  req: Request,
  res: Response,
  id: string,
): Promise<void> {
  const { ctx, open, signal } = place
  const node = open.shown.content.pageById.get(id)
  if (node?.type !== 'document' || !drawsImages(ctx)) throw missing('image', id)

  const card = shareCard(place, node, settingsOf(place))
  const digest = shareDigest(card)
  const age = req.query.v === digest ? 'max-age=31536000, immutable' : 'max-age=300'

  res.set({ ...fileHeaders(place, age), ETag: `"${digest}"` })

  if (notModified(req.headers['if-none-match'], digest)) {
    res.status(304).end()
    return
  }

  const bytes = await shareImage(ctx, open.space, card, signal)

  res.set({ 'Content-Type': 'image/png', 'Content-Length': String(bytes.length) })
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
