import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Settings } from '../../../../src/content/customization/schema.ts'
import { contrast, mixed } from '../../../../src/content/customization/theme/color.ts'
import { themeFile, themeSheet } from '../../../../src/content/customization/theme/sheet.ts'
import {
  builtInTokens,
  inks,
  type Scheme,
  statuses,
  surfaces,
  type Tokens,
} from '../../../../src/content/customization/theme/tokens.ts'
import { runs } from '../../../support/long-run.ts'
import { fullSettings, plainSettings } from '../settings.ts'

type Styling = Settings['styling']

const both = (color: string) => ({ light: color, dark: color })
const styled = (styling: Partial<Styling>): Settings => ({
  ...plainSettings(),
  styling: { ...plainSettings().styling, ...styling },
})

/** Returns the custom properties of a sheet by name. */
function propertiesOf(sheet: string): Map<string, string> {
  const body = /^@layer theme\{:root\{(.*)\}\}$/.exec(sheet)?.[1] ?? ''
  return new Map(body.split(';').map(line => line.split(/:(.*)/).slice(0, 2) as [string, string]))
}

/** Returns the colors of a scheme after a sheet: its own, and the built-in ones in its hue. */
function colorsOf(sheet: string, scheme: Scheme): Tokens & Record<string, string> {
  const properties = propertiesOf(sheet)
  const colors: Tokens & Record<string, string> = builtInTokens(
    scheme,
    Number(properties.get('--hue') ?? 262),
  )

  for (const [name, value] of properties) {
    const [, light, dark] = /^light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\)$/.exec(value) ?? [
      '',
      value,
      value,
    ]
    colors[name.slice(2)] = (scheme === 'light' ? light : dark)!
  }

  return colors
}

/** The colors of code in the built-in style sheet. */
const code = {
  light: ['#a0124f', '#0b5e3c', '#8a3800', '#5a32b8', '#586069', '#00528f'],
  dark: ['#ff8fa3', '#9be09b', '#f2b179', '#c9b1ff', '#9aa4b2', '#8ec8ff'],
}

function checkPairs(sheet: string): void {
  for (const scheme of ['light', 'dark'] as const) {
    const colors = colorsOf(sheet, scheme)
    const read = (ink: string, ground: string, what: string) =>
      assert.ok(contrast(ink, ground) >= 4.5, `${scheme} ${what}: ${ink} on ${ground}`)
    for (const ground of surfaces)
      for (const name of [...inks, ...statuses, 'primary'] as const)
        read(colors[name], colors[ground], `${name} on ${ground}`)
    for (const name of statuses)
      read(colors[name], mixed(colors[name], colors.paper, 0.07), `hint ${name}`)
    for (const color of code[scheme]) read(color, colors.raised, 'code')
    if (colors.bar) read(colors['on-bar']!, colors.bar, 'text of the header')
    read(colors.paper, colors.primary, 'text of a button')
  }
}

const color = fc.oneof(
  fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`),
  fc.integer({ min: 0, max: 0xfff }).map(value => `#${value.toString(16).padStart(3, '0')}`),
  fc.constantFrom('#ffffff', '#000000', '#FF0', '#00F', '#fefefe', '#1a1a1a', '#242424', '#f0f0f0'),
)
const themed = fc.record({ light: color, dark: color })

test('the defaults need no style sheet', () => {
  assert.is(themeSheet(plainSettings()), '')
  assert.is(themeFile(plainSettings()), undefined)
})

test('the built-in colors can be read', () => {
  checkPairs('')
})

test('any colors can be read on paper, washes, code and hints, in both schemes', () => {
  const settings = fc.record({
    styling: fc.record(
      {
        theme: fc.constantFrom('clean' as const, 'bold' as const),
        primaryColor: themed,
        infoColor: themed,
        successColor: themed,
        warningColor: themed,
        dangerColor: themed,
        tint: fc.record({ color: themed }),
        background: fc.constantFrom('plain' as const, 'match' as const),
      },
      { requiredKeys: [] },
    ),
    header: fc.record({
      preset: fc.constantFrom(
        'default' as const,
        'bold' as const,
        'contrast' as const,
        'custom' as const,
      ),
      backgroundColor: themed,
      linkColor: themed,
    }),
  })
  fc.assert(
    fc.property(settings, ({ styling, header }) => {
      const given = styled(styling as Partial<Styling>)
      checkPairs(themeSheet({ ...given, header: { ...header, links: [] } }))
    }),
    { numRuns: runs(300) },
  )
})

test('a color that can be read is kept as it is', () => {
  const sheet = themeSheet(styled({ primaryColor: { light: '#7a1fa2', dark: '#e1bee7' } }))
  assert.match(sheet, /--primary:light-dark\(#7a1fa2,#e1bee7\)/)
  assert.match(sheet, /--hue:313;--chroma:\.198/)
})

test('only what differs from the built-in style sheet is written', () => {
  assert.is(themeSheet(styled({ corners: 'straight' })), '@layer theme{:root{--radius:0rem}}')
  assert.is(
    themeSheet(styled({ corners: 'circular', depth: 'flat' })),
    '@layer theme{:root{--radius:1rem;--shadow:none}}',
  )
  const danger = propertiesOf(
    themeSheet(styled({ dangerColor: { light: '#a00', dark: '#FB2C36' } })),
  )
  assert.equal([...danger.keys()], ['--danger'])
  assert.is(danger.get('--danger'), `light-dark(#aa0000,${builtInTokens('dark', 262).danger})`)
})

test('a tint is mixed into the neutral colors', () => {
  const { paper, raised, text } = colorsOf(
    themeSheet(styled({ tint: { color: both('#f00') } })),
    'light',
  )
  assert.is(paper, mixed('#ff0000', '#ffffff', 0.02))
  assert.is.not(raised, builtInTokens('light', 262).raised)
  assert.is(text, builtInTokens('light', 262).text)
})

test('a background that matches is a tint in the primary color, unless a tint is set', () => {
  const primary = { light: '#b3261e', dark: '#ffb4ab' }
  const matching = { primaryColor: primary, background: 'match' as const }
  assert.is(
    themeSheet(styled(matching)),
    themeSheet(styled({ primaryColor: primary, tint: { color: primary } })),
  )
  assert.is.not(themeSheet(styled(matching)), themeSheet(styled({ primaryColor: primary })))
  const tint = { color: both('#00ff00') }

  assert.is(
    themeSheet(styled({ ...matching, tint })),
    themeSheet(styled({ primaryColor: primary, tint })),
  )

  const white = colorsOf(
    themeSheet(styled({ primaryColor: both('#ffffff'), background: 'match' })),
    'dark',
  )

  assert.is.not(white.paper, '#ffffff')
})

test('a tint that is nearly white or black is the paper of its scheme', () => {
  const sheet = themeSheet(styled({ tint: { color: { light: '#fffbe6', dark: '#000000' } } }))
  assert.is(colorsOf(sheet, 'light').paper, '#fffbe6')
  const dark = colorsOf(sheet, 'dark')
  assert.is(dark.paper, '#000000')
  for (const name of ['raised', 'wash', 'line'] as const)
    assert.ok(contrast(dark[name], '#000000') > 1.1, `${name} is seen on black`)
  const swapped = themeSheet(styled({ tint: { color: { light: '#000', dark: '#fff' } } }))

  assert.ok(contrast(colorsOf(swapped, 'light').paper, '#ffffff') < 1.2)
  assert.ok(contrast(colorsOf(swapped, 'dark').paper, '#000000') < 1.5)
})

test('a grey primary color has a grey wash, and leaves the hue of the neutral colors', () => {
  const sheet = themeSheet(styled({ primaryColor: both('#222222') }))
  assert.not(propertiesOf(sheet).has('--hue'))
  assert.match(colorsOf(sheet, 'light').wash, /^#(..)\1\1$/)
})

test('a header on the primary color keeps the color as it was chosen', () => {
  const properties = propertiesOf(
    themeSheet(styled({ theme: 'bold', primaryColor: both('#ffcc00') })),
  )
  assert.is(properties.get('--bar'), '#ffcc00')
  assert.is(properties.get('--on-bar'), '#000000')
  assert.not(propertiesOf(themeSheet(styled({ primaryColor: both('#ffcc00') }))).has('--bar'))
})

test('a header has colors of its own', () => {
  const header = { links: [], backgroundColor: both('#102030'), linkColor: both('#ffeeaa') }
  const own = propertiesOf(
    themeSheet({ ...plainSettings(), header: { ...header, preset: 'custom' } }),
  )
  assert.equal([own.get('--bar'), own.get('--on-bar')], ['#102030', '#ffeeaa'])
  assert.is(themeSheet({ ...plainSettings(), header: { ...header, preset: 'default' } }), '')
})

test('fonts of the defaults are those of the system', () => {
  assert.is(themeSheet(styled({ font: 'Inter', monospaceFont: 'IBMPlexMono' })), '')
  const properties = propertiesOf(
    themeSheet(styled({ font: 'RobotoSlab', monospaceFont: 'FiraCode' })),
  )
  assert.is(properties.get('--sans'), '"Roboto Slab","Roboto Slab fallback",ui-serif,Georgia,serif')
  assert.is(
    properties.get('--mono'),
    '"Fira Code","Fira Code fallback",ui-monospace,Menlo,Consolas,monospace',
  )
})

test('the name of a font cannot end the style sheet', () => {
  const family = '"}</style>\\;x{'
  const font = { id: 'x', custom: true, fontFamily: family, fontFaces: [] }
  const sheet = themeSheet(styled({ font }))
  assert.is(
    sheet.slice(sheet.indexOf('"'), sheet.lastIndexOf('"') + 1),
    '"\\22 }\\3c /style\\3e \\5c ;x{"',
  )
})

test('a style sheet takes less than 1 KB', () => {
  const long = (family: string) => ({ id: 'x', custom: true, fontFamily: family, fontFaces: [] })
  const everything = styled({
    theme: 'bold',
    primaryColor: { light: '#ff0', dark: '#001' },
    infoColor: { light: '#ff1', dark: '#002' },
    successColor: { light: '#ff2', dark: '#003' },
    warningColor: { light: '#ff3', dark: '#004' },
    dangerColor: { light: '#ff4', dark: '#005' },
    tint: { color: { light: '#f4f0e8', dark: '#242424' } },
    corners: 'circular',
    depth: 'flat',
    font: long('x'.repeat(50)),
    monospaceFont: long('y'.repeat(50)),
  })

  for (const settings of [everything, fullSettings(), styled({ font: long('文'.repeat(50)) })])
    assert.ok(Buffer.byteLength(themeSheet(settings)) < 1024, themeSheet(settings))
})

test('the name of the file has the digest of its bytes', () => {
  const one = themeFile(styled({ corners: 'straight' }))
  const other = themeFile(styled({ corners: 'circular' }))
  assert.match(one?.name ?? '', /^theme\.[0-9a-f]{16}\.css$/)
  assert.is(one?.bytes.toString(), '@layer theme{:root{--radius:0rem}}')
  assert.is.not(one?.name, other?.name)
  assert.equal(themeFile(styled({ corners: 'straight' })), one)
})

test.run()
