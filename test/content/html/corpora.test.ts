import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { resolveLink } from '../../../src/content/links/find.ts'
import { sectionSteps } from '../../../src/content/search/sections.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { readCorpora } from '../../support/corpus/corpora.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { htmlFaults, htmlOptions, pageHtml } from '../../support/html/write.ts'

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

for (const { name, commit, source } of readCorpora())
  test(`${name}: every page is sound, and has the headings of search`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'stemma-html-'))
    gitOutside(dir, ['init', '-q', '--bare'])
    gitOutside(dir, ['fetch', '--quiet', source, `${commit}:refs/heads/docs`])
    const files = gitOutside(dir, ['ls-tree', '-r', '--name-only', '-z', commit])
      .split('\0')
      .filter(path => /(?<!SUMMARY)\.md$/.test(path))
    assert.ok(files.length > 0)
    let [known, all] = [0, 0]
    for (const file of files) {
      const markdown = gitOutside(dir, ['show', `${commit}:${file}`])
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
    rmSync(dir, { recursive: true, force: true })
  })

test.run()
