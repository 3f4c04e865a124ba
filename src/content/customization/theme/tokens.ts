import { hexOf } from './color.ts'

export type Scheme = 'light' | 'dark'

/** The colors of the style sheet that settings change, without their leading `--`. */
export type Token = Surface | Ink | Status | 'line' | 'primary'

/** What text stands on: pages, the current entry of a list, code, and the ground below articles. */
export type Surface = 'paper' | 'wash' | 'raised' | 'sunken'

type Ink = 'text' | 'strong' | 'muted'
type Status = 'info' | 'success' | 'warning' | 'danger'

export type Tokens = Record<Token, string>

export const surfaces = ['paper', 'wash', 'raised', 'sunken'] as const
export const inks = ['text', 'strong', 'muted'] as const
export const statuses = ['info', 'success', 'warning', 'danger'] as const

/** The hue of the built-in tokens. */
export const builtInHue = 262

/**
 * Lightness and chroma of the built-in tokens, and a hue where it is not `--hue`. The style sheet
 * has the same values.
 */
const builtIn: Record<Scheme, Record<Token, readonly [l: number, c: number, h?: number]>> = {
  light: {
    paper: [1, 0],
    wash: [0.965, 0.018],
    raised: [0.983, 0.003],
    sunken: [0.97, 0.004],
    line: [0.915, 0.006],
    text: [0.27, 0.015],
    strong: [0.18, 0.02],
    muted: [0.48, 0.015],
    primary: [0.5, 0.17],
    info: [0.48, 0.13, 245],
    success: [0.45, 0.12, 155],
    warning: [0.48, 0.11, 65],
    danger: [0.49, 0.17, 25],
  },
  dark: {
    paper: [0.185, 0.008],
    wash: [0.3, 0.045],
    raised: [0.22, 0.01],
    sunken: [0.155, 0.008],
    line: [0.31, 0.012],
    text: [0.92, 0.006],
    strong: [0.98, 0.003],
    muted: [0.72, 0.012],
    primary: [0.76, 0.12],
    info: [0.8, 0.1, 245],
    success: [0.8, 0.13, 155],
    warning: [0.83, 0.12, 80],
    danger: [0.78, 0.12, 20],
  },
}

/** Returns the built-in colors of a scheme as hex digits, for a value of `--hue`. */
export function builtInTokens(scheme: Scheme, hue: number): Tokens {
  const names = Object.keys(builtIn[scheme]) as Token[]
  return Object.fromEntries(names.map(name => [name, builtInToken(scheme, name, hue)])) as Tokens
}

/** Returns one built-in color of a scheme as hex digits, for a value of `--hue`. */
export function builtInToken(scheme: Scheme, token: Token, hue: number): string {
  const [l, c, h] = builtIn[scheme][token]
  return hexOf({ l, c, h: h ?? hue })
}

/** Returns lightness and chroma of a built-in token. */
export function builtInShade(scheme: Scheme, token: Token): { l: number; c: number } {
  const [l, c] = builtIn[scheme][token]
  return { l, c }
}
