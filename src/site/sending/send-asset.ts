import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { notModified } from '../../http/conditional.ts'
import { siteAssets } from '../assets/assets.ts'
import { encodingOf } from './send.ts'

/** The path of the assets below the public URL of the server, and below the root of every other host of sites. */
export const assetPath = '~stemma/assets/'

/** The addresses of the assets that a page loads. */
export type AssetAddresses = { style: string; script: string; rules: string }

/** Returns the addresses of the assets for pages on a host: `base` is the path of the server there, with a slash at its end. */
export async function assetAddresses(base: string): Promise<AssetAddresses> {
  const { style, script, rules } = await siteAssets()
  const addressOf = ({ name }: { name: string }): string => `${base}${assetPath}${name}`
  return { style: addressOf(style), script: addressOf(script), rules: addressOf(rules) }
}

/** Returns the path of the server on its own host, with a slash at its end. */
export const serverPath = ({ publicUrl }: Pick<Context, 'publicUrl'>): string =>
  `${new URL(publicUrl()).pathname.replace(/\/$/, '')}/`

/** Sends an asset in the encoding that the client prefers. Throws 'missing'. */
export async function sendAsset(req: Request, res: Response, name: string): Promise<void> {
  const asset = Object.values(await siteAssets()).find(each => each.name === name)
  if (!asset) throw missing('asset', name.slice(0, 100))
  res.set({
    ETag: `"${asset.name}"`,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    'Content-Type': asset.type,
  })
  if (notModified(req.headers['if-none-match'], asset.name)) {
    res.status(304).end()
    return
  }
  const encoding = encodingOf(String(req.headers['accept-encoding'] ?? ''))
  const bytes = { br: asset.brotli, gzip: asset.gzip, identity: asset.bytes }[encoding]
  if (encoding !== 'identity') res.set('Content-Encoding', encoding)
  res.set('Content-Length', String(bytes.length))
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
