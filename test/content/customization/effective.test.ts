import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  CustomizationOverride,
  CustomizationSettings,
} from '../../../src/content/customization/schema.ts'
import {
  changedNames,
  checkSize,
  effectiveSettings,
  mergeOverride,
  toStored,
  withOverride,
} from '../../../src/content/customization/stored.ts'
import { Fault } from '../../../src/errors.ts'
import { compileOfficial } from '../../support/conformance.ts'
import { fullSettings, plainSettings } from './settings.ts'

const isOfficial = compileOfficial({ $ref: '#/components/schemas/SiteCustomizationSettings' })

const patch = (value: unknown) => CustomizationOverride.parse(value)

test('defaults and full settings are valid for the official client', () => {
  for (const settings of [plainSettings(), fullSettings()]) {
    assert.ok(isOfficial(settings), JSON.stringify(isOfficial.errors))
    const effective = effectiveSettings(toStored(settings), null)
    assert.ok(isOfficial(effective), JSON.stringify(isOfficial.errors))
  }
})

test('the schema accepts what the effective settings contain, and stores the same again', () => {
  const stored = toStored(fullSettings())
  const effective = effectiveSettings(stored, null)
  assert.equal(CustomizationSettings.parse(effective), effective)
  assert.equal(changedNames(stored, toStored(CustomizationSettings.parse(effective))), [])
})

test('only what differs from the defaults is stored', () => {
  assert.is(toStored(plainSettings()), null)
  assert.is(toStored(effectiveSettings(null, null)), null)
  const settings = plainSettings()
  settings.styling.sidebar.list = 'line'
  settings.pdf.enabled = false
  assert.equal(toStored(settings), {
    styling: { sidebar: { list: 'line' } },
    pdf: { enabled: false },
  })
})

test('a color, a favicon and a list are stored as a whole', () => {
  const settings = plainSettings()
  settings.styling.primaryColor = { light: '#346DDB', dark: '#000' }
  settings.header.links = [{ title: 'Home', to: null, links: [] }]
  assert.equal(toStored(settings), {
    styling: { primaryColor: { light: '#346DDB', dark: '#000' } },
    header: { links: [{ title: 'Home', to: null, links: [] }] },
  })
})

test('effective settings are the defaults, then those of the site, then the override', () => {
  const site = plainSettings()
  site.styling.theme = 'muted'
  site.styling.corners = 'straight'
  const override = mergeOverride(
    null,
    patch({ styling: { theme: 'gradient', sidebar: { list: 'pill' } } }),
  )
  const { styling } = effectiveSettings(toStored(site), override)

  assert.is(styling.theme, 'gradient')
  assert.is(styling.corners, 'straight')
  assert.is(styling.depth, 'subtle')
  assert.equal(styling.sidebar, { background: 'default', list: 'pill' })
})

test('a site space that overrides nothing has the settings of its site', () => {
  const site = effectiveSettings(toStored(fullSettings()), null)
  assert.is(withOverride(site, null), site)
  const override = mergeOverride(
    null,
    patch({ pdf: { enabled: false }, styling: { icons: 'thin' } }),
  )
  assert.equal(withOverride(site, override), effectiveSettings(toStored(fullSettings()), override))
  assert.equal(withOverride(site, override).pageActions.items, ['markdown'])
})

test('an override equal to the setting of the site stays when the site changes', () => {
  const override = mergeOverride(null, patch({ themes: { default: 'light' } }))
  const site = plainSettings()
  site.themes.default = 'dark'
  assert.is(effectiveSettings(toStored(site), override).themes.default, 'light')
})

test('null removes one setting of an override, and the last one the override', () => {
  const first = mergeOverride(
    null,
    patch({ title: 'Version 1', styling: { theme: 'bold', depth: 'flat' } }),
  )
  const second = mergeOverride(first, patch({ styling: { theme: null } }))
  assert.equal(second, { title: 'Version 1', styling: { depth: 'flat' } })
  assert.is(mergeOverride(second, patch({ title: null, styling: { depth: null } })), null)
  assert.is(mergeOverride(null, patch({ styling: { theme: null } })), null)
  assert.equal(mergeOverride(second, patch({})), second)
})

test('an override replaces lists and the announcement as a whole', () => {
  const link = { title: 'Home', to: null, links: [] }
  const announcement = { enabled: true, message: 'Old version', style: 'warning' as const }
  const override = mergeOverride(null, patch({ header: { links: [link] }, announcement }))
  const effective = effectiveSettings(toStored(fullSettings()), override)

  assert.equal(effective.header.links, [link])
  assert.is(effective.header.preset, 'contrast')
  assert.equal(effective.announcement, announcement)
  const reset = mergeOverride(override, patch({ header: { links: null }, announcement: null }))

  assert.is(reset, null)
})

test('the title of an override comes before the title of the site', () => {
  const override = mergeOverride(null, patch({ title: 'Version 1' }))
  assert.is(effectiveSettings(toStored(fullSettings()), override).title, 'Version 1')
  assert.is(effectiveSettings(toStored(fullSettings()), null).title, 'Acme documentation')
  assert.is(effectiveSettings(null, null).title, undefined)
})

test('page action items follow from the other settings', () => {
  const items = (change: (settings: ReturnType<typeof plainSettings>) => void) => {
    const settings = plainSettings()
    change(settings)
    return effectiveSettings(toStored(settings), null).pageActions.items
  }

  assert.equal(
    items(() => {}),
    ['markdown', 'pdf'],
  )

  assert.equal(
    items(settings => {
      settings.ai.mode = 'assistant'
      settings.git.showEditLink = true
      settings.pdf.enabled = false
      settings.pageActions = { externalAI: true, markdown: false, mcp: true }
    }),
    ['assistant', 'external-ai', 'mcp', 'git'],
  )
})

test('changed names are those of the top level', () => {
  const before = toStored(fullSettings())
  const settings = fullSettings()
  delete settings.title
  settings.styling.theme = 'clean'
  assert.equal(changedNames(before, toStored(settings)), ['styling', 'title'])
  assert.equal(changedNames(before, before), [])
  assert.equal(changedNames(null, toStored({ ...plainSettings(), favicon: { emoji: '📘' } })), [
    'favicon',
  ])
})

test('settings of more than 256 KB are refused', () => {
  const url = `https://example.org/${'a'.repeat(2000)}`
  const link = { title: 'Far', to: { kind: 'url' as const, url } }
  const settings = plainSettings()
  settings.footer.groups = Array.from({ length: 2 }, () => ({
    title: 'Far',
    links: Array(50).fill(link),
  }))
  checkSize(settings)
  settings.footer.groups = Array.from({ length: 3 }, () => ({
    title: 'Far',
    links: Array(50).fill(link),
  }))

  try {
    checkSize(settings)
  } catch (error) {
    assert.instance(error, Fault)
    assert.match((error as Fault).message, /256 KB/)
    return
  }

  assert.unreachable('settings of 300 KB were accepted')
})

test.run()
