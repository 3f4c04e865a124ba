import type { Request, Response } from 'express'
import type { Settings } from '../../content/customization/schema.ts'
import { servedFonts } from '../../content/customization/theme/fonts.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { type Built, sendBuilt } from '../../ui/serving/send-built.ts'
import { serverPath } from '../../ui/serving/server-path.ts'
import { type SiteAssets, siteAssets } from '../assets/assets.ts'
import { diagramAsset, diagramFrame, isOfDiagrams } from '../assets/diagrams.ts'
import { fontAsset, fontSheet, isOfFont } from '../assets/fonts.ts'
import type { SitePlace } from '../place/place.ts'
import { serverPathOf } from '../place/server-path.ts'

/**
 * The path of the assets below the public URL of the server, and below the root of every other host
 * of sites.
 */
const assetPath = '~stemma/assets/'

/** The addresses of the assets that a page loads. */
type AssetAddresses = Record<keyof SiteAssets, string>

/**
 * Returns the addresses of the assets for pages on a host: `base` is the path of the server there,
 * with a slash at its end.
 */
export async function assetAddresses(base: string): Promise<AssetAddresses> {
  const { style, travel, callStyle, script, callScript, diagramScript, rules } = await siteAssets()
  const addressOf = ({ name }: { name: string }): string => `${base}${assetPath}${name}`
  return {
    style: addressOf(style),
    travel: addressOf(travel),
    callStyle: addressOf(callStyle),
    script: addressOf(script),
    callScript: addressOf(callScript),
    diagramScript: addressOf(diagramScript),
    rules: addressOf(rules),
  }
}

/** Returns the addresses of the style sheets of the fonts that the settings name. */
export async function fontAddresses(settings: Settings, base: string): Promise<string[]> {
  const sheets = await Promise.all(servedFonts(settings.styling).map(fontSheet))
  return sheets.flatMap(sheet => (sheet === undefined ? [] : `${base}${assetPath}${sheet}`))
}

/** Returns the header that names the rules for prefetching on the pages of a place. */
export async function rulesHeader(place: SitePlace): Promise<Record<string, string>> {
  const { rules } = await assetAddresses(serverPathOf(place))
  return { 'Speculation-Rules': `"${rules}"` }
}

/**
 * Returns the address of the document in which frames draw diagrams; undefined where the program
 * cannot draw them.
 */
export async function diagramAddress(base: string): Promise<string | undefined> {
  const name = await diagramFrame()
  return name && `${base}${assetPath}${name}`
}

/**
 * Returns the name of the asset at a path: at the root of a host, or below the path of the server.
 */
export const assetAt = (ctx: Context, path: string): string | undefined =>
  ['/', serverPath(ctx)]
    .map(base => base + assetPath)
    .filter(base => path.startsWith(base))
    .map(base => path.slice(base.length))[0]

/**
 * The headers of what frames of diagrams load: they have no origin, so that the scripts need CORS.
 */
const frameHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
}

/** Sends an asset in the encoding that the client prefers. Throws 'missing'. */
export async function sendAsset(req: Request, res: Response, name: string): Promise<void> {
  const found = await findAsset(name)
  if (!found) throw missing('asset', name.slice(0, 100))
  sendBuilt(req, res, { name, ...found })
}

/** Returns an asset by its name, with the headers that only its kind has. */
async function findAsset(
  name: string,
): Promise<{ asset: Built; headers: Record<string, string> } | undefined> {
  const asset = Object.values(await siteAssets()).find(each => each.name === name)
  if (asset) return { asset, headers: {} }
  const font = isOfFont(name) ? await fontAsset(name) : undefined
  if (font) return { asset: font, headers: {} }
  const drawn = isOfDiagrams(name) ? await diagramAsset(name) : undefined
  return drawn && { asset: drawn, headers: frameHeaders }
}
