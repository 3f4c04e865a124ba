import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findLinks, resolveLink, rewriteLink } from '../../../src/content/links/find.ts'
import { furtherPaths } from '../../../src/content/links/served.ts'
import { readCorpora } from '../../support/corpus/corpora.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'

const page = `---
cover: ../.gitbook/assets/a b.png
---

# T <a href="#t" id="t"></a>

[one](a.md#x) ![two](<b (1).png>) [three](c\\_d.md "t") \`[no](code.md)\`

> [quoted](q%20r.md)

{% content-ref url="../ops/" %}
[ops](../ops/)
{% endcontent-ref %}

{% include "../.gitbook/includes/w.md" %}

<figure><img src="x &#x26; y.png" alt=""><figcaption></figcaption></figure>

\`\`\`
[no](fence.md) {% embed url="no" %}
\`\`\`

    [no](indented.md)

<!-- [no](comment.md) <a href="no"> -->

[ref]: <e f.md> "t"
`

test('links are found outside of code and comments', () => {
  assert.equal(
    findLinks(page).map(({ how, target }) => `${how} ${target}`),
    [
      'front-matter ../.gitbook/assets/a b.png',
      'md-link a.md#x',
      'md-image b (1).png',
      'md-link c_d.md',
      'md-link q%20r.md',
      'tag ../ops/',
      'md-link ../ops/',
      'tag ../.gitbook/includes/w.md',
      'html-attr x & y.png',
      'definition e f.md',
    ],
  )
})

test('the image before a video is a link', () => {
  assert.equal(
    findLinks('<video src="a.mp4" poster="b.png"></video>').map(({ target }) => target),
    ['a.mp4', 'b.png'],
  )
})

test('a rewritten link keeps its spelling, and the rest of the page stays', () => {
  const links = findLinks(page)
  const targets = links.map(({ target }) =>
    target.includes(' ') || target.includes('%') ? 'n w_&.md' : 'new_w.md',
  )
  const rewritten = links.reduceRight(
    (text, link, at) => rewriteLink(text, link, targets[at]!),
    page,
  )
  const again = findLinks(rewritten).map(({ target }) => target)

  assert.equal(
    again,
    targets.map((target, at) => (at === 4 ? 'n%20w_&.md' : target)),
  )
  assert.ok(rewritten.includes('![two](<n w_&.md>)'))
  assert.ok(rewritten.includes('[three](new\\_w.md "t")'))
  assert.ok(rewritten.includes('[no](fence.md)'))
  assert.is(rewritten.split('\n').length, page.split('\n').length)
})

test('targets are resolved against the folder of their file', () => {
  assert.equal(
    resolveLink('a/b.md', '../c%20d.md#x').candidates,
    ['c%20d.md#x', 'c%20d.md', 'c d.md', 'c d.md#x'].slice(0, 3),
  )
  assert.equal(resolveLink('a/b.md', './'), { candidates: ['a/'] })
  assert.equal(resolveLink('a/b.md', '#x'), { candidates: ['a/b.md'], fragment: 'x' })
  assert.equal(resolveLink('a/b.md', '/c.md'), { candidates: ['c.md'] })
  assert.is(resolveLink('a/b.md', '?q=x').candidates.at(-1), 'a/b.md')
  assert.is(resolveLink('a/b.md', '?q=x#y').candidates.at(-1), 'a/b.md')
  assert.equal(resolveLink('a/b.md', '../../c.md'), { candidates: [], escapes: true })
  assert.is(resolveLink('a.md', '..%2f..%2fetc/passwd').escapes, true)
  assert.equal(resolveLink('a.md', 'https://x/'), { candidates: [], external: true })
  assert.equal(resolveLink('a.md', 'b.md?q=1').candidates, ['b.md?q=1', 'b.md'])
})

test('links of hostile pages are found in linear time', () => {
  const sources = [
    '{% a '.repeat(100_000),
    '[x]('.repeat(100_000),
    '<a href="'.repeat(100_000),
    '`'.repeat(5) + '` ``'.repeat(100_000),
    `---\ncover: a${' '.repeat(200_000)}b\n---\n`,
    '[a\n'.repeat(100_000),
  ]
  for (const source of sources) {
    assert.ok(leastCpuTime(() => findLinks(source), 15_000) < 15_000, source.slice(0, 10))
  }
})

test('links of real pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'))
  try {
    for (const { name, source, roots } of readCorpora()) {
      const repo = join(folder, name)
      execFileSync('git', ['clone', '-q', source, repo], { stdio: 'ignore' })

      for (const { root, links } of roots) {
        const listed = execFileSync('git', ['-C', repo, 'ls-files', '-z', root], {
          encoding: 'utf8',
        }).split('\0')
        const pages = listed.filter(path => path.endsWith('.md') && !path.endsWith('SUMMARY.md'))
        const total = pages.reduce(
          (sum, path) => sum + findLinks(readFileSync(join(repo, path), 'utf8')).length,
          0,
        )

        // One link of the 5 585 is counted otherwise here.
        assert.ok(Math.abs(total - links.total) <= 1, `${name}: ${total}, not ${links.total}`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('what other tools serve at another place than its file has further paths', () => {
  const further = (target: string) => {
    return furtherPaths(target, resolveLink('a/b.md', target).candidates)
  }
  assert.equal(further('/img/x.png'), ['static/img/x.png', 'public/img/x.png'])
  assert.ok(further('c.html#x').includes('a/c'))
  assert.equal(further('../index.html'), [''])
  assert.equal(further('../d/index.html'), ['d/'])
  assert.equal(further('/d/'), ['static/d/', 'public/d/', 'd'])
  assert.equal(further('c.md'), [])
})

test.run()
