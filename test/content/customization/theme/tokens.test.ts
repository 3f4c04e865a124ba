import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hexOf } from '../../../../src/content/customization/theme/color.ts'
import {
  builtInHue,
  builtInTokens,
  type Token,
} from '../../../../src/content/customization/theme/tokens.ts'

const sheet = readFileSync(new URL('../../../../src/ui/style/tokens.css', import.meta.url), 'utf8')

/** Returns the values of a property for light and dark pages. */
function valuesOf(name: string): [light: string, dark: string] {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((.+), (#.+|oklch\\(.+\\))\\);`).exec(
    sheet,
  )!
  return [light!, dark!]
}

const variables: Record<string, string> = {
  hue: /--hue: ([\d.]+);/.exec(sheet)![1]!,
  chroma: /--chroma: ([\d.]+);/.exec(sheet)![1]!,
}

function hexIn(value: string): string {
  if (value === '#fff') return '#ffffff'
  const numbers = value.replace(/var\(--(\w+)\)/g, (_, name: string) => variables[name]!)
  const [, l, c, h] = /^oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)$/.exec(numbers)!
  return hexOf({ l: Number(l) / 100, c: Number(c), h: Number(h) })
}

test('the tokens of the palette are those of the style sheet', () => {
  assert.is(variables.hue, String(builtInHue))
  const [light, dark] = [builtInTokens('light', builtInHue), builtInTokens('dark', builtInHue)]
  for (const name of Object.keys(light) as Token[])
    assert.equal(valuesOf(name).map(hexIn), [light[name], dark[name]], name)
})

test.run()
