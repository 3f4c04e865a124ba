import { readFileSync } from 'node:fs'
import type { Browser as Chromium, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { chromiumPath, startChromium } from '../../browser/chromium.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { skip } from '../../support/skip.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
let browser: Chromium | undefined
test.after(async () => {
  await browser?.close()
  await app.stop()
})

/** Returns a function that returns numbers from 0 up to a limit, the same ones in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return limit => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state % limit
  }
}

/** Returns a page with one of its blocks removed, moved, doubled or changed. */
function edited(markdown: string, next: (limit: number) => number): string {
  const blocks = markdown.split('\n\n')
  const at = 1 + next(blocks.length - 1)
  const block = blocks[at]!
  const words = block.split(' ')
  const edits = [
    () => blocks.splice(at, 1),
    () => blocks.splice(1 + next(blocks.length - 1), 0, ...blocks.splice(at, 1)),
    () => blocks.splice(at, 0, `New words in place ${next(1000)}.`),
    () =>
      blocks.splice(at, 1, words.toSpliced(next(words.length), 1, `word${next(100)}`).join(' ')),
  ]

  edits[next(edits.length)]!()

  return blocks.join('\n\n')
}

/**
 * Returns the text of an article without what is marked as removed, and without footnotes, which
 * versions number anew.
 */
const textOf = (page: Page, html: string): Promise<string> =>
  page.evaluate(source => {
    const article = new DOMParser().parseFromString(source, 'text/html').querySelector('article')!
    const left = '.change.removed, del, .sr, .notes, a[href^="#note"], .anchor'
    for (const element of article.querySelectorAll(left)) element.remove()
    return (article.textContent ?? '').replace(/\s+/g, ' ').trim()
  }, html)

test('a page without what is marked as removed is the page of the later version, for edits of real pages', async () => {
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')
  browser = await startChromium()
  const page = await browser.newPage()
  const { base, space } = await insertPublicSite(app, {}, { time_travel: 'readers' })
  const repo = spaceRepository(app.ctx, space)
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const texts: Record<string, string> = {
    'a.md': read('test/browser/blocks.md'),
    'b.md': read('fixtures/elsa-guides/README.md'),
  }
  const start = { 'SUMMARY.md': null, 'README.md': '# Home\n', ...texts }
  const versions: Oid[] = [await commitFiles(repo, start)]

  for (let seed = 1; seed <= 12; seed++) {
    const next = numbers(seed)
    for (const name of Object.keys(texts)) texts[name] = edited(texts[name]!, next)
    versions.push(await commitFiles(repo, texts))
  }

  let marks = 0

  for (const [at, to] of versions.slice(1).entries())
    for (const name of ['a', 'b']) {
      const address = `${base}~/compare/${versions[at]}...${to}/${name}`
      const [marked, plain] = [
        await openPage(app, address),
        await openPage(app, `${address}?marks=0`),
      ]

      assert.equal([marked.status, plain.status], [200, 200])
      const text = await textOf(page, plain.text)

      assert.ok(text.length > 1000, address)
      assert.is(await textOf(page, marked.text), text, address)
      marks += marked.text.match(/ id="change-/g)?.length ?? 0
    }

  assert.ok(marks >= 20, `only ${marks} marks`)
})

test.run()
