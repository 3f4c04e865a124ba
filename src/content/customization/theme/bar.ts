import type { Settings } from '../schema.ts'
import { contrast, hexOf, inkOn, oklchOf } from './color.ts'
import { chosen } from './palette.ts'
import type { Scheme, Tokens } from './tokens.ts'

/**
 * Returns the colors of a header that is not on paper: its ground in the primary color as it was
 * chosen, in the color of texts, or in a color of its own, and the ink of its texts. Undefined for
 * a header on paper.
 */
export function barOf(
  { styling, header }: Settings,
  { text }: Tokens,
  scheme: Scheme,
): { ground: string; ink: string } | undefined {
  const ground = groundOf()
  if (ground === undefined) return undefined
  const wanted = header.preset === 'custom' ? header.linkColor?.[scheme] : undefined
  return {
    ground,
    ink: wanted && contrast(wanted, ground) >= 4.5 ? written(wanted) : inkOn(ground),
  }

  function groundOf(): string | undefined {
    if (header.preset === 'custom' && header.backgroundColor)
      return written(header.backgroundColor[scheme])
    if (header.preset === 'contrast') return text
    const isBold = styling.theme === 'bold' || header.preset === 'bold'
    return isBold ? chosen(styling, 'primaryColor', scheme) : undefined
  }
}

/** Returns a color of 3 or 6 hex digits as 6 lower-case ones. */
const written = (color: string): string => hexOf(oklchOf(color))
