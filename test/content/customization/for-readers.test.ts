import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shownTo, withoutHiddenTargets } from '../../../src/content/customization/for-readers.ts'
import { iconOf } from '../../../src/content/customization/site-icon.ts'
import { compileOfficial } from '../../support/conformance.ts'
import { fullSettings, plainSettings } from './settings.ts'

const titles = (items: readonly { title: string }[]) => items.map(({ title }) => title)

test('a header link whose condition is not met is left out', () => {
  const asked: string[] = []
  const isMet = (condition: string) => {
    asked.push(condition)
    return false
  }
  assert.equal(titles(shownTo(fullSettings(), isMet).header.links), ['Home', 'Guides'])
  assert.equal(asked, ['visitor.claims.beta'])
})

test('readers do not get conditions', () => {
  const { links } = shownTo(fullSettings(), () => true).header
  assert.equal(titles(links), ['Home', 'Guides', 'Beta'])
  for (const link of links) assert.not('condition' in link)
})

test('an empty condition is met', () => {
  const settings = plainSettings()
  settings.header.links = [{ title: 'Home', to: null, links: [], condition: '' }]
  assert.equal(shownTo(settings, () => false).header.links, [
    { title: 'Home', to: null, links: [] },
  ])
})

test('links to a space that is hidden are left out', () => {
  const isOfficial = compileOfficial({ $ref: '#/components/schemas/SiteCustomizationSettings' })
  const { header, footer, announcement, ...rest } = withoutHiddenTargets(
    fullSettings(),
    space => space === 'guides',
  )

  assert.equal(titles(header.links), ['Home', 'Guides'])
  assert.equal(titles(header.links[1]?.links ?? []), ['Start'])
  assert.equal(titles(footer.groups), ['Legal'])
  assert.equal(announcement, { enabled: true, message: 'Version 2 is here', style: 'success' })
  assert.ok(
    isOfficial({ ...rest, header, footer, announcement }),
    JSON.stringify(isOfficial.errors),
  )
})

test('with all spaces shown, nothing is left out', () => {
  assert.equal(
    withoutHiddenTargets(fullSettings(), () => true),
    fullSettings(),
  )
  assert.equal(
    withoutHiddenTargets(plainSettings(), () => false),
    plainSettings(),
  )
})

test('a menu with a hidden target keeps its other links, and goes with its last one', () => {
  const settings = plainSettings()
  const hidden = { kind: 'space' as const, space: 'hidden' }
  const open = { title: 'Here', to: { kind: 'page' as const, page: 'here' } }
  settings.header.links = [
    { title: 'Mixed', to: hidden, links: [open, { title: 'Hidden', to: hidden }] },
    { title: 'All hidden', to: hidden, links: [{ title: 'Hidden', to: hidden }] },
    { title: 'Hidden below', to: null, links: [{ title: 'Hidden', to: hidden }] },
    { title: 'Heading', to: null, links: [] },
  ]

  assert.equal(withoutHiddenTargets(settings, () => false).header.links, [
    { title: 'Mixed', to: null, links: [open] },
    { title: 'Heading', to: null, links: [] },
  ])
})

test('the icon of a site is its favicon', () => {
  assert.is(iconOf(plainSettings()), undefined)
  assert.equal(iconOf(fullSettings()), { emoji: '📘' })
  const icon = { light: 'https://example.org/l.png', dark: 'https://example.org/d.png' }
  assert.equal(iconOf({ ...plainSettings(), favicon: { icon } }), { icon })
})

test.run()
