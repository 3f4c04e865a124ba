import type { Request, Response } from 'express'
import { siteIcon } from '../../content/customization/site-icon.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { fileHeaders } from './headers.ts'

/** Sends the icon of a site; a redirect to the image that the settings name. */
export function sendIcon(place: Place, req: Request, res: Response): void {
  const icon = siteIcon(settingsOf(place), place.view.site.title)
  res.set(fileHeaders(place, 'max-age=3600'))
  if (icon.kind === 'images') {
    res.redirect(307, req.query.scheme === 'dark' ? icon.dark : icon.light)
    return
  }
  const bytes = Buffer.from(icon.svg)
  res.set({ 'Content-Type': 'image/svg+xml', 'Content-Length': String(bytes.length) })
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
