import { normalize } from '../../lib/normalize.ts'
import { emojiText } from '../text/emoji.ts'
import type { Settings } from './schema.ts'
import { inkOn } from './theme/color.ts'
import { chosen } from './theme/palette.ts'

/**
 * The icon of a site: an image URL of the settings for each color scheme, or an SVG made from the
 * settings. `isPlain` is true if common fonts have its text, so that the server can draw it; an
 * emoji is not plain.
 */
type SiteIcon =
  | { kind: 'images'; light: string; dark: string }
  | { kind: 'svg'; svg: string; isPlain: boolean }

const corner = { straight: 0, rounded: 14, circular: 32 }

/**
 * Returns the icon of a site: the images or the emoji of its settings, otherwise the first letter
 * of its title on the primary color. `siteTitle` is the title of a site whose settings have none.
 */
export function siteIcon(settings: Settings, siteTitle: string): SiteIcon {
  const icon = iconOf(settings)
  if (icon && 'icon' in icon) return { kind: 'images', ...icon.icon }
  const emoji = icon && emojiText(icon.emoji)
  if (emoji) return { kind: 'svg', svg: emojiSvg(emoji), isPlain: false }
  const letter = firstLetter(settings.title ?? siteTitle)
  const isPlain = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}0-9]?$/u.test(letter)
  return { kind: 'svg', svg: letterSvg(settings, letter), isPlain }
}

/**
 * Returns the icon of a site with square instead of transparent corners, for the home screens of
 * phones.
 */
export const siteTile = (settings: Settings, siteTitle: string): SiteIcon =>
  siteIcon({ ...settings, styling: { ...settings.styling, corners: 'straight' } }, siteTitle)

const emojiSvg = (emoji: string): string =>
  svg(
    `<text x="32" y="34" font-size="52" text-anchor="middle" dominant-baseline="central">${emoji}</text>`,
  )

function letterSvg({ styling }: Settings, letter: string): string {
  const ground = chosen(styling, 'primaryColor', 'light')
  const font = 'font-family="system-ui,sans-serif" font-weight="700"'
  const text = `<text x="32" y="34" font-size="40" ${font} fill="${inkOn(ground)}" text-anchor="middle" dominant-baseline="central">${letter}</text>`
  return svg(
    `<rect width="64" height="64" rx="${corner[styling.corners]}" fill="${ground}"/>${text}`,
  )
}

const svg = (parts: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${parts}</svg>`

/**
 * Returns the first letter or digit of a title with its marks, in upper case; '' for a title
 * without any.
 */
const firstLetter = (title: string): string =>
  /[\p{L}\p{N}]\p{M}{0,4}/u.exec(normalize('NFC', title))?.[0].toUpperCase() ?? ''

type ThemedUrl = NonNullable<Settings['favicon']['icon']>

/**
 * Returns the icon of a site, which is its favicon: `{icon: {light, dark}}`, `{emoji}`, or
 * undefined for none.
 */
export function iconOf({
  favicon: { icon, emoji },
}: Settings): { icon: ThemedUrl } | { emoji: string } | undefined {
  if (icon) return { icon }
  return emoji === undefined ? undefined : { emoji }
}
