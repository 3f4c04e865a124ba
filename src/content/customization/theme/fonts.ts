import { defaultSettings } from '../defaults.ts'
import type { Settings } from '../schema.ts'

type Font = Settings['styling']['font'] | Settings['styling']['monospaceFont']
type FontName = Extract<Font, string>

/**
 * The fonts that the settings know by name: their families, and the families in their place where
 * they are not installed.
 */
const families: Record<FontName, readonly [family: string, instead: keyof typeof generic]> = {
  ABCFavorit: ['ABC Favorit', 'sans'],
  Inter: ['Inter', 'sans'],
  Roboto: ['Roboto', 'sans'],
  RobotoSlab: ['Roboto Slab', 'serif'],
  OpenSans: ['Open Sans', 'sans'],
  SourceSansPro: ['Source Sans Pro', 'sans'],
  Lato: ['Lato', 'sans'],
  Ubuntu: ['Ubuntu', 'sans'],
  Raleway: ['Raleway', 'sans'],
  Merriweather: ['Merriweather', 'serif'],
  Overpass: ['Overpass', 'sans'],
  NotoSans: ['Noto Sans', 'sans'],
  IBMPlexSerif: ['IBM Plex Serif', 'serif'],
  Poppins: ['Poppins', 'sans'],
  FiraSans: ['Fira Sans', 'sans'],
  FiraCode: ['Fira Code', 'mono'],
  IBMPlexMono: ['IBM Plex Mono', 'mono'],
  JetBrainsMono: ['JetBrains Mono', 'mono'],
  SourceCodePro: ['Source Code Pro', 'mono'],
  RobotoMono: ['Roboto Mono', 'mono'],
  SpaceMono: ['Space Mono', 'mono'],
  DMMono: ['DM Mono', 'mono'],
  Inconsolata: ['Inconsolata', 'mono'],
}

const generic = {
  sans: 'ui-sans-serif,system-ui,sans-serif',
  serif: 'ui-serif,Georgia,serif',
  mono: 'ui-monospace,Menlo,Consolas,monospace',
}

/**
 * Returns the names of the fonts that pages load from the server: those that the settings know by
 * name and that differ from the defaults, or with `served` all of them.
 */
export function servedFonts({
  font,
  monospaceFont,
  fontDelivery,
}: Pick<Settings['styling'], 'font' | 'monospaceFont' | 'fontDelivery'>): FontName[] {
  if (fontDelivery === 'system') return []
  const { styling } = defaultSettings
  const isLoaded = (chosen: Font, usual: Font): chosen is FontName =>
    typeof chosen === 'string' && (fontDelivery === 'served' || chosen !== usual)
  return [
    ...(isLoaded(font, styling.font) ? [font] : []),
    ...(isLoaded(monospaceFont, styling.monospaceFont) ? [monospaceFont] : []),
  ]
}

/** The most bytes that the name of a family takes in the style sheet. */
const mostBytes = 60

/**
 * Returns a font as a value of `font-family`, and the fonts that take its place; undefined for a
 * name that takes too many bytes. `instead` is what takes the place of a font that the settings
 * define.
 */
export function fontFamily(font: Font, instead: 'sans' | 'mono'): string | undefined {
  const [family, fallback] = typeof font === 'string' ? families[font] : [font.fontFamily, instead]
  const name = quoted(family)
  // The style sheet of a served font defines what stands in for it until it has arrived.
  const names = typeof font === 'string' ? `${name},${quoted(`${family} fallback`)}` : name
  return Buffer.byteLength(name) > mostBytes ? undefined : `${names},${generic[fallback]}`
}

/**
 * Returns a name as a string of CSS. Characters that could end it, or the style sheet, are written
 * by their numbers.
 */
const quoted = (name: string): string =>
  `"${name.replace(/["\\<>&\p{C}\u2028\u2029]/gu, character => `\\${character.codePointAt(0)?.toString(16)} `)}"`
