import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Settings } from '../../../src/content/customization/schema.ts'
import { siteIcon } from '../../../src/content/customization/site-icon.ts'
import { plainSettings } from './settings.ts'

const svgOf = (settings: Settings, title = 'Acme') => {
  const icon = siteIcon(settings, title)
  assert.is(icon.kind, 'svg')
  return icon.kind === 'svg' ? icon.svg : ''
}

test('the images of the settings come first', () => {
  const icon = { light: 'https://example.org/l.svg', dark: 'https://example.org/d.svg' }
  assert.equal(siteIcon({ ...plainSettings(), favicon: { icon } }, 'Acme'), {
    kind: 'images',
    ...icon,
  })
})

test('an emoji is drawn as a text, from its characters or its code points', () => {
  for (const emoji of ['📘', '1f4d8'])
    assert.match(svgOf({ ...plainSettings(), favicon: { emoji } }), />📘<\/text>/)
})

test('without an icon, the first letter of the title stands on the primary color', () => {
  assert.match(svgOf(plainSettings()), /fill="#ffffff"[^>]*>A<\/text>/)
  assert.match(svgOf({ ...plainSettings(), title: 'Beta' }), />B<\/text>/)
  const settings = plainSettings()
  settings.styling.primaryColor = { light: '#fc0', dark: '#000' }
  assert.match(svgOf(settings), /rx="14" fill="#ffcc00".*fill="#000000"[^>]*>A</)
  settings.styling.corners = 'straight'
  assert.match(svgOf(settings), /rx="0"/)
})

test('the letter is a letter or a digit, in any script, and never markup', () => {
  const letters = {
    '«élan»': 'É',
    '<script>': 'S',
    '& 3 more': '3',
    文档: '文',
    हिन्दी: 'हि',
    '…': '',
  }
  for (const [title, letter] of Object.entries(letters))
    assert.ok(svgOf(plainSettings(), title).includes(`>${letter}</text>`), title)
})

test.run()
