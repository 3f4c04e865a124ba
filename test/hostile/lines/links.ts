import { importOf } from '../import.ts'
import { call, type Line, line, must, type Seen } from '../line.ts'
import { file, makeRepository } from '../objects.ts'
import type { Stage } from '../stage.ts'

let made = 0

/** Imports these files and returns the list of their links. */
const listing =
  (contents: Record<string, string>, query = '?limit=1000') =>
  async (stage: Stage): Promise<Seen> => {
    const name = `links-${made++}`
    const repo = makeRepository(stage.folder, name)
    repo.commit(
      repo.tree(Object.entries(contents).map(([path, text]) => file(path, repo.blob(text)))),
    )
    const done = await importOf(stage, name)

    must(done.status === 'success', `the import ends ${done.status}`)
    const seen = await stage.call('GET', `/v1/spaces/${done.space}/links${query}`)

    await stage.call('DELETE', `/v1/spaces/${done.space}`)

    return seen
  }

/** Imports a page with this front matter and returns its links for search engines. */
const metaLinks =
  (front: string) =>
  async (stage: Stage): Promise<Seen> => {
    const name = `meta-links-${made++}`
    const repo = makeRepository(stage.folder, name)
    const text = `---\nmetaLinks:\n${front}---\n\n# Home\n`
    repo.commit(repo.tree([file('README.md', repo.blob(text))]))
    const done = await importOf(stage, name)
    must(done.status === 'success', `the import ends ${done.status}`)
    const content = `/v1/spaces/${done.space}/content`
    const { id } = JSON.parse((await stage.call('GET', `${content}/path/readme`)).text)
    const seen = await stage.call('GET', `${content}/page/${id}/meta-links`)
    await stage.call('DELETE', `/v1/spaces/${done.space}`)
    return seen
  }

const page = (text: string) => ({ 'README.md': `# Home\n\n${text}\n` })
const stats = /"stats":\{/

/** Pages that take other link parsers seconds. */
const pages: [what: string, text: string][] = [
  ['"[a](" 100,000 times', '[a]('.repeat(100_000)],
  ['100,000 links', '[a](b.md) '.repeat(100_000)],
  ['"|-" 200,000 times, twice', `${'|a'.repeat(200_000)}\n${'|-'.repeat(200_000)}`],
  ['a table of 20,000 rows of links', `a|b\n-|-\n${'[x](y.md) | ``[z](w.md)\n'.repeat(20_000)}`],
  ['a link of 500,000 times "../"', `[a](${'../'.repeat(170_000)}x.md)`],
  ['a link of 500,000 times "%2e"', `[a](${'%2e'.repeat(170_000)}.md)`],
  ['"{% include" 50,000 times', '{% include "'.repeat(50_000)],
  ['"<summary>" 50,000 times', '<summary>'.repeat(50_000)],
  [
    '2,000 headings and 1,000 links to their anchors',
    `${Array.from({ length: 2_000 }, (_, i) => `## 標題 ${i}\n`).join('\n')}\n${'[a](#nowhere) '.repeat(1_000)}`,
  ],
]

/** Hostile links, and hostile queries of their list. */
export const linkLines: Line[] = [
  ...pages.map(([what, text]) =>
    line('C9', `links of a page of ${what}`, 200, stats, listing(page(text))),
  ),
  line(
    'C9',
    'links of a page of 2 MB',
    200,
    /"stats":\{"total":0,/,
    listing(page('[a](b.md) '.repeat(200_000))),
  ),
  line(
    'C10',
    'links to ../../etc/passwd and similar paths',
    200,
    /"broken":\{"total":4\}/,
    listing(
      page('[a](../../etc/passwd) [b](/etc/passwd) [c](..%2f..%2fetc/passwd) [d](../.git/config)'),
    ),
  ),
  line(
    'C2',
    'links javascript: and vbscript:, in any case',
    200,
    /"broken":\{"total":3\}/,
    listing(page('[a](javascript:alert(1)) <a href="JavaScript:x">b</a> [c](vbscript:x)')),
  ),
  line(
    'C10',
    'reusable content that includes itself, directly and in a circle',
    200,
    /"broken":\{"total":0\}/,
    listing({
      ...page('{% include "a.md" %}'),
      'a.md': '{% include "a.md" %}\n{% include "README.md" %}\n',
    }),
  ),
  line(
    'C5',
    'targets "__proto__", "constructor" and "\\0"',
    200,
    stats,
    listing(page('[a](__proto__) [b](constructor#toString) [c](a%00b) [d](</pages/__proto__>)')),
  ),
  line(
    'C9',
    'metaLinks with 2,000 alternates: 50 are read',
    200,
    /^(?!.*\/e50").*\/e49"/,
    metaLinks(
      `  alternates:\n${Array.from({ length: 2_000 }, (_, i) => `    - http://x/e${i}\n`).join('')}`,
    ),
  ),
  line(
    'C2',
    'metaLinks that lead to scripts, files and spaces of others',
    200,
    /"alternates":\[\],"sites":\[\]/,
    metaLinks(
      '  canonical: "javascript:alert(1)"\n  alternates: ["vbscript:x", ../../etc/passwd, /spaces/__proto__/pages/__proto__, {a: b}, [x]]\n',
    ),
  ),
  line(
    'E10',
    'meta-links of a missing page',
    404,
    /page/,
    call('GET /v1/spaces/{space}/content/page/__proto__/meta-links'),
  ),
  line('E10', 'an unknown status', 400, /status/, call('GET /v1/spaces/{space}/links?status=dead')),
  line(
    'E10',
    'two statuses',
    400,
    /status/,
    call('GET /v1/spaces/{space}/links?status=ok&status=broken'),
  ),
  line(
    'E10',
    'a cursor of another list',
    400,
    /page/,
    call('GET /v1/spaces/{space}/links?page=e30.x'),
  ),
  line(
    'E10',
    'links of a missing page',
    404,
    /page/,
    call('GET /v1/spaces/{space}/content/page/__proto__/links'),
  ),
  line(
    'E10',
    'a list of pages that link to a missing file',
    404,
    /file/,
    call('GET /v1/spaces/{space}/content/files/..%2f..%2fetc/backlinks'),
  ),
]
