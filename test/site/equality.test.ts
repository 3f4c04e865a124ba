import { decodeHTML } from 'entities'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findLinks } from '../../src/content/links/find.ts'
import { splitFrontMatter } from '../../src/content/markdown/front-matter.ts'
import { sectionSteps } from '../../src/content/search/sections.ts'
import { spliceAll } from '../../src/content/text/lines.ts'
import { atOnce } from '../../src/lib/slices.ts'
import { startApp } from '../support/app.ts'
import { type Corpus, fetchCorpus, readCorpora } from '../support/corpus/corpora.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { isLongRun } from '../support/long-run.ts'
import { publishedSite } from '../support/sites.ts'
import { openPage } from './open-page.ts'

const app = await startApp()
test.after(() => app.stop())

type Page = {
  title: string
  markdown?: string
  path: string
  type: string
  git?: { path: string }
  pages?: Page[]
}
type Read = { page: Page; html: string; text: string; markdown: string; ids: Set<string> }

/** A page's own part of its HTML: title and text. */
const ownPart = (html: string): string =>
  /<h1[^>]*>.*?<\/h1>/s.exec(html)?.[0] +
  (/<article class="prose">.*?<\/article>(?=<nav class="pager"|<div class="meta"|<\/main>)/s.exec(
    html,
  )?.[0] ?? '')

/** Returns the words of a text, in lower case. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const inline =
  /<\/?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)(?:\s[^>]*)?>/g

/** Returns the text of HTML that readers see, with spaces between its blocks. */
const seen = (html: string): string =>
  decodeHTML(
    html
      .replace(/<sup class="note".*?<\/sup>|<a [^>]*role="doc-backlink".*?<\/a>/gs, '')
      .replace(/<math.*?<annotation[^>]*>(.*?)<\/annotation>.*?<\/math>/gs, ' $1 ')
      .replace(inline, '')
      .replace(/<[^>]*>/g, ' '),
  )

/** Returns the texts of attributes that search has as words, too. */
const attributes = (html: string): string =>
  [...html.matchAll(/ (?:alt|title|href|src|data-tab)="([^"]*)"/g)]
    .map(([, text]) => decodeHTML(text!))
    .join(' ')

/** Returns Markdown without the targets of its links. Links that lead nowhere are their words. */
function withoutTargets(markdown: string): string {
  const splices = findLinks(markdown).map(({ raw, inline }) =>
    inline
      ? [
          { start: inline.start, end: inline.text.start, text: '' },
          { start: inline.text.end, end: inline.end, text: '' },
        ]
      : [{ ...raw, text: '' }],
  )
  return spliceAll(markdown, splices.flat())
}

/**
 * Returns an anchor without what its spellings differ in, as the script of the pages compares them.
 */
const fold = (anchor: string): string => anchor.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Returns the anchors of a page: its ids, and the texts of its headings. */
function anchorsOf(html: string): Set<string> {
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => decodeHTML(id!))
  const headings = [...html.matchAll(/<h[2-6][^>]*>(.*?)<\/h[2-6]>/gs)].map(([, text]) =>
    seen(text!),
  )
  return new Set([...ids, ...headings].map(fold))
}

const flat = (pages: Page[]): Page[] => pages.flatMap(page => [page, ...flat(page.pages ?? [])])

async function readSite(corpus: Corpus) {
  const made = await makeSpace(app, {}, corpus.name)
  fetchCorpus(made, corpus)
  const site = await publishedSite(app, [made.space.id], { visibility: 'public' })
  const base = `/sites/acme/${site.basename}/`
  const { body } = await app.admin.get(`${made.api}/content/pages?format=markdown`)
  const documents = flat(body.pages).filter(page => page.type === 'document' && page.git)
  const landing = flat(body.pages).find(({ type }) => type === 'document')
  const files = new Map<string, Read>()

  for (const page of documents) {
    const path = page === landing ? '' : page.path.split('/').map(encodeURIComponent).join('/')
    const answer = await openPage(app, base + path)
    assert.is(answer.status, 200, page.path)
    const twin = await openPage(app, `${base}${path || 'README'}.md`)

    assert.is(twin.status, 200, `${page.path}.md`)
    const html = ownPart(answer.text)
    const ids = anchorsOf(answer.text)

    files.set(base + path, { page, html, text: answer.text, markdown: twin.text, ids })
  }

  return { ...made, base, pages: files }
}

type Site = Awaited<ReturnType<typeof readSite>>

/** Returns the links that the API lists as broken, or as those to a missing anchor, by file. */
async function brokenLinks({ api }: Site): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (let at: string | undefined = ''; at !== undefined; ) {
    const { body } = await app.admin.get(`${api}/links?limit=200${at && `&page=${at}`}`)
    for (const { link, status } of body.items)
      if (status === 'broken' || link.anchor === 'missing')
        found.set(link.path, [...(found.get(link.path) ?? []), link.target])
    at = body.next?.page
  }

  return found
}

for (const corpus of readCorpora()) {
  let site: Site

  test(`${corpus.name}: every page is there, with the headings of search`, async () => {
    site = await readSite(corpus)
    assert.ok(site.pages.size > 5)

    for (const { page, html, markdown } of site.pages.values()) {
      const ids = [...html.matchAll(/<h[2-6][^>]* id="([^"]*)"/g)].map(([, id]) => decodeHTML(id!))
      const { sections } = atOnce(sectionSteps(markdown))
      assert.equal(
        ids,
        sections.flatMap(({ anchor }) => anchor || []),
        page.path,
      )
    }
  })

  test(`${corpus.name}: the Markdown of a page is that of Git, without front matter, links aside, where nothing is evaluated`, () => {
    let same = 0
    for (const { page, markdown } of site.pages.values()) {
      const written = page.markdown!
      const { body } = splitFrontMatter(written)
      if (/\{\{|\{% (?:if|openapi|include)|<!--/.test(written)) continue
      assert.is(
        withoutTargets(markdown).trim(),
        withoutTargets(written.slice(body)).trim(),
        page.path,
      )
      same++
    }

    assert.ok(same > 5)
  })

  test(`${corpus.name}: every link within the site leads somewhere, or the API lists it as broken`, async () => {
    const broken = await brokenLinks(site)
    const known = new Map<string, number>()
    let links = 0

    for (const { page, html } of site.pages.values())
      for (const [, written] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
        const address = decodeHTML(written!)
        if (!address.startsWith(site.base)) continue
        links++
        const [path = '', fragment] = address.split('#')
        if (!known.has(path)) known.set(path, (await openPage(app, path)).status)
        assert.is(known.get(path), 200, `${address} of ${page.path}`)
        if (fragment === undefined) continue

        const name = decodeURIComponent(fragment)
        const isThere = site.pages.get(path)?.ids.has(fold(name))
        const isListed = broken
          .get(page.git!.path)
          ?.some(target => fold(target.slice(target.indexOf('#'))) === fold(name))

        assert.ok(isThere || isListed, `${address} of ${page.path}`)
      }

    if (isLongRun)
      console.log(
        `\n${corpus.name}: ${site.pages.size} pages, ${links} links, ${known.size} targets`,
      )
  })

  test(`${corpus.name}: the words of the HTML are those of search`, () => {
    const [here, there] = [
      { all: 0, known: 0, unknown: [] as string[] },
      { all: 0, known: 0, unknown: [] as string[] },
    ]

    for (const { page, html, markdown } of site.pages.values()) {
      const { h1, sections } = atOnce(sectionSteps(markdown))
      const indexed = wordsOf(
        [page.title, h1, ...sections.flatMap(({ heading, body }) => [heading, body])].join('\n'),
      )
      const shown = wordsOf(seen(html))
      const count = (sum: typeof here, words: string[], among: Set<string>) => {
        sum.all += words.length
        const missing = words.filter(word => !among.has(word))
        sum.known += words.length - missing.length
        sum.unknown.push(...missing.map(word => `${word} (${page.path})`))
      }

      count(here, indexed, new Set([...shown, ...wordsOf(attributes(html))]))
      count(there, shown, new Set(indexed))
    }

    if (process.env.SHOW_WORDS) console.log(here.unknown.slice(0, 80), there.unknown.slice(0, 80))

    const share = ({ known, all }: typeof here) => (known / all).toFixed(5)

    if (isLongRun)
      console.log(
        `\n${corpus.name}: ${share(here)} of ${here.all} words of search are shown, ${share(there)} of ${there.all} shown words are in search`,
      )

    assert.ok(here.known / here.all >= 0.999, here.unknown.slice(0, 40).join(', '))
    assert.ok(there.known / there.all >= 0.999, there.unknown.slice(0, 40).join(', '))
  })
}

test.run()
