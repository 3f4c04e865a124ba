import type { SiteAssets } from '../../src/site/assets/assets.ts'
import type {
  ArticlePage,
  Frame,
  Head,
  NavEntry,
  SearchPage,
  SitePage,
} from '../../src/site/views/model.ts'
import { wordsOf } from '../../src/ui/words/all.ts'
import { sampleComments } from './sample-comments.ts'
import { sampleMarks, sampleText } from './sample-text.ts'

/** Returns the frame of a site with sections, variants, links, a footer and an announcement. */
export function sampleFrame(assets: SiteAssets, over: Partial<Frame> = {}): Frame {
  const { words, lang } = wordsOf('en')
  return {
    lang,
    dir: 'ltr',
    words,
    title: 'Fluentd',
    home: '/',
    favicon: { href: '/picture.svg', type: 'image/svg+xml' },
    assets: {
      style: `/assets/${assets.style.name}`,
      travel: `/assets/${assets.travel.name}`,
      diagramScript: `/assets/${assets.diagramScript.name}`,
      callStyle: `/assets/${assets.callStyle.name}`,
      callScript: `/assets/${assets.callScript.name}`,
      script: `/assets/${assets.script.name}`,
    },
    look: {},
    scheme: 'auto',
    schemeSwitch: true,
    search: { action: '/search' },
    header: [
      { title: 'Source', href: 'https://example.org/', style: 'link', links: [] },
      {
        title: 'Community',
        style: 'link',
        links: [
          { title: 'Forum', href: '/forum' },
          { title: 'Chat', href: '/chat' },
        ],
      },
    ],
    tabs: [
      { title: 'Guides', href: '/', current: true, children: [] },
      {
        title: 'Reference',
        href: '/ref',
        current: false,
        children: [
          {
            title: 'API',
            href: '/api',
            description: 'Every operation',
            current: false,
            children: [],
          },
          { title: 'Plugins', href: '/plugins', current: false, children: [] },
        ],
      },
    ],
    variants: [
      { title: 'v2', href: '/', current: true },
      { title: 'v1', href: '/v1/', current: false },
    ],
    footer: {
      groups: [
        { title: 'Product', links: [{ title: 'Releases', href: '/releases' }] },
        { title: 'Company', links: [{ title: 'About', href: '/about' }] },
      ],
      copyright: '© 2026 Fluentd authors',
      privacy: '/privacy',
      trademark: true,
    },
    toolbar: [],
    ...over,
  }
}

/** Returns an entry of the list of pages. */
function entry(title: string, over: Partial<NavEntry> = {}): NavEntry {
  const id = title.toLowerCase().replaceAll(' ', '-')
  return {
    kind: 'page',
    id,
    title,
    href: `/${id}`,
    current: false,
    open: false,
    hasPages: false,
    pages: [],
    ...over,
  }
}

const branches = [
  'Container Deployment',
  'Monitoring',
  'Input Plugins',
  'Filter Plugins',
  'Output Plugins',
]

/** The list of pages with an open branch, shut ones, a group and a link. */
export const sampleNav: NavEntry[] = [
  entry('Introduction', { emoji: '👋' }),
  entry('Overview', { hasPages: true, fragment: '/fragment/overview' }),
  entry('Deployment', {
    hasPages: true,
    open: true,
    pages: [
      entry('Logging'),
      entry('Signals', { mark: 'changed' }),
      entry('Trouble Shooting', { current: true }),
      entry('Multi Process Workers and High Availability', { mark: 'new' }),
      entry('Fluentd UI', { mark: 'removed' }),
    ],
  }),
  entry('Plugins', {
    kind: 'group',
    pages: branches.map(title =>
      entry(title, { hasPages: true, fragment: `/fragment/${title.length}` }),
    ),
  }),
  entry('Website', { kind: 'link', href: 'https://example.org/' }),
]

const head: Head = {
  title: 'Trouble Shooting',
  description: 'What to do when events are missing.',
  canonical: 'http://127.0.0.1/trouble-shooting',
  alternates: [],
  crumbs: [{ title: 'Deployment', href: 'http://127.0.0.1/deployment' }],
}

/** A page with every block. */
export const sampleArticle: ArticlePage = {
  kind: 'article',
  head,
  id: 'p1',
  title: 'Trouble Shooting',
  description: 'What to do when events are missing, late or doubled.',
  html: sampleText.html,
  headings: sampleText.headings,
  breadcrumbs: [{ title: 'Deployment', href: '/deployment' }],
  nav: sampleNav,
  previous: { title: 'Performance Tuning', href: '/performance' },
  next: { title: 'Fluentd UI', href: '/ui' },
  updated: { iso: '2026-03-12', text: 'Updated 12 March 2026 by Ada', href: '/history' },
  actions: [
    { kind: 'copy', title: 'Copy as Markdown', href: '/page.md' },
    { kind: 'markdown', title: 'View as Markdown', href: '/page.md' },
    { kind: 'pdf', title: 'Save as PDF', href: '/page.pdf' },
    { kind: 'edit', title: 'Edit this page', href: '/edit' },
    { kind: 'link', title: 'Copy link', href: '/link' },
  ],
  feedback: { action: '/feedback' },
  layout: {
    wide: false,
    title: true,
    description: true,
    tableOfContents: true,
    outline: true,
    pagination: true,
    metadata: true,
  },
}

/** Returns the page of a search for some words. */
export function sampleSearch(query: string): SearchPage {
  const found = query !== '' && query !== 'nothing'
  const hits = found
    ? ['Look at logs', 'Verbose logging', 'Where logs are'].map((title, index) => ({
        title,
        path: 'Deployment / Trouble Shooting',
        href: `/hit/${index}`,
        passage: [
          { text: 'If things are not as expected, look at your ', found: false },
          { text: 'logs', found: true },
          { text: ' first.', found: false },
        ],
      }))
    : []

  return {
    kind: 'search',
    head: { ...head, title: 'Search', robots: 'noindex', crumbs: [] },
    query,
    hits,
    count: hits.length,
    more: found,
    suggestion: query === 'sytemd' ? { query: 'systemd', href: '/search?q=systemd' } : undefined,
    scope: '',
    all: `/search?q=${query}`,
    filters: found
      ? [
          [
            { title: 'Everywhere', href: '/search?q=logs', current: true },
            { title: 'Guides', href: '/search?q=logs&in=guides', current: false },
          ],
          [
            { title: 'Version 2', href: '/search?q=logs&in=guides/v2', current: true },
            { title: 'Version 1', href: '/search?q=logs&in=guides/v1', current: false },
          ],
        ]
      : [],
    nav: sampleNav,
  }
}

/** The pages that the checks open, by address; each with what differs in its frame. */
export const samples: Record<string, { page: SitePage; frame?: Partial<Frame> }> = {
  '/': { page: sampleArticle },
  '/notices': {
    page: {
      ...sampleArticle,
      html: sampleMarks.html,
      headings: sampleMarks.headings,
      comments: sampleComments(sampleMarks.html.length),
      cover: { light: '/picture.svg', y: 40, height: 180, hero: false },
    },
    frame: {
      toolbar: [
        { title: 'Edit', href: '/edit' },
        { title: 'Change requests', href: '/changes' },
      ],
      announcement: {
        message: 'Version 2 is here.',
        link: { title: 'What is new', href: '/new' },
        style: 'warning',
        digest: 'abc',
      },
      banner: {
        kind: 'change-request',
        text: 'Change request #12, “How to install”: 3 changed, 1 new.',
        links: [{ title: 'Without marks', href: '?marks=0' }],
        changes: (sampleMarks.html.match(/ id="change-/g) ?? []).length,
      },
    },
  },
  '/as-of': {
    page: sampleArticle,
    frame: {
      banner: {
        kind: 'revision',
        text: 'You are reading this site as of 12 March 2026 (3f2a1c9).',
        links: [
          { title: 'Since then, this page changed: see what changed', href: '/compare' },
          { title: 'Read the current page', href: '/current' },
        ],
      },
    },
  },
  '/comparison': {
    page: { ...sampleArticle, html: sampleMarks.html, headings: sampleMarks.headings },
    frame: {
      banner: {
        kind: 'comparison',
        text: 'What changed between 12 March 2026 (3f2a1c9) and 14 March 2026 (0b8d2e7).',
        links: [{ title: 'Read the current page', href: '/current' }],
        changes: (sampleMarks.html.match(/ id="change-/g) ?? []).length,
      },
    },
  },
  '/preview': {
    page: sampleArticle,
    frame: {
      toolbar: [{ title: 'History', href: '/history' }],
      banner: { kind: 'preview', text: 'Preview: readers may not see this site yet.', links: [] },
    },
  },
  '/search': { page: sampleSearch('logs') },
  '/search-nothing': { page: sampleSearch('nothing') },
  '/search-typo': { page: sampleSearch('sytemd') },
  '/missing': {
    page: {
      kind: 'message',
      head: { ...head, title: 'There is no page here', robots: 'noindex', crumbs: [] },
      status: 404,
      title: 'There is no page here',
      text: 'The page may have been moved or removed. These pages may be what you are looking for.',
      links: [
        { title: 'Trouble Shooting', href: '/' },
        { title: 'Logging', href: '/logging' },
      ],
      query: 'trouble',
      nav: sampleNav,
    },
  },
  '/history': {
    page: {
      kind: 'history',
      head: { ...head, title: 'History' },
      title: 'Trouble Shooting',
      entries: [
        {
          date: { iso: '2026-03-12T14:05:09Z', text: '12 March 2026 at 14:05:09 UTC' },
          revision: '981d315',
          author: 'Ada',
          subject: 'Explain the flags of verbose logging',
          changeRequest: { title: '#12', href: '/changes/12' },
          asOf: '/then/1',
          changed: '/compare/1',
        },
        {
          date: { iso: '2026-02-01T09:30:00Z', text: '1 February 2026 at 09:30:00 UTC' },
          revision: '143a77b',
          author: 'Grace',
          subject: 'First words',
          asOf: '/2',
        },
      ],
      older: '/history?before=30',
      nav: sampleNav,
    },
  },
  '/sites': {
    page: {
      kind: 'sites',
      head: { ...head, title: 'Sites', crumbs: [] },
      sites: [
        { title: 'Fluentd', href: '/fluentd', description: 'Collects events' },
        { title: 'Elsa', href: '/elsa' },
      ],
      way: { title: 'Sign in', href: '/sign-in' },
      nav: [],
    },
    frame: { title: 'Stemma', tabs: [], variants: [], header: [] },
  },
  '/no-sites': {
    page: {
      kind: 'sites',
      head: { ...head, title: 'Sites', crumbs: [] },
      sites: [],
      way: { title: 'Sign in', href: '/sign-in' },
      nav: [],
    },
    frame: { title: 'Stemma', tabs: [], variants: [], header: [] },
  },
  '/bold': {
    page: sampleArticle,
    frame: { look: { 'data-theme-style': 'bold' } },
  },
  '/muted': {
    page: sampleArticle,
    frame: {
      look: {
        'data-theme-style': 'muted',
        'data-list': 'pill',
        'data-sidebar': 'filled',
        'data-links': 'accent',
      },
    },
  },
  '/gradient': {
    page: sampleArticle,
    frame: {
      look: { 'data-theme-style': 'gradient', 'data-list': 'line', 'data-search': 'prominent' },
      tabs: ['Guides', 'Reference', 'Operations', 'Security', 'Cookbook', 'Changes'].map(
        (title, index) => ({
          title,
          href: `/${title}`,
          current: index === 1,
          children: [],
        }),
      ),
    },
  },
  '/arabic': {
    page: {
      ...sampleArticle,
      title: 'استكشاف الأخطاء',
      description: 'ماذا تفعل عندما تفقد الأحداث.',
    },
    frame: { lang: 'ar', dir: 'rtl', title: 'فلونتد' },
  },
  '/chinese': {
    page: { ...sampleArticle, title: '故障排除', description: '事件丢失时该怎么办。' },
    frame: { lang: 'zh', words: wordsOf('zh').words },
  },
}
