import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const fontOf = (name: string): string =>
  readFileSync(
    createRequire(import.meta.url).resolve(
      `@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`,
    ),
  ).toString('base64')

/**
 * Returns a style sheet with the fonts of the packages for tests: text looks the same on every
 * machine.
 */
export const fonts = (): string =>
  [
    ['inter', 'sans'],
    ['jetbrains-mono', 'mono'],
  ]
    .map(
      ([name, use]) =>
        `@font-face { font-family: test-${use}; font-weight: 100 900; src: url(data:font/woff2;base64,${fontOf(name!)}) }
         :root { --${use}: test-${use} !important }`,
    )
    // Letters of formulas are characters of their own, which only some fonts of machines have.
    .concat('math, math * { font-family: test-sans !important; text-transform: none !important }')
    .join('\n')
