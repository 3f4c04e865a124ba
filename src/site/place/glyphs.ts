import { iconSvg } from '../../content/customization/icons/icon-svg.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { emojiText } from '../../content/text/emoji.ts'

/** Returns the emoji of a page as text. */
export const emojiOf = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : emojiText(value)

/** Returns a function that returns the SVG of an icon in the weight of the settings. */
export const iconsOf =
  ({ styling }: Pick<Settings, 'styling'>) =>
  (name: string | null | undefined): string | undefined =>
    name ? iconSvg(name, styling.icons) : undefined
