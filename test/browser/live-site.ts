import { readdirSync, readFileSync } from 'node:fs'
import type { Settings } from '../../src/content/customization/schema.ts'
import { hasJob } from '../../src/store/events/jobs.ts'
import { type App, startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { png } from '../support/media/png.ts'
import { publishedSite } from '../support/sites.ts'
import { until } from '../support/until.ts'
import { arabic, chinese } from './live-texts.ts'
import { type LiveTravel, startTravel } from './live-travel.ts'

const root = new URL('../../', import.meta.url)

/** Returns the files of a folder of the checkout, by path. */
function filesOf(folder: string): Record<string, Buffer> {
  const url = new URL(`${folder}/`, root)
  return Object.fromEntries(
    readdirSync(url, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ name, parentPath }) => {
        const path = `${parentPath}/${name}`.replaceAll('//', '/')
        return [path.slice(url.pathname.length), readFileSync(path)]
      }),
  )
}

type Files = Record<string, string | Buffer>

/** Adds two pages to a manual: every block, and the page that it links to. */
function withBlocks(files: Files): Files {
  const summary = `${files['SUMMARY.md']}\n## Format\n\n* [Every block](every-block.md)\n* [Other](other.md)\n`
  return {
    ...files,
    'SUMMARY.md': summary,
    'every-block.md': readFileSync(new URL('blocks.md', import.meta.url)),
    'other.md': '# Other\n\nWords of the other page.\n',
    'light.png': png(640, 240),
    'dark.png': png(640, 240),
    'badge.png': png(90, 20),
    'manual.pdf': '%PDF-1.4\n%%EOF\n',
  }
}

/** The pages of the kept pictures: an older state of the manual, of which other pages are titles. */
function handbook(): Files {
  const files = filesOf('test/browser/handbook')
  const listed = String(files['SUMMARY.md']).matchAll(/\[(.*)\]\((.*)\)/g)
  const titles = [...listed].map(([, title, path]) => [path, `# ${title}\n`])
  return { ...Object.fromEntries(titles), ...files }
}

type Change = (settings: Settings) => void

/** Changes settings of a site. */
async function customize({ admin }: App, site: string, change: Change): Promise<void> {
  const path = `/v1/orgs/acme/sites/${site}/customization`
  const { body } = await admin.get(path)
  change(body)
  const { status, text } = await admin.put(path, body)
  if (status !== 200) throw new Error(`PUT customization answered ${status} ${text}`)
}

const addFooter: Change = settings => {
  settings.header.links = [
    { title: 'Source', to: { kind: 'url', url: 'https://example.org/' }, links: [] },
    {
      title: 'Community',
      to: null,
      links: [
        { title: 'Forum', to: { kind: 'url', url: 'https://example.org/forum' } },
        { title: 'Chat', to: { kind: 'url', url: 'https://example.org/chat' } },
      ],
    },
  ]
  settings.footer = {
    groups: [
      {
        title: 'Project',
        links: [{ title: 'Source', to: { kind: 'url', url: 'https://example.org/source' } }],
      },
    ],
    copyright: '© 2026 The authors of Stemma',
  }
}

const addNews: Change = settings => {
  addFooter(settings)
  settings.announcement = {
    enabled: true,
    message: 'Version 2 is here, with pages for readers.',
    link: { title: 'What is new', to: { kind: 'url', url: 'https://example.org/new' } },
    style: 'info',
  }
  settings.feedback = { enabled: true }
}

/** The bases of the sites that the checks open. */
export type LiveSites = {
  app: App
  /** Two sections, the first of them with two variants. */
  manual: string
  /** The same with the handbook, which changes of the manual leave as it is. */
  handbook: string
  /** The manual alone, with an announcement, header links and a footer. */
  news: string
  arabic: string
  chinese: string
  /** The address of a share link that is not active any more. */
  gone: string
  travel: LiveTravel
  /** The Cookie header of a member. */
  cookie: string
}

/** Starts a server with the sites. */
export async function startLiveSites(): Promise<LiveSites> {
  const app = await startApp()
  const { admin } = app
  const space = async (files: Files, title: string, language?: string) => {
    const { space, api } = await makeSpace(app, files, title)
    if (language) await admin.patch(api, { language })
    return space.id
  }

  const spaces = {
    manual: await space(withBlocks(filesOf('docs')), 'Version 2'),
    handbook: await space(withBlocks(handbook()), 'Version 2'),
    former: await space(
      { 'README.md': '# Stemma 1\n\nThe first version.\n', 'git.md': '# Git\n\nOld words.\n' },
      'Version 1',
    ),
    guides: await space(filesOf('fixtures/elsa-guides'), 'Workflows'),
    arabic: await space(arabic, 'دليل', 'ar'),
    chinese: await space(chinese, '手册', 'zh'),
  }
  const publish = (ids: string[], basename: string, title: string, set = {}) =>
    publishedSite(app, ids, { visibility: 'public', basename, title, ...set })

  for (const name of ['manual', 'handbook'] as const) {
    const site = await publish([spaces[name], spaces.former], name, 'Stemma')
    const section = { spaceId: spaces.guides, title: 'Workflows' }
    const added = await admin.post(`/v1/orgs/acme/sites/${site.id}/sections`, section)
    if (added.status >= 300) throw new Error(added.text)
  }

  const news = await publish([spaces.manual], 'news', 'Stemma')

  await customize(app, news.id, addNews)
  await publish([spaces.arabic], 'arabic', 'دليل ستيما')
  await publish([spaces.chinese], 'chinese', '手册')
  const shared = await publish([spaces.former], 'shared', 'Shared', { visibility: 'share-link' })
  const links = `/v1/orgs/acme/sites/${shared.id}/share-links`
  const link = (await admin.post(links, { name: 'Reviewers' })).body

  await admin.patch(`${links}/${link.id}`, { active: false })
  const base = (name: string) => `${app.url}/sites/acme/${name}/`
  const travel = await startTravel(app)
  const sites = {
    app,
    manual: base('manual'),
    handbook: base('handbook'),
    news: base('news'),
    arabic: base('arabic'),
    chinese: base('chinese'),
    gone: app.url + new URL(link.urls.published).pathname,
    travel,
    cookie: travel.cookie,
  }

  for (const [base, word] of [
    [sites.manual, 'branch'],
    [sites.chinese, '安装'],
  ])
    await until(
      'the search finds words',
      async () =>
        (await (await fetch(`${base}~gitbook/search?part=1&q=${word}`)).text()).includes(
          'role="option"',
        ) || undefined,
    )

  await until('the search has all pages', () =>
    hasJob(app.ctx.store, 'index-search') ? undefined : true,
  )

  return sites
}
