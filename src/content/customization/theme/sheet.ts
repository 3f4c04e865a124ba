import { sha256 } from '../../../lib/digest.ts'
import { defaultSettings } from '../defaults.ts'
import type { Settings } from '../schema.ts'
import { barOf } from './bar.ts'
import { oklchOf } from './color.ts'
import { fontFamily } from './fonts.ts'
import { hueOf, paletteOf } from './palette.ts'
import { builtInHue, builtInTokens, type Token, type Tokens } from './tokens.ts'

const radii = { straight: '0rem', rounded: undefined, circular: '1rem' }

/**
 * Returns the style sheet of a site's settings, '' if the built-in one is all that they need: less
 * than 1 KB of custom properties in the layer `theme`, which stand in place of the built-in tokens.
 * `--bar` and `--on-bar` are the ground and the text of a header that is not on paper.
 */
export function themeSheet(settings: Settings): string {
  const properties = [...colors(settings), ...shapes(settings), ...fonts(settings)]
  const lines = properties.map(([name, value]) => `--${name}:${value}`)
  return lines.length === 0 ? '' : `@layer theme{:root{${lines.join(';')}}}`
}

/**
 * Returns the style sheet of a site's settings as a file, with the name `theme.<digest>.css`;
 * undefined if none is needed.
 */
export function themeFile(settings: Settings): { name: string; bytes: Buffer } | undefined {
  const sheet = themeSheet(settings)
  return sheet === ''
    ? undefined
    : { name: `theme.${sha256(sheet).slice(0, 16)}.css`, bytes: Buffer.from(sheet) }
}

type Property = readonly [name: string, value: string]

function colors(settings: Settings): Property[] {
  const { styling } = settings
  const hue = hueOf(styling)
  const [light, dark] = [paletteOf(styling, 'light'), paletteOf(styling, 'dark')]
  const [builtInLight, builtInDark] = [builtInTokens('light', hue), builtInTokens('dark', hue)]
  const isChanged = (name: Token): boolean =>
    light[name] !== builtInLight[name] || dark[name] !== builtInDark[name]
  const names = (Object.keys(light) as Token[]).filter(isChanged)

  return [
    ...hues(styling.primaryColor.light, hue),
    ...names.map((name): Property => [name, lightDark(light[name], dark[name])]),
    ...bar(settings, light, dark),
  ]
}

/**
 * Returns hue and chroma of a primary color, for the colors that the built-in style sheet derives
 * from them.
 */
function hues(primary: string, hue: number): Property[] {
  if (hue === builtInHue) return []
  return [
    ['hue', String(hue)],
    ['chroma', oklchOf(primary).c.toFixed(3).replace(/^0/, '')],
  ]
}

function bar(settings: Settings, light: Tokens, dark: Tokens): Property[] {
  const [onLight, onDark] = [barOf(settings, light, 'light'), barOf(settings, dark, 'dark')]
  if (!onLight || !onDark) return []
  return [
    ['bar', lightDark(onLight.ground, onDark.ground)],
    ['on-bar', lightDark(onLight.ink, onDark.ink)],
  ]
}

const lightDark = (light: string, dark: string): string =>
  light === dark ? light : `light-dark(${light},${dark})`

function shapes({ styling: { corners, depth } }: Settings): Property[] {
  const radius = radii[corners]
  return [
    ...(radius === undefined ? [] : [['radius', radius] as const]),
    ...(depth === 'flat' ? [['shadow', 'none'] as const] : []),
  ]
}

/**
 * Returns the fonts that differ from the defaults or are served; in place of others stand the fonts
 * of the system.
 */
function fonts({ styling: { font, monospaceFont, fontDelivery } }: Settings): Property[] {
  const { styling } = defaultSettings
  const isServed = fontDelivery === 'served'
  const sans = font === styling.font && !isServed ? undefined : fontFamily(font, 'sans')
  const mono =
    monospaceFont === styling.monospaceFont && !isServed
      ? undefined
      : fontFamily(monospaceFont, 'mono')

  return [
    ...(sans === undefined ? [] : [['sans', sans] as const]),
    ...(mono === undefined ? [] : [['mono', mono] as const]),
  ]
}
