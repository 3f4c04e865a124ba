import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lookOf, schemeOf } from '../../../../src/content/customization/theme/look.ts'
import { plainSettings } from '../settings.ts'

test('the defaults have no attributes', () => {
  assert.equal(lookOf(plainSettings()), {})
})

test('every setting that selects a look and differs is an attribute', () => {
  const settings = plainSettings()
  Object.assign(settings.styling, {
    theme: 'gradient',
    links: 'accent',
    sidebar: { background: 'filled', list: 'pill' },
    search: 'prominent',
  })
  settings.header.preset = 'contrast'
  assert.equal(lookOf(settings), {
    'data-theme-style': 'gradient',
    'data-links': 'accent',
    'data-sidebar': 'filled',
    'data-list': 'pill',
    'data-search': 'prominent',
    'data-header': 'contrast',
  })
})

test('the scheme follows the system unless the settings choose one', () => {
  const inScheme = (scheme: 'light' | 'dark', toggeable: boolean) =>
    schemeOf({ ...plainSettings(), themes: { default: scheme, toggeable } })
  assert.equal(inScheme('light', true), { scheme: 'auto', schemeSwitch: true })
  assert.equal(inScheme('dark', true), { scheme: 'dark', schemeSwitch: true })
  assert.equal(inScheme('light', false), { scheme: 'light', schemeSwitch: false })
  assert.equal(inScheme('dark', false), { scheme: 'dark', schemeSwitch: false })
})

test.run()
