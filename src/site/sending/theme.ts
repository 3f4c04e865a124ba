import type { Request, Response } from 'express'
import { missing } from '../../errors.ts'
import type { SitePlace } from '../place/place.ts'
import { themeOf } from '../place/settings-of-place.ts'
import { fileHeaders } from './headers.ts'

/**
 * Returns the address of the style sheet that the settings of a place need; undefined if the
 * built-in one is enough.
 */
export function themeAddress(place: SitePlace): string | undefined {
  const file = themeOf(place)
  return file && `${place.resolved.basePath}~stemma/theme/${file.name}`
}

/**
 * Sends the style sheet of the settings of a place. Throws 'missing' for a sheet of former
 * settings.
 */
export function sendTheme(place: SitePlace, req: Request, res: Response, name: string): void {
  const file = themeOf(place)
  if (file?.name !== name) throw missing('style sheet', name)
  res.set({
    'Content-Type': 'text/css; charset=utf-8',
    'Cache-Control': fileHeaders(place, 'max-age=31536000, immutable')['Cache-Control'],
    'Content-Length': String(file.bytes.length),
  })
  res.end(req.method === 'HEAD' ? undefined : file.bytes)
}
