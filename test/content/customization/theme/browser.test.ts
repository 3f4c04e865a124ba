import type { Browser } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mixed, oklchOf } from '../../../../src/content/customization/theme/color.ts'
import { themeSheet } from '../../../../src/content/customization/theme/sheet.ts'
import {
  builtInShade,
  builtInTokens,
  type Token,
} from '../../../../src/content/customization/theme/tokens.ts'
import { chromiumPath, startChromium } from '../../../browser/chromium.ts'
import { skip } from '../../../support/skip.ts'
import { plainSettings } from '../settings.ts'

let browser: Browser
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(() => browser?.close())

/** Returns what a browser paints for colors of CSS, as hex digits. */
async function painted(
  colors: string[],
  css = '',
  scheme: 'light' | 'dark' = 'light',
): Promise<string[]> {
  const page = await browser.newPage({ colorScheme: scheme })
  await page.setContent(`<style>${css}</style><p></p>`)
  const code = `(colors => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
    const element = document.querySelector('p')
    return colors.map(color => {
      element.style.color = ''
      element.style.color = color
      canvas.fillStyle = getComputedStyle(element).color
      canvas.fillRect(0, 0, 1, 1)
      const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data
      return '#' + [red, green, blue].map(value => value.toString(16).padStart(2, '0')).join('')
    })
  })(${JSON.stringify(colors)})`
  const result = (await page.evaluate(code)) as string[]

  await page.close()

  return result
}

function assertNear(actual: string, expected: string, what: string): void {
  for (const at of [1, 3, 5]) {
    const distance =
      Number.parseInt(actual.slice(at, at + 2), 16) -
      Number.parseInt(expected.slice(at, at + 2), 16)
    assert.ok(Math.abs(distance) <= 1, `${what}: ${actual} is not ${expected}`)
  }
}

test('a browser paints the colors that are computed here', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  const colors = Array.from({ length: 200 }, (_, index) => {
    const value = (index * 0x9e3779b1) % 0x1000000
    return `#${value.toString(16).padStart(6, '0')}`
  })
  const asOklch = colors.map(oklchOf).map(({ l, c, h }) => `oklch(${l} ${c} ${h})`)
  const mixtures = colors.map(color => `color-mix(in oklab, ${color} 7%, #fff)`)
  const results = await painted([...asOklch, ...mixtures])

  for (const [index, color] of colors.entries()) {
    assertNear(results[index]!, color, color)
    assertNear(results[index + colors.length]!, mixed(color, '#ffffff', 0.07), `7 % of ${color}`)
  }
})

test('a browser paints the built-in tokens that are computed here', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  for (const scheme of ['light', 'dark'] as const) {
    const tokens = builtInTokens(scheme, 262)
    const names = (Object.keys(tokens) as Token[]).filter(
      name => !/info|success|warning|danger/.test(name),
    )
    const colors = names.map(name => {
      const { l, c } = builtInShade(scheme, name)
      return `oklch(${l} ${c} 262)`
    })
    const results = await painted(colors)

    for (const [index, name] of names.entries()) assertNear(results[index]!, tokens[name], name)
  }
})

test('the style sheet of a theme stands in place of the built-in one, in each scheme', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  const settings = plainSettings()
  settings.styling.primaryColor = { light: '#7a1fa2', dark: '#e1bee7' }
  settings.styling.font = 'RobotoSlab'
  const builtIn =
    '@layer reset,tokens,theme,base;@layer tokens{:root{color-scheme:light dark;--primary:#010203;--wash:#010203;--danger:#040506}}'
  const css = `${builtIn}${themeSheet(settings)}`
  const names = ['var(--primary)', 'var(--danger)', 'var(--wash)']
  const light = await painted(names, css, 'light')

  assert.equal(light.slice(0, 2), ['#7a1fa2', '#040506'])
  const dark = await painted(names, css, 'dark')

  assert.equal(dark.slice(0, 2), ['#e1bee7', '#040506'])
  for (const wash of [light[2], dark[2]]) assert.is.not(wash, '#010203')
})

test.run()
