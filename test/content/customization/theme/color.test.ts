import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  contrast,
  hexOf,
  inkOn,
  mixed,
  oklchOf,
} from '../../../../src/content/customization/theme/color.ts'

const hex = fc
  .integer({ min: 0, max: 0xffffff })
  .map(value => `#${value.toString(16).padStart(6, '0')}`)
const near = (value: number, expected: number, most: number) =>
  assert.ok(Math.abs(value - expected) <= most, `${value} is not ${expected}`)

test('OKLCH has the known values of CSS', () => {
  // From the reference implementation of CSS Color 4.
  const known: [string, number, number, number][] = [
    ['#ff0000', 0.62796, 0.25768, 29.234],
    ['#00ff00', 0.86644, 0.29483, 142.495],
    ['#0000ff', 0.45201, 0.31321, 264.052],
    ['#ffff00', 0.96798, 0.21101, 109.769],
    ['#663399', 0.44027, 0.1603, 303.373],
    ['#ffffff', 1, 0, 0],
    ['#000000', 0, 0, 0],
    ['#808080', 0.59987, 0, 0],
  ]
  for (const [color, l, c, h] of known) {
    const value = oklchOf(color)
    near(value.l, l, 1e-4)
    near(value.c, c, 1e-4)
    near(value.h, h, 0.01)
  }
})

test('a color with 3 digits is that with 6', () => {
  assert.equal(oklchOf('#3Bf'), oklchOf('#33bbff'))
})

test('a color survives the way to OKLCH and back', () => {
  fc.assert(fc.property(hex, color => assert.is(hexOf(oklchOf(color)), color)))
})

test('a color outside of sRGB keeps its lightness and its hue', () => {
  const wanted = { l: 0.7, c: 0.37, h: 200 }
  const shown = oklchOf(hexOf(wanted))
  near(shown.l, wanted.l, 0.01)
  near(shown.h, wanted.h, 2)
  assert.ok(shown.c > 0.1 && shown.c < 0.2)
  assert.is(hexOf({ l: 2, c: 0.1, h: 0 }), '#ffffff')
  assert.is(hexOf({ l: -1, c: 0.1, h: 0 }), '#000000')
})

test('contrast has the known values of WCAG', () => {
  near(contrast('#000000', '#ffffff'), 21, 1e-9)
  near(contrast('#777777', '#ffffff'), 4.478, 1e-3)
  near(contrast('#fff', '#767676'), 4.542, 1e-3)
  near(contrast('#ff0000', '#ffffff'), 3.998, 1e-3)
  near(contrast('#0000ff', '#ffffff'), 8.592, 1e-3)
  assert.is(contrast('#123456', '#123456'), 1)
})

test('the ink on a color can be read', () => {
  fc.assert(fc.property(hex, ground => assert.ok(contrast(inkOn(ground), ground) >= 4.5)))
})

test('a mixture lies between its colors', () => {
  assert.is(mixed('#ff0000', '#0000ff', 1), '#ff0000')
  assert.is(mixed('#ff0000', '#0000ff', 0), '#0000ff')
  // color-mix(in oklab, white, black)
  assert.is(mixed('#ffffff', '#000000', 0.5), '#636363')
})

test.run()
