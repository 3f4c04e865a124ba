import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { iconSvg } from '../../../../src/content/customization/icons/icon-svg.ts'
import substitutes from '../../../../src/content/customization/icons/substitutes.json' with {
  type: 'json',
}
import { leastCpuTime } from '../../../support/cpu-time.ts'

const folder = 'src/content/customization/icons'
const lines = brotliDecompressSync(readFileSync(`${folder}/icons.br`))
  .toString()
  .split('\n')
const keys = lines.slice(1).map(line => line.split('\t')[0]!)

test('the packed icons are those of the package', async () => {
  const { packIcons } = await import(pathToFileURL(resolve('bin/pack-icons.js')).href)
  assert.is(lines.join('\n'), packIcons(), 'run node bin/pack-icons.js')
})

test('every packed icon is found, and drawn by a path alone', () => {
  assert.ok(keys.length > 2500)
  for (const key of keys)
    assert.match(
      iconSvg(key) ?? '',
      /^<svg class="icon" aria-hidden="true" viewBox="[\d ]+"><path d="[-\d.a-zA-Z ,]+"\/><\/svg>$/,
      key,
    )
})

test('an icon has the drawing of the package', () => {
  const file = 'node_modules/@fortawesome/fontawesome-free/svgs/brands/github.svg'
  const path = /<path [^>]*d="([^"]+)"/.exec(readFileSync(file, 'utf8'))![1]!
  assert.ok(iconSvg('github')!.includes(`d="${path}"`))
})

test('names are taken as front matter and classes write them', () => {
  const rocket = iconSvg('rocket')
  for (const name of [
    'fa-rocket',
    'fa-solid fa-rocket',
    'solid/rocket',
    ' Rocket ',
    'fa fa-rocket',
  ])
    assert.is(iconSvg(name), rocket, name)

  assert.is(iconSvg('home'), iconSvg('house'))
  assert.is(iconSvg('fa-brands fa-github'), iconSvg('github'))
  assert.is(iconSvg('brands/github'), iconSvg('github'))
})

test('the weight of the settings applies where the free set has it', () => {
  assert.is.not(iconSvg('heart', 'regular'), iconSvg('heart', 'solid'))
  assert.is(iconSvg('heart', 'thin'), iconSvg('heart', 'regular'))
  assert.is(iconSvg('heart', 'duotone'), iconSvg('heart', 'solid'))
  assert.is(iconSvg('fa-solid fa-heart', 'regular'), iconSvg('heart', 'solid'))
  assert.is(iconSvg('rocket', 'light'), iconSvg('rocket', 'solid'))
})

test('an unknown name has no icon', () => {
  const unknown = [
    '',
    ' ',
    'fa',
    'fa-',
    'no-such-icon',
    '"><script>',
    '../x',
    '#Font',
    '__proto__',
    'constructor',
  ]
  for (const name of [...unknown, 'a'.repeat(1e6), '=solid/plus', 'solid', 'fa-solid'])
    assert.is(iconSvg(name), undefined, name.slice(0, 20))
})

test('a substitute is a free icon, and stands for a name that is not free', () => {
  const names = new Set(keys.map(key => key.split('/')[1]))
  for (const [name, instead] of Object.entries(substitutes)) {
    assert.not(names.has(name), name)
    assert.ok(names.has(instead), instead)
    assert.is(iconSvg(name), iconSvg(instead))
  }
  assert.is(iconSvg('rocket-launch', 'solid'), iconSvg('rocket', 'solid'))
})

test('the licence is named beside the icons, and in them', () => {
  assert.match(
    readFileSync(`${folder}/LICENSE.txt`, 'utf8'),
    /Font Awesome Free 7 [\s\S]*CC BY 4\.0/,
  )
  assert.match(lines[0]!, /^#Font Awesome Free 7\.[\d.]+ by Fonticons.*CC BY 4\.0/)
})

test('a thousand unknown names take less than 200 ms of CPU', () => {
  const time = leastCpuTime(() => {
    for (let index = 0; index < 1000; index++) iconSvg(`no-such-icon-${index}`)
  }, 200)
  assert.ok(time < 200, `${time} ms`)
})

test.run()
