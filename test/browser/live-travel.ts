import type { App } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { commitFiles } from '../support/git/repo.ts'
import { Browser } from '../support/http/browser.ts'
import { png } from '../support/media/png.ts'
import { publishedSite } from '../support/sites.ts'
import { marksAfter, marksBefore } from './sample-text.ts'

/**
 * What members read of a site with earlier versions and a change request: the bases of its
 * addresses, and a page.
 */
export type LiveTravel = {
  /** The Cookie header of a member. */
  cookie: string
  published: string
  asOf: string
  request: string
  comparison: string
  /** The history of the page `marks`. */
  history: string
  /** A site that is not published yet. */
  preview: string
}

const picture = '\n![A picture](picture.png)\n'

const files = {
  'README.md': '# Travel\n\nWelcome.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Travel](README.md)\n* [Marks](marks.md)\n* [Guide](guide/README.md)\n  * [Old](guide/old.md)\n* [Same](same.md)\n',
  'marks.md': marksBefore + picture,
  'guide/README.md': '# Guide\n\nWords of the guide.\n',
  'guide/old.md': '# Old\n\nWords that go away.\n',
  'same.md': '# Same\n\nNobody changes this page.\n',
  'picture.png': png(640, 240),
}

/**
 * Creates the site with a history of three commits, a change request with every kind of mark, and a
 * site without readers.
 */
export async function startTravel(app: App): Promise<LiveTravel> {
  const { space, repo, api } = await makeSpace(app, files, 'Travel')
  const earlier = await commitFiles(
    repo,
    { 'marks.md': `${marksBefore}\nA line more.\n${picture}` },
    { message: 'Add a line to the marks' },
  )

  const later = await commitFiles(
    repo,
    { 'marks.md': `${marksBefore}\nAnother line.\n${picture}` },
    { message: 'Write another line' },
  )
  const { body: request } = await app.admin.post(`${api}/change-requests`, {
    subject: 'Every kind of mark',
  })

  await commitFiles(
    repo,
    {
      'marks.md': marksAfter + picture,
      'picture.png': png(320, 240),
      'guide/old.md': null,
      'guide/new.md': '# New\n\nA page that was not there.\n',
      'SUMMARY.md': files['SUMMARY.md'].replace('[Old](guide/old.md)', '[New](guide/new.md)'),
    },
    { ref: `refs/heads/change-requests/${request.number}` },
  )

  await publishedSite(app, [space.id], {
    visibility: 'public',
    basename: 'travel',
    title: 'Travel',
  })

  const planned = await app.admin.post('/v1/orgs/acme/sites', {
    title: 'Planned',
    spaces: [space.id],
  })
  const member = new Browser(app.url)

  await member.signIn(app.user('Mia', 'create').token)
  const published = `${app.url}/sites/acme/travel/`
  const page = await (
    await fetch(`${published}marks`, { headers: { cookie: member.cookie } })
  ).text()
  const [history = ''] = /[^"]*~stemma\/history\/[^"]*/.exec(page) ?? []

  return {
    cookie: member.cookie,
    published,
    asOf: `${published}~/revisions/${earlier}/`,
    request: `${published}~/changes/${request.number}/`,
    comparison: `${published}~/compare/${earlier}...${later}/`,
    history: new URL(history, published).href,
    preview: `${app.url}/~preview/${planned.body.id}/`,
  }
}
