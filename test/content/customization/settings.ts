import { defaultSettings } from '../../../src/content/customization/defaults.ts'
import type { Settings } from '../../../src/content/customization/schema.ts'

const both = (text: string) => ({ light: text, dark: text })
const address = (url: string) => ({ kind: 'url' as const, url })

/** The default settings, as a copy that a test may change. */
export const plainSettings = (): Settings => structuredClone(defaultSettings)

/** Settings with a value for everything that can be set. */
export const fullSettings = (): Settings => ({
  ...plainSettings(),
  title: 'Acme documentation',
  styling: {
    ...plainSettings().styling,
    theme: 'bold',
    tint: { color: both('#abc') },
    font: {
      id: 'acme-sans',
      custom: true,
      fontFamily: 'Acme Sans',
      fontFaces: [
        { weight: 400, sources: [{ url: 'https://cdn.example.org/acme.woff2', format: 'woff2' }] },
      ],
    },
    sidebar: { background: 'filled', list: 'pill' },
  },
  internationalization: { locale: 'pt-br' },
  favicon: { emoji: '📘' },
  header: {
    preset: 'contrast',
    logo: both('https://cdn.example.org/logo.svg'),
    backgroundColor: both('#000000'),
    linkColor: both('#ffffff'),
    links: [
      { title: 'Home', to: address('https://example.org/'), links: [] },
      {
        title: 'Guides',
        to: null,
        links: [
          { title: 'Start', to: { kind: 'page', page: 'start', space: 'guides' } },
          {
            title: 'Internals',
            to: { kind: 'anchor', anchor: 'top', page: 'deep', space: 'internals' },
          },
        ],
      },
      {
        title: 'Beta',
        style: 'button-primary',
        to: { kind: 'space', space: 'internals' },
        links: [],
        condition: 'visitor.claims.beta',
      },
    ],
  },
  footer: {
    logo: both('https://cdn.example.org/logo.svg'),
    groups: [
      { title: 'Legal', links: [{ title: 'Imprint', to: { kind: 'file', file: 'imprint' } }] },
      {
        title: 'Inside',
        links: [{ title: 'Internals', to: { kind: 'space', space: 'internals' } }],
      },
    ],
    copyright: '© 2026 <b>Acme</b>',
  },
  announcement: {
    enabled: true,
    message: 'Version 2 is here',
    link: { title: 'Read more', to: { kind: 'page', page: 'news', space: 'internals' } },
    style: 'success',
  },
  privacyPolicy: { url: 'https://example.org/privacy' },
  socialPreview: { url: 'https://example.org/preview.png' },
})
