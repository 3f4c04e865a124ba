import type { Request, Response } from 'express'
import { drawsImages } from '../../actions/images/draw-image.ts'
import { iconImage, iconSizes } from '../../actions/images/icon-image.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { siteIcon, siteTile } from '../../content/customization/site-icon.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { fileHeaders } from './headers.ts'

/** The size of the icon on the screens of phones. */
const touchSize = 180

/**
 * Returns the path, below the site, of its icon for home screens. Returns undefined if the settings
 * name no image and the server cannot draw one.
 */
export function touchIconPath({ ctx, view }: SitePlace, settings: Settings): string | undefined {
  const icon = siteTile(settings, view.site.title)
  const isSent = icon.kind === 'images' || (icon.isPlain && drawsImages(ctx))
  return isSent ? `~gitbook/icon?size=${touchSize}` : undefined
}

/**
 * Sends the icon of a site: as PNG in the `size` of the query if the server can draw it, otherwise
 * as SVG. Redirects to the image if the settings name one. Throws like `iconImage`.
 */
export async function sendIcon(place: SitePlace, req: Request, res: Response): Promise<void> {
  const { ctx, open, view, signal } = place
  const size = iconSizes.find(each => String(each) === req.query.size)
  const icon = (size === touchSize ? siteTile : siteIcon)(settingsOf(place), view.site.title)

  if (icon.kind === 'images') {
    res.set(fileHeaders(place, 'max-age=3600'))
    res.redirect(307, req.query.scheme === 'dark' ? icon.dark : icon.light)
    return
  }

  const { svg, isPlain } = icon
  const isDrawn = size !== undefined && isPlain && drawsImages(ctx)
  const bytes = isDrawn ? await iconImage(ctx, open.space, { svg, size }, signal) : Buffer.from(svg)
  const type = isDrawn ? 'image/png' : 'image/svg+xml'

  res.set({ ...fileHeaders(place, 'max-age=3600'), 'Content-Type': type })
  res.set('Content-Length', String(bytes.length))
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
