import type { Settings } from '../../content/customization/schema.ts'
import { servedFonts } from '../../content/customization/theme/fonts.ts'
import { fontSheet } from '../assets/fonts.ts'
import { assetPath } from './send-asset.ts'

/** Returns the addresses of the style sheets of the fonts that the settings name. */
export async function fontAddresses(settings: Settings, base: string): Promise<string[]> {
  const sheets = await Promise.all(servedFonts(settings.styling).map(fontSheet))
  return sheets.flatMap(sheet => (sheet === undefined ? [] : `${base}${assetPath}${sheet}`))
}
