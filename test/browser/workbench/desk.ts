import { changeRequestRef } from '../../../src/actions/repositories/ref-names.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { png } from '../../support/media/png.ts'
import { arabic } from '../live-texts.ts'
import { marksAfter, marksBefore } from '../sample-text.ts'

/** What members work on: the paths of spaces and change requests, and a member who is signed in. */
export type Desk = {
  app: App
  /** The Cookie header of an admin. */
  cookie: string
  admin: Actor
  /** The address of a path below `/app`. */
  to: (path: string) => string
  organization: string
  /** A space in English, one from right to left, and one without content of its own. */
  handbook: string
  arabic: string
  empty: string
  /** Ids of pages: one with every kind of block, and one in Arabic. */
  page: string
  arabicPage: string
  revision: string
}

const picture = '\n![A picture](picture.png)\n'
const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

const files = {
  'README.md': '# Handbook\n\nWelcome. See [nowhere](nowhere.md).\n',
  'SUMMARY.md': `# Table of contents\n\n* [Handbook](README.md)\n* [Marks](marks.md)\n* [${long}](guide/README.md)\n  * [Old](guide/old.md)\n`,
  'marks.md': marksBefore + picture,
  'guide/README.md': `# ${long}\n\n${long}\n`,
  'guide/old.md': '# Old\n\nWords that go away. See [Marks](../marks.md).\n',
  'picture.png': png(640, 240),
}

/** What a change request changes: every kind of mark, and a conflict in a page and in the list of pages. */
const changed = {
  'marks.md': marksAfter + picture,
  'picture.png': png(320, 240),
  'README.md': '# Handbook\n\nWelcome to all. See [nowhere](nowhere.md).\n',
  'guide/old.md': null,
  'guide/new.md': '# New\n\nA page that was not there.\n',
  'SUMMARY.md': files['SUMMARY.md'].replace('[Old](guide/old.md)', '[New](guide/new.md)'),
}

const published = { 'README.md': '# Handbook\n\nWelcome, reader. See [nowhere](nowhere.md).\n' }

/** Signs in with a token; returns the Cookie header. */
export async function cookieOf(app: App, { token }: Actor): Promise<string> {
  const browser = new Browser(app.url)
  await browser.signIn(token)
  return browser.cookie
}

/** Starts a server with two spaces, change requests in every state, comments, reviews and people. */
export async function startDesk(): Promise<Desk> {
  const app = await startApp()
  const mia = app.user('Mia', 'edit')
  const grace = app.user('Grace', 'review')
  await grace.patch(`/v1/users/${grace.id}`, { displayName: `Grace ${long}` })
  const english = await makeSpace(app, files, 'Handbook')
  const rtl = await makeSpace(app, arabic, 'دليل ستيما')
  const { body: empty } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Empty' })
  await openRequests(app, english, mia, grace)
  await discuss(english, grace)

  const content = async (space: TestSpace) => (await app.admin.get(`${space.api}/content`)).body
  const { id: revision, pages } = await content(english)
  const page = pages.find(({ path }: { path: string }) => path === 'marks')

  return {
    app,
    cookie: await cookieOf(app, app.admin),
    admin: app.admin,
    to: path => `${app.url}/app${path}`,
    organization: 'acme',
    handbook: english.space.id,
    arabic: rtl.space.id,
    empty: empty.id,
    page: page.id,
    arabicPage: (await content(rtl)).pages[0].id,
    revision,
  }
}

/** Opens six change requests: #1 conflicts, #2 can be merged, and then a draft, one that is merged, and one that is closed. */
async function openRequests(
  app: App,
  { repo, api }: TestSpace,
  mia: Actor,
  grace: Actor,
): Promise<void> {
  const open = async (subject: string, more: Parameters<typeof commitFiles>[1]) => {
    const { body } = await mia.post(`${api}/change-requests`, { subject })
    await commitFiles(repo, more, { ref: changeRequestRef(body.number) })
    return `${api}/change-requests/${body.number}`
  }
  const first = await open('Every <b>kind</b> of mark & "quotes"', changed)
  const second = await open(`A long subject with ${long.slice(0, 70)}`, {
    'marks.md': `${marksBefore}\nA line more.\n${picture}`,
  })
  await open('', { 'guide/draft.md': '# Draft\n' })
  const third = await open('To merge', { 'guide/merged.md': '# Merged\n\nWords.\n' })
  const fourth = await open('To close', { 'guide/closed.md': '# Closed\n\nWords.\n' })

  for (const [path, status] of [
    [second, 'changes-requested'],
    [first, 'approved'],
  ]) {
    await app.admin.post(`${path}/requested-reviewers`, { users: [grace.id] })
    await grace.post(`${path}/reviews`, { status, comment: { markdown: 'Reads *well*.' } })
    await grace.post(`${path}/comments`, { body: { markdown: `Look at **this**: ${long}` } })
  }
  await app.admin.post(`${third}/merge`)
  await app.admin.patch(fourth!, { status: 'archived' })
  await commitFiles(repo, published, { message: `Greet readers\n\n${long}` })
}

/** Comments on a page, with a reply. */
async function discuss({ api }: TestSpace, grace: Actor): Promise<void> {
  const { body } = await grace.get(`${api}/content/path/marks`)
  const comment = { body: { markdown: 'Is this *right*?' }, page: body.id }
  const { body: posted } = await grace.post(`${api}/comments`, comment)
  await grace.post(`${api}/comments/${posted.id}/replies`, { body: { markdown: 'It is.' } })
}
