import type { Browser } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { resolveLink } from '../../../src/content/links/find.ts'
import { sectionSteps } from '../../../src/content/search/sections.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { chromiumPath, startChromium } from '../../browser/chromium.ts'
import { readCorpora } from '../../support/corpus/corpora.ts'
import { corpusFiles } from '../../support/corpus/corpus-files.ts'
import { purifier, purify } from '../../support/html/purify.ts'
import { htmlFaults, htmlOptions, pageHtml } from '../../support/html/write.ts'
import { skip } from '../../support/skip.ts'

const targets = {
  ...htmlOptions.targets,
  link: (file: string | undefined, target: string) => {
    const { external, candidates } = resolveLink(file ?? '', target)
    return external
      ? { href: target, kind: 'external' as const }
      : { href: `/${candidates[0] ?? ''}`, kind: 'page' as const }
  },
  image: (_: string | undefined, target: string) => ({ src: target, width: 20, height: 10 }),
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }

/** Returns the words of a text, in lower case. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []

/** Returns the text of HTML and of its attributes for readers. */
const textOf = (html: string): string =>
  html
    .replace(
      /<[^>]*>/g,
      tag =>
        ` ${[...tag.matchAll(/ (?:alt|title|href|src|data-tab)="([^"]*)"/g)].map(([, text]) => text).join(' ')} `,
    )
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => entities[name] ?? '')

let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
})

for (const corpus of readCorpora()) {
  const files = corpusFiles(corpus)

  test(`${corpus.name}: every page is sound, and has the headings of search`, () => {
    assert.ok(files.size > 0)
    let [known, all] = [0, 0]
    for (const [file, markdown] of files) {
      const { html, headings } = pageHtml(markdown, { file, targets })
      assert.equal(htmlFaults(html), [], file)
      const { sections } = atOnce(sectionSteps(markdown))
      assert.equal(
        headings.map(({ id }) => id),
        sections.flatMap(({ anchor }) => (anchor === '' ? [] : [anchor])),
        file,
      )
      const shown = new Set(wordsOf(textOf(html)))
      const words = sections.flatMap(({ heading, body }) => wordsOf(`${heading} ${body}`))

      all += words.length
      known += words.filter(word => shown.has(word)).length
    }

    // Search also indexes addresses, and joins words that markup separates.
    assert.ok(known / all > 0.98, `${known} of ${all} words`)
  })

  test(`${corpus.name}: a sanitiser takes nothing away from the HTML of any page`, async () => {
    if (!browser) return skip('there is no Chromium: set CHROME_PATH')
    const page = await browser.newPage()
    await page.route('**/*', route => route.abort())
    await page.addInitScript('globalThis.__name = named => named')
    await page.setContent('<!doctype html><title>a</title>')
    await page.evaluate(purifier)

    for (const [file, markdown] of files) {
      const { html } = pageHtml(markdown, {
        file,
        targets,
        diagramFrame: '/~stemma/assets/diagram.html',
      })
      assert.equal(await page.evaluate(purify, html), { removed: [], isSame: true }, file)
    }

    await page.close()
  })
}

test.run()
