import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { until } from '../../support/until.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const member = new Browser(app.url)
test.before(async () => {
  await member.signIn(app.user('Mia', 'read').token)
})

const { base, space, site } = await insertPublicSite(app, {
  'README.md': '# Home\n',
  'a.md': '# A\n\nFirst.\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [A](a.md)\n',
})
const repo = spaceRepository(app.ctx, space)
const open = (path: string, cookie = member.cookie) => openPage(app, base + path, { cookie })
/**
 * Commits files and opens the site: commits that are pushed together are recorded as one
 * publication.
 */
async function change(files: Record<string, string | null>): Promise<string> {
  const oid = await commitFiles(repo, files)
  await openPage(app, base)
  return oid
}

/** Returns the words of the banner of a page as of a commit that lead to what changed. */
async function sinceThen(oid: string, path: string): Promise<string> {
  const { text } = await open(`~/revisions/${oid}/${path}`)
  return />([^<]*: see what changed)</.exec(text)?.[1] ?? ''
}

/** Waits until the history of a page, which is indexed in the background, has the last commit. */
const indexed = () =>
  until(
    'the history is indexed',
    async () => (await open('a')).text.includes('by Ada') || undefined,
  )

test('the banner of an earlier version says how often the page has changed since, through renames', async () => {
  const first = await change({ 'a.md': '# A\n\nSecond.\n' })
  await change({ 'a.md': '# A\n\nThird.\n' })
  await indexed()
  assert.is(await sinceThen(first, 'a'), 'Since then, this page changed once: see what changed')
  await change({ 'README.md': '# Home\n\nNot this page.\n' })
  await change({
    'a.md': null,
    'b.md': '# A\n\nThird.\n',
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [A](b.md)\n',
  })
  await change({ 'b.md': '# A\n\nFourth.\n' })
  await until(
    'the page has its new name',
    async () => (await open('b')).status === 200 || undefined,
  )

  await until(
    'the changes are counted',
    async () => (await sinceThen(first, 'a')).includes('changed 3 times') || undefined,
  )
})

test('more than 50 changes are not counted', async () => {
  const then = await change({ 'b.md': '# A\n\nBefore.\n' })
  for (let at = 0; at < 52; at++) await commitFiles(repo, { 'b.md': `# A\n\nChange ${at}.\n` })
  await until(
    'the changes are counted',
    async () => (await sinceThen(then, 'b')).includes('changed 50+ times') || undefined,
  )
})

test('the foot of a page names the author to those who may read its history', async () => {
  const foot = (text: string) => /<time[^>]*>([^<]*)<\/time>/.exec(text)?.[1]
  assert.is(foot((await open('b')).text), 'Updated November 14, 2023 by Ada')
  assert.is(foot((await open('b', '')).text), 'Updated November 14, 2023')
  updateSite(app.ctx.store, site, { time_travel: 'readers' })
  assert.is(foot((await open('b', '')).text), 'Updated November 14, 2023 by Ada')
})

test.run()
