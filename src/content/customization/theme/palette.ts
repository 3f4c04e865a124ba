import { defaultSettings } from '../defaults.ts'
import type { Settings } from '../schema.ts'
import { contrast, hexOf, mixed, oklchOf } from './color.ts'
import {
  builtInHue,
  builtInShade,
  builtInToken,
  builtInTokens,
  inks,
  type Scheme,
  type Surface,
  statuses,
  surfaces,
  type Tokens,
} from './tokens.ts'

type Styling = Settings['styling']

/** The least contrast of WCAG 2 (AA) is 4.5; browsers may round a color in another way. */
const leastContrast = 4.55

/** Colors with less chroma are greys, whose hue says nothing. */
const leastChroma = 0.02

/** The share of its own color in the ground of a hint. */
const hintShare = 0.07

/**
 * The bounds of lightness around dark paper: all surfaces differ from black, and muted text can be
 * read on them.
 */
const darkBounds = {
  raised: [0.18, 1],
  sunken: [0, 1],
  line: [0.26, 1],
  wash: [0.25, 0.33],
} as const

/** The share of a tint in each of the neutral colors. */
const tintShares = { paper: 0.02, raised: 0.03, sunken: 0.04, line: 0.04 }

/**
 * Returns the value of `--hue`: that of the primary color, or the built-in one for a grey and for
 * the default.
 */
export function hueOf({ primaryColor: { light } }: Styling): number {
  const { c, h } = oklchOf(light)
  return isDefault('primaryColor', 'light', light) || c < leastChroma ? builtInHue : Math.round(h)
}

/**
 * Returns the colors of a scheme as hex digits. Texts and colors that carry text have a contrast of
 * 4.5 or more on every surface: the lightness of a color is moved away from that of the surfaces
 * until it has.
 */
export function paletteOf(styling: Styling, scheme: Scheme): Tokens {
  const builtIn = builtInTokens(scheme, hueOf(styling))
  const tokens = { ...builtIn, ...surfacesOf(styling, scheme, builtIn) }
  const grounds = surfaces.map(name => tokens[name])
  for (const name of inks) tokens[name] = readable(tokens[name], scheme, grounds)
  tokens.primary = readable(chosen(styling, 'primaryColor', scheme), scheme, grounds)
  for (const name of statuses)
    tokens[name] = readable(chosen(styling, `${name}Color`, scheme), scheme, grounds, tokens.paper)
  return tokens
}

type ColorName = 'primaryColor' | 'infoColor' | 'successColor' | 'warningColor' | 'dangerColor'

const isDefault = (name: ColorName, scheme: Scheme, color: string): boolean =>
  color.toLowerCase() === defaultSettings.styling[name][scheme].toLowerCase()

/**
 * Returns a color of the settings; the built-in token for the default, which is not the same color.
 */
export function chosen(styling: Styling, name: ColorName, scheme: Scheme): string {
  const color = styling[name][scheme]
  const token = name.slice(0, -'Color'.length) as keyof Tokens
  return isDefault(name, scheme, color)
    ? builtInToken(scheme, token, builtInHue)
    : hexOf(oklchOf(color))
}

/**
 * Returns the color that colors the neutral ones. A background that matches, which the official
 * client calls deprecated in favor of a tint, is a tint in the primary color; a tint of its own
 * goes before it.
 */
const tintOf = ({ tint, background, primaryColor }: Styling): Styling['primaryColor'] | undefined =>
  tint?.color ?? (background === 'match' ? primaryColor : undefined)

function surfacesOf(
  styling: Styling,
  scheme: Scheme,
  builtIn: Tokens,
): Pick<Tokens, Surface | 'line'> {
  const primary = styling.primaryColor[scheme]
  const wash = isDefault('primaryColor', scheme, primary)
    ? builtInToken(scheme, 'wash', builtInHue)
    : washOf(primary, scheme)
  const { paper, raised, sunken, line } = builtIn
  const neutral = { paper, raised, sunken, line }
  const color = tintOf(styling)?.[scheme]
  if (color === undefined) return { ...neutral, wash }
  if (styling.tint && isPaper(color, scheme)) return papersOf(color, scheme, wash)
  for (const name of ['paper', 'raised', 'sunken', 'line'] as const)
    neutral[name] = mixed(color, neutral[name], tintShares[name])

  return { ...neutral, wash }
}

/**
 * Returns the ground of the current entry in the hue of the primary color; that of a grey is grey.
 */
function washOf(primary: string, scheme: Scheme): string {
  const { c, h } = oklchOf(primary)
  const shade = builtInShade(scheme, 'wash')
  return hexOf({
    l: shade.l,
    c: shade.c * Math.min(1, c / 0.1),
    h: c < leastChroma ? h : Math.round(h),
  })
}

/**
 * Returns whether a tint is the paper itself: nearly white in the light scheme, nearly black in the
 * dark one.
 */
function isPaper(tint: string, scheme: Scheme): boolean {
  const { l } = oklchOf(tint)
  return scheme === 'light' ? l >= 0.95 : l <= 0.26
}

/** Returns the surfaces around a paper: as far from it as the built-in ones are from theirs. */
function papersOf(paper: string, scheme: Scheme, wash: string): Pick<Tokens, Surface | 'line'> {
  const { l, c, h } = oklchOf(paper)
  const moved = l - builtInShade(scheme, 'paper').l
  const lightness = (name: keyof typeof darkBounds): number => {
    const [least, most] = scheme === 'light' ? [0, 1] : darkBounds[name]
    return Math.min(most, Math.max(least, builtInShade(scheme, name).l + moved))
  }

  return {
    paper: hexOf({ l, c, h }),
    raised: hexOf({ l: lightness('raised'), c, h }),
    sunken: hexOf({ l: lightness('sunken'), c, h }),
    line: hexOf({ l: lightness('line'), c, h }),
    wash: hexOf({ ...oklchOf(wash), l: lightness('wash') }),
  }
}

/**
 * Returns a color with the hue of `color` that can be read on all grounds, and, with `paper`, on a
 * hint in that color. Black and white can be read on all surfaces of their scheme.
 */
function readable(
  color: string,
  scheme: Scheme,
  grounds: readonly string[],
  paper?: string,
): string {
  const { l, c, h } = oklchOf(color)
  const step = scheme === 'light' ? -0.01 : 0.01
  for (let moved = 0; moved <= 100; moved++) {
    const candidate = moved === 0 ? color : hexOf({ l: l + step * moved, c, h })
    const all = paper === undefined ? grounds : [...grounds, mixed(candidate, paper, hintShare)]
    if (all.every(ground => contrast(candidate, ground) >= leastContrast)) return candidate
  }
  return scheme === 'light' ? '#000000' : '#ffffff'
}
