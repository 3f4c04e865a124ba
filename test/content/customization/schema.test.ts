import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  CustomizationOverride,
  CustomizationSettings,
} from '../../../src/content/customization/schema.ts'
import { fullSettings } from './settings.ts'

type Change = (settings: ReturnType<typeof fullSettings> & Record<string, never>) => unknown

// biome-ignore lint/suspicious/noExplicitAny: the settings are changed beyond their type
const changed = (change: (settings: any) => unknown): unknown => {
  const settings = fullSettings()
  change(settings)
  return settings
}

const isTaken = (change: Change) => CustomizationSettings.safeParse(changed(change)).success
const isOverride = (patch: unknown) => CustomizationOverride.safeParse(patch).success
const both = (text: string) => ({ light: text, dark: text })

test('only http and https URLs without credentials are accepted, everywhere', () => {
  const hostile = [
    'javascript:alert(1)',
    'data:text/html,x',
    '//example.org/x',
    'https://ada:secret@example.org/',
    'https://ada@example.org/',
    'ftp://example.org/',
    '',
    `https://example.org/${'a'.repeat(2048)}`,
  ]
  for (const url of hostile) {
    const to = { kind: 'url', url }
    const link = { title: 'x', to }
    const changes: ((settings: Parameters<Change>[0]) => unknown)[] = [
      settings => Object.assign(settings.header, { logo: both(url) }),
      settings => Object.assign(settings.footer, { logo: both(url) }),
      settings => Object.assign(settings, { favicon: { icon: both(url) } }),
      settings => Object.assign(settings.privacyPolicy, { url }),
      settings => Object.assign(settings.socialPreview, { url }),
      settings => Object.assign(settings.header, { links: [{ ...link, links: [] }] }),
      settings => Object.assign(settings.header, { links: [{ ...link, to: null, links: [link] }] }),
      settings => Object.assign(settings.footer, { groups: [{ title: 'x', links: [link] }] }),
      settings => Object.assign(settings.announcement as object, { link }),
      settings =>
        Object.assign(settings.styling, {
          font: {
            id: 'x',
            custom: true,
            fontFamily: 'x',
            fontFaces: [{ weight: 400, sources: [{ url }] }],
          },
        }),
    ]

    for (const change of changes) assert.not(isTaken(change), `${url} in ${change}`)
  }
})

test('the address at which files are edited has the place of the path once, behind the host', () => {
  const isLink = (editLink: string) =>
    isTaken(settings => Object.assign(settings.git, { editLink })) &&
    isOverride({ git: { editLink } })
  for (const link of [
    'https://github.com/acme/docs/edit/main/{path}',
    'http://git.example.org:3000/docs/{path}?mode=edit#text',
    'https://example.org/edit?file={path}',
  ])
    assert.ok(isLink(link), link)
  for (const link of [
    'https://github.com/acme/docs/edit/main/',
    'https://{path}/docs',
    'https://example.org/{path}/{path}',
    'https://example.org/{branch}/{path}',
    'https://ada:secret@example.org/{path}',
    'https://ada@example.org/{path}',
    'javascript:alert(1)/{path}',
    'javascript://example.org/%0a{path}',
    '//example.org/{path}',
    'https:\\\\example.org/{path}',
    'https://example.org/a b/{path}',
    'https://example.org/\n{path}',
    `https://example.org/${'a'.repeat(2048)}/{path}`,
    '{path}',
    '',
  ])
    assert.not.ok(isLink(link), link)
})

test('a font is loaded over https only', () => {
  const fontFaces = [{ weight: 400, sources: [{ url: 'http://example.org/a.woff2' }] }]
  const font = { id: 'x', custom: true, fontFamily: 'x', fontFaces }
  assert.not(isTaken(settings => Object.assign(settings.styling, { font })))
  assert.not(
    isTaken(settings =>
      Object.assign(settings.styling, { monospaceFont: { ...font, fontFaces: [] } }),
    ),
  )
})

test('a color is three or six hex digits', () => {
  for (const color of ['red', 'red;}', '#12', '#12345', '#1234567', '#ggg', 'url(#abc)', '#abc\n'])
    assert.not(
      isTaken(settings => Object.assign(settings.styling, { primaryColor: both(color) })),
      color,
    )
  assert.ok(isTaken(settings => Object.assign(settings.styling, { primaryColor: both('#AbC') })))
})

test('markup in a text stays text', () => {
  const copyright = '<script>alert(1)</script> © Acme'
  const parsed = CustomizationSettings.parse(
    changed(settings => Object.assign(settings.footer, { copyright })),
  )
  assert.is(parsed.footer.copyright, copyright)
})

test('numbers of links and groups are limited', () => {
  const link = { title: 'x', to: { kind: 'page', page: 'x' } }
  const item = { title: 'x', to: null, links: [] }
  const links = (count: number) => Array(count).fill(link)
  assert.ok(isTaken(settings => Object.assign(settings.header, { links: Array(50).fill(item) })))
  assert.not(isTaken(settings => Object.assign(settings.header, { links: Array(51).fill(item) })))
  assert.not(
    isTaken(settings => Object.assign(settings.header, { links: [{ ...item, links: links(51) }] })),
  )
  const group = { title: 'x', links: [] }

  assert.ok(isTaken(settings => Object.assign(settings.footer, { groups: Array(20).fill(group) })))
  assert.not(isTaken(settings => Object.assign(settings.footer, { groups: Array(21).fill(group) })))
})

test('unknown keys are refused at every level', () => {
  for (const change of [
    (settings: object) => Object.assign(settings, { colour: 1 }),
    (settings: Parameters<Change>[0]) => Object.assign(settings.styling, { colour: 1 }),
    (settings: Parameters<Change>[0]) => Object.assign(settings.styling.sidebar, { colour: 1 }),
    (settings: Parameters<Change>[0]) => Object.assign(settings.favicon, { colour: 1 }),
    (settings: Parameters<Change>[0]) => Object.assign(settings, { constructor: {} }),
  ] as Change[])
    assert.not(isTaken(change))
})

test('a group that is missing is refused, and computed keys are ignored', () => {
  for (const name of Object.keys(fullSettings()).filter(
    key => key !== 'title' && key !== 'announcement',
  ))
    assert.not(
      isTaken(settings => Reflect.deleteProperty(settings, name)),
      name,
    )
  assert.ok(isTaken(settings => Object.assign(settings, { socialAccounts: [{ platform: 'x' }] })))
})

test('a favicon has an image or an emoji, not both', () => {
  const icon = both('https://example.org/i.png')
  for (const favicon of [
    { icon, emoji: '📘' },
    { emoji: '' },
    { emoji: 'book' },
    { icon: icon.light },
    null,
  ])
    assert.not(isTaken(settings => Object.assign(settings, { favicon })))

  for (const favicon of [{}, { icon }, { emoji: '1f4d8' }])
    assert.ok(isTaken(settings => Object.assign(settings, { favicon })))
})

test('a link leads to a page, an anchor, a file, a space or a URL', () => {
  const withTarget = (to: unknown) => (settings: Parameters<Change>[0]) =>
    Object.assign(settings.header, { links: [{ title: 'x', to, links: [] }] })
  for (const to of [
    { kind: 'page', page: 'x' },
    { kind: 'page', page: 'x', space: 'y' },
    { kind: 'anchor', anchor: 'x', page: 'y', space: 'z' },
    { kind: 'file', file: 'x' },
    { kind: 'space', space: 'x' },
    { kind: 'url', url: 'http://example.org' },
    null,
  ])
    assert.ok(isTaken(withTarget(to)), JSON.stringify(to))

  for (const to of [
    { kind: 'user', user: 'x' },
    { kind: 'page' },
    { kind: 'page', page: '' },
    'x',
    {},
  ])
    assert.not(isTaken(withTarget(to)), JSON.stringify(to))
})

test('an override takes any subset of the settings that can be overridden', () => {
  for (const patch of [
    {},
    { styling: {} },
    { styling: { sidebar: { list: null } } },
    { styling: { tint: null, theme: 'bold' }, title: null, announcement: null },
    { pdf: { enabled: null }, privacyPolicy: { url: null } },
  ])
    assert.ok(isOverride(patch), JSON.stringify(patch))
})

test('null is accepted for a setting only, not for a group or within a setting', () => {
  for (const patch of [
    { styling: null },
    { styling: { sidebar: null } },
    { header: null },
    { pdf: null },
    { styling: { primaryColor: { light: null, dark: '#000' } } },
    { header: { links: [null] } },
    { header: { links: { 0: { title: 'x', to: null, links: [] } } } },
    { announcement: { enabled: null } },
    { announcement: { enabled: true } },
  ])
    assert.not(isOverride(patch), JSON.stringify(patch))
})

test('an override refuses unknown settings and those of the whole site', () => {
  for (const patch of [
    { colour: 1 },
    { styling: { colour: 1 } },
    { styling: { font: 'Inter' } },
    { styling: { monospaceFont: null } },
    { ai: { mode: 'search' } },
    { pageActions: {} },
    { insights: { trackingCookie: true } },
    { advancedCustomization: { enabled: true } },
  ])
    assert.not(isOverride(patch), JSON.stringify(patch))
})

test.run()
